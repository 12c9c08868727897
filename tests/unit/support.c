/* SPDX-License-Identifier: BSD-3-Clause */
#include "support.h"

#include <unistd.h>

uint64_t random_bits(struct random *random)
{
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint32_t random_below(struct random *random, uint32_t bound)
{
    return (uint32_t)((random_bits(random) >> 32) * bound >> 32);
}

bool random_chance(struct random *random, unsigned percent)
{
    return random_below(random, 100) < percent;
}

unsigned scaled(unsigned count)
{
    const char *text = getenv("LONGPOLE_TEST_SCALE");
    double scale = text && *text ? atof(text) : 1;
    return count * scale > 1 ? (unsigned)(count * scale) : 1;
}

void text_begin(struct text *text)
{
    text->stream = open_memstream(&text->content, &text->length);
    assert_non_null(text->stream);
}

char *text_end(struct text *text)
{
    fclose(text->stream);
    return text->content;
}

char *temporary_file(const char *content)
{
    const char *directory = getenv("TMPDIR");
    char *name;
    assert_true(asprintf(&name, "%s/longpole-test-XXXXXX", directory && *directory ? directory : "/tmp") > 0);
    int handle = mkstemp(name);
    assert_true(handle >= 0);
    FILE *file = fdopen(handle, "w");
    assert_non_null(file);
    fputs(content, file);
    assert_int_equal(fclose(file), 0);
    return name;
}

void remove_file(char *name)
{
    unlink(name);
    free(name);
}

enum lp_status read_text(const char *content, struct lp_execution *execution, struct lp_error *error)
{
    char *name = temporary_file(content);
    size_t length = strlen(name);
    error->message[0] = 0;
    enum lp_status status = lp_read(name, NULL, execution, error);
    if (status) {
        assert_memory_equal(error->message, name, length); /* every message names the file */
        memmove(error->message, error->message + length, strlen(error->message) + 1 - length);
    }
    remove_file(name);
    return status;
}

void read_good(const char *content, struct lp_execution *execution)
{
    struct lp_error error;
    if (read_text(content, execution, &error))
        fail_msg("not read: %s", error.message);
}
