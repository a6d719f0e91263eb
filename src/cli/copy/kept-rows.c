#include "src/cli/copy/kept-rows.h"

#include <string.h>

#include "libxtf/aggregates.h"
#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/tables/match/match.h"

struct XtfKeptRows {
    XtfTrace *trace;
    XtfTraceContext context;
    XtfMatching matching;
    const XtfLocations *locations;
    GHashTable *indexes; /* location id -> index in `locations`, plus 1 */
    GHashTable *firsts;  /* name of a schema -> first kept row of the location's array, plus 1 */
    bool any_location;
    uint64_t location; /* id of the current location */
    uint64_t seq;      /* number of its first kept record */

    /* The current array. */
    const XtfSchema *schema;
    uint64_t first; /* first kept row */
    const XtfField *seq_field, *posted, *message;
    uint64_t messages_before;      /* rows before the kept time of the array that `message` numbers */
    const XtfAggregate *frames;    /* NULL: no calls */
    const XtfField *depth, *site;  /* of calls; NULL: none */
    uint64_t n_removed;            /* frames that are open, and whose ENTER is left out */
    GArray *regions;               /* uint64_t: keys of the kept frames that are open, outermost first */
    const XtfMessageType *posting; /* of postings; NULL: another array */
    GHashTable *sent;              /* envelopes of postings that have a kept send */
};

/* ---- */

static bool nothing_is_reserved(const XtfSchema *schema)
{
    return false;
}

XtfKeptRows *xtf_kept_rows_new(XtfTrace *trace, GError **error)
{
    XtfKeptRows *kept = g_new0(XtfKeptRows, 1);

    kept->trace = trace;
    if (!xtf_trace_context_init(&kept->context, trace, false, nothing_is_reserved, error)) {
        g_free(kept);
        return NULL;
    }
    xtf_matching_init(&kept->matching, &kept->context);
    kept->indexes = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    kept->firsts = g_hash_table_new(g_str_hash, g_str_equal);
    kept->regions = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    kept->sent = g_hash_table_new_full(xtf_envelope_hash, xtf_envelope_equal, g_free, NULL);
    kept->locations = xtf_trace_context_locations(&kept->context, error);
    if (!kept->locations) {
        xtf_kept_rows_free(kept);
        return NULL;
    }
    for (uint32_t i = 0; i < kept->locations->n; i++)
        g_hash_table_insert(kept->indexes, g_memdup2(&kept->locations->all[i].id, sizeof(uint64_t)),
                            GUINT_TO_POINTER(i + 1));
    return kept;
}

void xtf_kept_rows_free(XtfKeptRows *kept)
{
    if (!kept)
        return;
    xtf_matching_finish(&kept->matching);
    xtf_trace_context_finish(&kept->context);
    g_hash_table_unref(kept->indexes);
    g_hash_table_unref(kept->firsts);
    g_hash_table_unref(kept->sent);
    g_array_unref(kept->regions);
    g_free(kept);
}

/* ---- Locations and arrays. */

/* Finds the number of the array's record at the kept time. */
static bool find_seq(const XtfArray *array, uint64_t first, uint64_t *seq, GError **error)
{
    const XtfField *field = xtf_schema_field_by_role(array->schema, XTF_ROLE_SEQ);
    uint8_t row[XTF_ROW_MAX];

    if (!field || array->schema->kind != XTF_SCHEMA_RECORD || first == array->n_rows)
        return true;
    if (!xtf_array_row(array, first, row, error))
        return false;
    *seq = MIN(*seq, xtf_field_get(field, row));
    return true;
}

/* Finds the first kept rows of all arrays of a location, and the number of its first kept record. */
static bool begin_location(XtfKeptRows *kept, uint64_t location, GError **error)
{
    uint64_t rank, n = xtf_trace_n_arrays(kept->trace), first;
    XtfArray array;

    kept->any_location = true;
    kept->location = location;
    kept->seq = UINT64_MAX;
    g_hash_table_remove_all(kept->firsts);
    if (!xtf_trace_array_rank(kept->trace, location, 0, &rank, error))
        return false;
    for (; rank < n; rank++) {
        if (!xtf_trace_get_arrays(kept->trace, rank, 1, &array, error))
            return false;
        if (array.location != location)
            break;
        if (!xtf_array_is_supported(&array, error) || !xtf_array_first_kept(&array, &first, error) ||
            !find_seq(&array, first, &kept->seq, error))
            return false;
        g_hash_table_insert(kept->firsts, array.schema->name, GSIZE_TO_POINTER(first + 1));
    }
    return true;
}

