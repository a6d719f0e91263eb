#include "src/tables/totals/sites/site-sweep.h"

#include "libxtf/aggregates.h"
#include "libxtf/spans.h"
#include "libxtf/vocabulary.h"

/* Pushes the sites of the calls that are open before row n. */
static bool load_stack(XtfSiteSweep *sweep, const XtfArray *calls, unsigned aggregate, uint64_t n, GError **error)
{
    g_autofree XtfOpenFrame *frames = NULL;
    size_t depth = 0;

    if (!xtf_array_stack(calls, aggregate, n, &frames, &depth, error))
        return false;
    for (size_t i = 0; i < depth; i++) {
        uint32_t site = (uint32_t)frames[i].key;
        g_array_append_val(sweep->stack, site);
    }
    return true;
}

bool xtf_site_sweep_init(XtfSiteSweep *sweep, const XtfArray *calls, const XtfAggregateRef *by_site, uint64_t n,
                         GError **error)
{
    const XtfSchema *schema = calls->schema;

    *sweep = (XtfSiteSweep){
        .seq = xtf_schema_field_by_role(schema, XTF_ROLE_SEQ),
        .depth = xtf_schema_field_by_role(schema, XTF_ROLE_DEPTH),
        .site = xtf_aggregate_ref_key(by_site, 0),
        .is_leave = &schema->fields[by_site->aggregate->values[0]],
        .stack = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
    };
    xtf_cursor_init(&sweep->cursor, calls);
    if (!sweep->seq || !sweep->depth)
        return true;
    return load_stack(sweep, calls, by_site->number, n, error) &&
           xtf_cursor_seek_n(&sweep->cursor, n, &sweep->at_row, error);
}

void xtf_site_sweep_finish(XtfSiteSweep *sweep)
{
    if (!sweep->stack)
        return;
    xtf_cursor_finish(&sweep->cursor);
    g_clear_pointer(&sweep->stack, g_array_unref);
}

/* Applies a row of the calls to the stack. A row's depth is that of its own call. */
static void apply_row(XtfSiteSweep *sweep, const uint8_t *row)
{
    uint64_t depth = xtf_field_get(sweep->depth, row);
    uint32_t site = (uint32_t)xtf_field_get(sweep->site, row);

    if (!depth)
        return;
    if (depth <= sweep->stack->len)
        g_array_set_size(sweep->stack, (guint)depth - 1);
    if (xtf_field_get(sweep->is_leave, row) == 0)
        g_array_append_val(sweep->stack, site);
}

bool xtf_site_sweep_find(XtfSiteSweep *sweep, uint64_t seq, uint32_t *site, GError **error)
{
    const uint8_t *row;

    *site = UINT32_MAX;
    for (; sweep->at_row;) {
        row = xtf_cursor_row(&sweep->cursor);
        uint64_t row_seq = xtf_field_get(sweep->seq, row);
        if (row_seq > seq || (row_seq == seq && xtf_field_get(sweep->is_leave, row) != 0))
            break;
        apply_row(sweep, row);
        if (!xtf_cursor_next(&sweep->cursor, 1, &sweep->at_row, error))
            return false;
    }
    if (sweep->stack->len)
        *site = g_array_index(sweep->stack, uint32_t, sweep->stack->len - 1);
    return true;
}

bool xtf_site_at_record(const XtfArray *calls, const XtfAggregateRef *by_site, uint64_t seq, uint32_t *site,
                        GError **error)
{
    g_auto(XtfSiteSweep) sweep = {0};
    XtfSpan span;
    uint64_t n;

    xtf_span_init(&span, calls);
    return xtf_span_rank_of_seq(&span, seq, 0, calls->n_rows, &n, error) &&
           xtf_site_sweep_init(&sweep, calls, by_site, n, error) && xtf_site_sweep_find(&sweep, seq, site, error);
}
