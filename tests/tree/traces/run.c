#include "tests/tree/traces/run.h"

#include <criterion/criterion.h>
#include <stdlib.h>

const char *const run_regions[RUN_REGIONS] = {"main", "compute", "MPI_Isend", "MPI_Recv", "a name, with blanks",
                                              "never"};
const char *const run_metrics[RUN_METRICS] = {"cycles", "load", "balance", "nothing"};

/* Types of the metrics' values: rows of xtf_value_types. */
static const uint8_t metric_types[RUN_METRICS] = {4, 10, 8, 4};

/* ---- Communicators: the world; its odd half in reverse order; one between its two halves; one for each process
 * alone. */

enum { WORLD, ODD, BETWEEN, SELF, N_COMMS };

static GArray *members_of(unsigned n_procs, unsigned group)
{
    GArray *members = g_array_new(FALSE, FALSE, sizeof(uint32_t));

    for (uint32_t i = 0; i < n_procs; i++) {
        uint32_t proc = group == 1 ? n_procs - 1 - i : i;
        bool in = group == 0 || (group == 1 && proc % 2) || (group == 2 && proc < n_procs / 2) ||
                  (group == 3 && proc >= n_procs / 2);
        if (in)
            g_array_append_val(members, proc);
    }
    return members;
}

/* Finds the rank of a process in a communicator, as `from` numbers it. Returns false if either of them is not a
 * member. */
static bool rank_in(unsigned n_procs, unsigned comm, uint32_t from, uint32_t proc, uint32_t *rank)
{
    unsigned own_group = comm == BETWEEN ? (from < n_procs / 2 ? 2 : 3) : comm;
    unsigned peer_group = comm == BETWEEN ? 5 - own_group : comm;
    bool from_in = false, found = false;

    if (comm == SELF) {
        *rank = 0;
        return from == proc;
    }
    GArray *own = members_of(n_procs, own_group), *peers = members_of(n_procs, peer_group);
    for (unsigned i = 0; i < own->len; i++)
        from_in |= g_array_index(own, uint32_t, i) == from;
    for (unsigned i = 0; i < peers->len; i++) {
        if (g_array_index(peers, uint32_t, i) == proc) {
            *rank = i;
            found = true;
        }
    }
    g_array_unref(own);
    g_array_unref(peers);
    return from_in && found;
}

static void define_comms(Writing *writing, unsigned n_procs)
{
    uint64_t first = 0;

    for (unsigned group = 0; group < 4; group++) {
        GArray *members = members_of(n_procs, group);
        writing_define(writing, XTF_MODEL_GROUPS, &(XtfGroupRow){.first = first, .count = members->len});
        for (unsigned i = 0; i < members->len; i++) {
            uint32_t proc = g_array_index(members, uint32_t, i);
            writing_define(writing, XTF_MODEL_MEMBERS, &(XtfMemberRow){.member = proc, .proc = proc});
        }
        first += members->len;
        g_array_unref(members);
    }
    for (unsigned comm = 0; comm < N_COMMS; comm++)
        writing_define(writing, XTF_MODEL_COMMUNICATORS,
                       &(XtfCommunicatorRow){.group = comm == SELF ? XTF_NONE32 : comm,
                                             .remote_group = comm == BETWEEN ? 3 : XTF_NONE32,
                                             .name = writing_string(writing, comm == WORLD ? "world" : "")});
}

static void define_all(Writing *writing, const Run *run)
{
    for (unsigned i = 0; i < RUN_REGIONS; i++)
        writing_define(writing, XTF_MODEL_REGIONS,
                       &(XtfRegionRow){.line = XTF_NONE32, .name = writing_string(writing, run_regions[i])});
    for (unsigned i = 0; i < RUN_METRICS; i++)
        writing_define(writing, XTF_MODEL_METRICS,
                       &(XtfMetricRow){.value_type = metric_types[i], .name = writing_string(writing, run_metrics[i])});
    for (unsigned i = 0; i < run->n_locations; i++)
        writing_define(writing, XTF_MODEL_LOCATIONS,
                       &(XtfLocationRow){.id = run->locations[i].id,
                                         .proc = run->locations[i].proc,
                                         .thread = run->locations[i].thread});
    for (uint32_t tag = 0; tag < RUN_TAGS; tag++)
        writing_define(writing, XTF_MODEL_TAGS, &(XtfTagRow){.tag = tag});
    define_comms(writing, run->recipe.n_procs);
}