/* Returns the first kept row of another array of the location. */
static uint64_t first_of(const XtfKeptRows *kept, const char *schema)
{
    gpointer first = g_hash_table_lookup(kept->firsts, schema);

    return first ? GPOINTER_TO_SIZE(first) - 1 : 0;
}

static bool begin_calls(XtfKeptRows *kept, const XtfArray *array, GError **error)
{
    const XtfSchema *schema = array->schema;
    g_autofree XtfOpenFrame *frames = NULL;
    size_t n_frames = 0;

    kept->frames = NULL;
    for (unsigned i = 0; i < schema->n_aggregates && !kept->frames; i++) {
        if (schema->aggregates[i].kind != XTF_AGGREGATE_FRAMES)
            continue;
        kept->frames = &schema->aggregates[i];
        if (kept->first < array->n_rows && !xtf_array_stack(array, i, kept->first, &frames, &n_frames, error))
            return false;
        kept->n_removed = n_frames;
    }
    kept->depth = xtf_schema_field_by_role(schema, XTF_ROLE_DEPTH);
    kept->site = xtf_schema_field(schema, "site");
    g_array_set_size(kept->regions, 0);
    return true;
}

static void begin_messages(XtfKeptRows *kept)
{
    const char *name = kept->schema->name;
    bool postings = g_str_equal(name, XTF_SIDE_POSTINGS);

    kept->posted = xtf_schema_field_by_role(kept->schema, XTF_ROLE_POSTED);
    kept->message = postings || g_str_equal(name, XTF_SIDE_CANCELLED)
                        ? xtf_schema_field_by_role(kept->schema, XTF_ROLE_MESSAGE)
                        : NULL;
    kept->messages_before = kept->message ? first_of(kept, postings ? XTF_RECORD_RECVS : XTF_RECORD_SENDS) : 0;
    kept->posting =
        postings && !kept->matching.types.missing ? &kept->matching.types.types[XTF_MESSAGES_POSTINGS] : NULL;
    g_hash_table_remove_all(kept->sent);
}

bool xtf_kept_rows_begin(XtfKeptRows *kept, const XtfArray *array, uint64_t *first, GError **error)
{
    if ((!kept->any_location || kept->location != array->location) && !begin_location(kept, array->location, error))
        return false;
    kept->schema = array->schema;
    kept->first = *first = first_of(kept, array->schema->name);
    kept->seq_field = xtf_schema_field_by_role(kept->schema, XTF_ROLE_SEQ);
    begin_messages(kept);
    return begin_calls(kept, array, error);
}

/* ---- Rows. */

/* Returns the number of open frames around the one that row n begins or ends, as the frames of the copy count. Ends the
 * frames above it. */
static uint64_t change_depth(XtfKeptRows *kept, uint64_t depth)
{
    uint64_t outer = MAX(depth, 1) - 1;

    kept->n_removed = MIN(kept->n_removed, outer);
    g_array_set_size(kept->regions, (guint)MIN(outer - kept->n_removed, kept->regions->len));
    return kept->regions->len;
}

/* True if no kept frame that is open has the region. */
static bool is_outermost(const XtfKeptRows *kept, uint64_t region)
{
    for (guint i = 0; i < kept->regions->len; i++)
        if (g_array_index(kept->regions, uint64_t, i) == region)
            return false;
    return true;
}

static void set_field(const XtfField *field, uint8_t *row, uint64_t value)
{
    if (field)
        xtf_field_set(field, row, value);
}

