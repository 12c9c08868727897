/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

const char *lp_version(void)
{
    return LONGPOLE_VERSION;
}

void lp_make_printable(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = '?';
}

enum lp_status lp_fail(struct lp_error *error, enum lp_status status, const char *format, ...)
{
    if (!error)
        return status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    lp_make_printable(error->message);
    return status;
}

enum lp_status lp_no_memory(struct lp_error *error)
{
    return lp_fail(error, LP_SYSTEM_ERROR, "out of memory");
}
