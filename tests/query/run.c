#include "run.h"

#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/model/labels.h"
#include "src/model/schemas.h"

const char *const run_regions[RUN_REGIONS] = {"main", "compute", "MPI_Isend", "MPI_Recv", "a name, with blanks",
                                              "never"};
const char *const run_metrics[RUN_METRICS] = {"cycles", "load", "balance", "nothing"};

/* What the metrics' values are: rows of xtf_value_types. */
static const uint8_t metric_types[RUN_METRICS] = {4, 10, 8, 4};

typedef struct {
    XtfWriter *writer;
    uint32_t ids[XTF_N_MODEL_SCHEMAS];
    bool known[XTF_N_MODEL_SCHEMAS];
} Making;

static uint32_t schema(Making *making, unsigned tag)
{
    if (!making->known[tag])
        cr_assert(xtf_writer_add_schema(making->writer, xtf_model_schema(tag), &making->ids[tag], NULL));
    making->known[tag] = true;
    return making->ids[tag];
}

static uint32_t text(Making *making, const char *string)
{
    uint32_t id;
    cr_assert(xtf_writer_add_string(making->writer, string, &id, NULL));
    return id;
}

static void define(Making *making, unsigned tag, const void *row)
{
    XtfTableWriter *table = xtf_writer_table(making->writer, schema(making, tag), NULL);
    cr_assert(table && xtf_table_writer_append(table, row, NULL, NULL));
}

static void append(Making *making, const RunPlace *place, unsigned tag, const void *row)
{
    XtfArrayWriter *array = xtf_writer_array(making->writer, place->id, schema(making, tag), NULL);
    cr_assert(array && xtf_array_writer_append(array, row, NULL));
}

/* ---- Communicators: the world; its odd half, backwards; one between its two halves; everyone's own. */

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

/* The rank of a process in a communicator, as `from` sees it; false if it is not in it, or `from` isn't. */
static bool rank_in(unsigned n_procs, unsigned comm, uint32_t from, uint32_t proc, uint32_t *rank)
{
    unsigned here = comm == BETWEEN ? (from < n_procs / 2 ? 2 : 3) : comm;
    unsigned there = comm == BETWEEN ? 5 - here : comm;
    bool from_in = false, found = false;

    if (comm == SELF) {
        *rank = 0;
        return from == proc;
    }
    GArray *own = members_of(n_procs, here), *others = members_of(n_procs, there);
    for (unsigned i = 0; i < own->len; i++)
        from_in |= g_array_index(own, uint32_t, i) == from;
    for (unsigned i = 0; i < others->len; i++) {
        if (g_array_index(others, uint32_t, i) == proc) {
            *rank = i;
            found = true;
        }
    }
    g_array_unref(own);
    g_array_unref(others);
    return from_in && found;
}

static void define_comms(Making *making, unsigned n_procs)
{
    uint64_t first = 0;

    for (unsigned group = 0; group < 4; group++) {
        GArray *members = members_of(n_procs, group);
        define(making, XTF_MODEL_GROUPS, &(XtfGroupRow){.first = first, .count = members->len});
        for (unsigned i = 0; i < members->len; i++) {
            uint32_t proc = g_array_index(members, uint32_t, i);
            define(making, XTF_MODEL_MEMBERS, &(XtfMemberRow){.member = proc, .proc = proc});
        }
        first += members->len;
        g_array_unref(members);
    }
    for (unsigned comm = 0; comm < N_COMMS; comm++)
        define(making, XTF_MODEL_COMMUNICATORS,
               &(XtfCommunicatorRow){.group = comm == SELF ? XTF_NONE32 : comm,
                                     .remote_group = comm == BETWEEN ? 3 : XTF_NONE32,
                                     .name = text(making, comm == WORLD ? "world" : "")});
}

