#include "libxtf/aggregate/stored-rows.h"

enum { SHAPES = (XTF_AGGREGATE_KEYS_MAX + 1) * (XTF_AGGREGATE_CELLS_MAX + 1) };

/* `child` ascends, so it takes the place of the time. */
#define CHILD_FIELD                                           \
    {                                                         \
        .name = "child", .type = XTF_TYPE_U64, .role = "time" \
    }

static XtfSchema *make(const char *name, const XtfFieldSpec *fields)
{
    g_autoptr(GError) error = NULL;
    XtfSchema *schema = xtf_schema_new(name, XTF_SCHEMA_SIDE, fields, &error);

    /* Nothing but this file's own content decides it. */
    if (!schema)
        g_error("%s", error->message);
    return schema;
}

static XtfSchema *make_totals(unsigned n_keys, unsigned n_cells)
{
    static const char *const keys[XTF_AGGREGATE_KEYS_MAX] = {"key0", "key1", "key2", "key3", "key4", "key5"};
    static const char *const cells[XTF_AGGREGATE_CELLS_MAX] = {
        "cell0", "cell1",  "cell2",  "cell3",  "cell4",  "cell5",  "cell6",  "cell7",  "cell8",
        "cell9", "cell10", "cell11", "cell12", "cell13", "cell14", "cell15", "cell16",
    };
    XtfFieldSpec fields[XTF_TOTALS_KEYS + XTF_AGGREGATE_KEYS_MAX + XTF_AGGREGATE_CELLS_MAX + 1] = {
        [XTF_TOTALS_CHILD] = CHILD_FIELD,
        [XTF_TOTALS_DEPTH] = {.name = "depth", .type = XTF_TYPE_U8},
    };
    unsigned n = XTF_TOTALS_KEYS;

    for (unsigned i = 0; i < n_keys; i++)
        fields[n++] = (XtfFieldSpec){.name = keys[i], .type = XTF_TYPE_U64};
    for (unsigned i = 0; i < n_cells; i++)
        fields[n++] = (XtfFieldSpec){.name = cells[i], .type = XTF_TYPE_U64};
    return make("totals", fields);
}

const XtfSchema *xtf_stored_totals_schema(const XtfAggregate *aggregate)
{
    static XtfSchema *schemas[SHAPES]; /* by keys and cells */
    unsigned n_cells = xtf_aggregate_n_cells(aggregate);
    XtfSchema **schema = &schemas[aggregate->n_keys * (XTF_AGGREGATE_CELLS_MAX + 1) + n_cells];

    if (g_once_init_enter(schema))
        g_once_init_leave(schema, make_totals(aggregate->n_keys, n_cells));
    return *schema;
}

const XtfSchema *xtf_stored_snapshot_schema(void)
{
    static const XtfFieldSpec fields[] = {
        [XTF_SNAPSHOT_CHILD] = CHILD_FIELD,
        [XTF_SNAPSHOT_KEY] = {.name = "key", .type = XTF_TYPE_U64},
        [XTF_SNAPSHOT_ROW] = {.name = "row", .type = XTF_TYPE_U64, .flags = XTF_FIELD_RISES},
        [XTF_SNAPSHOT_TIME] = {.name = "open_since", .type = XTF_TYPE_U64, .flags = XTF_FIELD_RISES},
        [XTF_SNAPSHOT_OUTERMOST] = {.name = "outermost", .type = XTF_TYPE_U8},
        {0},
    };
    static XtfSchema *schema;

    if (g_once_init_enter(&schema))
        g_once_init_leave(&schema, make("snapshots", fields));
    return schema;
}
