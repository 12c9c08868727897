/* The format of an event file, as far as it is used here. The file is a row of chunks of the archive's chunk size:
 *
 *   chunk      3, byte order (0x42: little), number of its first and last event (8 bytes each), records,
 *              0 (more chunks follow, at the next multiple of the chunk size) or 2 (end of file)
 *   time       5, 8 bytes: the time of the records that follow
 *   attributes 6, length, data: attributes of the record that follows; not used
 *   others     type, length, fields; the oldest records of one integer field (enter, leave, requests) have no length:
 *              the field's number of bytes tells it
 *
 * An integer field is its number of significant bytes and those bytes, low first; 0xff stands for "undefined". Enumerations
 * are one byte. A record may be longer than the fields known here: the length tells where the next one begins.
 *
 * Every length is checked before it is used, and the chunk is followed by PADDING zero bytes: the fields of any record known
 * here (at most five integers and a byte) can be taken before it is checked that they lie within the record.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "input/otf2_decode.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "input/otf2_callbacks.h"
#include "input/otf2_fold.h"

enum { PADDING = 64, CHUNK_HEADER = 18, LITTLE_ENDIAN_MARK = 0x42, LOCAL_REFERENCES_MAX = 1 << 24 };

enum record {
    END_OF_CHUNK = 0,
    END_OF_FILE = 2,
    START_OF_CHUNK = 3,
    TIME = 5,
    ATTRIBUTES = 6,
    ENTER = 12,
    LEAVE = 13,
    MPI_SEND = 14,
    MPI_ISEND = 15,
    MPI_ISEND_COMPLETE = 16,
    MPI_IRECV_REQUEST = 17,
    MPI_RECV = 18,
    MPI_IRECV = 19,
    MPI_REQUEST_CANCELLED = 21,
    MPI_COLLECTIVE_BEGIN = 22,
    MPI_COLLECTIVE_END = 23,
    THREAD_FORK = 53,
    THREAD_JOIN = 54,
    TEAM_BEGIN = 55,
    TEAM_END = 56,
    ACQUIRE_LOCK = 57,
    RELEASE_LOCK = 58,
    TASK_CREATE = 59,
    TASK_SWITCH = 60,
    TASK_COMPLETE = 61,
    THREAD_CREATE = 62,
    THREAD_BEGIN = 63,
    THREAD_WAIT = 64,
    THREAD_END = 65,
    PROGRAM_BEGIN = 83,
    PROGRAM_END = 84,
    NONBLOCKING_REQUEST = 85,
    NONBLOCKING_COMPLETE = 86,
};

/* ---- Local definitions --------------------------------------------------------------------------------- */

struct mapping {
    struct otf2_local_reading *reading;
    bool is_region;
    bool failed;
};

static uint32_t global_region(const struct otf2_definitions *d, uint64_t ref)
{
    return ref < d->region_of_ref.count ? d->region_of_ref.items[ref] : REGION_UNDEFINED;
}

/* What a table leaves out stays the same. */
static void add_pair(uint64_t local, uint64_t global, void *context)
{
    struct mapping *m = context;
    const struct otf2_definitions *d = m->reading->definitions;
    struct otf2_local *mine = m->reading->local;
    if (local >= LOCAL_REFERENCES_MAX) {
        m->failed = true;
    } else if (m->is_region) {
        for (size_t ref = mine->regions.count; !m->failed && ref <= local; ref++)
            m->failed = !vector_push(&mine->regions, global_region(d, ref));
        if (!m->failed)
            mine->regions.items[local] = global_region(d, global);
    } else {
        for (size_t ref = mine->communicators.count; !m->failed && ref <= local; ref++)
            m->failed = !vector_push(&mine->communicators, (uint32_t)ref);
        if (!m->failed)
            mine->communicators.items[local] = (uint32_t)global;
    }
}

