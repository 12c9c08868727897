/* SPDX-License-Identifier: BSD-3-Clause */
#include "otf2_double.h"

#include <stdlib.h>
#include <string.h>

/* ---- The trace ----------------------------------------------------------------------------------------- */

struct double_trace double_trace;

void double_clear(void)
{
    double_trace.definition_count = 0;
    for (size_t i = 0; i < DOUBLE_LOCATIONS_MAX; i++)
        double_trace.locations[i].count = 0;
    double_trace.location_count = 0;
    double_trace.fault = FAULT_NONE;
    double_trace.mapping_count = 0;
    double_trace.clock_offset = 0;
    double_trace.chunk_size = 0;
}

void double_define(struct double_definition definition)
{
    if (double_trace.definition_count < DOUBLE_DEFINITIONS_MAX)
        double_trace.definitions[double_trace.definition_count++] = definition;
}

void double_add(size_t location, struct double_event event)
{
    if (location < double_trace.location_count && double_trace.locations[location].count < DOUBLE_EVENTS_MAX)
        double_trace.locations[location].events[double_trace.locations[location].count++] = event;
}

/* ---- Callbacks ----------------------------------------------------------------------------------------- */

struct OTF2_EvtReaderCallbacks_struct {
#define X(name) OTF2_EvtReaderCallback_##name name;
    DOUBLE_EVENTS(X)
#undef X
};

struct OTF2_GlobalDefReaderCallbacks_struct {
#define X(name) OTF2_GlobalDefReaderCallback_##name name;
    DOUBLE_DEFINITIONS(X)
#undef X
};

#define X(name)                                                                                        \
    OTF2_ErrorCode OTF2_EvtReaderCallbacks_Set##name##Callback(OTF2_EvtReaderCallbacks *callbacks,     \
                                                               OTF2_EvtReaderCallback_##name function) \
    {                                                                                                  \
        callbacks->name = function;                                                                    \
        return OTF2_SUCCESS;                                                                           \
    }
DOUBLE_EVENTS(X)
#undef X

#define X(name)                                                                                                    \
    OTF2_ErrorCode OTF2_GlobalDefReaderCallbacks_Set##name##Callback(OTF2_GlobalDefReaderCallbacks *callbacks,     \
                                                                     OTF2_GlobalDefReaderCallback_##name function) \
    {                                                                                                              \
        callbacks->name = function;                                                                                \
        return OTF2_SUCCESS;                                                                                       \
    }
DOUBLE_DEFINITIONS(X)
#undef X

OTF2_EvtReaderCallbacks *OTF2_EvtReaderCallbacks_New(void)
{
    return calloc(1, sizeof(OTF2_EvtReaderCallbacks));
}

void OTF2_EvtReaderCallbacks_Delete(OTF2_EvtReaderCallbacks *callbacks)
{
    free(callbacks);
}

OTF2_GlobalDefReaderCallbacks *OTF2_GlobalDefReaderCallbacks_New(void)
{
    return calloc(1, sizeof(OTF2_GlobalDefReaderCallbacks));
}

void OTF2_GlobalDefReaderCallbacks_Delete(OTF2_GlobalDefReaderCallbacks *callbacks)
{
    free(callbacks);
}

/* ---- Readers: all of them are static, there is one trace ------------------------------------------------- */

struct OTF2_Reader_struct {
    int unused;
};

struct OTF2_GlobalDefReader_struct {
    OTF2_GlobalDefReaderCallbacks callbacks;
    void *user;
};

struct OTF2_DefReaderCallbacks_struct {
    OTF2_DefReaderCallback_MappingTable mapping_table;
    OTF2_DefReaderCallback_ClockOffset clock_offset;
};

struct OTF2_DefReader_struct {
    OTF2_DefReaderCallbacks callbacks;
    void *user;
};

struct OTF2_IdMap_struct {
    size_t count;
    uint64_t pairs[DOUBLE_MAPPINGS_MAX][2]; /* local, global */
};

struct OTF2_EvtReader_struct {
    size_t location, next;
    OTF2_EvtReaderCallbacks callbacks;
    void *user;
};

