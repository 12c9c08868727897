/* A fast way through the event files of an OTF2 archive. The OTF2 library takes about 55 ns an event, most of it for generality;
 * what analyses need of the format is small. So the common records of plain archives are decoded here, and everything else is
 * left to the library: other byte orders, compressed or SION archives, clock corrections, rare records, and any byte
 * that is not as expected. Both ways call the same callbacks (otf2_callbacks.h) and give the same result.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LP_INPUT_OTF2_DECODE_H
#define LP_INPUT_OTF2_DECODE_H

#include "input/otf2_location.h"

/* What a location's own definitions say. */
struct otf2_local {
    VECTOR(uint32_t) regions;       /* local reference -> index of the region; beyond it, references are global */
    VECTOR(uint32_t) communicators; /* local reference -> global reference; beyond it, references are global */
    bool corrected;                 /* its clock needs correction: left to the library */
};

/* Captures them; for OTF2_Reader_RegisterDefCallbacks with a struct otf2_local_reading. */
struct otf2_local_reading {
    const struct otf2_definitions *definitions;
    struct otf2_local *local;
};
OTF2_DefReaderCallbacks *otf2_local_callbacks(void);

struct otf2_decoding {
    const char *path;    /* of the event file */
    uint64_t chunk_size; /* of the archive's event files */
    const struct otf2_local *local;
    struct otf2_fold *fold;
    uint64_t events; /* result: how many were read */
    void (*progress)(void *context, uint64_t events);
    void *progress_context;
};

/* Reads the whole file into the fold. False: it cannot be read this way; the fold is then unusable and must be begun anew. */
bool otf2_decode(struct otf2_decoding *decoding);

#endif
