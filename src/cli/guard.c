/* Damaged bytes can bring the OTF2 library down, or make it loop: so an archive is read, analysed and reported on in a child
 * process, and the parent turns its death into a message. A page of shared memory tells the parent what was being read.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"

enum { PATIENCE_SECONDS = 60 };

/* How long reading may go without progress, in seconds; LONGPOLE_READ_TIMEOUT changes it. 0 after a complaint. */
static unsigned patience(void)
{
    const char *text = getenv("LONGPOLE_READ_TIMEOUT");
    char *end;
    if (!text)
        return PATIENCE_SECONDS;
    long seconds = strtol(text, &end, 10);
    if (end == text || *end || seconds < 1 || seconds > 1000000) {
        complain("LONGPOLE_READ_TIMEOUT: '%s' is not a number of seconds", text);
        return 0;
    }
    return (unsigned)seconds;
}

/* Waits for the child; false when it made no progress for too long. */
static bool wait_for(pid_t child, const struct guard_page *page, unsigned limit, int *status)
{
    int handle = (int)syscall(SYS_pidfd_open, child, 0);
    unsigned idle = 0;
    unsigned long long seen = 0;
    while (handle >= 0 && idle < limit) {
        struct pollfd entry = {.fd = handle, .events = POLLIN};
        int ready = poll(&entry, 1, 1000);
        if (ready > 0 || (ready < 0 && errno != EINTR))
            break;
        unsigned long long now = __atomic_load_n(&page->progress, __ATOMIC_RELAXED);
        idle = now == seen && __atomic_load_n(&page->reading, __ATOMIC_RELAXED) ? idle + 1 : 0;
        seen = now;
    }
    if (handle >= 0)
        close(handle);
    bool stuck = idle >= limit;
    if (stuck)
        kill(child, SIGKILL);
    while (waitpid(child, status, 0) < 0 && errno == EINTR)
        ;
    return !stuck;
}

/* What the threads were reading: "the events of location 3 or the events of location 7". */
static void describe_places(const struct guard_page *page, char *text, size_t size)
{
    size_t length = 0;
    *text = 0;
    for (int i = 0; i < GUARD_WORKERS && length < size; i++)
        if (page->places[i][0])
            length += (size_t)snprintf(text + length, size - length, "%s%.*s", length ? " or " : "", GUARD_PLACE - 1,
                                       page->places[i]);
    if (!*text || !page->reading)
        snprintf(text, size, "%s", page->reading ? "the archive" : "(after reading)");
}

int guard_run(const char *input, int (*work)(void *, struct guard_page *), void *context)
{
    unsigned limit = patience();
    if (!limit)
        return EXIT_BAD;
    struct guard_page *page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return complain("%s: %s", input, strerror(errno));
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) {
        munmap(page, sizeof *page);
        return complain("%s: %s", input, strerror(errno));
    }
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        int code = work(context, page);
        fflush(NULL);
        exit(code);
    }
    int status = 0, code;
    bool progressed = wait_for(child, page, limit, &status);
    char where[512];
    describe_places(page, where, sizeof where);
    if (!progressed)
        code = complain("%s: damaged: no progress while reading %s", input, where);
    else if (WIFSIGNALED(status) &&
             (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM || WTERMSIG(status) == SIGPIPE))
        code = 128 + WTERMSIG(status);
    else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        code = complain("%s: killed while reading %s (out of memory?)", input, where);
    else if (WIFSIGNALED(status))
        code = complain("%s: damaged: the OTF2 library crashed (%s) while reading %s", input,
                        strsignal(WTERMSIG(status)), where);
    else
        code = WEXITSTATUS(status);
    munmap(page, sizeof *page);
    return code;
}
