/* SPDX-License-Identifier: BSD-3-Clause */
#include "world.h"

#include "otf2_double.h"

static const struct {
    const char *name;
    OTF2_RegionRole role;
    OTF2_Paradigm paradigm;
} regions[] = {
    {"main", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_COMPILER},
    {"work", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER},
    {"MPI_Send", OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI},
    {"MPI_Ssend", OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI},
    {"MPI_Issend", OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI},
    {"MPI_Recv", OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI},
    {"MPI_Waitall", OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI},
    {"MPI_Allreduce", OTF2_REGION_ROLE_COLL_ALL2ALL, OTF2_PARADIGM_MPI},
    {"MPI_Barrier", OTF2_REGION_ROLE_BARRIER, OTF2_PARADIGM_MPI},
    {"!$omp barrier", OTF2_REGION_ROLE_BARRIER, OTF2_PARADIGM_OPENMP},
    {"!$omp implicit barrier", OTF2_REGION_ROLE_IMPLICIT_BARRIER, OTF2_PARADIGM_OPENMP},
    {"!$omp taskwait", OTF2_REGION_ROLE_TASK_WAIT, OTF2_PARADIGM_OPENMP},
    {"!$omp parallel", OTF2_REGION_ROLE_PARALLEL, OTF2_PARADIGM_OPENMP},
    {"pthread_mutex_lock", OTF2_REGION_ROLE_WRAPPER, OTF2_PARADIGM_PTHREAD},
    {"work", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER}, /* the same once more */
};
_Static_assert(sizeof regions / sizeof *regions == REGIONS, "REGIONS is wrong");

/* Strings: the regions' names, then these. */
enum { STRING_FILE = REGIONS, STRING_EMPTY, STRING_THREAD, STRINGS };

/* Groups: of the communicators of the same name, and those that they need. */
enum {
    GROUP_MPI_LOCATIONS,
    GROUP_WORLD,
    GROUP_SELF,
    GROUP_SOME,
    GROUP_GLOBAL, /* of global members */
    GROUP_EMPTY,
    GROUP_NOWHERE, /* ranks without location */
    GROUP_OMP_LOCATIONS,
    GROUP_PTHREAD_LOCATIONS,
    GROUP_TEAM, /* and one for each process */
};

static uint64_t location_id(uint32_t process, uint32_t thread)
{
    return (uint64_t)thread << 32 | process;
}

