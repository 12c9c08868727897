/* SPDX-License-Identifier: BSD-3-Clause */
#include "input/otf2_definitions.h"

#include <string.h>

enum { REGION_REFS_MAX = 1 << 24 };

/* ---- Small helpers ------------------------------------------------------------------------------------- */

static const char *string_of(const struct otf2_definitions *d, OTF2_StringRef ref)
{
    uint32_t index = ref == OTF2_UNDEFINED_STRING ? LP_MAP_FREE : lp_map_get(&d->string_of_ref, ref);
    return index == LP_MAP_FREE ? "" : d->strings.items[index];
}

static char *copy_of(struct otf2_definitions *d, const char *text)
{
    char *copy = strdup(text);
    d->failed = d->failed || !copy;
    return copy;
}

/* Notes that `ref` is number `index` of its list. */
static OTF2_CallbackCode remember(struct otf2_definitions *d, struct lp_map *map, uint64_t ref, size_t index)
{
    uint32_t *place = d->failed ? NULL : lp_map_at(map, ref);
    if (place)
        *place = (uint32_t)index;
    d->failed = d->failed || !place;
    return d->failed ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

#define REMEMBER(d, list, map, ref, ...)                                 \
    ((d)->failed = !vector_push(&(d)->list, __VA_ARGS__) || (d)->failed, \
     remember(d, &(d)->map, ref, (d)->list.count - 1))

/* ---- Callbacks ----------------------------------------------------------------------------------------- */

static OTF2_CallbackCode on_clock(void *user, uint64_t resolution, uint64_t offset, uint64_t length, uint64_t date)
{
    struct otf2_definitions *d = user;
    (void)length;
    (void)date;
    d->resolution = resolution;
    d->offset = offset;
    d->has_clock = true;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_string(void *user, OTF2_StringRef self, const char *string)
{
    struct otf2_definitions *d = user;
    return REMEMBER(d, strings, string_of_ref, self, copy_of(d, string ? string : ""));
}

static enum lp_role role_of(OTF2_RegionRole role)
{
    switch (role) {
    case OTF2_REGION_ROLE_LOOP:
    case OTF2_REGION_ROLE_WORKSHARE:
    case OTF2_REGION_ROLE_SECTIONS:
        return LP_ROLE_LOOP;
    case OTF2_REGION_ROLE_PARALLEL:
        return LP_ROLE_PARALLEL;
    case OTF2_REGION_ROLE_BARRIER:
    case OTF2_REGION_ROLE_IMPLICIT_BARRIER:
        return LP_ROLE_BARRIER;
    case OTF2_REGION_ROLE_COLL_ONE2ALL:
    case OTF2_REGION_ROLE_COLL_ALL2ONE:
    case OTF2_REGION_ROLE_COLL_ALL2ALL:
    case OTF2_REGION_ROLE_COLL_OTHER:
        return LP_ROLE_COLLECTIVE;
    case OTF2_REGION_ROLE_POINT2POINT:
    case OTF2_REGION_ROLE_RMA:
        return LP_ROLE_POINT_TO_POINT;
    case OTF2_REGION_ROLE_CRITICAL:
    case OTF2_REGION_ROLE_ATOMIC:
    case OTF2_REGION_ROLE_ORDERED:
        return LP_ROLE_LOCK;
    case OTF2_REGION_ROLE_TASK_WAIT:
        return LP_ROLE_TASK_WAIT;
    case OTF2_REGION_ROLE_THREAD_CREATE:
    case OTF2_REGION_ROLE_THREAD_WAIT:
        return LP_ROLE_THREAD;
    case OTF2_REGION_ROLE_FILE_IO:
    case OTF2_REGION_ROLE_FILE_IO_METADATA:
        return LP_ROLE_IO;
    case OTF2_REGION_ROLE_DATA_TRANSFER:
    case OTF2_REGION_ROLE_ALLOCATE:
    case OTF2_REGION_ROLE_DEALLOCATE:
    case OTF2_REGION_ROLE_REALLOCATE:
        return LP_ROLE_MEMORY;
    case OTF2_REGION_ROLE_ARTIFICIAL:
        return LP_ROLE_ARTIFICIAL;
    default:
        return LP_ROLE_CODE;
    }
}

static bool is_library(OTF2_Paradigm paradigm)
{
    return paradigm != OTF2_PARADIGM_UNKNOWN && paradigm != OTF2_PARADIGM_USER && paradigm != OTF2_PARADIGM_COMPILER &&
           paradigm != OTF2_PARADIGM_SAMPLING && paradigm != OTF2_PARADIGM_NONE;
}

static bool same_region(const struct lp_region *a, const struct lp_region *b)
{
    return a->line == b->line && !strcmp(a->name, b->name) && !a->file == !b->file &&
           (!a->file || !strcmp(a->file, b->file));
}

/* The region's index; regions of equal name, file and line are one procedure. Takes over its texts. */
static uint32_t intern_region(struct otf2_definitions *d, struct otf2_region *region)
{
    uint64_t hash = lp_hash(lp_hash_text(region->region.name), region->region.line);
    uint32_t *place = lp_map_at(&d->region_of_name, hash);
    while (place && *place != LP_MAP_FREE && !same_region(&d->regions.items[*place].region, &region->region))
        place = lp_map_at(&d->region_of_name, ++hash);
    if (place && *place == LP_MAP_FREE && d->regions.count < LP_PART_REGIONS && vector_push(&d->regions, *region))
        return *place = (uint32_t)d->regions.count - 1;
    d->failed = d->failed || !place || *place == LP_MAP_FREE;
    free(region->region.name);
    free(region->region.file);
    return d->failed ? REGION_UNDEFINED : *place;
}

static OTF2_CallbackCode on_region(void *user, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef canonical,
                                   OTF2_StringRef description, OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                   OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin_line, uint32_t end_line)
{
    struct otf2_definitions *d = user;
    (void)description;
    (void)flags;
    (void)end_line;
    d->failed = d->failed || self >= REGION_REFS_MAX;
    while (!d->failed && d->region_of_ref.count <= self)
        d->failed = !vector_push(&d->region_of_ref, REGION_UNDEFINED);
    if (d->failed)
        return OTF2_CALLBACK_INTERRUPT;
    const char *text = string_of(d, name), *file_name = string_of(d, file);
    if (!*text)
        text = string_of(d, canonical);
    struct otf2_region region = {
        .region = {.name = copy_of(d, *text ? text : "(unnamed region)"),
                   .file = *file_name ? copy_of(d, file_name) : NULL,
                   .line = begin_line == OTF2_UNDEFINED_UINT32 ? 0 : begin_line,
                   .role = role_of(role),
                   .library = is_library(paradigm)},
        .synchronous_send = strstr(text, "Ssend") || strstr(text, "ssend"),
        .barrier = paradigm != OTF2_PARADIGM_MPI && role_of(role) == LP_ROLE_BARRIER,
        .task_wait = role == OTF2_REGION_ROLE_TASK_WAIT,
    };
    if (region.region.name)
        d->region_of_ref.items[self] = intern_region(d, &region);
    else
        free(region.region.file);
    return d->failed ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location_group(void *user, OTF2_LocationGroupRef self, OTF2_StringRef name,
                                           OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef parent,
                                           OTF2_LocationGroupRef creator)
{
    struct otf2_definitions *d = user;
    (void)type;
    (void)parent;
    (void)creator;
    return REMEMBER(d, processes, process_of_ref, self, copy_of(d, string_of(d, name)));
}

static OTF2_CallbackCode on_location(void *user, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
                                     uint64_t events, OTF2_LocationGroupRef group)
{
    struct otf2_definitions *d = user;
    if (type == OTF2_LOCATION_TYPE_METRIC)
        return OTF2_CALLBACK_SUCCESS;
    if (lp_map_get(&d->location_of_id, self) != LP_MAP_FREE)
        return OTF2_CALLBACK_SUCCESS;
    uint32_t process = lp_map_get(&d->process_of_ref, group);
    if (process == LP_MAP_FREE) {
        if (!vector_push(&d->processes, copy_of(d, string_of(d, name))))
            d->failed = true;
        process = (uint32_t)d->processes.count - 1;
    }
    struct otf2_location location = {
        .id = self, .name = copy_of(d, string_of(d, name)), .process = process, .events = events};
    return REMEMBER(d, locations, location_of_id, self, location);
}

static OTF2_CallbackCode on_group(void *user, OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type,
                                  OTF2_Paradigm paradigm, OTF2_GroupFlag flags, uint32_t count, const uint64_t *members)
{
    struct otf2_definitions *d = user;
    (void)name;
    struct otf2_group group = {
        .type = type, .paradigm = paradigm, .count = count, .global_members = flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS};
    group.members = lp_allocate(count, sizeof *members);
    if (!group.members)
        d->failed = true;
    else if (count)
        memcpy(group.members, members, count * sizeof *members);
    if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS)
        d->comm_locations[paradigm] = (uint32_t)d->groups.count;
    return REMEMBER(d, groups, group_of_ref, self, group);
}

static OTF2_CallbackCode on_communicator(void *user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group,
                                         OTF2_CommRef parent, OTF2_CommFlag flags)
{
    struct otf2_definitions *d = user;
    (void)name;
    (void)parent;
    (void)flags;
    struct otf2_communicator communicator = {.group = lp_map_get(&d->group_of_ref, group), .other_group = LP_NONE};
    return REMEMBER(d, communicators, communicator_of_ref, self, communicator);
}

static OTF2_CallbackCode on_inter_communicator(void *user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef a,
                                               OTF2_GroupRef b, OTF2_CommRef common, OTF2_CommFlag flags)
{
    struct otf2_definitions *d = user;
    (void)name;
    (void)common;
    (void)flags;
    struct otf2_communicator communicator = {.group = lp_map_get(&d->group_of_ref, a),
                                             .other_group = lp_map_get(&d->group_of_ref, b)};
    return REMEMBER(d, communicators, communicator_of_ref, self, communicator);
}

static OTF2_CallbackCode on_calling_context(void *user, OTF2_CallingContextRef self, OTF2_RegionRef region,
                                            OTF2_SourceCodeLocationRef source, OTF2_CallingContextRef parent)
{
    struct otf2_definitions *d = user;
    (void)source;
    (void)parent;
    uint32_t index = region < d->region_of_ref.count ? d->region_of_ref.items[region] : REGION_UNDEFINED;
    return REMEMBER(d, contexts, context_of_ref, self, index);
}

static OTF2_CallbackCode on_metric_member(void *user, OTF2_MetricMemberRef self, OTF2_StringRef name,
                                          OTF2_StringRef description, OTF2_MetricType metric_type, OTF2_MetricMode mode,
                                          OTF2_Type type, OTF2_Base base, int64_t exponent, OTF2_StringRef unit)
{
    struct otf2_definitions *d = user;
    (void)description;
    (void)metric_type;
    (void)base;
    (void)exponent;
    struct otf2_metric_member member = {
        .name = copy_of(d, string_of(d, name)), .unit = copy_of(d, string_of(d, unit)), .mode = mode, .type = type};
    return REMEMBER(d, members, member_of_ref, self, member);
}

static OTF2_CallbackCode on_metric_class(void *user, OTF2_MetricRef self, uint8_t count,
                                         const OTF2_MetricMemberRef *members, OTF2_MetricOccurrence occurrence,
                                         OTF2_RecorderKind recorder)
{
    struct otf2_definitions *d = user;
    (void)recorder;
    struct otf2_metric_class class = {.count = occurrence == OTF2_METRIC_ASYNCHRONOUS ? 0 : count};
    class.members = lp_allocate(count, sizeof *class.members);
    if (!class.members)
        d->failed = true;
    for (uint8_t i = 0; class.members && i < count; i++)
        class.members[i] = lp_map_get(&d->member_of_ref, members[i]);
    return REMEMBER(d, classes, class_of_ref, self, class);
}

/* An instance of a class on one location: the same members. */
static OTF2_CallbackCode on_metric_instance(void *user, OTF2_MetricRef self, OTF2_MetricRef metric_class,
                                            OTF2_LocationRef recorder, OTF2_MetricScope kind, uint64_t scope)
{
    struct otf2_definitions *d = user;
    (void)recorder;
    (void)kind;
    (void)scope;
    uint32_t *place = lp_map_at(&d->class_of_ref, self);
    if (place)
        *place = lp_map_get(&d->class_of_ref, metric_class);
    return OTF2_CALLBACK_SUCCESS;
}

/* ---- Reading ------------------------------------------------------------------------------------------- */

static void add_pseudo_region(struct otf2_definitions *d, const char *name)
{
    struct otf2_region region = {.region = {.name = copy_of(d, name), .role = LP_ROLE_CODE}};
    if (!vector_push(&d->regions, region))
        d->failed = true;
}

static bool register_callbacks(struct otf2_definitions *d, OTF2_Reader *reader, OTF2_GlobalDefReader *global)
{
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    if (!callbacks)
        return false;
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, on_clock);
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, on_string);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, on_region);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(callbacks, on_location_group);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks, on_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks, on_communicator);
    OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(callbacks, on_inter_communicator);
    OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(callbacks, on_calling_context);
    OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(callbacks, on_metric_member);
    OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(callbacks, on_metric_class);
    OTF2_GlobalDefReaderCallbacks_SetMetricInstanceCallback(callbacks, on_metric_instance);
    bool done = OTF2_Reader_RegisterGlobalDefCallbacks(reader, global, callbacks, d) == OTF2_SUCCESS;
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    return done;
}

