/* Tables for people: columns line up, lines fit, and names cannot command the terminal.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support.h"

#include "base/table.h"

static const struct lp_style unlimited = {0}, eighty = {.width = 80}, forty = {.width = 40};

static char *print(struct lp_table *table, const struct lp_style *style, size_t indent)
{
    struct text text;
    text_begin(&text);
    lp_table_print(table, text.stream, style, indent);
    return text_end(&text);
}

static void add_row(struct lp_table *table, const char *first, const char *second, const char *third)
{
    lp_table_cell(table, "%s", first);
    lp_table_cell(table, "%s", second);
    lp_table_cell(table, "%s", third);
}

/* The longest line in columns. */
static size_t widest_line(const char *text)
{
    size_t widest = 0;
    char *copy = strdup(text), *rest = copy;
    for (char *line; (line = strsep(&rest, "\n"));)
        widest = lp_text_width(line) > widest ? lp_text_width(line) : widest;
    free(copy);
    return widest;
}

static void columns_line_up(void **state)
{
    struct lp_table table;
    (void)state;
    lp_table_begin(&table, "frl");
    add_row(&table, "procedure", "time", "where");
    add_row(&table, "f", "1.5", "a.c:1");
    add_row(&table, "long_name", "1000.25", "");
    char *text = print(&table, &unlimited, 2);
    assert_string_equal(text, "  procedure     time  where\n"
                              "  f              1.5  a.c:1\n"
                              "  long_name  1000.25\n");
    free(text);
}

/* Characters count, not bytes: an a with dots takes two bytes and one column. */
static void umlauts_take_one_column(void **state)
{
    struct lp_table table;
    (void)state;
    assert_int_equal(lp_text_width("\xc3\xa4\xc3\xb6x"), 3);
    lp_table_begin(&table, "frl");
    add_row(&table, "\xc3\xa4\xc3\xb6", "1", "x");
    add_row(&table, "abcd", "22", "y");
    char *text = print(&table, &unlimited, 0);
    assert_string_equal(text, "\xc3\xa4\xc3\xb6     1  x\nabcd  22  y\n");
    free(text);
}

/* A name of 200 characters between short columns: the name gives way, its beginning and end stay. */
static void long_names_give_way(void **state)
{
    char name[201];
    (void)state;
    memset(name, 'm', 200);
    memcpy(name, "begin", 5);
    memcpy(name + 197, "end", 4);
    const struct lp_style *const styles[] = {&eighty, &forty};
    for (int i = 0; i < 2; i++) {
        struct lp_table table;
        lp_table_begin(&table, "frl");
        add_row(&table, "procedure", "time", "where");
        add_row(&table, name, "1234.5", "file.c:12");
        char *text = print(&table, styles[i], 2);
        assert_int_equal(widest_line(text), styles[i]->width);
        assert_non_null(strstr(text, "\n  begin"));
        assert_non_null(strstr(text, "mend  1234.5  file.c:12\n"));
        assert_non_null(strstr(text, "..."));
        free(text);
    }
}

/* Names of any length and any bytes, in a column that can give way: no line is ever too long. */
static void no_line_is_too_long(void **state)
{
    struct random random = random_from(80);
    (void)state;
    for (unsigned round = 0; round < scaled(300); round++) {
        struct lp_table table;
        lp_table_begin(&table, "frl");
        for (uint32_t row = 0; row < 4; row++) {
            char name[301] = "";
            uint32_t length = random_below(&random, 100);
            for (uint32_t i = 0; i < length; i++)
                strcat(name, random_chance(&random, 30) ? "\xe2\x82\xac" : "n");
            add_row(&table, name, "12.5", "x.c:1");
        }
        char *text = print(&table, &eighty, 2);
        assert_true(widest_line(text) <= 80);
        free(text);
    }
}

/* A flexible column that is short already cannot give way, and must not grow because others are too wide. */
static void short_flexible_column_does_not_grow(void **state)
{
    struct lp_table table;
    char wide[101];
    (void)state;
    memset(wide, 'w', 100);
    wide[100] = 0;
    lp_table_begin(&table, "frl");
    add_row(&table, "abc", "1", wide);
    char *text = print(&table, &eighty, 0);
    assert_memory_equal(text, "abc  1  www", 11);
    free(text);
}

static void control_characters_are_shown_as_question_marks(void **state)
{
    struct lp_table table;
    (void)state;
    lp_table_begin(&table, "frl");
    add_row(&table, "a\033[31mb\r\n\tc", "\x7f", "z\x01");
    char *text = print(&table, &unlimited, 0);
    assert_string_equal(text, "a?[31mb???c  ?  z?\n");
    free(text);
}

static void heading_is_bold_only_with_colour(void **state)
{
    const struct lp_style colour = {.color = true};
    struct lp_table table;
    (void)state;
    lp_table_begin(&table, "f");
    lp_table_cell(&table, "head");
    lp_table_cell(&table, "body");
    char *text = print(&table, &colour, 0);
    assert_string_equal(text, "\033[1mhead\n\033[0mbody\n");
    free(text);
    assert_string_equal(lp_bold(&unlimited), "");
}

static void style_heeds_the_environment(void **state)
{
    struct text text;
    (void)state;
    text_begin(&text);
    FILE *file = tmpfile();
    assert_non_null(file);
    unsetenv("COLUMNS");
    assert_int_equal(lp_style_of(file, "auto").width, 0);
    setenv("COLUMNS", "100", 1);
    assert_int_equal(lp_style_of(file, "auto").width, 100);
    setenv("COLUMNS", "7", 1);
    assert_int_equal(lp_style_of(file, "auto").width, 40);
    setenv("COLUMNS", "what", 1);
    assert_int_equal(lp_style_of(file, "auto").width, 0);
    unsetenv("COLUMNS");
    assert_false(lp_style_of(file, "auto").color);
    assert_true(lp_style_of(file, "always").color);
    assert_false(lp_style_of(file, "never").color);
    fclose(file);
    free(text_end(&text));
}

static void numbers_are_grouped(void **state)
{
    (void)state;
    assert_string_equal(lp_grouped(0), "0");
    assert_string_equal(lp_grouped(999), "999");
    assert_string_equal(lp_grouped(1000), "1,000");
    assert_string_equal(lp_grouped(20000000), "20,000,000");
    assert_string_equal(lp_grouped(UINT64_MAX), "18,446,744,073,709,551,615");
    const char *first = lp_grouped(1), *second = lp_grouped(2);
    assert_string_not_equal(first, second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_line_up),
        cmocka_unit_test(umlauts_take_one_column),
        cmocka_unit_test(long_names_give_way),
        cmocka_unit_test(no_line_is_too_long),
        cmocka_unit_test(short_flexible_column_does_not_grow),
        cmocka_unit_test(control_characters_are_shown_as_question_marks),
        cmocka_unit_test(heading_is_bold_only_with_colour),
        cmocka_unit_test(style_heeds_the_environment),
        cmocka_unit_test(numbers_are_grouped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