static void define_all(Making *making, const Run *run)
{
    for (unsigned i = 0; i < RUN_REGIONS; i++)
        define(making, XTF_MODEL_REGIONS, &(XtfRegionRow){.line = XTF_NONE32, .name = text(making, run_regions[i])});
    for (unsigned i = 0; i < RUN_METRICS; i++)
        define(making, XTF_MODEL_METRICS,
               &(XtfMetricRow){.value_type = metric_types[i], .name = text(making, run_metrics[i])});
    for (unsigned i = 0; i < run->n_places; i++)
        define(
            making, XTF_MODEL_LOCATIONS,
            &(XtfLocationRow){.id = run->places[i].id, .proc = run->places[i].proc, .thread = run->places[i].thread});
    define_comms(making, run->recipe.n_procs);
}

/* ---- Events. */

typedef struct {
    uint64_t row;
    uint32_t region;
    bool outermost;
} Frame;

typedef struct {
    Run *run;
    Making *making;
    RunPlace *place;
    GArray *frames; /* of Frame */
    uint64_t n_calls, t;
} Teller;

static bool is_open(const Teller *teller, uint32_t region)
{
    for (unsigned i = 0; i < teller->frames->len; i++) {
        if (g_array_index(teller->frames, Frame, i).region == region)
            return true;
    }
    return false;
}

static void enter(Teller *teller, RunEvent *event)
{
    Frame frame = {teller->n_calls, (uint32_t)g_rand_int_range(teller->run->random, 0, RUN_REGIONS - 1), false};
    GArray *frames = teller->frames;

    frame.outermost = !is_open(teller, frame.region);
    event->region = frame.region;
    uint64_t around = frames->len ? teller->n_calls - g_array_index(frames, Frame, frames->len - 1).row : 0;
    g_array_append_val(frames, frame);
    teller->run->deepest = MAX(teller->run->deepest, frames->len);
    append(teller->making, teller->place, XTF_MODEL_CALLS,
           &(XtfCallsRow){.time = event->t,
                          .seq = event->seq,
                          .region = event->region,
                          .event = 0,
                          .enter = around,
                          .outermost = frame.outermost,
                          .depth = frames->len});
}

/* Most often the frame on top; now and then one below it, so that those above are never left; or none. */
static void leave(Teller *teller, RunEvent *event)
{
    GArray *frames = teller->frames;
    bool lost = !frames->len || g_rand_int_range(teller->run->random, 0, 40) == 0;
    uint32_t down = g_rand_int_range(teller->run->random, 0, 30) == 0 ? 2 : 1;

    if (lost) {
        append(teller->making, teller->place, XTF_MODEL_CALLS,
               &(XtfCallsRow){.time = event->t, .seq = event->seq, .region = 0, .event = 1});
        return;
    }
    unsigned depth = MAX(frames->len, down) - down;
    const Frame *frame = &g_array_index(frames, Frame, depth);
    event->region = frame->region;
    append(teller->making, teller->place, XTF_MODEL_CALLS,
           &(XtfCallsRow){.time = event->t,
                          .seq = event->seq,
                          .region = frame->region,
                          .event = 1,
                          .enter = teller->n_calls - frame->row,
                          .outermost = frame->outermost,
                          .depth = depth + 1});
    g_array_set_size(frames, depth);
}

static void call(Teller *teller, RunEvent *event)
{
    event->region = RUN_NONE;
    if (event->kind == RUN_ENTER)
        enter(teller, event);
    else
        leave(teller, event);
    teller->n_calls++;
    event->stack = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    for (unsigned i = 0; i < teller->frames->len; i++)
        g_array_append_val(event->stack, g_array_index(teller->frames, Frame, i).region);
}

static uint32_t region_around(const Teller *teller)
{
    return teller->frames->len ? g_array_index(teller->frames, Frame, teller->frames->len - 1).region : RUN_NONE;
}