/* ---- Events. */

typedef struct {
    uint64_t row;
    uint32_t region;
    bool outermost;
} Frame;

typedef struct {
    Run *run;
    Writing *writing;
    RunLocation *location;
    GArray *frames; /* of Frame */
    uint64_t n_calls, t;
} Author;

static bool is_open(const Author *author, uint32_t region)
{
    for (unsigned i = 0; i < author->frames->len; i++) {
        if (g_array_index(author->frames, Frame, i).region == region)
            return true;
    }
    return false;
}

static void write_enter(Author *author, RunEvent *event)
{
    Frame frame = {author->n_calls, (uint32_t)g_rand_int_range(author->run->random, 0, RUN_REGIONS - 1), false};
    GArray *frames = author->frames;

    frame.outermost = !is_open(author, frame.region);
    event->region = frame.region;
    uint64_t around = frames->len ? author->n_calls - g_array_index(frames, Frame, frames->len - 1).row : 0;
    g_array_append_val(frames, frame);
    author->run->deepest = MAX(author->run->deepest, frames->len);
    writing_append(author->writing, author->location->id, XTF_MODEL_ENTERS_LEAVES,
                   &(XtfEntersLeavesRow){.time = event->t,
                                         .seq = event->seq,
                                         .region = event->region,
                                         .event = 0,
                                         .enter = around,
                                         .outermost = frame.outermost,
                                         .depth = frames->len});
}

/* Leaves the innermost frame most often. Sometimes leaves the frame around it, so that the inner one is never left,
 * or no open frame. */
static void write_leave(Author *author, RunEvent *event)
{
    GArray *frames = author->frames;
    bool lost = !frames->len || g_rand_int_range(author->run->random, 0, 40) == 0;
    uint32_t down = g_rand_int_range(author->run->random, 0, 30) == 0 ? 2 : 1;

    if (lost) {
        writing_append(author->writing, author->location->id, XTF_MODEL_ENTERS_LEAVES,
                       &(XtfEntersLeavesRow){.time = event->t, .seq = event->seq, .region = 0, .event = 1});
        return;
    }
    unsigned depth = MAX(frames->len, down) - down;
    const Frame *frame = &g_array_index(frames, Frame, depth);
    event->region = frame->region;
    writing_append(author->writing, author->location->id, XTF_MODEL_ENTERS_LEAVES,
                   &(XtfEntersLeavesRow){.time = event->t,
                                         .seq = event->seq,
                                         .region = frame->region,
                                         .event = 1,
                                         .enter = author->n_calls - frame->row,
                                         .outermost = frame->outermost,
                                         .depth = depth + 1});
    g_array_set_size(frames, depth);
}

static void write_call(Author *author, RunEvent *event)
{
    event->region = RUN_NONE;
    if (event->kind == RUN_ENTER)
        write_enter(author, event);
    else
        write_leave(author, event);
    author->n_calls++;
    event->stack = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    for (unsigned i = 0; i < author->frames->len; i++)
        g_array_append_val(event->stack, g_array_index(author->frames, Frame, i).region);
}

static uint32_t region_around(const Author *author)
{
    return author->frames->len ? g_array_index(author->frames, Frame, author->frames->len - 1).region : RUN_NONE;
}

