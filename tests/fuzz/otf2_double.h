/* Stands in for the OTF2 library's reader: longpole is linked with it instead of the library, and reads the trace below
 * through its own, unchanged code. So any sequence of definitions and events can be had, without files, some
 * thousand times a second, and whatever breaks is longpole's own doing.
 *
 * It has only the functions that longpole calls. When the linker misses one, longpole calls a new one: add it in otf2_double.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef LP_FUZZ_OTF2_DOUBLE_H
#define LP_FUZZ_OTF2_DOUBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <otf2/otf2.h>

/* The event records that a reader can register for. */
#define DOUBLE_EVENTS(X)                                                                                              \
    X(Unknown) X(BufferFlush) X(MeasurementOnOff) X(Enter) X(Leave) X(MpiSend) X(MpiIsend) X(MpiIsendComplete)        \
    X(MpiIrecvRequest) X(MpiRecv) X(MpiIrecv) X(MpiRequestTest) X(MpiRequestCancelled) X(MpiCollectiveBegin)          \
    X(MpiCollectiveEnd) X(OmpFork) X(OmpJoin) X(OmpAcquireLock) X(OmpReleaseLock) X(OmpTaskCreate) X(OmpTaskSwitch)   \
    X(OmpTaskComplete) X(Metric) X(ParameterString) X(ParameterInt) X(ParameterUnsignedInt) X(RmaWinCreate)           \
    X(RmaWinDestroy) X(RmaCollectiveBegin) X(RmaCollectiveEnd) X(RmaGroupSync) X(RmaRequestLock) X(RmaAcquireLock)    \
    X(RmaTryLock) X(RmaReleaseLock) X(RmaSync) X(RmaWaitChange) X(RmaPut) X(RmaGet) X(RmaAtomic)                      \
    X(RmaOpCompleteBlocking) X(RmaOpCompleteNonBlocking) X(RmaOpTest) X(RmaOpCompleteRemote) X(ThreadFork)            \
    X(ThreadJoin) X(ThreadTeamBegin) X(ThreadTeamEnd) X(ThreadAcquireLock) X(ThreadReleaseLock) X(ThreadTaskCreate)   \
    X(ThreadTaskSwitch) X(ThreadTaskComplete) X(ThreadCreate) X(ThreadBegin) X(ThreadWait) X(ThreadEnd)               \
    X(CallingContextEnter) X(CallingContextLeave) X(CallingContextSample) X(IoCreateHandle) X(IoDestroyHandle)        \
    X(IoDuplicateHandle) X(IoSeek) X(IoChangeStatusFlags) X(IoDeleteFile) X(IoOperationBegin) X(IoOperationTest)      \
    X(IoOperationIssued) X(IoOperationComplete) X(IoOperationCancelled) X(IoAcquireLock) X(IoReleaseLock)             \
    X(IoTryLock) X(ProgramBegin) X(ProgramEnd) X(NonBlockingCollectiveRequest) X(NonBlockingCollectiveComplete)       \
    X(CommCreate) X(CommDestroy)

#define DOUBLE_DEFINITIONS(X)                                                                                      \
    X(ClockProperties) X(String) X(Region) X(LocationGroup) X(Location) X(Group) X(Comm) X(InterComm)              \
    X(CallingContext) X(MetricMember) X(MetricClass) X(MetricInstance) X(Callpath) X(Callsite) X(Paradigm)         \
    X(SystemTreeNode) X(SourceCodeLocation)

enum double_event_kind {
#define X(name) EVENT_##name,
    DOUBLE_EVENTS(X)
#undef X
    EVENT_KINDS
};

/* An event: the record's own arguments in their order (those of Metric and of the rarer records are made up). */
struct double_event {
    enum double_event_kind kind;
    uint64_t time;
    uint64_t arguments[6];
};

enum double_definition_kind {
#define X(name) DEFINITION_##name,
    DOUBLE_DEFINITIONS(X)
#undef X
    DEFINITION_KINDS
};

/* A definition: as an event; `text` for String; `members` (arguments[5] of them) for Group and MetricClass. */
struct double_definition {
    enum double_definition_kind kind;
    const char *text;
    const uint64_t *members;
    uint64_t arguments[10];
};

enum { DOUBLE_EVENTS_MAX = 4096, DOUBLE_LOCATIONS_MAX = 16, DOUBLE_DEFINITIONS_MAX = 256, DOUBLE_MAPPINGS_MAX = 8 };

/* What goes wrong in the library. */
enum double_fault {
    FAULT_NONE,
    FAULT_OPEN,               /* the anchor cannot be opened */
    FAULT_GLOBAL_DEFINITIONS, /* break off half way */
    FAULT_LOCAL_DEFINITIONS,  /* of the first location */
    FAULT_EVENT_FILES,        /* cannot be opened */
    FAULT_EVENT_READER,       /* of the first location: there is none */
    FAULT_EVENT_READERS,      /* there is none at all */
    FAULT_EVENTS,             /* of the first location break off half way */
    FAULTS
};

struct double_trace {
    struct double_definition definitions[DOUBLE_DEFINITIONS_MAX];
    size_t definition_count;
    struct {
        uint64_t id;
        struct double_event events[DOUBLE_EVENTS_MAX];
        size_t count;
    } locations[DOUBLE_LOCATIONS_MAX];
    size_t location_count;
    enum double_fault fault;
    /* For who reads event files without the library: what it must know of the archive, and of every location's own
     * definitions. The events above are as after mapping. */
    uint64_t chunk_size;
    uint64_t mappings[DOUBLE_MAPPINGS_MAX][2]; /* local, global reference */
    size_t mapping_count;
    OTF2_MappingType mapping_type;
    int64_t clock_offset;
};

/* The trace that OTF2_Reader_Open opens, whatever its name. */
extern struct double_trace double_trace;

/* Makes it one without definitions and events. */
void double_clear(void);

void double_define(struct double_definition definition);
void double_add(size_t location, struct double_event event);

#endif
