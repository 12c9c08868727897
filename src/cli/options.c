/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { COMMON_ROWS = 10 };

/* Commands without an input have only the options that do not speak of one. */
static void common_rows(struct common_options *common, bool wants_input, struct option_row rows[COMMON_ROWS])
{
    const struct option_row all[COMMON_ROWS] = {
        {"json", 0, OPTION_FLAG, &common->json, NULL, "one JSON object on stdout and nothing else"},
        {"output", 'o', OPTION_TEXT, &common->output, "FILE", "write there instead of stdout"},
        {"color", 0, OPTION_CHOICE, &common->color, "auto|always|never", "colours (auto)"},
        {"top", 0, OPTION_NUMBER, &common->top, "N", "rows of a table at most (10)"},
        {"threads", 0, OPTION_NUMBER, &common->threads, "N", "threads to work with (all cores)"},
        {"salvage", 0, OPTION_FLAG, &common->salvage, NULL,
         "read what is left of a damaged trace"},
        {"quiet", 'q', OPTION_FLAG, &common->quiet, NULL, "no progress on stderr"},
        {"verbose", 'v', OPTION_FLAG, &common->verbose, NULL, "say more"},
        {"help", 'h', OPTION_FLAG, &common->help, NULL, "this text"},
        {NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
    };
    enum { ANYWHERE = 3, HELP = 8 };
    memcpy(rows, all, sizeof all);
    if (!wants_input)
        memcpy(rows + ANYWHERE, all + HELP, 2 * sizeof *all);
}

static void print_rows(const struct option_row *rows)
{
    for (; rows->name; rows++) {
        char left[64];
        snprintf(left, sizeof left, "%s%c%s--%s%s%s", rows->letter ? "-" : " ", rows->letter ? rows->letter : ' ',
                 rows->letter ? ", " : "  ", rows->name, rows->argument ? " " : "",
                 rows->argument ? rows->argument : "");
        printf("  %-30s %s\n", left, rows->help);
    }
}

static bool is_choice(const char *choices, const char *value)
{
    size_t length = strlen(value);
    for (const char *at = choices; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
        if (length && !strncmp(at, value, length) && (at[length] == '|' || !at[length]))
            return true;
    return false;
}

static bool read_number(const char *text, unsigned *value)
{
    char *end;
    errno = 0;
    unsigned long number = strtoul(text, &end, 10);
    if (errno || *end || *text < '0' || *text > '9' || number > INT_MAX)
        return false;
    *value = (unsigned)number;
    return true;
}

/* Stores an option's value; false when it is not one. */
static bool store(const struct option_row *row, const char *value)
{
    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)row->value = true;
        return true;
    case OPTION_NUMBER:
        return read_number(value, row->value);
    case OPTION_CHOICE:
        *(const char **)row->value = value;
        return is_choice(row->argument, value);
    case OPTION_TEXT:
        *(const char **)row->value = value;
        return *value;
    }
    return false;
}

struct parsing {
    const char *command;
    const struct option_row *common, *own;
};

static const struct option_row *find_long(const struct parsing *p, const char *name, size_t length)
{
    const struct option_row *lists[] = {p->own, p->common};
    for (int i = 0; i < 2; i++)
        for (const struct option_row *row = lists[i]; row->name; row++)
            if (strlen(row->name) == length && !strncmp(row->name, name, length))
                return row;
    return NULL;
}

static const struct option_row *find_short(const struct parsing *p, char letter)
{
    const struct option_row *lists[] = {p->own, p->common};
    for (int i = 0; i < 2; i++)
        for (const struct option_row *row = lists[i]; row->name; row++)
            if (row->letter == letter)
                return row;
    return NULL;
}