static void message(Teller *teller, RunEvent *event)
{
    GRand *random = teller->run->random;
    unsigned n_procs = teller->run->recipe.n_procs;
    uint32_t peer = (uint32_t)g_rand_int_range(random, 0, (gint32)n_procs), rank = n_procs + 7;

    event->comm = (uint32_t)g_rand_int_range(random, 0, N_COMMS);
    event->tag = (uint32_t)g_rand_int_range(random, 0, 5);
    event->bytes = (uint64_t)g_rand_int_range(random, 0, 100000);
    event->region = region_around(teller);
    if (event->comm == SELF)
        peer = teller->place->proc;
    if (event->comm == BETWEEN && n_procs > 1)
        peer = teller->place->proc < n_procs / 2 ? n_procs - 1 : 0;
    if (!rank_in(n_procs, event->comm, teller->place->proc, peer, &rank)) {
        event->comm = WORLD;
        rank = peer;
    }
    event->peer = peer;
    if (g_rand_int_range(random, 0, 50) == 0) { /* nobody */
        event->peer = RUN_NONE;
        rank = n_procs + 7;
    }
    XtfSendsRow row = {.time = event->t,
                       .seq = event->seq,
                       .region = event->region,
                       .event = g_rand_boolean(random),
                       .peer = rank,
                       .comm = event->comm,
                       .tag = event->tag,
                       .bytes = event->bytes,
                       .request = XTF_NONE64};
    G_STATIC_ASSERT(sizeof(XtfSendsRow) == sizeof(XtfRecvsRow));
    append(teller->making, teller->place, event->kind == RUN_SEND ? XTF_MODEL_SENDS : XTF_MODEL_RECVS, &row);
}

static void collective(Teller *teller, RunEvent *event)
{
    GRand *random = teller->run->random;
    XtfCollectivesRow row = {.time = event->t,
                             .seq = event->seq,
                             .region = region_around(teller),
                             .event = (uint8_t)g_rand_int_range(random, 0, 4),
                             .operation = 0xff,
                             .comm = WORLD,
                             .root = XTF_NONE32,
                             .bytes = XTF_NONE64,
                             .received = XTF_NONE64,
                             .request = XTF_NONE64};

    event->completes = row.event % 2;
    if (event->completes) {
        row.bytes = event->bytes = (uint64_t)g_rand_int_range(random, 0, 1000);
        row.received = event->received = (uint64_t)g_rand_int_range(random, 0, 1000);
    }
    append(teller->making, teller->place, XTF_MODEL_COLLECTIVES, &row);
}

static void metric(Teller *teller, RunEvent *event)
{
    GRand *random = teller->run->random;

    event->metric = (uint32_t)g_rand_int_range(random, 0, RUN_METRICS - 1);
    if (event->metric == 0) /* their sum is more than 64 bits hold */
        event->value.u = UINT64_MAX / 3 + (uint64_t)g_rand_int_range(random, 0, 1000);
    else if (event->metric == 1)
        event->value.d = g_rand_double_range(random, -3, 5);
    else
        event->value.i = g_rand_int_range(random, -1000, 10);
    append(teller->making, teller->place, XTF_MODEL_COUNTERS,
           &(XtfCountersRow){.time = event->t,
                             .seq = event->seq,
                             .region = region_around(teller),
                             .metric = event->metric,
                             .metric_class = XTF_NONE32,
                             .n_values = 1});
    append(teller->making, teller->place, XTF_MODEL_METRIC_VALUES,
           &(XtfMetricValuesRow){.time = event->t,
                                 .seq = event->seq,
                                 .metric = event->metric,
                                 .value_type = metric_types[event->metric],
                                 .value = event->value.u});
}

static RunKind random_kind(GRand *random, const Teller *teller)
{
    gint32 dice = g_rand_int_range(random, 0, 20);

    if (dice < 12) /* rather deep */
        return g_rand_int_range(random, 0, 16) < 11 - (gint32)teller->frames->len ? RUN_ENTER : RUN_LEAVE;
    return dice < 14   ? RUN_SEND
           : dice < 16 ? RUN_RECV
           : dice < 17 ? RUN_COLLECTIVE
           : dice < 19 ? RUN_METRIC
                       : RUN_OTHER;
}