static struct OTF2_Reader_struct the_reader;
static struct OTF2_GlobalDefReader_struct definition_reader;
static struct OTF2_DefReader_struct local_readers[DOUBLE_LOCATIONS_MAX];
static struct OTF2_EvtReader_struct event_readers[DOUBLE_LOCATIONS_MAX];

/* Its index; location_count if it is not there. */
static size_t find_location(uint64_t id)
{
    size_t i = 0;
    while (i < double_trace.location_count && double_trace.locations[i].id != id)
        i++;
    return i;
}

static bool is_broken(size_t location, enum double_fault fault)
{
    return location == 0 && double_trace.fault == fault;
}

OTF2_Reader *OTF2_Reader_Open(const char *path)
{
    (void)path;
    return double_trace.fault == FAULT_OPEN ? NULL : &the_reader;
}

OTF2_GlobalDefReader *OTF2_Reader_GetGlobalDefReader(OTF2_Reader *reader)
{
    (void)reader;
    return &definition_reader;
}

OTF2_DefReader *OTF2_Reader_GetDefReader(OTF2_Reader *reader, OTF2_LocationRef location)
{
    size_t i = find_location(location);
    (void)reader;
    return i < double_trace.location_count ? &local_readers[i] : NULL;
}

OTF2_EvtReader *OTF2_Reader_GetEvtReader(OTF2_Reader *reader, OTF2_LocationRef location)
{
    size_t i = find_location(location);
    (void)reader;
    if (i == double_trace.location_count || is_broken(i, FAULT_EVENT_READER) ||
        double_trace.fault == FAULT_EVENT_READERS)
        return NULL;
    event_readers[i] = (struct OTF2_EvtReader_struct){.location = i};
    return &event_readers[i];
}

