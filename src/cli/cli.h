/* The command line: one file a command, one row a command in main.c.
 *
 * To add a command: write src/cli/NAME.c with `int command_NAME(int count, char **words)` and its options; declare it here; add
 * its row to the table in main.c; write man/longpole-NAME.1; add its options to completion/. The tests compare --help with
 * the manual.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LP_CLI_CLI_H
#define LP_CLI_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "longpole/execution.h"
#include "report/report.h"

enum exit_code { EXIT_DONE = 0, EXIT_GATE_FAILED = 1, EXIT_BAD = 2 };

struct command {
    const char *name;
    int (*run)(int count, char **words); /* words[0] is the command's name */
    const char *summary;
};

extern const struct command commands[]; /* closed by a row without a name */

int command_analyze(int count, char **words);
int command_path(int count, char **words);
int command_parallelism(int count, char **words);
int command_doctor(int count, char **words);

/* ---- Options (options.c) ------------------------------------------------------------------------------- */

enum option_kind { OPTION_FLAG, OPTION_NUMBER, OPTION_TEXT, OPTION_CHOICE };

struct option_row {
    const char *name; /* long name without dashes */
    char letter;      /* or 0 */
    enum option_kind kind;
    void *value;          /* bool *, unsigned *, const char ** */
    const char *argument; /* how --help calls it; for choices "work|all" */
    const char *help;
};

/* The options that every command which reads an input has. */
struct common_options {
    bool json, quiet, verbose, salvage, help;
    unsigned top, threads;
    const char *output, *color;
    const char *input;
};

/* Reads the command line: `own` is closed by a row without a name. Says what is wrong, or prints the help, and returns
 * false with the exit code in *code. Environment variables LONGPOLE_TOP, LONGPOLE_THREADS, LONGPOLE_COLOR set defaults. */
bool options_parse(int count, char **words, const char *usage, const char *about, struct common_options *common,
                   const struct option_row *own, bool wants_input, int *code);

/* One line on stderr, prefixed; returns EXIT_BAD. */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- A command that reads an execution and reports on it (session.c) ------------------------------------- */

struct session {
    struct common_options options;
    struct lp_execution execution;
    struct report report;
    unsigned threads;
};

/* Reads the input (an OTF2 archive in a child process, see guard.c), opens the output, and calls `work`, which returns an
 * exit code. */
int session_run(struct session *session, int (*work)(struct session *session, void *context), void *context);

/* ---- Reading where a crash does no harm (guard.c) -------------------------------------------------------- */

/* What the child tells the parent while it reads; in shared memory. */
enum { GUARD_WORKERS = 32, GUARD_PLACE = 64 };

struct guard_page {
    char places[GUARD_WORKERS][GUARD_PLACE]; /* what each thread is reading; empty when it is not */
    unsigned reading;                        /* 1 until reading is over */
    unsigned long long progress;             /* grows while reading goes on */
};

/* Runs `work` in a child process and returns its exit code. If the child dies of a signal or stops making progress, says
 * so in one line that names the input and the place. */
int guard_run(const char *input, int (*work)(void *context, struct guard_page *page), void *context);

#endif