static OTF2_CallbackCode on_mapping(void *user, OTF2_MappingType type, const OTF2_IdMap *map)
{
    struct mapping m = {.reading = user, .is_region = type == OTF2_MAPPING_REGION};
    if (type == OTF2_MAPPING_REGION || type == OTF2_MAPPING_COMM)
        OTF2_IdMap_Traverse(map, add_pair, &m);
    m.reading->local->corrected = m.reading->local->corrected || m.failed;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_clock_offset(void *user, OTF2_TimeStamp time, int64_t offset, double deviation)
{
    struct otf2_local_reading *reading = user;
    (void)time;
    (void)deviation;
    if (offset)
        reading->local->corrected = true;
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_DefReaderCallbacks *otf2_local_callbacks(void)
{
    OTF2_DefReaderCallbacks *callbacks = OTF2_DefReaderCallbacks_New();
    if (callbacks) {
        OTF2_DefReaderCallbacks_SetMappingTableCallback(callbacks, on_mapping);
        OTF2_DefReaderCallbacks_SetClockOffsetCallback(callbacks, on_clock_offset);
    }
    return callbacks;
}

/* ---- Fields -------------------------------------------------------------------------------------------- */

struct fields {
    const uint8_t *at;
    bool bad;
};

static inline uint64_t load(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* An integer of at most `width` bytes. */
static inline uint64_t take(struct fields *fields, unsigned width)
{
    unsigned size = *fields->at++;
    if (size == 0xff)
        return width == 8 ? UINT64_MAX : UINT32_MAX;
    if (size > width) {
        fields->bad = true;
        return 0;
    }
    uint64_t value = size == 8 ? load(fields->at) : load(fields->at) & ((UINT64_C(1) << size * 8) - 1);
    fields->at += size;
    return value;
}

static inline uint32_t take32(struct fields *fields)
{
    return (uint32_t)take(fields, 4);
}

static inline uint8_t take8(struct fields *fields)
{
    return *fields->at++;
}

static OTF2_CommRef take_communicator(struct fields *fields, const struct otf2_local *local)
{
    uint32_t ref = take32(fields);
    return ref < local->communicators.count ? local->communicators.items[ref] : ref;
}

/* ---- Records ------------------------------------------------------------------------------------------- */

static OTF2_CallbackCode decode_mpi(struct otf2_decoding *d, enum record type, struct fields *f, uint64_t time)
{
    const struct otf2_local *local = d->local;
    void *fold = d->fold;
    uint32_t peer, tag, root;
    uint64_t length, sent, received;
    OTF2_CommRef communicator;
    uint8_t operation;
    switch (type) {
    case MPI_SEND:
    case MPI_ISEND:
    case MPI_RECV:
    case MPI_IRECV:
        peer = take32(f);
        communicator = take_communicator(f, local);
        tag = take32(f);
        length = take(f, 8);
        if (type == MPI_SEND)
            return otf2_on_send(0, time, 0, fold, NULL, peer, communicator, tag, length);
        if (type == MPI_RECV)
            return otf2_on_receive(0, time, 0, fold, NULL, peer, communicator, tag, length);
        if (type == MPI_ISEND)
            return otf2_on_isend(0, time, 0, fold, NULL, peer, communicator, tag, length, take(f, 8));
        return otf2_on_irecv(0, time, 0, fold, NULL, peer, communicator, tag, length, take(f, 8));
    case MPI_ISEND_COMPLETE:
        return otf2_on_isend_complete(0, time, 0, fold, NULL, take(f, 8));
    case MPI_IRECV_REQUEST:
        return otf2_on_irecv_request(0, time, 0, fold, NULL, take(f, 8));
    case MPI_REQUEST_CANCELLED:
        return otf2_on_request_cancelled(0, time, 0, fold, NULL, take(f, 8));
    case MPI_COLLECTIVE_BEGIN:
        return otf2_on_collective_begin(0, time, 0, fold, NULL);
    case NONBLOCKING_REQUEST:
        return otf2_on_nonblocking_collective_request(0, time, 0, fold, NULL, take(f, 8));
    default: /* MPI_COLLECTIVE_END, NONBLOCKING_COMPLETE */
        operation = take8(f);
        communicator = take_communicator(f, local);
        root = take32(f);
        sent = take(f, 8);
        received = take(f, 8);
        if (type == MPI_COLLECTIVE_END)
            return otf2_on_collective_end(0, time, 0, fold, NULL, operation, communicator, root, sent, received);
        return otf2_on_nonblocking_collective_complete(0, time, 0, fold, NULL, operation, communicator, root, sent,
                                                       received, take(f, 8));
    }
}

static OTF2_CallbackCode decode_lock(struct otf2_decoding *d, enum record type, struct fields *f, uint64_t time)
{
    uint8_t model = take8(f);
    uint32_t lock = take32(f), order = take32(f);
    return (type == ACQUIRE_LOCK ? otf2_on_acquire_lock : otf2_on_release_lock)(0, time, 0, d->fold, NULL, model, lock,
                                                                                order);
}

static OTF2_CallbackCode decode_task(struct otf2_decoding *d, enum record type, struct fields *f, uint64_t time)
{
    OTF2_CommRef team = take_communicator(f, d->local);
    uint32_t thread = take32(f), generation = take32(f);
    return (type == TASK_CREATE   ? otf2_on_task_create
            : type == TASK_SWITCH ? otf2_on_task_switch
                                  : otf2_on_task_complete)(0, time, 0, d->fold, NULL, team, thread, generation);
}

static OTF2_CallbackCode decode_thread(struct otf2_decoding *d, enum record type, struct fields *f, uint64_t time)
{
    void *fold = d->fold;
    OTF2_CommRef communicator;
    uint8_t model;
    switch (type) {
    case THREAD_FORK:
        model = take8(f);
        return otf2_on_fork(0, time, 0, fold, NULL, model, take32(f));
    case THREAD_JOIN:
        return otf2_on_join(0, time, 0, fold, NULL, take8(f));
    case TEAM_BEGIN:
        return otf2_on_team_begin(0, time, 0, fold, NULL, take_communicator(f, d->local));
    case TEAM_END:
        return otf2_on_team_end(0, time, 0, fold, NULL, take_communicator(f, d->local));
    default:
        communicator = take_communicator(f, d->local);
        return (type == THREAD_CREATE  ? otf2_on_thread_create
                : type == THREAD_BEGIN ? otf2_on_thread_begin
                : type == THREAD_WAIT  ? otf2_on_thread_wait
                                       : otf2_on_thread_end)(0, time, 0, fold, NULL, communicator, take(f, 8));
    }
}

/* Which function reads the fields of a record; NULL: left to the library. */
typedef OTF2_CallbackCode decoder(struct otf2_decoding *, enum record, struct fields *, uint64_t);

static decoder *const decoders[256] = {
    [MPI_SEND] = decode_mpi,
    [MPI_ISEND] = decode_mpi,
    [MPI_ISEND_COMPLETE] = decode_mpi,
    [MPI_IRECV_REQUEST] = decode_mpi,
    [MPI_RECV] = decode_mpi,
    [MPI_IRECV] = decode_mpi,
    [MPI_REQUEST_CANCELLED] = decode_mpi,
    [MPI_COLLECTIVE_BEGIN] = decode_mpi,
    [MPI_COLLECTIVE_END] = decode_mpi,
    [NONBLOCKING_REQUEST] = decode_mpi,
    [NONBLOCKING_COMPLETE] = decode_mpi,
    [ACQUIRE_LOCK] = decode_lock,
    [RELEASE_LOCK] = decode_lock,
    [TASK_CREATE] = decode_task,
    [TASK_SWITCH] = decode_task,
    [TASK_COMPLETE] = decode_task,
    [THREAD_FORK] = decode_thread,
    [THREAD_JOIN] = decode_thread,
    [TEAM_BEGIN] = decode_thread,
    [TEAM_END] = decode_thread,
    [THREAD_CREATE] = decode_thread,
    [THREAD_BEGIN] = decode_thread,
    [THREAD_WAIT] = decode_thread,
    [THREAD_END] = decode_thread,
};

/* Records of one integer field and no length; besides enter and leave. */
static bool is_single(enum record type)
{
    return type == MPI_ISEND_COMPLETE || type == MPI_IRECV_REQUEST || type == MPI_REQUEST_CANCELLED;
}

/* Any record but enter and leave: from its type on. Returns where the next one begins, or NULL. */
static const uint8_t *decode_record(struct otf2_decoding *d, const uint8_t *at, const uint8_t *end, uint64_t time)
{
    enum record type = at[0];
    bool single = is_single(type);
    const uint8_t *next = single && at[1] == 0xff ? at + 2 : at + 2 + at[1];
    if ((!single && at[1] == 0xff) || next > end)
        return NULL;
    if (type == ATTRIBUTES)
        return next;
    if (type == PROGRAM_BEGIN || type == PROGRAM_END) {
        otf2_on_program_begin(0, time, 0, d->fold, NULL, 0, 0, NULL);
    } else {
        struct fields fields = {.at = single ? at + 1 : at + 2};
        if (!decoders[type] || decoders[type](d, type, &fields, time) != OTF2_CALLBACK_SUCCESS || fields.bad ||
            fields.at > next)
            return NULL;
    }
    d->events++;
    return next;
}

/* ---- Chunks -------------------------------------------------------------------------------------------- */

enum chunk { CHUNK_LAST, CHUNK_MORE, CHUNK_BAD };

static enum chunk decode_chunk(struct otf2_decoding *d, const uint8_t *at, const uint8_t *end)
{
    const uint32_t *regions = d->local->regions.count ? d->local->regions.items : d->fold->region_of_ref;
    size_t region_count = d->local->regions.count ? d->local->regions.count : d->fold->region_ref_count;
    const struct otf2_definitions *definitions = d->fold->definitions;
    uint64_t time = 0;
    if (end - at < CHUNK_HEADER || at[0] != START_OF_CHUNK || at[1] != LITTLE_ENDIAN_MARK)
        return CHUNK_BAD;
    at += CHUNK_HEADER;
    while (at < end) {
        switch (*at) {
        case TIME:
            time = load(at + 1);
            at += 9;
            break;
        case ENTER:
        case LEAVE: {
            struct fields fields = {.at = at + 1};
            uint32_t ref = take32(&fields);
            uint32_t region = ref < region_count ? regions[ref] : global_region(definitions, ref);
            if (*at == ENTER)
                otf2_enter(d->fold, region, time);
            else
                otf2_leave(d->fold, region, time);
            if (fields.bad || d->fold->failed)
                return CHUNK_BAD;
            at = fields.at;
            d->events++;
            break;
        }
        case END_OF_CHUNK:
            return CHUNK_MORE;
        case END_OF_FILE:
            return CHUNK_LAST;
        default:
            at = decode_record(d, at, end, time);
            if (!at)
                return CHUNK_BAD;
        }
    }
    return at == end ? CHUNK_MORE : CHUNK_BAD;
}

/* Reads up to `size` bytes, less at the end of the file. */
static size_t read_chunk(int file, uint8_t *buffer, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t count = read(file, buffer + done, size - done);
        if (count <= 0)
            break;
        done += (size_t)count;
    }
    memset(buffer + done, 0, PADDING);
    return done;
}

static bool decode_file(struct otf2_decoding *d, int file, uint8_t *buffer)
{
    for (;;) {
        uint64_t before = d->events;
        size_t size = read_chunk(file, buffer, d->chunk_size);
        enum chunk result = size ? decode_chunk(d, buffer, buffer + size) : CHUNK_BAD;
        if (d->progress)
            d->progress(d->progress_context, d->events - before);
        if (result != CHUNK_MORE)
            return result == CHUNK_LAST;
    }
}

bool otf2_decode(struct otf2_decoding *d)
{
    uint64_t one = 1;
    d->events = 0;
    if (d->local->corrected || d->chunk_size < CHUNK_HEADER || d->chunk_size > OTF2_CHUNK_SIZE_MAX ||
        *(const uint8_t *)&one != 1)
        return false;
    int file = open(d->path, O_RDONLY | O_CLOEXEC);
    uint8_t *buffer = file < 0 ? NULL : malloc(d->chunk_size + PADDING);
    bool done = buffer && decode_file(d, file, buffer);
    free(buffer);
    if (file >= 0)
        close(file);
    return done;
}
