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

static void init_fields(XtfSiteSweep *sweep, const XtfArray *calls, const XtfAggregateRef *by_site)
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
}

bool xtf_site_sweep_init(XtfSiteSweep *sweep, const XtfArray *calls, const XtfAggregateRef *by_site, uint64_t n,
                         GError **error)
{
    init_fields(sweep, calls, by_site);
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

/* ---- One record. */

/* A row of calls. */
typedef struct {
    uint64_t time, seq, depth;
    uint32_t site;
    bool is_leave;
} CallRow;

static bool read_row(const XtfSiteSweep *sweep, uint64_t n, CallRow *row, GError **error)
{
    uint8_t bytes[XTF_ROW_MAX];

    if (!xtf_array_row(&sweep->cursor.array, n, bytes, error))
        return false;
    *row = (CallRow){
        .time = xtf_field_get(&sweep->cursor.array.schema->fields[0], bytes),
        .seq = xtf_field_get(sweep->seq, bytes),
        .depth = sweep->depth ? xtf_field_get(sweep->depth, bytes) : 0,
        .site = (uint32_t)xtf_field_get(sweep->site, bytes),
        .is_leave = xtf_field_get(sweep->is_leave, bytes) != 0,
    };
    return true;
}

/* Finds the first row whose `seq` is not less than `seq`, beginning at row `at`, which is near. */
static bool find_row(const XtfSiteSweep *sweep, uint64_t at, uint64_t seq, uint64_t *n, GError **error)
{
    uint64_t low = at, high = at, n_rows = sweep->cursor.array.n_rows;
    CallRow row = {.seq = seq};
    XtfSpan span;

    for (uint64_t step = 1; low > 0 && row.seq >= seq; step *= 2) {
        low -= MIN(step, low);
        if (!read_row(sweep, low, &row, error))
            return false;
    }
    for (uint64_t step = 1; high < n_rows; step *= 2) {
        if (!read_row(sweep, high, &row, error))
            return false;
        if (row.seq >= seq)
            break;
        high += MIN(step, n_rows - high);
    }
    xtf_span_init(&span, &sweep->cursor.array);
    return xtf_span_rank_of_seq(&span, seq, low, high, n, error);
}

/* Finds the site of the innermost call that is open before row n. */
static bool find_open_site(const XtfSiteSweep *sweep, unsigned aggregate, uint64_t n, uint32_t *site, GError **error)
{
    g_autofree XtfOpenFrame *frames = NULL;
    CallRow row = {.is_leave = true};
    size_t depth = 0;

    if (n > 0 && !read_row(sweep, n - 1, &row, error))
        return false;
    *site = row.site;
    if (!row.is_leave)
        return true;
    if (!xtf_array_stack(&sweep->cursor.array, aggregate, n, &frames, &depth, error))
        return false;
    *site = depth > 0 ? (uint32_t)frames[depth - 1].key : UINT32_MAX;
    return true;
}

bool xtf_site_at_record(const XtfArray *calls, const XtfAggregateRef *by_site, uint64_t t, uint64_t seq, uint32_t *site,
                        GError **error)
{
    g_auto(XtfSiteSweep) sweep = {0};
    CallRow row = {0};
    uint64_t at, n;

    *site = UINT32_MAX;
    init_fields(&sweep, calls, by_site);
    if (!sweep.seq)
        return true;
    if (!xtf_array_rank(calls, t, &at, error) || !find_row(&sweep, at, seq, &n, error) ||
        (n < calls->n_rows && !read_row(&sweep, n, &row, error)))
        return false;
    n += n < calls->n_rows && row.seq == seq && !row.is_leave;
    return find_open_site(&sweep, by_site->number, n, site, error);
}

bool xtf_site_before_record(const XtfArray *calls, const XtfAggregateRef *by_site, uint64_t t, uint64_t seq,
                            uint64_t since, uint32_t *site, GError **error)
{
    enum { ROWS_MAX = 64 };
    g_auto(XtfSiteSweep) sweep = {0};
    CallRow next, row;
    uint64_t at, n, longest = 0;

    *site = UINT32_MAX;
    init_fields(&sweep, calls, by_site);
    if (!sweep.seq || !sweep.depth || calls->n_rows == 0)
        return true;
    if (!xtf_array_rank(calls, t, &at, error) || !find_row(&sweep, at, seq, &n, error) ||
        !read_row(&sweep, MIN(n, calls->n_rows - 1), &next, error))
        return false;
    for (n = MIN(n, calls->n_rows - 1), at = n; n > 0 && at - n < ROWS_MAX; n--, next = row) {
        if (!read_row(&sweep, n - 1, &row, error))
            return false;
        if (row.seq < since)
            break;
        /* Between the LEAVE of an outermost call and the next ENTER there is no call. */
        if (!row.is_leave || row.depth != 1 || next.is_leave || next.time - row.time <= longest)
            continue;
        longest = next.time - row.time;
        *site = row.site;
    }
    return true;
}
