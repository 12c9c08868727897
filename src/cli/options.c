/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { COMMON_ROWS = 10 };

static void common_rows(struct common_options *common, struct option_row rows[COMMON_ROWS])
{
    const struct option_row all[COMMON_ROWS] = {
        {"json", 0, OPTION_FLAG, &common->json, NULL, "one JSON object on stdout and nothing else"},
        {"output", 'o', OPTION_TEXT, &common->output, "FILE", "write there instead of stdout"},
        {"top", 0, OPTION_NUMBER, &common->top, "N", "rows of a table at most (10)"},
        {"threads", 0, OPTION_NUMBER, &common->threads, "N", "threads to work with (all cores)"},
        {"salvage", 0, OPTION_FLAG, &common->salvage, NULL, "read what is left of a damaged trace, and say what is not"},
        {"color", 0, OPTION_CHOICE, &common->color, "auto|always|never", "colours (auto)"},
        {"quiet", 'q', OPTION_FLAG, &common->quiet, NULL, "no progress on stderr"},
        {"verbose", 'v', OPTION_FLAG, &common->verbose, NULL, "say more"},
        {"help", 'h', OPTION_FLAG, &common->help, NULL, "this text"},
        {NULL, 0, OPTION_FLAG, NULL, NULL, NULL},
    };
    memcpy(rows, all, sizeof all);
}

static void print_rows(const struct option_row *rows)
{
    for (; rows->name; rows++) {
        char left[64];
        snprintf(left, sizeof left, "%s%c%s--%s%s%s", rows->letter ? "-" : " ", rows->letter ? rows->letter : ' ',
                 rows->letter ? ", " : "  ", rows->name, rows->argument ? " " : "", rows->argument ? rows->argument : "");
        printf("  %-30s %s\n", left, rows->help);
    }
}

static const struct option_row *find_row(const struct option_row *rows, const char *word, size_t length)
{
    for (; rows->name; rows++) {
        if (word[0] == '-' && word[1] == '-' && strlen(rows->name) == length - 2 &&
            !strncmp(rows->name, word + 2, length - 2))
            return rows;
        if (length == 2 && word[0] == '-' && rows->letter && word[1] == rows->letter)
            return rows;
    }
    return NULL;
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
    if (errno || *end || end == text || *text == '-' || number > INT_MAX)
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

/* One option at words[i]; returns how many words it took, 0 after a complaint. */
static int parse_option(char **words, int i, int count, const struct option_row *common, const struct option_row *own)
{
    const char *word = words[i], *equals = strchr(word, '=');
    size_t length = equals && word[1] == '-' ? (size_t)(equals - word) : strlen(word);
    const struct option_row *row = find_row(own, word, length);
    if (!row)
        row = find_row(common, word, length);
    if (!row) {
        complain("%s: unknown option '%s'; 'longpole %s --help' lists them", words[0], word, words[0]);
        return 0;
    }
    bool inline_value = length < strlen(word), takes = row->kind != OPTION_FLAG;
    const char *value = inline_value ? word + length + 1 : takes && i + 1 < count ? words[i + 1] : NULL;
    if (takes ? !value : inline_value) {
        complain("%s: option '--%s' %s", words[0], row->name, takes ? "needs a value" : "takes no value");
        return 0;
    }
    if (!store(row, value)) {
        complain("%s: option '--%s': '%s' is not %s", words[0], row->name, value,
                 row->kind == OPTION_CHOICE ? row->argument : row->kind == OPTION_NUMBER ? "a number" : "valid");
        return 0;
    }
    return takes && !inline_value ? 2 : 1;
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
    common_rows(common, rows);
    *code = EXIT_BAD;
    if (!read_environment(common))
        return false;
    for (int i = 1, taken; i < count; i += taken) {
        taken = 1;
        if (!only_words && !strcmp(words[i], "--")) {
            only_words = true;
        } else if (!only_words && words[i][0] == '-' && words[i][1]) {
            taken = parse_option(words, i, count, rows, own);
            if (!taken)
                return false;
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