/* Changes an ENTER or a LEAVE. Without depths the stack is unknown, and only links are changed. */
static void change_call(XtfKeptRows *kept, uint64_t n, uint8_t *row)
{
    const XtfField *is_end = &kept->schema->fields[kept->frames->values[0]];
    const XtfField *enter = &kept->schema->fields[kept->frames->values[1]];
    const XtfField *region = &kept->schema->fields[kept->frames->keys[0]];
    const XtfField *outermost = xtf_schema_field_by_role(kept->schema, XTF_ROLE_OUTERMOST);
    uint64_t distance = xtf_field_get(enter, row);
    bool ends = xtf_field_get(is_end, row) != 0, removed = distance > 0 && n - MIN(n, distance) < kept->first;

    if (removed)
        xtf_field_set(enter, row, 0);
    if (!kept->depth || (ends && distance == 0))
        return;
    uint64_t outer = change_depth(kept, xtf_field_get(kept->depth, row));
    if (ends && removed) {
        set_field(outermost, row, 0);
        set_field(kept->site, row, UINT64_MAX);
        xtf_field_set(kept->depth, row, 0);
        return;
    }
    xtf_field_set(kept->depth, row, outer + 1);
    uint64_t key = xtf_field_get(region, row);
    set_field(outermost, row, is_outermost(kept, key));
    if (!ends)
        g_array_append_val(kept->regions, key);
}

/* Takes a posting out of its group if its message was sent before the kept time. All later messages of a group were
 * sent after the first one that was sent after it. */
static bool change_posting(XtfKeptRows *kept, uint8_t *row, GError **error)
{
    uint64_t envelope[XTF_ENVELOPE_KEYS];
    gpointer index = g_hash_table_lookup(kept->indexes, &kept->location);
    bool before;

    xtf_message_envelope(kept->posting, row, envelope);
    if (!index || g_hash_table_contains(kept->sent, envelope))
        return true;
    const XtfMessageEnd receive = {GPOINTER_TO_UINT(index) - 1, xtf_field_get(kept->posting->message, row)};
    if (!xtf_match_was_sent_before(&kept->matching, &receive, &before, error))
        return false;
    if (before)
        set_field(xtf_schema_field_by_role(kept->schema, XTF_ROLE_COMM), row, UINT64_MAX);
    else
        g_hash_table_add(kept->sent, g_memdup2(envelope, sizeof envelope));
    return true;
}

static void change_numbers(const XtfKeptRows *kept, uint8_t *row)
{
    uint64_t seq = kept->seq_field ? xtf_field_get(kept->seq_field, row) : 0;

    if (kept->posted && seq - MIN(seq, xtf_field_get(kept->posted, row)) < kept->seq)
        xtf_field_set(kept->posted, row, seq - MIN(seq, kept->seq)); /* at the earliest by record 0 of the copy */
    if (kept->seq_field)
        xtf_field_set(kept->seq_field, row, seq - MIN(seq, kept->seq));
    if (kept->message)
        xtf_field_set(kept->message, row, xtf_field_get(kept->message, row) - kept->messages_before);
}

bool xtf_kept_rows_change(XtfKeptRows *kept, uint64_t n, uint8_t *row, bool *left_out, GError **error)
{
    *left_out = kept->message && xtf_field_get(kept->message, row) < kept->messages_before;
    if (*left_out)
        return true;
    if (kept->posting && !change_posting(kept, row, error))
        return false;
    if (kept->frames)
        change_call(kept, n, row);
    change_numbers(kept, row);
    return true;
}

/* ---- Receives that were posted before the kept time. */

/* A posting that the copy makes. */
typedef struct {
    uint64_t seq;      /* of the posting, in the trace */
    uint64_t sends;    /* sends of its group before the kept time */
    uint64_t postings; /* postings of its group before the kept time */
    uint64_t envelope[XTF_ENVELOPE_KEYS];
    uint8_t row[XTF_ROW_MAX];
} EarlyPosting;

