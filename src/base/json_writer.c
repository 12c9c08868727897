/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/json_writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Length of the UTF-8 sequence at `text`, or 0 if there is none. */
static int sequence_length(const unsigned char *text)
{
    int length = text[0] < 0x80                      ? 1
                 : text[0] >= 0xc2 && text[0] < 0xe0 ? 2
                 : (text[0] & 0xf0) == 0xe0          ? 3
                 : text[0] >= 0xf0 && text[0] < 0xf5 ? 4
                                                     : 0;
    for (int i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    bool surrogate = text[0] == 0xed && length == 3 && text[1] >= 0xa0;
    bool overlong =
        (text[0] == 0xe0 && length == 3 && text[1] < 0xa0) || (text[0] == 0xf0 && length == 4 && text[1] < 0x90);
    bool beyond = text[0] == 0xf4 && length == 4 && text[1] >= 0x90;
    return surrogate || overlong || beyond ? 0 : length;
}

static void put_text(FILE *stream, const char *text)
{
    putc('"', stream);
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        int length = sequence_length(c);
        if (!length)
            fputs("\\ufffd", stream);
        else if (*c == '"' || *c == '\\')
            fprintf(stream, "\\%c", *c);
        else if (*c == '\n')
            fputs("\\n", stream);
        else if (*c == '\t')
            fputs("\\t", stream);
        else if (*c < 0x20 || *c == 0x7f)
            fprintf(stream, "\\u%04x", *c);
        else
            fwrite(c, 1, (size_t)length, stream);
        c += length ? length : 1;
    }
    putc('"', stream);
}

static void begin_value(struct lp_json *json, const char *key)
{
    if (json->comma)
        putc(',', json->stream);
    json->comma = true;
    if (key) {
        put_text(json->stream, key);
        putc(':', json->stream);
    }
}

static void open_group(struct lp_json *json, const char *key, char bracket)
{
    begin_value(json, key);
    putc(bracket, json->stream);
    json->comma = false;
}

static void close_group(struct lp_json *json, char bracket)
{
    putc(bracket, json->stream);
    json->comma = true;
}

void lp_json_object(struct lp_json *json, const char *key)
{
    open_group(json, key, '{');
}

void lp_json_object_end(struct lp_json *json)
{
    close_group(json, '}');
}

void lp_json_list(struct lp_json *json, const char *key)
{
    open_group(json, key, '[');
}

void lp_json_list_end(struct lp_json *json)
{
    close_group(json, ']');
}

void lp_json_text(struct lp_json *json, const char *key, const char *text)
{
    begin_value(json, key);
    if (text)
        put_text(json->stream, text);
    else
        fputs("null", json->stream);
}

void lp_json_number(struct lp_json *json, const char *key, double number)
{
    char text[32];
    begin_value(json, key);
    if (!isfinite(number)) {
        fputs("null", json->stream);
        return;
    }
    if (number == floor(number) && fabs(number) < 1e15) {
        fprintf(json->stream, "%.0f", number == 0 ? 0 : number);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    fputs(text, json->stream);
}

void lp_json_integer(struct lp_json *json, const char *key, uint64_t number)
{
    begin_value(json, key);
    fprintf(json->stream, "%llu", (unsigned long long)number);
}

void lp_json_boolean(struct lp_json *json, const char *key, bool value)
{
    begin_value(json, key);
    fputs(value ? "true" : "false", json->stream);
}