bool otf2_definitions_read(struct otf2_definitions *d, OTF2_Reader *reader, const char **message)
{
    memset(d->comm_locations, 0xff, sizeof d->comm_locations);
    add_pseudo_region(d, "(outside any region)");
    add_pseudo_region(d, "(undefined region)");
    add_pseudo_region(d, "(trace buffer flush)");
    OTF2_GlobalDefReader *global = OTF2_Reader_GetGlobalDefReader(reader);
    if (!global || !register_callbacks(d, reader, global)) {
        *message = "the global definitions cannot be opened";
        return false;
    }
    uint64_t count;
    OTF2_ErrorCode code = OTF2_Reader_ReadAllGlobalDefinitions(reader, global, &count);
    OTF2_Reader_CloseGlobalDefReader(reader, global);
    if (d->failed)
        *message = "the global definitions are too large (out of memory, or more regions than can be kept)";
    else if (code != OTF2_SUCCESS)
        *message = OTF2_Error_GetDescription(code);
    else if (!d->locations.count)
        *message = "the archive defines no CPU thread and no accelerator stream";
    else if (d->locations.count > LP_PROCESSORS_MAX)
        *message = "the archive defines too many locations";
    else
        return true;
    return false;
}

void otf2_definitions_release(struct otf2_definitions *d)
{
    for (size_t i = 0; i < d->strings.count; i++)
        free(d->strings.items[i]);
    for (size_t i = 0; i < d->regions.count; i++) {
        free(d->regions.items[i].region.name);
        free(d->regions.items[i].region.file);
    }
    for (size_t i = 0; i < d->locations.count; i++)
        free(d->locations.items[i].name);
    for (size_t i = 0; i < d->processes.count; i++)
        free(d->processes.items[i]);
    for (size_t i = 0; i < d->groups.count; i++)
        free(d->groups.items[i].members);
    for (size_t i = 0; i < d->members.count; i++) {
        free(d->members.items[i].name);
        free(d->members.items[i].unit);
    }
    for (size_t i = 0; i < d->classes.count; i++)
        free(d->classes.items[i].members);
    vector_release(&d->strings);
    vector_release(&d->regions);
    vector_release(&d->locations);
    vector_release(&d->processes);
    vector_release(&d->groups);
    vector_release(&d->communicators);
    vector_release(&d->contexts);
    vector_release(&d->members);
    vector_release(&d->classes);
    vector_release(&d->region_of_ref);
    struct lp_map *maps[] = {&d->string_of_ref, &d->location_of_id,      &d->process_of_ref,
                             &d->group_of_ref,  &d->communicator_of_ref, &d->context_of_ref,
                             &d->member_of_ref, &d->class_of_ref,        &d->region_of_name};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        lp_map_release(maps[i]);
}

