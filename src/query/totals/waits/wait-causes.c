#include "src/query/totals/waits/wait-causes.h"

#include <stdlib.h>

#include "libxtf/error.h"
#include "libxtf/vocabulary.h"
#include "src/model/schemas.h"

/* Where the row that `match` means lies, by kind of wait. */
static const struct {
    uint8_t kind;
    const char *records;
    bool is_shared;
} matches[] = {
    {XTF_LABEL_late_sender, XTF_RECORD_SENDS, false},         {XTF_LABEL_late_receiver, XTF_RECORD_RECVS, false},
    {XTF_LABEL_wait_barrier, XTF_RECORD_COLLECTIVES, true},   {XTF_LABEL_wait_nxn, XTF_RECORD_COLLECTIVES, true},
    {XTF_LABEL_late_broadcast, XTF_RECORD_COLLECTIVES, true}, {XTF_LABEL_early_reduce, XTF_RECORD_COLLECTIVES, true},
    {XTF_LABEL_wait_create, XTF_RECORD_COLLECTIVES, true},    {XTF_LABEL_wait_destroy, XTF_RECORD_COLLECTIVES, true},
};

/* A row, read by the names of its fields. */
typedef struct {
    const XtfSchema *schema;
    uint8_t *bytes;
} Row;

static void row_finish(Row *row)
{
    g_clear_pointer(&row->bytes, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Row, row_finish)

/* UINT64_MAX if the field is none, or not there. */
static uint64_t value_of(const Row *row, const char *name)
{
    const XtfField *field = xtf_schema_field(row->schema, name);

    if (!field)
        return UINT64_MAX;
    uint64_t value = xtf_field_get(field, row->bytes), none = UINT64_MAX >> (64 - 8 * field->width);
    return (field->flags & XTF_FIELD_OPTIONAL) && value == none ? UINT64_MAX : value;
}

static bool read_row(const XtfArray *array, uint64_t n, Row *row, GError **error)
{
    row->schema = array->schema;
    if (!row->bytes)
        row->bytes = g_malloc(array->schema->row_size);
    return xtf_array_row(array, n, row->bytes, error);
}

static bool find_array(XtfTraceContext *context, const XtfLocation *location, const char *name, XtfArray *array,
                       bool *found, GError **error)
{
    const XtfSchema *schema = xtf_trace_find_schema(context->trace, name);

    *found = false;
    return !schema || xtf_trace_find_array(context->trace, location->id, schema->id, array, found, error);
}

static bool find_culprit(const XtfLocations *locations, uint64_t proc, uint64_t thread, uint32_t *culprit)
{
    for (uint32_t low = 0, high = locations->n; low < high;) {
        uint32_t middle = low + (high - low) / 2;
        const XtfLocation *at = &locations->all[middle];
        if (at->proc == proc && at->thread == thread) {
            *culprit = middle;
            return true;
        }
        if (at->proc < proc || (at->proc == proc && at->thread < thread))
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* The record that was waited for: the send, the posting of the receive, or the end of the operation. */
static bool find_record(XtfWaitCauses *causes, XtfTraceContext *context, const XtfLocation *culprit, uint64_t kind,
                        uint64_t match, GError **error)
{
    XtfArray array;
    g_auto(Row) row = {0};
    bool found;

    for (size_t i = 0; i < G_N_ELEMENTS(matches); i++) {
        if (matches[i].kind != kind || match == UINT64_MAX)
            continue;
        if (!find_array(context, culprit, matches[i].records, &array, &found, error))
            return false;
        if (!found || match >= array.n_rows)
            return xtf_damaged(error, "a wait leads to row %" PRIu64 " of '%s' of a location that has %" PRIu64, match,
                               matches[i].records, found ? array.n_rows : 0);
        if (!read_row(&array, match, &row, error))
            return false;
        uint64_t posted = kind == XTF_LABEL_late_receiver ? value_of(&row, "posted") : 0;
        uint64_t seq = value_of(&row, "seq");
        causes->known = seq != UINT64_MAX && (posted == UINT64_MAX || posted <= seq);
        causes->culprit_seq = seq - (posted == UINT64_MAX ? 0 : posted);
        causes->shared = matches[i].is_shared;
    }
    return true;
}

/* The first row of `delays` whose seq is not below one. */
static bool find_seq(const XtfArray *delays, uint64_t seq, Row *row, uint64_t *n, GError **error)
{
    uint64_t low = 0, high = delays->n_rows;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (!read_row(delays, middle, row, error))
            return false;
        if (value_of(row, "seq") < seq)
            low = middle + 1;
        else
            high = middle;
    }
    *n = low;
    return true;
}

static int compare_causes(const void *a, const void *b)
{
    const XtfWaitCause *one = a, *other = b;

    if (one->cost != other->cost)
        return one->cost > other->cost ? -1 : 1;
    return (one->context > other->context) - (one->context < other->context);
}

static bool read_delays(XtfWaitCauses *causes, const XtfArray *delays, uint64_t kind, GError **error)
{
    g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(XtfWaitCause));
    g_auto(Row) row = {0};
    uint64_t n;

    if (!find_seq(delays, causes->culprit_seq, &row, &n, error))
        return false;
    for (; n < delays->n_rows; n++) {
        if (!read_row(delays, n, &row, error))
            return false;
        if (value_of(&row, "seq") != causes->culprit_seq)
            break;
        const XtfWaitCause cause = {
            .region = value_of(&row, "region"),
            .context = value_of(&row, "context"),
            .cost = value_of(&row, "short_term"),
        };
        if (value_of(&row, "event") != kind || cause.cost == 0 || cause.cost == UINT64_MAX)
            continue;
        g_array_append_val(found, cause);
        causes->charged += cause.cost;
    }
    causes->n = found->len;
    if (found->len > 1)
        qsort(found->data, found->len, sizeof(XtfWaitCause), compare_causes);
    causes->causes = (XtfWaitCause *)(void *)g_array_free(g_steal_pointer(&found), FALSE);
    return true;
}

bool xtf_wait_causes_find(XtfWaitCauses *causes, XtfTraceContext *context, uint32_t location, uint64_t n,
                          GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(context, error);
    XtfArray array;
    g_auto(Row) row = {0};
    bool found;

    *causes = (XtfWaitCauses){0};
    if (!locations || !find_array(context, &locations->all[location], XTF_DERIVED_WAITS, &array, &found, error))
        return false;
    if (!found || n >= array.n_rows)
        return xtf_fail(error, XTF_ERROR_INVALID, "the location has no wait %" PRIu64, n);
    if (!read_row(&array, n, &row, error))
        return false;
    uint64_t kind = value_of(&row, "event");
    causes->amount = value_of(&row, "amount");
    causes->indirect = value_of(&row, "indirect");
    uint64_t proc = value_of(&row, "culprit"), thread = value_of(&row, "culprit_thread");
    if (proc == UINT64_MAX)
        return true;
    if (!find_culprit(locations, proc, thread, &causes->culprit))
        return xtf_damaged(error, "a wait is for thread %" PRIu64 " of process %" PRIu64 ", which is none", thread,
                           proc);
    const XtfLocation *culprit = &locations->all[causes->culprit];
    if (!find_record(causes, context, culprit, kind, value_of(&row, "match"), error))
        return false;
    if (!causes->known)
        return true;
    if (!find_array(context, culprit, XTF_DERIVED_DELAYS, &array, &found, error))
        return false;
    return !found || read_delays(causes, &array, kind, error);
}

void xtf_wait_causes_finish(XtfWaitCauses *causes)
{
    g_clear_pointer(&causes->causes, g_free);
}