static void tell(Teller *teller)
{
    const Run *run = teller->run;
    GRand *random = run->random;
    RunEvent event = {.t = teller->t,
                      .seq = teller->place->events->len,
                      .place = (uint32_t)(teller->place - run->places),
                      .kind = random_kind(random, teller),
                      .peer = RUN_NONE};

    if (event.seq == 0 && event.place % 2) /* it was in something when the trace began */
        event.kind = RUN_LEAVE;
    switch (event.kind) {
    case RUN_ENTER:
    case RUN_LEAVE:
        call(teller, &event);
        break;
    case RUN_SEND:
    case RUN_RECV:
        message(teller, &event);
        break;
    case RUN_COLLECTIVE:
        collective(teller, &event);
        break;
    case RUN_METRIC:
        metric(teller, &event);
        break;
    case RUN_OTHER:
        append(teller->making, teller->place, XTF_MODEL_MEASUREMENT,
               &(XtfMeasurementRow){.time = event.t, .seq = event.seq, .region = XTF_NONE32, .mode = 0xff});
        break;
    }
    g_array_append_val(teller->place->events, event);
    if (g_rand_int_range(random, 0, 3))
        teller->t += (uint64_t)g_rand_int_range(random, 0, 5000);
}

static void event_clear(void *data)
{
    RunEvent *event = data;
    if (event->stack)
        g_array_unref(event->stack);
}

/* Every other process has two threads; keys are not in the order of processes. */
static void make_places(Run *run)
{
    run->places = g_new0(RunPlace, 2 * run->recipe.n_procs);
    for (uint32_t proc = 0; proc < run->recipe.n_procs; proc++) {
        for (uint32_t thread = 0; thread < 1 + (proc % 2 == 0); thread++) {
            run->places[run->n_places] = (RunPlace){proc, thread, (uint64_t)thread << 32 | (1000 - proc),
                                                    g_array_new(FALSE, FALSE, sizeof(RunEvent))};
            g_array_set_clear_func(run->places[run->n_places++].events, event_clear);
        }
    }
}

Run *run_new(uint32_t seed, const RunRecipe *recipe)
{
    const XtfWriterOptions options = {.page_size = 4096, .no_sync = true};
    Run *run = g_new0(Run, 1);
    GError *error = NULL;
    int fd = g_file_open_tmp("xtf-run-XXXXXX", &run->path, NULL);

    cr_assert(fd >= 0);
    close(fd);
    run->recipe = *recipe;
    run->random = g_rand_new_with_seed(seed);
    make_places(run);
    Making making = {.writer = xtf_writer_create(run->path, &options, NULL)};
    cr_assert(making.writer);
    define_all(&making, run);
    for (unsigned i = 0; i < run->n_places; i++) {
        g_autoptr(GArray) frames = g_array_new(FALSE, FALSE, sizeof(Frame));
        Teller teller = {run, &making, &run->places[i], frames, 0, (uint64_t)g_rand_int_range(run->random, 50, 9000)};
        unsigned n = recipe->events / 2 + (unsigned)g_rand_int_range(run->random, 0, (gint32)recipe->events + 1);
        while (n--)
            tell(&teller);
    }
    cr_assert(xtf_writer_close(making.writer, NULL));
    run->trace = xtf_trace_open(run->path, NULL, &error);
    cr_assert(run->trace, "%s", error ? error->message : "");
    run->tree = xtf_tree_new(run->trace, NULL);
    return run;
}

void run_free(Run *run)
{
    xtf_tree_free(run->tree);
    xtf_trace_unref(run->trace);
    g_unlink(run->path);
    g_free(run->path);
    for (unsigned i = 0; i < run->n_places; i++)
        g_array_unref(run->places[i].events);
    g_free(run->places);
    g_rand_free(run->random);
    g_free(run);
}

GString *run_read(Run *run, const char *path)
{
    GError *error = NULL;
    g_autoptr(XtfNode) node = xtf_tree_resolve(run->tree, path, &error);
    GString *content = g_string_new(NULL);
    size_t length = 0;

    cr_assert(node, "%s: %s", path, error ? error->message : "");
    g_string_set_size(content, xtf_node_size(node));
    cr_assert(xtf_node_read(node, 0, content->str, content->len + 1, &length, &error), "%s: %s", path,
              error ? error->message : "");
    cr_assert_eq(length, content->len, "%s", path);
    return content;
}

bool run_exists(Run *run, const char *path)
{
    g_autoptr(XtfNode) node = xtf_tree_resolve(run->tree, path, NULL);
    return node != NULL;
}
