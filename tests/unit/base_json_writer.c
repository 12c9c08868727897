/* The JSON writer, read back by another implementation (jansson): whatever goes in, valid JSON comes out and says the same.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "support.h"

#include <jansson.h>
#include <math.h>

#include "base/json_writer.h"

static void structure_has_its_commas(void **state)
{
    struct text text;
    (void)state;
    text_begin(&text);
    struct lp_json json = {.stream = text.stream};
    lp_json_object(&json, NULL);
    lp_json_integer(&json, "a", UINT64_MAX);
    lp_json_list(&json, "b");
    lp_json_list(&json, NULL);
    lp_json_list_end(&json);
    lp_json_object(&json, NULL);
    lp_json_object_end(&json);
    lp_json_boolean(&json, NULL, true);
    lp_json_boolean(&json, NULL, false);
    lp_json_list_end(&json);
    lp_json_text(&json, "c", NULL);
    lp_json_object_end(&json);
    char *written = text_end(&text);
    assert_string_equal(written, "{\"a\":18446744073709551615,\"b\":[[],{},true,false],\"c\":null}");
    free(written);
}

/* [text] written and read back; the caller frees. */
static char *text_back(const char *given)
{
    struct text text;
    text_begin(&text);
    struct lp_json json = {.stream = text.stream};
    lp_json_object(&json, NULL);
    lp_json_text(&json, given, given); /* as key and as value */
    lp_json_object_end(&json);
    char *written = text_end(&text);
    json_error_t error;
    json_t *document = json_loads(written, JSON_REJECT_DUPLICATES, &error);
    if (!document)
        fail_msg("not JSON: %s: %s", error.text, written);
    const char *key = json_object_iter_key(json_object_iter(document));
    const char *value = json_string_value(json_object_iter_value(json_object_iter(document)));
    assert_string_equal(key, value);
    char *back = strdup(value);
    json_decref(document);
    free(written);
    return back;
}

static void assert_text(const char *given, const char *expected)
{
    char *back = text_back(given);
    assert_string_equal(back, expected);
    free(back);
}

static void special_characters_come_back(void **state)
{
    char all[128] = "";
    (void)state;
    for (int c = 1; c < 128; c++)
        all[c - 1] = (char)c;
    assert_text(all, all);
    assert_text("", "");
    assert_text("quote \" backslash \\ slash / tab \t line \n", "quote \" backslash \\ slash / tab \t line \n");
    assert_text("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80 \xf4\x8f\xbf\xbf",
                "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80 \xf4\x8f\xbf\xbf");
}

#define REPLACED "\xef\xbf\xbd" /* U+FFFD */

/* Bytes that are not UTF-8 (Unicode 15, table 3-7), each replaced, and what follows them kept. */
static void broken_utf8_is_repaired(void **state)
{
    (void)state;
    assert_text("a\xff z", "a" REPLACED " z");
    assert_text("\x80", REPLACED);
    assert_text("\xc3", REPLACED); /* cut short */
    assert_text("\xe2\x82", REPLACED REPLACED);
    assert_text("\xc0\xaf", REPLACED REPLACED);                           /* overlong '/' */
    assert_text("\xe0\x9f\xbf", REPLACED REPLACED REPLACED);              /* overlong */
    assert_text("\xed\xa0\x80", REPLACED REPLACED REPLACED);              /* surrogate */
    assert_text("\xf4\x90\x80\x80", REPLACED REPLACED REPLACED REPLACED); /* beyond U+10FFFF */
    assert_text("\xf8\x88\x80\x80\x80", REPLACED REPLACED REPLACED REPLACED REPLACED);
    assert_text("\xe2\x28\xa1", REPLACED "(" REPLACED);
}

static void random_bytes_are_always_json(void **state)
{
    struct random random = random_from(8);
    (void)state;
    for (unsigned round = 0; round < scaled(3000); round++) {
        char bytes[40];
        uint32_t length = random_below(&random, 39);
        for (uint32_t i = 0; i < length; i++)
            bytes[i] =
                (char)(random_chance(&random, 60) ? 128 + random_below(&random, 128) : 1 + random_below(&random, 127));
        bytes[length] = 0;
        free(text_back(bytes));
    }
}

static char *number_text(double number)
{
    struct text text;
    text_begin(&text);
    struct lp_json json = {.stream = text.stream};
    lp_json_number(&json, NULL, number);
    return text_end(&text);
}

static void assert_number_text(double number, const char *expected)
{
    char *written = number_text(number);
    assert_string_equal(written, expected);
    free(written);
}

static void numbers_are_short(void **state)
{
    (void)state;
    assert_number_text(0, "0");
    assert_number_text(-0.0, "0");
    assert_number_text(0.1, "0.1");
    assert_number_text(0.1 + 0.2, "0.30000000000000004");
    assert_number_text(-2.5, "-2.5");
    assert_number_text(123456789, "123456789");
    assert_number_text(1e15, "1e+15");
    assert_number_text(999999999999999, "999999999999999");
    assert_number_text(NAN, "null");
    assert_number_text(INFINITY, "null");
    assert_number_text(-INFINITY, "null");
}

/* Every double comes back as itself, bit for bit but for the sign of zero. */
static void numbers_come_back(void **state)
{
    const double special[] = {5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 0x1p53, 0x1p53 + 2, 1.0 / 3};
    struct random random = random_from(17);
    (void)state;
    for (unsigned round = 0; round < scaled(20000); round++) {
        double number;
        uint64_t bits = random_bits(&random);
        memcpy(&number, &bits, sizeof number);
        if (round < sizeof special / sizeof *special)
            number = special[round];
        else if (round % 3 == 0)
            number = (double)(bits >> 24) / 1e9; /* seconds in nanoseconds, as reports have them */
        if (!isfinite(number))
            continue;
        char *written = number_text(number), *end;
        assert_true(strtod(written, &end) == number);
        assert_int_equal(*end, 0);
        free(written);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structure_has_its_commas), cmocka_unit_test(special_characters_come_back),
        cmocka_unit_test(broken_utf8_is_repaired),  cmocka_unit_test(random_bytes_are_always_json),
        cmocka_unit_test(numbers_are_short),        cmocka_unit_test(numbers_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
