#include "src/import/otf1/names.h"

#include <glib.h>
#include <open-trace-format/otf.h>
#include <string.h>

#include "src/model/labels.h"

/* Numbers of labels in src/model/labels.c. */
enum { BARRIER = 0, BCAST = 1, ALLTOALL = 8, REDUCE = 12 };
enum { UINT64 = 4, INT64 = 8, DOUBLE = 10 };
enum { UNKNOWN_PARADIGM, USER, OPENMP = 3, MPI, CUDA, MEASUREMENT_SYSTEM, PTHREAD, OPENCL = 19 };

uint8_t xtf_otf1_paradigm(const char *function_group)
{
    static const struct {
        const char *beginning;
        uint8_t paradigm;
    } groups[] = {
        {"application", USER}, {"user", USER},     {"mpi", MPI},
        {"omp", OPENMP},       {"openmp", OPENMP}, {"pthread", PTHREAD},
        {"cuda", CUDA},        {"opencl", OPENCL}, {"vt_api", MEASUREMENT_SYSTEM},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(groups); i++)
        if (g_ascii_strncasecmp(function_group, groups[i].beginning, strlen(groups[i].beginning)) == 0)
            return groups[i].paradigm;
    return UNKNOWN_PARADIGM;
}

uint8_t xtf_otf1_collective(const char *name, uint32_t type)
{
    const char *bare = g_ascii_strncasecmp(name, "MPI_", 4) == 0 ? name + 4 : name;

    for (uint8_t i = 0; xtf_collective_operations[i]; i++)
        if (g_ascii_strcasecmp(xtf_collective_operations[i], bare) == 0)
            return i;
    switch (type) {
    case OTF_COLLECTIVE_TYPE_BARRIER:
        return BARRIER;
    case OTF_COLLECTIVE_TYPE_ONE2ALL:
        return BCAST;
    case OTF_COLLECTIVE_TYPE_ALL2ONE:
        return REDUCE;
    case OTF_COLLECTIVE_TYPE_ALL2ALL:
        return ALLTOALL;
    default:
        return UINT8_MAX;
    }
}

/* Adds the model's numbers of the kind of a value and of its time. No mode is absolute since the start. */
uint8_t xtf_otf1_metric_mode(uint32_t properties)
{
    enum { ACCUMULATED, ABSOLUTE, POINT = 16, LAST = 32, NEXT = 48 };
    uint8_t kind = (properties & OTF_COUNTER_TYPE_BITS) == OTF_COUNTER_TYPE_ABS ? ABSOLUTE : ACCUMULATED;

    switch (properties & OTF_COUNTER_SCOPE_BITS) {
    case OTF_COUNTER_SCOPE_LAST:
        return kind + LAST;
    case OTF_COUNTER_SCOPE_NEXT:
        return kind + NEXT;
    case OTF_COUNTER_SCOPE_POINT:
        return kind + POINT;
    default:
        return kind == ABSOLUTE ? ABSOLUTE + POINT : ACCUMULATED;
    }
}

uint8_t xtf_otf1_value_type(uint32_t properties)
{
    uint32_t type = properties & OTF_COUNTER_VARTYPE_BITS;

    if (!OTF_COUNTER_VARTYPE_ISINTEGER(type))
        return DOUBLE;
    return OTF_COUNTER_VARTYPE_ISSIGNED(type) ? INT64 : UINT64;
}

bool xtf_otf1_is_world(const char *group)
{
    return g_str_equal(group, "MPI_COMM_WORLD") || g_str_equal(group, "__MPI_COMM_WORLD__");
}
