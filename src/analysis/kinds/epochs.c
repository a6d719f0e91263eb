/*
 * Epochs of windows (Scalasca: MPI_RMA.pattern). The k-th MPI_Win_post of a target for an origin matches the origin's
 * k-th MPI_Win_start for the target. The k-th MPI_Win_complete of the origin matches the target's k-th MPI_Win_wait.
 *
 * An origin waits for the last post of its targets: in the completion, in the start, or in an operation between them.
 * A target waits for the last completion of its origins.
 */
#include "libxtf/trace.h"
#include "src/analysis/kinds/kinds-private.h"
#include "src/model/labels.h"
#include "src/model/wait-kinds.h"

/* A call that other locations wait for: a post or a completion. */
typedef struct {
    bool known;
    uint32_t location;
    uint64_t time, seq, row; /* the time of its enter */
    uint64_t recorded;       /* time of the record */
    uint64_t accessed;       /* end of the last operation on the waiting target; 0: none */
} Token;

typedef struct {
    XtfKindCall *call;
    uint64_t seq, time;
} Place;

/* An epoch that needs a token of each of its partners. */
typedef struct {
    uint32_t refs;
    bool exposure; /* true: of a target; false: of an origin */
    bool closed, silent;
    uint32_t missing, location;
    Token latest;
    uint64_t accessed;
    Place start, end;
    GArray *accesses;    /* Place: operations of an origin that may wait for the latest post */
    GHashTable *targets; /* of an origin: process -> end of the last operation on it, uint64_t */
} Epoch;

/* Unmatched tokens or epochs from one process to another. */
typedef struct {
    GQueue tokens; /* Token */
    GQueue epochs; /* Epoch, with a reference */
} Channel;

enum { POSTS, COMPLETIONS };

struct XtfKindEpochs {
    GHashTable *channels; /* by kind, window, from, to: Channel */
    GHashTable *open;     /* by window and process: the origin's Epoch, with a reference */
};

static void epoch_unref(void *pointer)
{
    Epoch *epoch = pointer;

    if (--epoch->refs > 0)
        return;
    for (guint i = 0; i < epoch->accesses->len; i++)
        xtf_kind_call_unref(g_array_index(epoch->accesses, Place, i).call);
    g_array_unref(epoch->accesses);
    g_hash_table_unref(epoch->targets);
    xtf_kind_call_unref(epoch->start.call);
    xtf_kind_call_unref(epoch->end.call);
    g_free(epoch);
}

static Epoch *epoch_new(const XtfKindLocation *location, bool exposure)
{
    Epoch *epoch = g_new0(Epoch, 1);

    *epoch = (Epoch){.refs = 1, .exposure = exposure, .location = location->rows.number};
    epoch->accesses = g_array_new(FALSE, FALSE, sizeof(Place));
    epoch->targets = xtf_kind_table_new(g_free);
    return epoch;
}

static Epoch *epoch_ref(Epoch *epoch)
{
    epoch->refs++;
    return epoch;
}

static void free_channel(void *pointer)
{
    Channel *channel = pointer;

    g_queue_clear_full(&channel->tokens, g_free);
    g_queue_clear_full(&channel->epochs, epoch_unref);
    g_free(channel);
}

XtfKindEpochs *xtf_kind_epochs_new(const XtfKinds *kinds)
{
    XtfKindEpochs *epochs = g_new0(XtfKindEpochs, 1);

    epochs->channels = xtf_kind_table_new(free_channel);
    epochs->open = xtf_kind_table_new(epoch_unref);
    return epochs;
}

void xtf_kind_epochs_free(XtfKindEpochs *epochs)
{
    if (!epochs)
        return;
    g_hash_table_unref(epochs->channels);
    g_hash_table_unref(epochs->open);
    g_free(epochs);
}

/* ---- Waits. */

static void add_wait_in(XtfKinds *kinds, const Epoch *epoch, uint8_t kind, const Place *place, uint64_t part)
{
    const Token *culprit = &epoch->latest;
    const XtfKindRow row = {.time = place->time, .seq = place->seq, .region = place->call->region};
    XtfKindWait wait = xtf_kinds_new_wait(&kinds->locations[epoch->location], &row, kind);

    wait.begin = place->call->enter;
    wait.end = culprit->time;
    wait.culprit = kinds->locations[culprit->location].index;
    wait.culprit_seq = culprit->seq;
    wait.match = culprit->row;
    wait.sync = XTF_KIND_PAIR;
    wait.arrival =
        (XtfKindArrival){.seq = culprit->seq, .time = culprit->recorded, .enter = culprit->time, .end = culprit->time};
    wait.part = part;
    if (part > 0)
        wait.part_kind = XTF_WAIT_PART_LATE_COMPLETE;
    xtf_kinds_wait(kinds, place->call, &wait);
}

static bool falls_into(const Place *place, uint64_t time)
{
    return place->call && place->call->left && time > place->call->enter && time < place->call->leave;
}