/* ---- Ranks --------------------------------------------------------------------------------------------- */

/* The location of a group's member: directly, or through the COMM_LOCATIONS group of the same paradigm (by the member's
 * value, or, for groups of global members, by the rank itself). */
static uint32_t member_location(const struct otf2_definitions *d, uint32_t group_index, uint32_t rank)
{
    if (group_index >= d->groups.count)
        return LP_NONE;
    const struct otf2_group *group = &d->groups.items[group_index];
    bool indirect = group->type == OTF2_GROUP_TYPE_COMM_GROUP;
    if (rank >= group->count && !(indirect && group->global_members))
        return LP_NONE;
    uint64_t member = indirect && group->global_members ? rank : group->members[rank];
    if (indirect) {
        uint32_t index = d->comm_locations[group->paradigm];
        if (index >= d->groups.count || member >= d->groups.items[index].count)
            return LP_NONE;
        member = d->groups.items[index].members[member];
    }
    return lp_map_get(&d->location_of_id, member); /* LP_MAP_FREE is LP_NONE */
}

static bool is_member(const struct otf2_definitions *d, uint32_t group, uint32_t location)
{
    uint32_t count = group < d->groups.count ? d->groups.items[group].count : 0;
    for (uint32_t rank = 0; rank < count; rank++) {
        uint32_t member = member_location(d, group, rank);
        if (member != LP_NONE && d->locations.items[member].process == d->locations.items[location].process)
            return true;
    }
    return false;
}

