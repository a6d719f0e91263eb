/* Enters and leaves of regions, definitions of regions, attributes of records. */
#include <string.h>

#include "src/record/collect/rows/collect.h"

static bool enter_region(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    uint32_t region = xtf_collect_region(ring->collector, head.region);

    ring->excluded = region == XTF_COLLECT_EXCLUDED;
    if (G_UNLIKELY(ring->excluded))
        return true;
    return xtf_stream_enter_from(&ring->stream, time, region, xtf_collect_site(ring->collector, head.arg, region));
}

static bool leave_region(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    uint32_t region = xtf_collect_region(ring->collector, head.region);

    if (G_UNLIKELY(region == XTF_COLLECT_EXCLUDED))
        return true;
    if (G_LIKELY(!ring->off))
        return xtf_stream_leave(&ring->stream, time, region);
    return xtf_collect_leave_off(ring, time) && xtf_stream_leave(&ring->stream, time, region) &&
           xtf_collect_enter_off(ring, time);
}

static bool define_region(XtfCollectRing *ring, uint64_t id, const uint8_t *bytes, size_t size)
{
    XtfCollectData data = {.ring = ring, .data = bytes, .left = size};
    g_autofree char *name = NULL, *file = NULL;
    XtfDefineRegion region;

    if (!xtf_collect_read(&data, &region, sizeof region) || !xtf_collect_read_text(&data, region.name_size, &name) ||
        !xtf_collect_read_text(&data, region.file_size, &file))
        return false;
    if (id < XTF_WIRE_REGIONS_OWN || id >= XTF_COLLECT_REGIONS_MAX)
        return xtf_collect_malformed(ring, "region %" PRIu64 " cannot be defined", id);
    if (region.role >= g_strv_length((char **)xtf_region_roles) ||
        region.paradigm >= g_strv_length((char **)xtf_paradigm_names))
        return xtf_collect_malformed(ring, "region %s has role %" PRIu32 " and paradigm %" PRIu32, name, region.role,
                                     region.paradigm);
    if (region.paradigm == XTF_COLLECT_PARADIGM_USER &&
        xtf_collect_filter_region(ring->collector, id, name, name, file))
        return true;
    xtf_collect_define_region(ring->collector, id, name, file, region.line, region.role, region.paradigm);
    ring->collector->counts.functions += region.paradigm == XTF_COLLECT_PARADIGM_USER;
    return true;
}

static bool define_not_wrapped(XtfCollectRing *ring, uint64_t id, const uint8_t *bytes, size_t size)
{
    XtfCollectData data = {.ring = ring, .data = bytes, .left = size};
    g_autofree char *names = NULL;

    if (!xtf_collect_read_text(&data, size, &names))
        return false;
    xtf_collect_remark(ring->collector,
                       "calls of these functions are not recorded, which this build does not know as the program's MPI "
                       "declares them: %s",
                       names);
    return true;
}

/* ---- Attributes of records. */

enum { FIRST_ATTRIBUTE = 2 }; /* id of the first XtfWireAttribute; rows-messages.c has id 1 */

enum { VALUE_UINT64 = 4, VALUE_INT64 = 8, VALUE_DOUBLE = 10 }; /* indices in xtf_value_types */

typedef struct {
    const char *name, *description;
    uint8_t type;
} Attribute;

#define ARGUMENTS(TYPE)                                                     \
    {"argument 1", "first argument of an event of the program", TYPE},      \
        {"argument 2", "second argument of an event of the program", TYPE}, \
        {"argument 3", "third argument of an event of the program", TYPE},  \
    {                                                                       \
        "argument 4", "fourth argument of an event of the program", TYPE    \
    }

static const Attribute attributes[XTF_WIRE_N_ATTRIBUTES] = {
    {"address", "of the shared data, in the thread that has it", VALUE_UINT64},
    {"allocated", "bytes that the call allocates", VALUE_UINT64},
    ARGUMENTS(VALUE_INT64),
    ARGUMENTS(VALUE_UINT64),
    ARGUMENTS(VALUE_DOUBLE),
};

static uint32_t attribute_row(XtfCollectTables *tables, uint32_t number)
{
    const Attribute *attribute = &attributes[number];
    bool is_new;
    uint32_t row = xtf_collect_new_row(tables, XTF_MODEL_ATTRIBUTE_DEFINITIONS, FIRST_ATTRIBUTE + number, &is_new);

    if (is_new) {
        uint32_t name = xtf_collect_string(tables, attribute->name),
                 description = xtf_collect_string(tables, attribute->description);
        XtfAttributeDefinitionRow *definition = xtf_collect_change_row(tables, XTF_MODEL_ATTRIBUTE_DEFINITIONS, row);
        definition->type = attribute->type;
        definition->name = name;
        definition->description = description;
    }
    return row;
}

bool xtf_collect_add_attribute(XtfCollectRing *ring, uint32_t number, uint64_t value)
{
    XtfStream *stream = &ring->stream;
    XtfAttributesRow row = {.time = stream->last_time,
                            .seq = stream->seq - 1,
                            .attribute = attribute_row(&ring->collector->tables, number),
                            .type = attributes[number].type,
                            .value = value};

    return xtf_stream_append_row(stream, XTF_MODEL_ATTRIBUTES, &row);
}

static bool decode_attribute(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    if (head.arg >= XTF_WIRE_N_ATTRIBUTES)
        return xtf_collect_malformed(ring, "attribute %" PRIu32 " does not exist", head.arg);
    if (ring->stream.seq == 0)
        return xtf_collect_malformed(ring, "an attribute stands before all records");
    ring->collector->counts.framing++;
    return ring->excluded || xtf_collect_add_attribute(ring, head.arg, more[0]);
}

static const XtfCollectKind kinds[] = {
    {XTF_WIRE_ENTER, enter_region}, {XTF_WIRE_ATTRIBUTE, decode_attribute}, {XTF_WIRE_LEAVE, leave_region}, {0}};
static const XtfCollectDefinition definitions[] = {
    {XTF_DEFINE_REGION, define_region}, {XTF_DEFINE_NOT_WRAPPED, define_not_wrapped}, {0}};
const XtfCollectRows xtf_collect_calls = {.kinds = kinds, .definitions = definitions};
