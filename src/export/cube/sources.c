#include "src/export/cube/sources.h"

#include "libxtf/vocabulary.h"
#include "src/export/cube/metrics.h"
#include "src/model/schemas.h"
#include "src/model/wait-kinds.h"

/* The source of the metric that a member of XtfWaitMetrics names. */
typedef struct {
    size_t member;
    const char *suffix; /* of the metric's name, after the member's value; NULL: none */
    const char *array, *field, *condition, *label;
    XtfCubeRows rows;
    XtfWaitRegion region;
} Member;

/* clang-format off */
#define AT(name)            .member = G_STRUCT_OFFSET(XtfWaitMetrics, name)
#define WAITS(member, ...)  {AT(member), .array = XTF_DERIVED_WAITS, .region = XTF_WAIT_ANYWHERE, __VA_ARGS__}
#define IN(REGION)          {AT(in[XTF_WAIT_IN_##REGION]), .array = XTF_DERIVED_WAITS, .field = "amount", .region = XTF_WAIT_IN_##REGION}
static const Member members[] = {
    WAITS(amount, .field = "amount"), WAITS(whole, .field = "amount"),
    IN(BARRIER), IN(IMPLICIT), IN(CRITICAL), IN(OPENMP), IN(CONDITION), IN(PTHREAD),
    WAITS(part, .field = "part"),
    WAITS(different_source, .field = "part", .condition = "part_kind", .label = "different_source"),
    WAITS(same_source, .field = "part", .condition = "part_kind", .label = "same_source"),
    WAITS(syncs, .rows = XTF_CUBE_WITHOUT_BYTES), WAITS(comms, .rows = XTF_CUBE_WITH_BYTES),
    WAITS(part_syncs, .condition = "part_kind", .rows = XTF_CUBE_WITHOUT_BYTES),
    WAITS(part_comms, .condition = "part_kind", .rows = XTF_CUBE_WITH_BYTES),
    WAITS(indirect, .field = "indirect"), WAITS(propagating, .field = "propagating"),
    {AT(short_term), .array = "delays", .field = "short_term", .region = XTF_WAIT_ANYWHERE},
    {AT(short_term), .suffix = "_longterm", .array = "delays", .field = "long_term", .region = XTF_WAIT_ANYWHERE},
};
/* clang-format on */

static void add_kind(GArray *sources, const XtfWaitKind *kind)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(members); i++) {
        const Member *member = &members[i];
        const char *name = *(const char *const *)(const void *)((const char *)&kind->cube + member->member);
        if (!name)
            continue;
        g_autofree char *unique = g_strconcat(name, member->suffix, NULL);
        const XtfCubeSource source = {
            .metric = xtf_cube_metric_named(unique),
            .array = member->array,
            .kind = kind,
            .field = member->field,
            .condition = member->condition,
            .label = member->label,
            .rows = member->rows,
            .region = member->region,
        };
        g_assert(source.metric != XTF_CUBE_NONE); /* each export of an analysis checks all kinds */
        g_array_append_val(sources, source);
    }
}

GArray *xtf_cube_sources_new(void)
{
    static const XtfCubeSource other_sources[] = {
        {.metric = XTF_CUBE_CRITICAL_PATH, .array = "critical", .field = "amount", .region = XTF_WAIT_ANYWHERE},
        /* impact.c derives three metrics from it */
        {.metric = XTF_CUBE_ACTIVITIES,
         .array = "activity",
         .field = "total",
         .subtracted = "waited",
         .region = XTF_WAIT_ANYWHERE},
    };
    GArray *sources = g_array_new(FALSE, FALSE, sizeof(XtfCubeSource));

    for (unsigned kind = 0; kind < XTF_N_WAIT_KINDS; kind++)
        add_kind(sources, &xtf_wait_kinds[kind]);
    g_array_append_vals(sources, other_sources, G_N_ELEMENTS(other_sources));
    return sources;
}