uint32_t otf2_rank_location(const struct otf2_definitions *d, uint32_t communicator, uint32_t rank, uint32_t self)
{
    if (communicator >= d->communicators.count)
        return LP_NONE;
    const struct otf2_communicator *c = &d->communicators.items[communicator];
    if (c->other_group != LP_NONE)
        return member_location(d, is_member(d, c->group, self) ? c->other_group : c->group, rank);
    if (c->group < d->groups.count && d->groups.items[c->group].type == OTF2_GROUP_TYPE_COMM_SELF)
        return rank == 0 ? self : LP_NONE;
    return member_location(d, c->group, rank);
}

bool otf2_communicator_is_plain(const struct otf2_definitions *d, uint32_t communicator)
{
    if (communicator >= d->communicators.count)
        return false;
    const struct otf2_communicator *c = &d->communicators.items[communicator];
    return c->other_group == LP_NONE &&
           !(c->group < d->groups.count && d->groups.items[c->group].type == OTF2_GROUP_TYPE_COMM_SELF);
}

uint32_t otf2_communicator_size(const struct otf2_definitions *d, uint32_t communicator)
{
    if (communicator >= d->communicators.count)
        return 0;
    const struct otf2_communicator *c = &d->communicators.items[communicator];
    uint32_t size = c->group < d->groups.count ? d->groups.items[c->group].count : 0;
    if (c->other_group < d->groups.count)
        size += d->groups.items[c->other_group].count;
    return size;
}