static void add_epoch_waits(XtfKinds *kinds, const Epoch *epoch)
{
    uint64_t time = epoch->latest.time;

    if (!epoch->closed || epoch->missing > 0 || epoch->silent || !epoch->latest.known)
        return;
    if (epoch->exposure) {
        uint64_t from = MAX(epoch->accessed, epoch->end.call->enter), to = MIN(time, epoch->end.call->leave);
        add_wait_in(kinds, epoch, XTF_LABEL_early_wait, &epoch->end, to > from ? to - from : 0);
    } else if (falls_into(&epoch->end, time)) {
        add_wait_in(kinds, epoch, XTF_LABEL_late_post, &epoch->end, 0);
    } else if (falls_into(&epoch->start, time)) {
        add_wait_in(kinds, epoch, XTF_LABEL_late_post, &epoch->start, 0);
    } else {
        for (guint i = 0; i < epoch->accesses->len; i++) {
            const Place *place = &g_array_index(epoch->accesses, Place, i);
            if (falls_into(place, time))
                add_wait_in(kinds, epoch, XTF_LABEL_late_post, place, 0);
        }
    }
}

/* ---- Matching. */

static void add_token(XtfKinds *kinds, Epoch *epoch, const Token *token)
{
    Token *latest = &epoch->latest;

    if (!latest->known || token->time > latest->time ||
        (token->time == latest->time && token->location < latest->location))
        *latest = *token;
    epoch->accessed = MAX(epoch->accessed, token->accessed);
    epoch->missing--;
    add_epoch_waits(kinds, epoch);
}

static void offer_token(XtfKinds *kinds, const XtfKindKey *key, const Token *token)
{
    Channel *channel = xtf_kind_table_get(kinds->epochs->channels, key, sizeof *channel);
    Epoch *epoch = g_queue_pop_head(&channel->epochs);

    if (!epoch) {
        g_queue_push_tail(&channel->tokens, g_memdup2(token, sizeof *token));
        return;
    }
    add_token(kinds, epoch, token);
    epoch_unref(epoch);
}

static void need_token(XtfKinds *kinds, const XtfKindKey *key, Epoch *epoch)
{
    Channel *channel = xtf_kind_table_get(kinds->epochs->channels, key, sizeof *channel);
    g_autofree Token *token = g_queue_pop_head(&channel->tokens);

    epoch->missing++;
    if (token)
        add_token(kinds, epoch, token);
    else
        g_queue_push_tail(&channel->epochs, epoch_ref(epoch));
}

/* Returns the number of members of a group of processes, a row of the table of groups. Sets *first to the row of its
 * first member. */
static uint64_t group_size(const XtfKinds *kinds, uint32_t group, uint64_t *first)
{
    const XtfRanks *ranks = kinds->ranks;

    if (!ranks->groups || !ranks->members || !ranks->first || !ranks->count || !ranks->proc ||
        group >= ranks->groups->n_rows)
        return 0;
    const uint8_t *row = ranks->groups->rows + (uint64_t)group * ranks->groups->schema->row_size;
    uint64_t n = xtf_field_get(ranks->count, row);
    *first = xtf_field_get(ranks->first, row);
    return *first <= ranks->members->n_rows && n <= ranks->members->n_rows - *first ? n : 0;
}

static uint32_t process_in_group(const XtfKinds *kinds, uint64_t i)
{
    const uint8_t *row = kinds->ranks->members->rows + i * kinds->ranks->members->schema->row_size;
    return xtf_kinds_process(kinds, xtf_field_get(kinds->ranks->proc, row));
}

/* ---- Rows one by one. */

static Token token_of(const XtfKindLocation *location, const XtfKindRow *row, const XtfKindCall *call)
{
    return (Token){.known = true,
                   .location = location->rows.number,
                   .time = call->enter,
                   .seq = row->seq,
                   .row = row->row,
                   .recorded = row->time};
}

static void handle_post(XtfKinds *kinds, XtfKindLocation *location, const XtfKindRow *row, const XtfKindCall *call)
{
    Token token = token_of(location, row, call);
    uint64_t first, n = group_size(kinds, row->group, &first);

    for (uint64_t i = 0; i < n; i++) {
        const XtfKindKey key = {POSTS, row->window, location->process, process_in_group(kinds, first + i)};
        offer_token(kinds, &key, &token);
    }
}

static void handle_start(XtfKinds *kinds, XtfKindLocation *location, const XtfKindRow *row, XtfKindCall *call)
{
    const XtfKindKey origin = {row->window, location->process, 0, 0};
    Epoch *epoch = epoch_new(location, false);
    uint64_t first, n = group_size(kinds, row->group, &first);

    epoch->start = (Place){xtf_kind_call_ref(call), row->seq, row->time};
    for (uint64_t i = 0; i < n; i++) {
        const XtfKindKey key = {POSTS, row->window, process_in_group(kinds, first + i), location->process};
        need_token(kinds, &key, epoch);
    }
    g_hash_table_replace(kinds->epochs->open, g_memdup2(&origin, sizeof origin), epoch);
}