static void write_message(Author *author, RunEvent *event)
{
    GRand *random = author->run->random;
    unsigned n_procs = author->run->recipe.n_procs;
    uint32_t peer = (uint32_t)g_rand_int_range(random, 0, (gint32)n_procs), rank = n_procs + 7;

    event->comm = (uint32_t)g_rand_int_range(random, 0, N_COMMS);
    event->tag = (uint32_t)g_rand_int_range(random, 0, RUN_TAGS);
    event->bytes = (uint64_t)g_rand_int_range(random, 0, 100000);
    event->region = region_around(author);
    if (event->comm == SELF)
        peer = author->location->proc;
    if (event->comm == BETWEEN && n_procs > 1)
        peer = author->location->proc < n_procs / 2 ? n_procs - 1 : 0;
    if (!rank_in(n_procs, event->comm, author->location->proc, peer, &rank)) {
        event->comm = WORLD;
        rank = peer;
    }
    event->peer = peer;
    if (g_rand_int_range(random, 0, 50) == 0) { /* to a rank that does not exist */
        event->peer = RUN_NONE;
        rank = n_procs + 7;
    }
    XtfRecvsRow row = {.time = event->t,
                       .seq = event->seq,
                       .region = event->region,
                       .event = g_rand_boolean(random),
                       .peer = rank,
                       .comm = event->comm,
                       .tag = event->tag,
                       .bytes = event->bytes,
                       .request = XTF_NONE64};
    /* A row of `recvs` begins with the fields of `sends`. */
    G_STATIC_ASSERT(sizeof(XtfSendsRow) == offsetof(XtfRecvsRow, posted));
    writing_append(author->writing, author->location->id, event->kind == RUN_SEND ? XTF_MODEL_SENDS : XTF_MODEL_RECVS,
                   &row);
}

static void write_collective(Author *author, RunEvent *event)
{
    GRand *random = author->run->random;
    XtfCollectivesRow row = {.time = event->t,
                             .seq = event->seq,
                             .region = region_around(author),
                             .event = (uint8_t)g_rand_int_range(random, 0, 4),
                             .operation = 0xff,
                             .comm = WORLD,
                             .root = XTF_NONE32,
                             .bytes = XTF_NONE64,
                             .received = XTF_NONE64,
                             .request = XTF_NONE64,
                             .n_to_n = UINT8_MAX};

    event->completes = row.event % 2;
    if (event->completes) {
        row.bytes = event->bytes = (uint64_t)g_rand_int_range(random, 0, 1000);
        row.received = event->received = (uint64_t)g_rand_int_range(random, 0, 1000);
    }
    writing_append(author->writing, author->location->id, XTF_MODEL_COLLECTIVES, &row);
}

static void write_metric(Author *author, RunEvent *event)
{
    GRand *random = author->run->random;

    event->metric = (uint32_t)g_rand_int_range(random, 0, RUN_METRICS - 1);
    if (event->metric == 0) /* the sum exceeds 64 bits */
        event->value.u = UINT64_MAX / 3 + (uint64_t)g_rand_int_range(random, 0, 1000);
    else if (event->metric == 1)
        event->value.d = g_rand_double_range(random, -3, 5);
    else
        event->value.i = g_rand_int_range(random, -1000, 10);
    writing_append(author->writing, author->location->id, XTF_MODEL_COUNTERS,
                   &(XtfCountersRow){.time = event->t,
                                     .seq = event->seq,
                                     .region = region_around(author),
                                     .metric = event->metric,
                                     .metric_class = XTF_NONE32,
                                     .n_values = 1});
    writing_append(author->writing, author->location->id, XTF_MODEL_METRIC_VALUES,
                   &(XtfMetricValuesRow){.time = event->t,
                                         .seq = event->seq,
                                         .metric = event->metric,
                                         .value_type = metric_types[event->metric],
                                         .value = event->value.u});
}

static RunKind random_kind(GRand *random, const Author *author)
{
    gint32 dice = g_rand_int_range(random, 0, 20);

    if (dice < 12) /* the deeper the stack, the less often ENTER */
        return g_rand_int_range(random, 0, 16) < 11 - (gint32)author->frames->len ? RUN_ENTER : RUN_LEAVE;
    return dice < 14   ? RUN_SEND
           : dice < 16 ? RUN_RECV
           : dice < 17 ? RUN_COLLECTIVE
           : dice < 19 ? RUN_METRIC
                       : RUN_OTHER;
}

