/* longpole: finds what bounds a parallel program. The table of commands; everything else is in its own file.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <string.h>

#include "base/error.h"
#include "cli/cli.h"

const struct command commands[] = {
    {"analyze", command_analyze, "the verdict: where the time goes, what bounds it, what would help"},
    {"path", command_path, "critical path with Slack and Logical Zeroing of each procedure"},
    {"parallelism", command_parallelism, "average parallelism, profile and shape"},
    {"doctor", command_doctor, "what can be read and measured on this machine, and why not"},
    {NULL, NULL, NULL},
};

int complain(const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    lp_make_printable(text);
    fprintf(stderr, "longpole: %s\n", text);
    return EXIT_BAD;
}

static int print_help(void)
{
    puts("usage: longpole COMMAND [OPTIONS] INPUT\n\nFinds what bounds a parallel program.\n");
    for (const struct command *command = commands; command->name; command++)
        printf("  %-12s %s\n", command->name, command->summary);
    puts("\nINPUT is an OTF2 archive (anchor file or its directory), an activity graph\n"
         "(JSON) or an event trace (JSON), recognised by content.\n"
         "'longpole COMMAND --help' tells more.");
    return EXIT_DONE;
}

/* What was printed may not have arrived (a full disk, for instance). */
static int finish(int code)
{
    if (!code && (fflush(stdout) || ferror(stdout)))
        return complain("standard output: %s", strerror(errno));
    return code;
}

int main(int count, char **words)
{
    setlocale(LC_CTYPE, "");
    if (count < 2) {
        fprintf(stderr, "longpole: no command given; 'longpole --help' lists them\n");
        return EXIT_BAD;
    }
    bool help = !strcmp(words[1], "--help") || !strcmp(words[1], "-h"), version = !strcmp(words[1], "--version");
    if ((help || version) && count > 2)
        return complain("unexpected word '%s' after %s", words[2], words[1]);
    if (help)
        return finish(print_help());
    if (version) {
        printf("longpole %s\n", lp_version());
        return finish(EXIT_DONE);
    }
    for (const struct command *command = commands; command->name; command++)
        if (!strcmp(words[1], command->name))
            return finish(command->run(count - 1, words + 1));
    return complain("there is no command '%s'; 'longpole --help' lists them", words[1]);
}