static void close_epoch(XtfKinds *kinds, XtfKindCall *call, void *data)
{
    Epoch *epoch = data;

    epoch->closed = true;
    add_epoch_waits(kinds, epoch);
}

static void handle_complete(XtfKinds *kinds, XtfKindLocation *location, const XtfKindRow *row, XtfKindCall *call)
{
    const XtfKindKey origin = {row->window, location->process, 0, 0};
    Epoch *epoch = g_hash_table_lookup(kinds->epochs->open, &origin);
    uint64_t first, n = group_size(kinds, row->group, &first);

    for (uint64_t i = 0; i < n; i++) {
        uint32_t process = process_in_group(kinds, first + i);
        const XtfKindKey key = {COMPLETIONS, row->window, location->process, process}, target = {process, 0, 0, 0};
        Token token = token_of(location, row, call);
        const uint64_t *accessed = epoch ? g_hash_table_lookup(epoch->targets, &target) : NULL;
        token.accessed = accessed ? *accessed : 0;
        offer_token(kinds, &key, &token);
    }
    if (!epoch)
        return;
    epoch->end = (Place){xtf_kind_call_ref(call), row->seq, row->time};
    xtf_kinds_then(kinds, call, close_epoch, epoch_ref(epoch), epoch_unref);
    g_hash_table_remove(kinds->epochs->open, &origin);
}

static void handle_wait(XtfKinds *kinds, XtfKindLocation *location, const XtfKindRow *row, XtfKindCall *call,
                        bool silent)
{
    Epoch *epoch = epoch_new(location, true);
    uint64_t first, n = group_size(kinds, row->group, &first);

    epoch->end = (Place){xtf_kind_call_ref(call), row->seq, row->time};
    epoch->silent = silent;
    for (uint64_t i = 0; i < n; i++) {
        const XtfKindKey key = {COMPLETIONS, row->window, process_in_group(kinds, first + i), location->process};
        need_token(kinds, &key, epoch);
    }
    xtf_kinds_then(kinds, call, close_epoch, epoch, epoch_unref);
}

/* An operation of an origin on a target. */
typedef struct {
    Epoch *epoch;
    uint32_t target; /* process number */
    uint64_t seq, time;
} Access;

static void free_access(void *data)
{
    epoch_unref(((Access *)data)->epoch);
    g_free(data);
}

static void end_access(XtfKinds *kinds, XtfKindCall *call, void *data)
{
    const Access *access = data;
    Epoch *epoch = access->epoch;
    const XtfKindKey key = {access->target, 0, 0, 0};
    Place place = {call, access->seq, access->time};

    uint64_t *last = xtf_kind_table_get(epoch->targets, &key, sizeof *last);
    *last = MAX(*last, call->leave);
    if (epoch->missing == 0 && epoch->latest.time <= call->enter)
        return;
    /* A call with several operations waited in the first. */
    if (epoch->accesses->len && g_array_index(epoch->accesses, Place, epoch->accesses->len - 1).call == call)
        return;
    xtf_kind_call_ref(call);
    g_array_append_val(epoch->accesses, place);
}

static void handle_access(XtfKinds *kinds, XtfKindLocation *location, const XtfKindRow *row)
{
    const XtfKindKey origin = {row->window, location->process, 0, 0};
    Epoch *epoch = g_hash_table_lookup(kinds->epochs->open, &origin);
    XtfKindCall *call = xtf_kind_rows_call(&location->rows);
    uint64_t proc = kinds->processes[location->process].proc, target;
    uint32_t comm;

    if (!epoch || !call || !xtf_kind_window_comm(kinds, row->window, &comm) ||
        !xtf_ranks_proc(kinds->ranks, comm, row->peer, proc, &target))
        return;
    Access access = {epoch_ref(epoch), xtf_kinds_process(kinds, target), row->seq, row->time};
    xtf_kinds_then(kinds, call, end_access, g_memdup2(&access, sizeof access), free_access);
}

void xtf_kind_epochs_row(XtfKinds *kinds, XtfKindLocation *location, const XtfKindRow *row)
{
    XtfKindCall *call = NULL;

    if (row->row_event == XTF_KIND_ROW_OPERATION)
        handle_access(kinds, location, row);
    if (row->row_event != XTF_KIND_ROW_GROUP_SYNC || !(call = xtf_kind_rows_call(&location->rows)))
        return;
    if (call->special == XTF_KIND_REGION_POST)
        handle_post(kinds, location, row, call);
    else if (call->special == XTF_KIND_REGION_START)
        handle_start(kinds, location, row, call);
    else if (call->special == XTF_KIND_REGION_COMPLETE)
        handle_complete(kinds, location, row, call);
    else if (call->special == XTF_KIND_REGION_WAIT || call->special == XTF_KIND_REGION_TEST)
        handle_wait(kinds, location, row, call, call->special == XTF_KIND_REGION_TEST);
}

/* Ends the walk: an epoch that is still open is no wait. */
void xtf_kind_epochs_finish(XtfKinds *kinds)
{
}
