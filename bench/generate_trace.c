/*
 * Writes an OTF2 archive that looks like Score-P's trace of a hybrid program (MPI ranks, each with POSIX threads), for
 * measurements.
 *
 * The program is simulated, so the time stamps are causally consistent: a receive comes after its send, a collective
 * ends after the last rank entered it, a lock is acquired after its previous release and in the order in which the
 * threads asked for it.
 *
 * Each iteration of a rank: the master thread computes and takes a lock of the rank one to three times, exchanges a
 * message with each of its two neighbours (blocking and non-blocking in turn), and every tenth time takes part in a
 * collective on all ranks. The other threads compute and take the locks as often as they can until their master is
 * done, as the workers of a task pool do.
 *
 * Events are written as they are simulated. Memory is one event chunk a location (1 MiB, or 256 KiB beyond 64
 * locations), and 4 MiB that the library keeps for the file once a chunk was full. The time is linear in the number of
 * events. The same arguments give the same definitions and events; only the anchor's trace identifier differs.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "simulation.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void fail(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fputs("generate_trace: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(EXIT_FAILURE);
}

void check(OTF2_ErrorCode code)
{
    if (code != OTF2_SUCCESS)
        fail("%s: %s", OTF2_Error_GetName(code), OTF2_Error_GetDescription(code));
}

void *allocate_zeroed(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (memory == NULL)
        fail("out of memory");
    return memory;
}

static _Noreturn void usage(void)
{
    fputs("usage: generate_trace OUTPUT_DIR [--locations N] [--events M] [--procedures K] [--seed S]\n"
          "                      [--sync-share PERCENT]\n",
          stderr);
    exit(2);
}

static uint64_t parse_number(const char *text, uint64_t lowest, uint64_t highest)
{
    char *end;
    unsigned long long number = strtoull(text, &end, 10);

    if (*text < '0' || *text > '9' || *end != '\0' || number < lowest || number > highest) {
        fprintf(stderr, "generate_trace: %s is not a number from %" PRIu64 " to %" PRIu64 "\n", text, lowest, highest);
        exit(2);
    }
    return number;
}

static struct options parse_options(int count, char **arguments)
{
    struct options options = {.locations = 16, .events = 2000000, .procedures = 50, .seed = 1, .sync_share = 20};

    for (int index = 1; index < count; index++) {
        const char *option = arguments[index];
        const char *value = index + 1 < count ? arguments[index + 1] : NULL;

        if (option[0] != '-' && options.directory == NULL) {
            options.directory = option;
            continue;
        }
        if (value == NULL)
            usage();
        else if (strcmp(option, "--locations") == 0)
            options.locations = parse_number(value, 1, 1 << 20);
        else if (strcmp(option, "--events") == 0)
            options.events = parse_number(value, 1, UINT64_MAX / 2);
        else if (strcmp(option, "--procedures") == 0)
            options.procedures = parse_number(value, 1, 1 << 20);
        else if (strcmp(option, "--seed") == 0)
            options.seed = parse_number(value, 0, UINT64_MAX);
        else if (strcmp(option, "--sync-share") == 0)
            options.sync_share = parse_number(value, 1, 100);
        else
            usage();
        index++;
    }
    if (options.directory == NULL)
        usage();
    return options;
}

static void print_summary(const struct program *program)
{
    uint64_t sync_events = 0;

    for (uint64_t index = 0; index < program->options.locations; index++)
        sync_events += program->locations[index].sync_events;
    printf("{\"locations\": %" PRIu64 ", \"events\": %" PRIu64 ", \"sync_events\": %" PRIu64 ", \"messages\": %" PRIu64
           ", \"collectives\": %" PRIu64 ", \"lock_pairs\": %" PRIu64 ", \"path\": \"%s/traces.otf2\"}\n",
           program->options.locations, count_events(program), sync_events, program->messages, program->collectives,
           program->lock_pairs, program->options.directory);
}

int main(int count, char **arguments)
{
    struct program program = {.options = parse_options(count, arguments)};

    open_archive(&program);
    create_locations(&program);
    run_program(&program);
    close_archive(&program);
    print_summary(&program);
    free(program.ranks);
    free(program.locations);
    return EXIT_SUCCESS;
}
