/*
 * Runs a command and prints, as one line of JSON, the seconds it took by the clock and of processor time, its largest
 * resident memory, and its exit status (128 and the signal's number if one ended it).
 *
 * The command's standard output goes to a file, or nowhere, so that this line is all there is on standard output. The
 * memory is what wait4() reports: of the command and those of its children that it waited for, each on its own, the
 * largest one.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _DEFAULT_SOURCE

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CANNOT_EXECUTE = 127, SIGNALLED = 128 };

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

static _Noreturn void execute(int output, char **command)
{
    if (dup2(output, STDOUT_FILENO) >= 0) {
        close(output);
        execvp(command[0], command);
    }
    perror(command[0]);
    _exit(CANNOT_EXECUTE);
}

/* The output is opened by the caller, since truncating a large file takes time that is not the command's. */
static int measure(int output, char **command)
{
    double begin = seconds_now();
    pid_t child = fork();
    struct rusage usage;
    double end;
    int status;

    if (child == 0)
        execute(output, command);
    if (child < 0 || wait4(child, &status, 0, &usage) < 0) {
        perror("peak_memory");
        return EXIT_FAILURE;
    }
    end = seconds_now();
    status = WIFEXITED(status) ? WEXITSTATUS(status) : SIGNALLED + WTERMSIG(status);
    printf("{\"seconds\": %.6f, \"processor_seconds\": %.6f, \"peak_kib\": %ld, \"status\": %d}\n", end - begin,
           seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime), usage.ru_maxrss, status);
    return status;
}

int main(int count, char **arguments)
{
    const char *path = "/dev/null";
    int command = 1;
    int output;

    if (count > 2 && strcmp(arguments[1], "--output") == 0) {
        path = arguments[2];
        command = 3;
    }
    if (command >= count) {
        fputs("usage: peak_memory [--output FILE] COMMAND [ARGUMENT...]\n", stderr);
        return 2;
    }
    output = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (output < 0) {
        perror(path);
        return EXIT_FAILURE;
    }
    return measure(output, &arguments[command]);
}