#define DEFINE(name, ...) \
    double_define((struct double_definition){.kind = DEFINITION_##name, .arguments = {__VA_ARGS__}})

static void define_group(uint32_t self, OTF2_GroupType type, OTF2_Paradigm paradigm, OTF2_GroupFlag flags,
                         uint32_t count, const uint64_t *members)
{
    double_define((struct double_definition){
        .kind = DEFINITION_Group, .members = members, .arguments = {self, STRING_EMPTY, type, paradigm, flags, count}});
}

static void define_regions(void)
{
    for (uint32_t i = 0; i < REGIONS; i++)
        double_define((struct double_definition){.kind = DEFINITION_String, .text = regions[i].name, .arguments = {i}});
    double_define(
        (struct double_definition){.kind = DEFINITION_String, .text = "solver.c", .arguments = {STRING_FILE}});
    double_define((struct double_definition){.kind = DEFINITION_String, .text = "", .arguments = {STRING_EMPTY}});
    double_define(
        (struct double_definition){.kind = DEFINITION_String, .text = "thread", .arguments = {STRING_THREAD}});
    for (uint32_t i = 0; i < REGIONS; i++)
        DEFINE(Region, i, i % 14 == 0 ? 0 : i, i, OTF2_UNDEFINED_STRING, regions[i].role, regions[i].paradigm, 0,
               i < 2 ? STRING_FILE : OTF2_UNDEFINED_STRING, 10 * i, 0);
    for (uint32_t i = 0; i < 3; i++)
        DEFINE(CallingContext, i, i, 0, OTF2_UNDEFINED_CALLING_CONTEXT);
}

static void define_locations(struct world *w)
{
    for (uint32_t p = 0; p < w->processes; p++)
        DEFINE(LocationGroup, p, STRING_EMPTY, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, 0);
    for (uint32_t p = 0; p < w->processes; p++)
        for (uint32_t t = 0; t < w->threads; t++) {
            double_trace.locations[w->locations].id = location_id(p, t);
            double_trace.location_count = ++w->locations;
        }
}

static void define_communicators(const struct world *w)
{
    static uint64_t masters[PROCESSES_MAX], all[PROCESSES_MAX * THREADS_MAX], teams[PROCESSES_MAX][THREADS_MAX];
    static const uint64_t ranks[] = {0, 1, 2}, nowhere[] = {7, 1u << 31, UINT64_MAX};
    for (uint32_t p = 0; p < w->processes; p++)
        masters[p] = location_id(p, 0);
    for (uint32_t i = 0; i < w->locations; i++)
        all[i] = double_trace.locations[i].id;
    define_group(GROUP_MPI_LOCATIONS, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, 0, w->processes, masters);
    define_group(GROUP_WORLD, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, w->processes, ranks);
    define_group(GROUP_SELF, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI, 0, 0, ranks);
    define_group(GROUP_SOME, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, w->processes > 1 ? 2 : 1, ranks);
    define_group(GROUP_GLOBAL, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_GLOBAL_MEMBERS,
                 w->processes, ranks);
    define_group(GROUP_EMPTY, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, 0, ranks);
    define_group(GROUP_NOWHERE, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, 3, nowhere);
    define_group(GROUP_OMP_LOCATIONS, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP, 0, w->locations, all);
    define_group(GROUP_PTHREAD_LOCATIONS, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_PTHREAD, 0, w->locations, all);
    for (uint32_t p = 0; p < w->processes; p++) {
        for (uint32_t t = 0; t < w->threads; t++)
            teams[p][t] = p * w->threads + t;
        define_group(GROUP_TEAM + p, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP, 0, w->threads, teams[p]);
    }
    DEFINE(Comm, COMM_WORLD, STRING_EMPTY, GROUP_WORLD);
    DEFINE(Comm, COMM_SELF, STRING_EMPTY, GROUP_SELF);
    DEFINE(Comm, COMM_SOME, STRING_EMPTY, GROUP_SOME);
    DEFINE(InterComm, COMM_INTER, STRING_EMPTY, GROUP_SOME, GROUP_WORLD);
    DEFINE(Comm, COMM_GLOBAL, STRING_EMPTY, GROUP_GLOBAL);
    DEFINE(Comm, COMM_EMPTY, STRING_EMPTY, GROUP_EMPTY);
    DEFINE(Comm, COMM_NOWHERE, STRING_EMPTY, GROUP_NOWHERE);
    DEFINE(Comm, COMM_NO_GROUP, STRING_EMPTY, 4711);
    DEFINE(Comm, COMM_PTHREAD, STRING_EMPTY, GROUP_PTHREAD_LOCATIONS);
    for (uint32_t p = 0; p < w->processes; p++)
        DEFINE(Comm, COMM_TEAM + p, STRING_EMPTY, GROUP_TEAM + p);
}

static void define_metrics(void)
{
    static const uint64_t members[] = {0, 1, 2, 9};
    static const OTF2_MetricMode modes[] = {OTF2_METRIC_ACCUMULATED_START, OTF2_METRIC_RELATIVE_LAST,
                                            OTF2_METRIC_ABSOLUTE_POINT};
    for (uint32_t i = 0; i < 3; i++)
        DEFINE(MetricMember, i, STRING_EMPTY, STRING_EMPTY, 0, modes[i], OTF2_TYPE_UINT64, 0, 0, STRING_EMPTY);
    double_define((struct double_definition){
        .kind = DEFINITION_MetricClass, .members = members, .arguments = {0, OTF2_METRIC_SYNCHRONOUS, 0, 0, 0, 4}});
    double_define((struct double_definition){
        .kind = DEFINITION_MetricClass, .members = members, .arguments = {1, OTF2_METRIC_ASYNCHRONOUS, 0, 0, 0, 2}});
    DEFINE(MetricInstance, 2, 0, 0, 0, 0);
    DEFINE(MetricInstance, 3, 77, 0, 0, 0);
}

void world_define_strays(struct world *w)
{
    static const uint64_t members[] = {0, 1, 5, UINT64_MAX};
    for (uint32_t count = take_below(&w->bytes, 8); count >= 6; count--) {
        struct double_definition stray = {
            .kind = take_below(&w->bytes, DEFINITION_KINDS), .text = "stray", .members = members};
        for (int i = 0; i < 9; i++) {
            uint8_t choice = take(&w->bytes);
            stray.arguments[i] = choice < 250 ? choice % 16 : take_number(&w->bytes, 4);
        }
        stray.arguments[5] %= 5; /* the members of groups and classes, which the library does count right */
        if (stray.kind == DEFINITION_Location)
            stray.arguments[3] %= 4;
        if (stray.kind == DEFINITION_Region && stray.arguments[0] > UINT16_MAX)
            stray.arguments[0] |= 1 << 24; /* more than there may be; less would take its time */
        double_define(stray);
    }
}

void world_close(const struct world *w, bool lie)
{
    for (uint32_t i = 0; i < w->locations; i++)
        DEFINE(Location, double_trace.locations[i].id, STRING_THREAD, OTF2_LOCATION_TYPE_CPU_THREAD,
               double_trace.locations[i].count + lie, i / w->threads);
}

void world_define(struct world *w, uint64_t resolution, uint64_t offset)
{
    double_clear();
    DEFINE(ClockProperties, resolution, offset, 1000, 0);
    define_regions();
    define_locations(w);
    define_communicators(w);
    define_metrics();
}