static bool set_option(const struct parsing *p, const struct option_row *row, const char *value)
{
    if (row->kind != OPTION_FLAG && !value)
        return complain("%s: option '--%s' needs a value", p->command, row->name), false;
    if (!store(row, value))
        return complain("%s: option '--%s': '%s' is not %s", p->command, row->name, value,
                        row->kind == OPTION_CHOICE   ? row->argument
                        : row->kind == OPTION_NUMBER ? "a number"
                                                     : "valid"),
               false;
    return true;
}

static bool unknown_option(const struct parsing *p, const char *word)
{
    complain("%s: unknown option '%s'; 'longpole %s --help' lists them", p->command, word, p->command);
    return false;
}

/* `--name`, `--name value`, `--name=value`; *used tells whether `next` was the value. */
static bool parse_long(const struct parsing *p, const char *word, const char *next, bool *used)
{
    size_t length = strcspn(word + 2, "=");
    const struct option_row *row = find_long(p, word + 2, length);
    const char *value = word[2 + length] ? word + 3 + length : NULL;
    if (!row)
        return unknown_option(p, word);
    if (row->kind == OPTION_FLAG && value)
        return complain("%s: option '--%s' takes no value", p->command, row->name), false;
    *used = row->kind != OPTION_FLAG && !value && next;
    return set_option(p, row, *used ? next : value);
}

/* `-q`, `-qv`, `-o value`, `-ovalue`. */
static bool parse_short(const struct parsing *p, const char *word, const char *next, bool *used)
{
    for (const char *letter = word + 1; *letter; letter++) {
        const struct option_row *row = find_short(p, *letter);
        if (!row)
            return unknown_option(p, word);
        if (row->kind != OPTION_FLAG) {
            *used = !letter[1] && next;
            return set_option(p, row, letter[1] ? letter + 1 : next);
        }
        *(bool *)row->value = true;
    }
    return true;
}

static bool read_environment(struct common_options *common)
{
    const char *top = getenv("LONGPOLE_TOP"), *threads = getenv("LONGPOLE_THREADS"), *color = getenv("LONGPOLE_COLOR");
    if (top && !read_number(top, &common->top))
        return complain("LONGPOLE_TOP: '%s' is not a number", top), false;
    if (threads && !read_number(threads, &common->threads))
        return complain("LONGPOLE_THREADS: '%s' is not a number", threads), false;
    if (color && !is_choice("auto|always|never", color))
        return complain("LONGPOLE_COLOR: '%s' is not auto|always|never", color), false;
    if (color)
        common->color = color;
    return true;
}

bool options_parse(int count, char **words, const char *usage, const char *about, struct common_options *common,
                   const struct option_row *own, bool wants_input, int *code)
{
    struct option_row rows[COMMON_ROWS];
    bool only_words = false;
    *common = (struct common_options){.top = 10, .color = "auto"};
    common_rows(common, wants_input, rows);
    *code = EXIT_BAD;
    if (!read_environment(common))
        return false;
    const struct parsing parsing = {.command = words[0], .common = rows, .own = own};
    for (int i = 1; i < count; i++) {
        const char *next = i + 1 < count ? words[i + 1] : NULL;
        bool used = false;
        if (!only_words && !strcmp(words[i], "--")) {
            only_words = true;
        } else if (!only_words && words[i][0] == '-' && words[i][1]) {
            if (!(words[i][1] == '-' ? parse_long : parse_short)(&parsing, words[i], next, &used))
                return false;
            i += used;
        } else if (!wants_input || common->input) {
            complain("%s: unexpected word '%s'", words[0], words[i]);
            return false;
        } else {
            common->input = words[i];
        }
    }
    if (common->help) {
        printf("usage: %s\n\n%s\n\n", usage, about);
        print_rows(own);
        print_rows(rows);
        *code = EXIT_DONE;
        return false;
    }
    if (wants_input && !common->input)
        return complain("%s: no input given; usage: %s", words[0], usage), false;
    if (common->threads > 4096)
        return complain("%s: option '--threads': at most 4096", words[0]), false;
    if (common->top < 1)
        common->top = 1;
    *code = EXIT_DONE;
    return true;
}