/* Makes the posting of a receive: it has the fields of the same name. */
static void make_posting(const XtfKeptRows *kept, const XtfSchema *recvs, const uint8_t *receive, uint64_t time,
                         uint64_t message, uint8_t *row)
{
    memset(row, 0, kept->schema->row_size);
    for (uint32_t i = 0; i < kept->schema->n_fields; i++) {
        const XtfField *field = &kept->schema->fields[i], *from = xtf_schema_field(recvs, field->name);
        if (from)
            xtf_field_set(field, row, xtf_field_is_none(from, receive) ? UINT64_MAX : xtf_field_get(from, receive));
    }
    xtf_field_set(&kept->schema->fields[0], row, time);
    set_field(kept->seq_field, row, 0);
    set_field(kept->message, row, message);
}

/* Adds row n of `recvs` to the early postings, unless its posting is kept. */
static bool add_early(XtfKeptRows *kept, const XtfSchema *recvs, const uint8_t *receive, uint64_t time, uint64_t n,
                      GArray *early, GError **error)
{
    const XtfMessageTypes *types = &kept->matching.types;
    gpointer index = g_hash_table_lookup(kept->indexes, &kept->location);
    uint64_t seq = xtf_field_get(types->recvs_seq, receive), posted = xtf_field_get(types->recvs_posted, receive);
    EarlyPosting posting = {.seq = seq - MIN(seq, posted)};

    if (posting.seq >= kept->seq || !index)
        return true;
    make_posting(kept, recvs, receive, time, n - kept->messages_before, posting.row);
    xtf_message_envelope(kept->posting, posting.row, posting.envelope);
    if (!xtf_match_count_removed(&kept->matching, GPOINTER_TO_UINT(index) - 1, posting.row, &posting.sends,
                                 &posting.postings, error))
        return false;
    g_array_append_val(early, posting);
    return true;
}

static gint compare_early(gconstpointer a, gconstpointer b)
{
    const EarlyPosting *x = a, *y = b;

    return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* Takes early postings out of their group, except for the last ones of each group. A group keeps its surplus of
 * postings over sends before the kept time: their sends are kept. */
static void choose_early(const XtfKeptRows *kept, GArray *early)
{
    g_autoptr(GHashTable) seen = g_hash_table_new_full(xtf_envelope_hash, xtf_envelope_equal, NULL, g_free);

    for (guint i = early->len; i > 0; i--) {
        EarlyPosting *posting = &g_array_index(early, EarlyPosting, i - 1);
        uint64_t *n = g_hash_table_lookup(seen, posting->envelope);
        if (!n) {
            n = g_new0(uint64_t, 1);
            g_hash_table_insert(seen, posting->envelope, n);
        }
        if (*n + posting->sends >= posting->postings)
            set_field(xtf_schema_field_by_role(kept->schema, XTF_ROLE_COMM), posting->row, UINT64_MAX);
        ++*n;
    }
}

static bool find_early(XtfKeptRows *kept, const XtfArray *array, GArray *early, GError **error)
{
    const XtfSchema *recvs = kept->matching.types.recvs;
    XtfArray receives;
    g_auto(XtfCursor) cursor = {0};
    bool found;

    if (!xtf_trace_find_array(kept->trace, array->location, recvs->id, &receives, &found, error))
        return false;
    if (!found)
        return true;
    xtf_cursor_init(&cursor, &receives);
    if (!xtf_cursor_seek_n(&cursor, kept->messages_before, &found, error))
        return false;
    while (found) {
        if (!add_early(kept, recvs, xtf_cursor_row(&cursor), array->kept, cursor.n, early, error) ||
            !xtf_cursor_next(&cursor, 1, &found, error))
            return false;
    }
    return true;
}

GByteArray *xtf_kept_rows_early(XtfKeptRows *kept, const XtfArray *array, GError **error)
{
    g_autoptr(GByteArray) rows = g_byte_array_new();
    g_autoptr(GArray) early = g_array_new(FALSE, FALSE, sizeof(EarlyPosting));

    if (kept->posting && !find_early(kept, array, early, error))
        return NULL;
    g_array_sort(early, compare_early);
    choose_early(kept, early);
    for (guint i = 0; i < early->len; i++)
        g_byte_array_append(rows, g_array_index(early, EarlyPosting, i).row, kept->schema->row_size);
    return g_steal_pointer(&rows);
}
