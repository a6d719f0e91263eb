#include "src/tables/totals/waits/wave-iteration.h"

#include "libxtf/spans.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/model/wait-kinds.h"
#include "src/trace/calls/enclosing-call.h"

enum {
    RECEIVES_MAX = 4096,  /* most earlier receives to read */
    WAITS_MAX = 16 << 10, /* most earlier waits to read */
};

typedef struct {
    XtfTraceContext *context;
    const XtfLocation *location;
    XtfArray waits, recvs, calls;
    bool from_postings; /* true if the wait is of a probe that posts the receive: iterations then last from probe to
                         * probe */
} Place;

static bool find_array(const Place *place, const char *type, XtfArray *array, bool *found, GError **error)
{
    const XtfSchema *schema = xtf_trace_find_schema(place->context->trace, type);

    *found = schema;
    return !schema || xtf_trace_find_array(place->context->trace, place->location->id, schema->id, array, found, error);
}

static uint64_t receive_seq(const Place *place, const uint8_t *recv)
{
    return xtf_field_get(xtf_schema_field_by_role(place->recvs.schema, XTF_ROLE_SEQ), recv);
}

/* Returns the number of records from a receive's posting to the receive; 0 if it posted itself, or the number is
 * unknown. */
static uint64_t posted_back(const Place *place, const uint8_t *recv)
{
    const XtfField *posted = xtf_schema_field(place->recvs.schema, "posted");

    if (!posted || xtf_type_width(posted->type) == 0 || xtf_field_is_none(posted, recv))
        return 0;
    return MIN(xtf_field_get(posted, recv), receive_seq(place, recv));
}

/* Finds the time of the location's last call event before record `seq`. The time of the record itself is not known
 * here. */
static bool find_last_call_time(const Place *place, uint64_t seq, uint64_t *time, GError **error)
{
    const XtfSpan span = {.array = place->calls, .hi = place->calls.n_rows};
    uint8_t row[XTF_ROW_MAX];
    uint64_t n;

    *time = 0;
    if (!xtf_span_rank_of_seq(&span, seq, 0, span.hi, &n, error))
        return false;
    if (n == 0)
        return true;
    if (!xtf_array_row(&place->calls, n - 1, row, error))
        return false;
    *time = xtf_field_get(&place->calls.schema->fields[0], row);
    return true;
}

/* Finds the time of the ENTER around a receive, or around its posting. */
static bool find_enter(const Place *place, const uint8_t *recv, uint64_t *time, bool *found, GError **error)
{
    uint64_t seq = receive_seq(place, recv), t = xtf_field_get(&place->recvs.schema->fields[0], recv), n;
    uint8_t row[XTF_ROW_MAX];

    if (place->from_postings) {
        seq -= posted_back(place, recv);
        if (!find_last_call_time(place, seq, &t, error))
            return false;
    }
    if (!xtf_enclosing_call_find(place->context, &place->calls, t, seq, &n, found, error))
        return false;
    if (!*found)
        return true;
    if (!xtf_array_row(&place->calls, n, row, error))
        return false;
    *time = xtf_field_get(&place->calls.schema->fields[0], row);
    return true;
}

static bool same_envelope(const XtfSchema *schema, const uint8_t *a, const uint8_t *b)
{
    static const char *const roles[] = {XTF_ROLE_PEER, XTF_ROLE_COMM, XTF_ROLE_TAG};

    for (unsigned i = 0; i < G_N_ELEMENTS(roles); i++) {
        const XtfField *field = xtf_schema_field_by_role(schema, roles[i]);
        if (field && xtf_field_get(field, a) != xtf_field_get(field, b))
            return false;
    }
    return true;
}

/* Finds the begin of a call before `begin`: of the latest receive before row n with the same envelope. */
static bool find_earlier_receive(const Place *place, uint64_t n, uint64_t begin, uint64_t *time, bool *found,
                                 GError **error)
{
    uint8_t recv[XTF_ROW_MAX], earlier[XTF_ROW_MAX];

    *found = false;
    if (!xtf_array_row(&place->recvs, n, recv, error))
        return false;
    for (uint64_t i = 1; i <= MIN(n, (uint64_t)RECEIVES_MAX); i++) {
        if (!xtf_array_row(&place->recvs, n - i, earlier, error))
            return false;
        if (!same_envelope(place->recvs.schema, recv, earlier))
            continue;
        if (!find_enter(place, earlier, time, found, error))
            return false;
        if (!*found || *time < begin)
            return true;
        *found = false;
    }
    return true;
}