static void write_event(Author *author)
{
    const Run *run = author->run;
    GRand *random = run->random;
    RunEvent event = {.t = author->t,
                      .seq = author->location->events->len,
                      .location = (uint32_t)(author->location - run->locations),
                      .kind = random_kind(random, author),
                      .peer = RUN_NONE};

    if (event.seq == 0 && event.location % 2) /* the location was in a region when the trace began */
        event.kind = RUN_LEAVE;
    switch (event.kind) {
    case RUN_ENTER:
    case RUN_LEAVE:
        write_call(author, &event);
        break;
    case RUN_SEND:
    case RUN_RECV:
        write_message(author, &event);
        break;
    case RUN_COLLECTIVE:
        write_collective(author, &event);
        break;
    case RUN_METRIC:
        write_metric(author, &event);
        break;
    case RUN_OTHER:
        writing_append(author->writing, author->location->id, XTF_MODEL_MEASUREMENT,
                       &(XtfMeasurementRow){.time = event.t, .seq = event.seq, .region = XTF_NONE32, .mode = 0xff});
        break;
    }
    g_array_append_val(author->location->events, event);
    if (g_rand_int_range(random, 0, 3))
        author->t += (uint64_t)g_rand_int_range(random, 0, 5000);
}

static void event_clear(void *data)
{
    RunEvent *event = data;
    if (event->stack)
        g_array_unref(event->stack);
}

/* Creates the locations. Every other process has two threads; keys have another order than processes. */
static void make_locations(Run *run)
{
    run->locations = g_new0(RunLocation, 2 * run->recipe.n_procs);
    for (uint32_t proc = 0; proc < run->recipe.n_procs; proc++) {
        for (uint32_t thread = 0; thread < 1 + (proc % 2 == 0); thread++) {
            run->locations[run->n_locations] = (RunLocation){proc, thread, (uint64_t)thread << 32 | (1000 - proc),
                                                             g_array_new(FALSE, FALSE, sizeof(RunEvent))};
            g_array_set_clear_func(run->locations[run->n_locations++].events, event_clear);
        }
    }
}

Run *run_new(uint32_t seed, const RunRecipe *recipe)
{
    Run *run = g_new0(Run, 1);
    Writing writing;

    writing_begin(&writing);
    run->recipe = *recipe;
    run->random = g_rand_new_with_seed(seed);
    make_locations(run);
    define_all(&writing, run);
    for (unsigned i = 0; i < run->n_locations; i++) {
        g_autoptr(GArray) frames = g_array_new(FALSE, FALSE, sizeof(Frame));
        Author author = {run,    &writing, &run->locations[i],
                         frames, 0,        (uint64_t)g_rand_int_range(run->random, 50, 9000)};
        unsigned n = recipe->events / 2 + (unsigned)g_rand_int_range(run->random, 0, (gint32)recipe->events + 1);
        while (n--)
            write_event(&author);
    }
    writing_end(&writing, &run->written);
    return run;
}

void run_free(Run *run)
{
    written_finish(&run->written);
    for (unsigned i = 0; i < run->n_locations; i++)
        g_array_unref(run->locations[i].events);
    g_free(run->locations);
    g_rand_free(run->random);
    g_free(run);
}

GString *run_read(Run *run, const char *path)
{
    return written_read(&run->written, path);
}

bool run_exists(Run *run, const char *path)
{
    g_autoptr(XtfNode) node = xtf_tree_resolve(run->written.tree, path, NULL);
    return node != NULL;
}

void run_check_parts(Run *run, const char *path)
{
    g_autoptr(XtfNode) node = xtf_tree_resolve(run->written.tree, path, NULL);
    GString *whole = run_read(run, path);
    char buffer[70000];
    size_t got;

    cr_assert(node);
    for (unsigned i = 0; i < 50; i++) {
        uint64_t offset = (uint64_t)g_rand_double_range(run->random, 0, (double)whole->len);
        size_t length = (size_t)g_rand_int_range(run->random, 1, i % 2 ? 5000 : sizeof buffer);
        cr_assert(xtf_node_read(node, offset, buffer, length, &got, NULL));
        cr_assert_eq(got, MIN(length, whole->len - offset));
        cr_assert_eq(memcmp(buffer, whole->str + offset, got), 0, "%s: %lu from %lu", path, got, offset);
    }
    g_string_free(whole, TRUE);
}
