/* What a library call answers: a status, and for a failure one line that names the file and the place.
 * The library never prints and never exits.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LONGPOLE_STATUS_H
#define LONGPOLE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

enum lp_status {
    LP_OK = 0,
    LP_BAD_INPUT,    /* the input is damaged, inconsistent or not of a known kind */
    LP_BAD_ARGUMENT, /* the caller asked for something that does not exist or cannot be done */
    LP_SYSTEM_ERROR, /* the operating system refused (file not found, no permission, no memory) */
};

/* Filled by a failing call; `message` is one line without a newline, ready to be shown to a user. */
struct lp_error {
    char message[512];
};

const char *lp_version(void);

#ifdef __cplusplus
}
#endif
#endif