/* Sums the waits for other locations in [from, to), among the waits before row n. UINT64_MAX: too many waits. */
static bool sum_waits(const Place *place, const XtfWaitFields *fields, uint64_t n, uint64_t from, uint64_t to,
                      uint64_t *waited, GError **error)
{
    g_auto(XtfCursor) cursor;
    bool found = false;

    *waited = 0;
    xtf_cursor_init(&cursor, &place->waits);
    if (n > 0 && !xtf_cursor_seek_n(&cursor, n - 1, &found, error))
        return false;
    for (unsigned i = 0; found; i++) {
        const uint8_t *row = xtf_cursor_row(&cursor);
        uint64_t end = xtf_field_get(&fields->schema->fields[0], row), amount = xtf_field_get(fields->amount, row);
        if (end <= from)
            return true;
        if (i == WAITS_MAX) {
            *waited = UINT64_MAX;
            return true;
        }
        uint64_t begin = MAX(end - MIN(end, amount), from);
        if (!xtf_field_is_none(fields->culprit, row))
            *waited += MIN(end, to) - MIN(begin, MIN(end, to));
        if (!xtf_cursor_next(&cursor, -1, &found, error))
            return false;
    }
    return true;
}

static bool find_arrays(Place *place, bool *found, GError **error)
{
    return find_array(place, XTF_DERIVED_WAITS, &place->waits, found, error) &&
           (!*found || find_array(place, XTF_RECORD_RECVS, &place->recvs, found, error)) &&
           (!*found || find_array(place, XTF_RECORD_ENTERS_LEAVES, &place->calls, found, error)) &&
           ((*found = *found && xtf_schema_field_by_role(place->recvs.schema, XTF_ROLE_SEQ)) || true);
}

/* Finds the row of `recvs` that a wait names; for a probe, the next receive if it receives the probed message. */
static bool find_receive(Place *place, uint64_t seq, uint64_t *n, bool *found, GError **error)
{
    const XtfSpan span = {.array = place->recvs, .hi = place->recvs.n_rows};
    uint8_t row[XTF_ROW_MAX];

    if (!xtf_span_rank_of_seq(&span, seq, 0, place->recvs.n_rows, n, error))
        return false;
    *found = *n < place->recvs.n_rows;
    if (!*found)
        return true;
    if (!xtf_array_row(&place->recvs, *n, row, error))
        return false;
    uint64_t back = receive_seq(place, row) - seq;
    place->from_postings = back > 0;
    *found = back == 0 || back == posted_back(place, row);
    return true;
}

bool xtf_wave_iteration(XtfTraceContext *context, const XtfWaitFields *fields, const XtfWaitPlace *at, uint64_t *ticks,
                        GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(context, error);
    Place place = {.context = context, .location = locations ? &locations->all[at->location] : NULL};
    uint64_t n = 0, before = 0, waited;
    uint8_t row[XTF_ROW_MAX];
    bool found;

    *ticks = 0;
    if (!locations || !find_arrays(&place, &found, error))
        return false;
    if (!found)
        return true;
    if (!xtf_array_row(&place.waits, at->row, row, error))
        return false;
    uint64_t end = xtf_field_get(&fields->schema->fields[0], row), amount = xtf_field_get(fields->amount, row);
    uint64_t begin = end - MIN(end, amount);
    const XtfWaitKind *kind = xtf_wait_fields_kind(fields, row);
    if (!kind || !kind->of_message || kind->of_posting)
        return true;
    if (!find_receive(&place, xtf_field_get(fields->seq, row), &n, &found, error))
        return false;
    if (!found)
        return true;
    if (!find_earlier_receive(&place, n, begin, &before, &found, error))
        return false;
    if (!found)
        return true;
    if (!sum_waits(&place, fields, at->row, before, begin, &waited, error))
        return false;
    *ticks = begin - before - MIN(waited, begin - before); /* 0 if there are too many waits */
    return true;
}
