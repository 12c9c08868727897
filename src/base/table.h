/* Tables for people: columns aligned, the widest columns of text shortened in their middle when the line would not fit.
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LP_BASE_TABLE_H
#define LP_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { LP_TABLE_COLUMNS = 8 };

struct lp_style {
    unsigned width; /* of a line; 0: no limit */
    bool color;
    bool unicode;
};

/* What the stream can show: its terminal's width and colours; plain and unlimited when it is no terminal. COLUMNS, NO_COLOR
 * and the locale are heeded. `color`: "auto", "always" or "never". */
struct lp_style lp_style_of(FILE *stream, const char *color);

/* Escape sequences, empty without colour. */
const char *lp_bold(const struct lp_style *style);
const char *lp_dim(const struct lp_style *style);
const char *lp_plain(const struct lp_style *style);

/* Columns that something wider than a terminal cell per byte takes: counts UTF-8 characters. */
size_t lp_text_width(const char *text);

struct lp_table {
    size_t columns, rows;
    char **cells; /* [row * columns + column]; row 0 is the heading */
    bool right[LP_TABLE_COLUMNS];
    bool failed;
};

/* `alignment` has 'l' (text) or 'r' (numbers) for each column. */
void lp_table_begin(struct lp_table *table, const char *alignment);
/* The next cell, row by row, as printf does. */
void lp_table_cell(struct lp_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints with two spaces between columns, `indent` before each line, and frees the table. */
void lp_table_print(struct lp_table *table, FILE *stream, const struct lp_style *style, size_t indent);

/* A number with thousands separated: 20,000,000. Valid until the fourth next call in the same thread. */
const char *lp_grouped(unsigned long long number);

#endif
