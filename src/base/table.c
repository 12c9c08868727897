/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/table.h"

#include <langinfo.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/error.h"

struct lp_style lp_style_of(FILE *stream, const char *color)
{
    struct lp_style style = {0};
    bool terminal = isatty(fileno(stream));
    const char *columns = getenv("COLUMNS"), *no_color = getenv("NO_COLOR");
    struct winsize window;
    if (columns && atoi(columns) > 0)
        style.width = (unsigned)atoi(columns);
    else if (terminal)
        style.width = !ioctl(fileno(stream), TIOCGWINSZ, &window) && window.ws_col ? window.ws_col : 80;
    if (style.width && style.width < 40)
        style.width = 40;
    style.color = !strcmp(color, "always") || (!strcmp(color, "auto") && terminal && !(no_color && *no_color));
    style.unicode = !strcmp(nl_langinfo(CODESET), "UTF-8");
    return style;
}

const char *lp_bold(const struct lp_style *style)
{
    return style->color ? "\033[1m" : "";
}

const char *lp_dim(const struct lp_style *style)
{
    return style->color ? "\033[2m" : "";
}

const char *lp_plain(const struct lp_style *style)
{
    return style->color ? "\033[0m" : "";
}

size_t lp_text_width(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += (*text & 0xc0) != 0x80;
    return width;
}

void lp_table_begin(struct lp_table *table, const char *alignment)
{
    *table = (struct lp_table){.columns = strlen(alignment)};
    for (size_t i = 0; i < table->columns; i++)
        table->right[i] = alignment[i] == 'r';
}

void lp_table_cell(struct lp_table *table, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    va_end(arguments);
    size_t count = table->rows; /* cells so far; lp_table_print divides */
    char **cells = text ? reallocarray(table->cells, count + 1, sizeof *cells) : NULL;
    if (!cells) {
        free(text);
        table->failed = true;
        return;
    }
    lp_make_printable(text);
    table->cells = cells;
    table->cells[count] = text;
    table->rows = count + 1;
}

/* Byte offset of the n-th character. */
static size_t offset_of(const char *text, size_t n)
{
    size_t offset = 0;
    while (text[offset] && n) {
        offset++;
        while ((text[offset] & 0xc0) == 0x80)
            offset++;
        n--;
    }
    return offset;
}

enum { LEAST_WIDTH = 8 };

/* Keeps the beginning and the end. */
static void shorten(char *text, size_t width)
{
    size_t length = lp_text_width(text);
    if (length <= width || width < LEAST_WIDTH)
        return;
    size_t tail = (width - 3) / 2, head = width - 3 - tail;
    size_t head_end = offset_of(text, head), tail_begin = offset_of(text, length - tail);
    memmove(text + head_end + 3, text + tail_begin, strlen(text + tail_begin) + 1);
    memcpy(text + head_end, "...", 3);
}

/* The widest column of text that can still give way, or the number of columns. */
static size_t widest_text(const struct lp_table *table, const size_t *widths)
{
    size_t best = table->columns;
    for (size_t i = 0; i < table->columns; i++)
        if (!table->right[i] && widths[i] > LEAST_WIDTH && (best == table->columns || widths[i] > widths[best]))
            best = i;
    return best;
}

/* Narrows the columns of text, always the widest, until a line fits. */
static void fit(struct lp_table *table, size_t cells, size_t *widths, size_t room)
{
    size_t total = 0, column;
    for (size_t i = 0; i < table->columns; i++)
        total += widths[i] + (i ? 2 : 0);
    for (; room && total > room && (column = widest_text(table, widths)) < table->columns; total--)
        widths[column]--;
    for (size_t i = 0; room && i < cells; i++)
        if (!table->right[i % table->columns])
            shorten(table->cells[i], widths[i % table->columns]);
}

static void print_row(const struct lp_table *table, size_t row, const size_t *widths, FILE *stream, size_t indent)
{
    fprintf(stream, "%*s", (int)indent, "");
    size_t last = table->columns - 1, pending = 0;
    while (last > 0 && !*table->cells[row * table->columns + last])
        last--; /* no trailing blanks */
    for (size_t i = 0; i <= last; i++) {
        const char *text = table->cells[row * table->columns + i];
        size_t blanks = widths[i] - lp_text_width(text);
        pending += i ? 2 : 0;
        fprintf(stream, "%*s%s", (int)(pending + (table->right[i] ? blanks : 0)), "", text);
        pending = table->right[i] ? 0 : blanks;
    }
    putc('\n', stream);
}

void lp_table_print(struct lp_table *table, FILE *stream, const struct lp_style *style, size_t indent)
{
    size_t widths[LP_TABLE_COLUMNS] = {0}, cells = table->failed ? 0 : table->rows, rows = cells / table->columns;
    for (size_t i = 0; i < rows * table->columns; i++) {
        size_t width = lp_text_width(table->cells[i]);
        if (width > widths[i % table->columns])
            widths[i % table->columns] = width;
    }
    fit(table, rows * table->columns, widths, style->width > indent ? style->width - indent : 0);
    for (size_t row = 0; row < rows; row++) {
        if (row == 0)
            fputs(lp_bold(style), stream);
        print_row(table, row, widths, stream, indent);
        if (row == 0)
            fputs(lp_plain(style), stream);
    }
    for (size_t i = 0; i < table->rows; i++)
        free(table->cells[i]);
    free(table->cells);
    *table = (struct lp_table){0};
}

const char *lp_grouped(unsigned long long number)
{
    static _Thread_local char texts[4][32];
    static _Thread_local unsigned turn;
    char *text = texts[turn++ % 4], digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", number);
    char *out = text;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            *out++ = ',';
        *out++ = digits[i];
    }
    *out = 0;
    return text;
}