OTF2_ErrorCode OTF2_Reader_RegisterGlobalDefCallbacks(OTF2_Reader *reader, OTF2_GlobalDefReader *global,
                                                      const OTF2_GlobalDefReaderCallbacks *callbacks, void *user)
{
    (void)reader;
    global->callbacks = *callbacks;
    global->user = user;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Reader_RegisterEvtCallbacks(OTF2_Reader *reader, OTF2_EvtReader *events,
                                                const OTF2_EvtReaderCallbacks *callbacks, void *user)
{
    (void)reader;
    events->callbacks = *callbacks;
    events->user = user;
    return OTF2_SUCCESS;
}

/* ---- Reading ------------------------------------------------------------------------------------------- */

/* Calls the callback of that name, if it is registered. */
#define TELL(name, ...) (c->name ? c->name(__VA_ARGS__) : OTF2_CALLBACK_SUCCESS)

enum { METRICS = 4 };

static OTF2_CallbackCode tell_definition(const OTF2_GlobalDefReaderCallbacks *c, void *user,
                                         const struct double_definition *definition)
{
    const uint64_t *a = definition->arguments;
    OTF2_MetricMemberRef members[METRICS];
    for (size_t i = 0; i < METRICS; i++)
        members[i] = (OTF2_MetricMemberRef)(definition->members && i < a[5] ? definition->members[i] : 0);
    switch (definition->kind) {
    case DEFINITION_ClockProperties:
        return TELL(ClockProperties, user, a[0], a[1], a[2], a[3]);
    case DEFINITION_String:
        return TELL(String, user, (OTF2_StringRef)a[0], definition->text);
    case DEFINITION_Region:
        return TELL(Region, user, (OTF2_RegionRef)a[0], (OTF2_StringRef)a[1], (OTF2_StringRef)a[2],
                    (OTF2_StringRef)a[3], (OTF2_RegionRole)a[4], (OTF2_Paradigm)a[5], (OTF2_RegionFlag)a[6],
                    (OTF2_StringRef)a[7], (uint32_t)a[8], (uint32_t)a[9]);
    case DEFINITION_LocationGroup:
        return TELL(LocationGroup, user, (OTF2_LocationGroupRef)a[0], (OTF2_StringRef)a[1],
                    (OTF2_LocationGroupType)a[2], (OTF2_SystemTreeNodeRef)a[3], (OTF2_LocationGroupRef)a[4]);
    case DEFINITION_Location:
        return TELL(Location, user, a[0], (OTF2_StringRef)a[1], (OTF2_LocationType)a[2], a[3],
                    (OTF2_LocationGroupRef)a[4]);
    case DEFINITION_Group:
        return TELL(Group, user, (OTF2_GroupRef)a[0], (OTF2_StringRef)a[1], (OTF2_GroupType)a[2], (OTF2_Paradigm)a[3],
                    (OTF2_GroupFlag)a[4], (uint32_t)a[5], definition->members);
    case DEFINITION_Comm:
        return TELL(Comm, user, (OTF2_CommRef)a[0], (OTF2_StringRef)a[1], (OTF2_GroupRef)a[2], (OTF2_CommRef)a[3],
                    (OTF2_CommFlag)a[4]);
    case DEFINITION_InterComm:
        return TELL(InterComm, user, (OTF2_CommRef)a[0], (OTF2_StringRef)a[1], (OTF2_GroupRef)a[2], (OTF2_GroupRef)a[3],
                    (OTF2_CommRef)a[4], (OTF2_CommFlag)a[5]);
    case DEFINITION_CallingContext:
        return TELL(CallingContext, user, (OTF2_CallingContextRef)a[0], (OTF2_RegionRef)a[1],
                    (OTF2_SourceCodeLocationRef)a[2], (OTF2_CallingContextRef)a[3]);
    case DEFINITION_MetricMember:
        return TELL(MetricMember, user, (OTF2_MetricMemberRef)a[0], (OTF2_StringRef)a[1], (OTF2_StringRef)a[2],
                    (OTF2_MetricType)a[3], (OTF2_MetricMode)a[4], (OTF2_Type)a[5], (OTF2_Base)a[6], (int64_t)a[7],
                    (OTF2_StringRef)a[8]);
    case DEFINITION_MetricClass:
        return TELL(MetricClass, user, (OTF2_MetricRef)a[0], (uint8_t)(a[5] < METRICS ? a[5] : METRICS), members,
                    (OTF2_MetricOccurrence)a[1], (OTF2_RecorderKind)a[2]);
    case DEFINITION_MetricInstance:
        return TELL(MetricInstance, user, (OTF2_MetricRef)a[0], (OTF2_MetricRef)a[1], a[2], (OTF2_MetricScope)a[3],
                    a[4]);
    default:
        return OTF2_CALLBACK_SUCCESS; /* nobody registers for the others yet */
    }
}

OTF2_ErrorCode OTF2_Reader_ReadAllGlobalDefinitions(OTF2_Reader *reader, OTF2_GlobalDefReader *global, uint64_t *count)
{
    size_t end = double_trace.definition_count;
    bool broken = double_trace.fault == FAULT_GLOBAL_DEFINITIONS;
    (void)reader;
    *count = 0;
    for (size_t i = 0; i < (broken ? end / 2 : end); i++, ++*count)
        if (tell_definition(&global->callbacks, global->user, &double_trace.definitions[i]) != OTF2_CALLBACK_SUCCESS)
            return OTF2_ERROR_INTERRUPTED_BY_CALLBACK;
    return broken ? OTF2_ERROR_INTEGRITY_FAULT : OTF2_SUCCESS;
}

static OTF2_CallbackCode tell_event(const OTF2_EvtReaderCallbacks *c, OTF2_LocationRef location, uint64_t position,
                                    void *user, const struct double_event *event)
{
    const uint64_t *a = event->arguments;
    const OTF2_Type types[METRICS] = {OTF2_TYPE_UINT64, OTF2_TYPE_INT64, OTF2_TYPE_DOUBLE, OTF2_TYPE_UINT64};
    const OTF2_MetricValue values[METRICS] = {{.unsigned_int = a[1]},
                                              {.signed_int = (int64_t)a[2]},
                                              {.floating_point = (double)a[3]},
                                              {.unsigned_int = a[4]}};
#define HEAD location, event->time, position, user, NULL
    switch (event->kind) {
    case EVENT_Unknown:
        return TELL(Unknown, HEAD);
    case EVENT_BufferFlush:
        return TELL(BufferFlush, HEAD, a[0]);
    case EVENT_MeasurementOnOff:
        return TELL(MeasurementOnOff, HEAD, (OTF2_MeasurementMode)a[0]);
    case EVENT_Enter:
        return TELL(Enter, HEAD, (OTF2_RegionRef)a[0]);
    case EVENT_Leave:
        return TELL(Leave, HEAD, (OTF2_RegionRef)a[0]);
    case EVENT_MpiSend:
        return TELL(MpiSend, HEAD, (uint32_t)a[0], (OTF2_CommRef)a[1], (uint32_t)a[2], 8);
    case EVENT_MpiIsend:
        return TELL(MpiIsend, HEAD, (uint32_t)a[0], (OTF2_CommRef)a[1], (uint32_t)a[2], 8, a[3]);
    case EVENT_MpiIsendComplete:
        return TELL(MpiIsendComplete, HEAD, a[0]);
    case EVENT_MpiIrecvRequest:
        return TELL(MpiIrecvRequest, HEAD, a[0]);
    case EVENT_MpiRecv:
        return TELL(MpiRecv, HEAD, (uint32_t)a[0], (OTF2_CommRef)a[1], (uint32_t)a[2], 8);
    case EVENT_MpiIrecv:
        return TELL(MpiIrecv, HEAD, (uint32_t)a[0], (OTF2_CommRef)a[1], (uint32_t)a[2], 8, a[3]);
    case EVENT_MpiRequestTest:
        return TELL(MpiRequestTest, HEAD, a[0]);
    case EVENT_MpiRequestCancelled:
        return TELL(MpiRequestCancelled, HEAD, a[0]);
    case EVENT_MpiCollectiveBegin:
        return TELL(MpiCollectiveBegin, HEAD);
    case EVENT_MpiCollectiveEnd:
        return TELL(MpiCollectiveEnd, HEAD, (OTF2_CollectiveOp)a[0], (OTF2_CommRef)a[1], (uint32_t)a[2], 8, 8);
    case EVENT_NonBlockingCollectiveRequest:
        return TELL(NonBlockingCollectiveRequest, HEAD, a[0]);
    case EVENT_NonBlockingCollectiveComplete:
        return TELL(NonBlockingCollectiveComplete, HEAD, (OTF2_CollectiveOp)a[0], (OTF2_CommRef)a[1], (uint32_t)a[2], 8,
                    8, a[3]);
    case EVENT_OmpFork:
        return TELL(OmpFork, HEAD, (uint32_t)a[0]);
    case EVENT_OmpJoin:
        return TELL(OmpJoin, HEAD);
    case EVENT_OmpAcquireLock:
        return TELL(OmpAcquireLock, HEAD, (uint32_t)a[1], (uint32_t)a[2]);
    case EVENT_OmpReleaseLock:
        return TELL(OmpReleaseLock, HEAD, (uint32_t)a[1], (uint32_t)a[2]);
    case EVENT_ThreadAcquireLock:
        return TELL(ThreadAcquireLock, HEAD, (OTF2_Paradigm)a[0], (uint32_t)a[1], (uint32_t)a[2]);
    case EVENT_ThreadReleaseLock:
        return TELL(ThreadReleaseLock, HEAD, (OTF2_Paradigm)a[0], (uint32_t)a[1], (uint32_t)a[2]);
    case EVENT_ThreadFork:
        return TELL(ThreadFork, HEAD, (OTF2_Paradigm)a[0], (uint32_t)a[1]);
    case EVENT_ThreadJoin:
        return TELL(ThreadJoin, HEAD, (OTF2_Paradigm)a[0]);
    case EVENT_ThreadTeamBegin:
        return TELL(ThreadTeamBegin, HEAD, (OTF2_CommRef)a[0]);
    case EVENT_ThreadTeamEnd:
        return TELL(ThreadTeamEnd, HEAD, (OTF2_CommRef)a[0]);
    case EVENT_ThreadTaskCreate:
        return TELL(ThreadTaskCreate, HEAD, (OTF2_CommRef)a[0], (uint32_t)a[1], (uint32_t)a[2]);
    case EVENT_ThreadTaskSwitch:
        return TELL(ThreadTaskSwitch, HEAD, (OTF2_CommRef)a[0], (uint32_t)a[1], (uint32_t)a[2]);
    case EVENT_ThreadTaskComplete:
        return TELL(ThreadTaskComplete, HEAD, (OTF2_CommRef)a[0], (uint32_t)a[1], (uint32_t)a[2]);
    case EVENT_ThreadCreate:
        return TELL(ThreadCreate, HEAD, (OTF2_CommRef)a[0], a[1]);
    case EVENT_ThreadBegin:
        return TELL(ThreadBegin, HEAD, (OTF2_CommRef)a[0], a[1]);
    case EVENT_ThreadWait:
        return TELL(ThreadWait, HEAD, (OTF2_CommRef)a[0], a[1]);
    case EVENT_ThreadEnd:
        return TELL(ThreadEnd, HEAD, (OTF2_CommRef)a[0], a[1]);
    case EVENT_CallingContextEnter:
        return TELL(CallingContextEnter, HEAD, (OTF2_CallingContextRef)a[0], (uint32_t)a[1]);
    case EVENT_CallingContextLeave:
        return TELL(CallingContextLeave, HEAD, (OTF2_CallingContextRef)a[0]);
    case EVENT_CallingContextSample:
        return TELL(CallingContextSample, HEAD, (OTF2_CallingContextRef)a[0], (uint32_t)a[1], 0);
    case EVENT_Metric:
        return TELL(Metric, HEAD, (OTF2_MetricRef)a[0], METRICS, types, values);
    case EVENT_ParameterInt:
        return TELL(ParameterInt, HEAD, 0, (int64_t)a[0]);
    case EVENT_RmaPut:
        return TELL(RmaPut, HEAD, 0, 0, 8, a[0]);
    case EVENT_ProgramBegin:
        return TELL(ProgramBegin, HEAD, (OTF2_StringRef)a[0], 0, NULL);
    case EVENT_ProgramEnd:
        return TELL(ProgramEnd, HEAD, (int64_t)a[0]);
    default:
        return TELL(Unknown, HEAD);
    }
#undef HEAD
}

OTF2_ErrorCode OTF2_Reader_ReadLocalEvents(OTF2_Reader *reader, OTF2_EvtReader *events, uint64_t wanted,
                                           uint64_t *count)
{
    size_t end = double_trace.locations[events->location].count;
    bool broken = is_broken(events->location, FAULT_EVENTS);
    (void)reader;
    for (*count = 0; *count < wanted && events->next < (broken ? end / 2 : end); ++*count) {
        size_t i = events->next++;
        if (tell_event(&events->callbacks, double_trace.locations[events->location].id, i + 1, events->user,
                       &double_trace.locations[events->location].events[i]) != OTF2_CALLBACK_SUCCESS)
            return OTF2_ERROR_INTERRUPTED_BY_CALLBACK;
    }
    return broken && *count < wanted ? OTF2_ERROR_INTEGRITY_FAULT : OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Reader_ReadAllLocalDefinitions(OTF2_Reader *reader, OTF2_DefReader *local, uint64_t *count)
{
    struct OTF2_IdMap_struct map = {.count = double_trace.mapping_count};
    (void)reader;
    memcpy(map.pairs, double_trace.mappings, sizeof map.pairs);
    *count = map.count > 0;
    if (map.count && local->callbacks.mapping_table)
        local->callbacks.mapping_table(local->user, double_trace.mapping_type, &map);
    if (double_trace.clock_offset && local->callbacks.clock_offset)
        local->callbacks.clock_offset(local->user, 0, double_trace.clock_offset, 0);
    return is_broken((size_t)(local - local_readers), FAULT_LOCAL_DEFINITIONS) ? OTF2_ERROR_INTEGRITY_FAULT
                                                                               : OTF2_SUCCESS;
}

/* ---- The rest ------------------------------------------------------------------------------------------ */

OTF2_ErrorCode OTF2_Reader_Close(OTF2_Reader *reader)
{
    (void)reader;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Reader_CloseGlobalDefReader(OTF2_Reader *reader, OTF2_GlobalDefReader *global)
{
    (void)reader;
    (void)global;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Reader_CloseDefReader(OTF2_Reader *reader, OTF2_DefReader *local)
{
    (void)reader;
    (void)local;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Reader_CloseEvtReader(OTF2_Reader *reader, OTF2_EvtReader *events)
{
    (void)reader;
    (void)events;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Reader_OpenDefFiles(OTF2_Reader *reader)
{
    (void)reader;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Reader_CloseDefFiles(OTF2_Reader *reader)
{
    (void)reader;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Reader_OpenEvtFiles(OTF2_Reader *reader)
{
    (void)reader;
    return double_trace.fault == FAULT_EVENT_FILES ? OTF2_ERROR_INVALID_CALL : OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Reader_CloseEvtFiles(OTF2_Reader *reader)
{
    (void)reader;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Reader_SelectLocation(OTF2_Reader *reader, OTF2_LocationRef location)
{
    (void)reader;
    (void)location;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Reader_SetSerialCollectiveCallbacks(OTF2_Reader *reader)
{
    (void)reader;
    return OTF2_SUCCESS;
}

/* The data belongs to the library from here on. */
OTF2_ErrorCode OTF2_Reader_SetLockingCallbacks(OTF2_Reader *reader, const OTF2_LockingCallbacks *callbacks, void *data)
{
    (void)reader;
    callbacks->otf2_release(data);
    return OTF2_SUCCESS;
}

OTF2_ErrorCallback OTF2_Error_RegisterCallback(OTF2_ErrorCallback callback, void *data)
{
    (void)callback;
    (void)data;
    return NULL;
}

const char *OTF2_Error_GetDescription(OTF2_ErrorCode code)
{
    (void)code;
    return "the double says that something is wrong";
}

OTF2_ErrorCode OTF2_Reader_GetVersion(OTF2_Reader *reader, uint8_t *major, uint8_t *minor, uint8_t *bugfix)
{
    (void)reader;
    *major = 3;
    *minor = *bugfix = 0;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Reader_GetFileSubstrate(OTF2_Reader *reader, OTF2_FileSubstrate *substrate)
{
    (void)reader;
    *substrate = OTF2_SUBSTRATE_POSIX;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Reader_GetCompression(OTF2_Reader *reader, OTF2_Compression *compression)
{
    (void)reader;
    *compression = OTF2_COMPRESSION_NONE;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Reader_GetChunkSize(OTF2_Reader *reader, uint64_t *events, uint64_t *definitions)
{
    (void)reader;
    *events = *definitions = double_trace.chunk_size;
    return OTF2_SUCCESS;
}

OTF2_DefReaderCallbacks *OTF2_DefReaderCallbacks_New(void)
{
    return calloc(1, sizeof(OTF2_DefReaderCallbacks));
}

void OTF2_DefReaderCallbacks_Delete(OTF2_DefReaderCallbacks *callbacks)
{
    free(callbacks);
}

OTF2_ErrorCode OTF2_DefReaderCallbacks_SetMappingTableCallback(OTF2_DefReaderCallbacks *callbacks,
                                                               OTF2_DefReaderCallback_MappingTable function)
{
    callbacks->mapping_table = function;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_DefReaderCallbacks_SetClockOffsetCallback(OTF2_DefReaderCallbacks *callbacks,
                                                              OTF2_DefReaderCallback_ClockOffset function)
{
    callbacks->clock_offset = function;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_Reader_RegisterDefCallbacks(OTF2_Reader *reader, OTF2_DefReader *local,
                                                const OTF2_DefReaderCallbacks *callbacks, void *user)
{
    (void)reader;
    local->callbacks = *callbacks;
    local->user = user;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_IdMap_Traverse(const OTF2_IdMap *map, OTF2_IdMap_TraverseCallback action, void *user)
{
    for (size_t i = 0; i < map->count; i++)
        action(map->pairs[i][0], map->pairs[i][1], user);
    return OTF2_SUCCESS;
}

const char *OTF2_Error_GetName(OTF2_ErrorCode code)
{
    (void)code;
    return "OTF2_DOUBLE";
}
