#include "src/analysis/align/node-clocks.h"

#include <inttypes.h>

#include "libxtf/array.h"
#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "src/model/schemas.h"

/* ---- Loading. */

static void finish_clock(gpointer data)
{
    XtfNodeClock *clock = data;

    g_array_unref(clock->readings);
    g_array_unref(clock->knots);
}

static XtfNodeClock *clock_at(const XtfNodeClocks *clocks, guint i)
{
    return &g_array_index(clocks->clocks, XtfNodeClock, i);
}

static XtfNodeReading *reading_at(const XtfNodeClock *clock, guint i)
{
    return &g_array_index(clock->readings, XtfNodeReading, i);
}

/* A row of `clock_readings`. */
typedef struct {
    uint64_t reading, local, round_trip;
    uint32_t proc, partner;
    uint8_t point;
    bool is_reference;
} End;

/* Sorts by reading and reader. The reference's end is the first of two. */
static int compare_ends(gconstpointer a, gconstpointer b)
{
    const End *x = a, *y = b;
    uint32_t left = x->is_reference ? x->partner : x->proc, right = y->is_reference ? y->partner : y->proc;

    if (x->reading != y->reading)
        return x->reading < y->reading ? -1 : 1;
    if (left != right)
        return left < right ? -1 : 1;
    return y->is_reference - x->is_reference;
}

/* Finds fields of a table. False if the table lacks one, as a table of another version may. */
static bool find_reading_fields(const XtfTable *table, const char *const *names, const XtfField **fields, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        fields[i] = table ? xtf_schema_field(table->schema, names[i]) : NULL;
        if (!fields[i])
            return false;
    }
    return true;
}

static bool load_ends(XtfTrace *trace, GArray *ends, GError **error)
{
    static const char *const names[] = {"reading", "local", "round_trip", "proc", "partner", "point", "is_reference"};
    const XtfField *fields[G_N_ELEMENTS(names)];
    const XtfTable *table;

    if (!xtf_trace_table(trace, XTF_TABLE_CLOCK_READINGS, &table, error))
        return false;
    if (!find_reading_fields(table, names, fields, G_N_ELEMENTS(names)))
        return true;
    for (uint64_t i = 0; i < table->n_rows; i++) {
        const uint8_t *row = table->rows + i * table->schema->row_size;
        const End end = {.reading = xtf_field_get(fields[0], row),
                         .local = xtf_field_get(fields[1], row),
                         .round_trip = xtf_field_get(fields[2], row),
                         .proc = (uint32_t)xtf_field_get(fields[3], row),
                         .partner = (uint32_t)xtf_field_get(fields[4], row),
                         .point = (uint8_t)xtf_field_get(fields[5], row),
                         .is_reference = xtf_field_get(fields[6], row) != 0};
        g_array_append_val(ends, end);
    }
    return true;
}

static bool load_nodes(XtfTrace *trace, GHashTable *nodes, GError **error)
{
    static const char *const names[] = {"proc", "node"};
    const XtfField *fields[G_N_ELEMENTS(names)];
    const XtfTable *table;

    if (!xtf_trace_table(trace, XTF_TABLE_CLOCK_NODES, &table, error))
        return false;
    if (!find_reading_fields(table, names, fields, G_N_ELEMENTS(names)))
        return true;
    for (uint64_t i = 0; i < table->n_rows; i++) {
        const uint8_t *row = table->rows + i * table->schema->row_size;
        guint64 node = xtf_field_get(fields[1], row);
        g_hash_table_replace(nodes, GUINT_TO_POINTER((guint)xtf_field_get(fields[0], row)),
                             g_memdup2(&node, sizeof node));
    }
    return true;
}

static XtfNodeClock *add_reader(XtfNodeClocks *clocks, GHashTable *by_reader, uint32_t reader, uint32_t reference)
{
    gpointer known = g_hash_table_lookup(by_reader, GUINT_TO_POINTER(reader));
    const guint64 *node = g_hash_table_lookup(clocks->nodes, GUINT_TO_POINTER(reader));

    if (known)
        return clock_at(clocks, GPOINTER_TO_UINT(known) - 1);
    const XtfNodeClock clock = {.node = node ? *node : 0,
                                .reader = reader,
                                .reference = reference,
                                .readings = g_array_new(FALSE, FALSE, sizeof(XtfNodeReading)),
                                .knots = g_array_new(FALSE, FALSE, sizeof(XtfClockKnot)),
                                .first = UINT64_MAX,
                                .stepped = UINT64_MAX};
    g_array_append_val(clocks->clocks, clock);
    g_hash_table_insert(by_reader, GUINT_TO_POINTER(reader), GUINT_TO_POINTER(clocks->clocks->len));
    return clock_at(clocks, clocks->clocks->len - 1);
}

/* Adds the readings of which both ends are known. A reference has a smaller number than its reader, so that the clocks
 * of references are known first. */
static void add_readings(XtfNodeClocks *clocks, const GArray *ends)
{
    g_autoptr(GHashTable) by_reader = g_hash_table_new(NULL, NULL);

    for (guint i = 0; i + 1 < ends->len; i++) {
        const End *reference = &g_array_index(ends, End, i), *reader = reference + 1;
        if (!g_hash_table_contains(clocks->nodes, GUINT_TO_POINTER(reader->proc)) || !reference->is_reference ||
            reader->is_reference || reference->reading != reader->reading || reference->partner != reader->proc ||
            reader->partner != reference->proc || reader->partner >= reader->proc)
            continue;
        const XtfNodeReading reading = {.reading = reader->reading,
                                        .point = reader->point,
                                        .reference = reader->partner,
                                        .local = reader->local,
                                        .reference_local = reference->local,
                                        .round_trip = reader->round_trip};
        XtfNodeClock *clock = add_reader(clocks, by_reader, reader->proc, reference->proc);
        g_array_append_val(clock->readings, reading);
    }
}

static int compare_clocks(gconstpointer a, gconstpointer b)
{
    const XtfNodeClock *x = a, *y = b;
    return x->reader < y->reader ? -1 : x->reader > y->reader;
}

static int compare_readings(gconstpointer a, gconstpointer b)
{
    const XtfNodeReading *x = a, *y = b;
    return x->local < y->local ? -1 : x->local > y->local;
}

/* ---- Clock maps. */

static uint64_t distance_of(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* Returns the global time of a local time of a clock without extrapolation by its drift; NULL: the first node's. */
static uint64_t to_global(const XtfNodeClock *clock, uint64_t local)
{
    const XtfClockMap map = {.n_knots = clock ? clock->knots->len : 0,
                             .knots = clock ? (const XtfClockKnot *)(void *)clock->knots->data : NULL};

    return map.n_knots > 0 ? xtf_clock_map_to_global(&map, local) : local;
}

/* Returns the number of readings up to a local time. */
static guint count_readings(const XtfNodeClock *clock, uint64_t local)
{
    guint low = 0, high = clock->readings->len;

    while (low < high) {
        guint middle = (low + high) / 2;
        if (reading_at(clock, middle)->local <= local)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the greatest error of a clock near a local time: of the readings that it goes through before and after it. */
static uint64_t bound_near(const XtfNodeClock *clock, uint64_t local)
{
    guint at = clock ? count_readings(clock, local) : 0, before = at, after = at;
    uint64_t bound = 0;

    if (!clock)
        return 0;
    while (before > 0 && !reading_at(clock, before - 1)->used)
        before--;
    while (after < clock->readings->len && !reading_at(clock, after)->used)
        after++;
    if (before > 0)
        bound = reading_at(clock, before - 1)->bound;
    if (after < clock->readings->len)
        bound = MAX(bound, reading_at(clock, after)->bound);
    return bound;
}

/* True if a clock that drifts as clocks may shows both readings, with these errors. */
static bool may_follow(const XtfNodeReading *last, const XtfNodeReading *next)
{
    uint64_t local = next->local - last->local, global = next->global - MIN(last->global, next->global);

    return distance_of(local, global) <= local / XTF_CLOCK_DRIFT + last->bound + next->bound;
}

/* True if a clock map may be straight between two readings. */
static bool may_join(const XtfNodeReading *last, const XtfNodeReading *next)
{
    uint64_t local = next->local - last->local;

    return next->global >= last->global && distance_of(local, next->global - last->global) <= local / XTF_CLOCK_DRIFT;
}

static void add_knot(GArray *knots, uint64_t local, uint64_t global)
{
    const XtfClockKnot knot = {.local = local, .global = global};
    g_array_append_val(knots, knot);
}

/* Chooses the readings that the map goes through. If errors push two too far apart, keeps the more exact one. Ends at a
 * step of the clock. */
static void choose_readings(XtfNodeClock *clock)
{
    g_autoptr(GPtrArray) used = g_ptr_array_new();

    for (guint i = 0; i < clock->readings->len; i++) {
        XtfNodeReading *next = reading_at(clock, i), *last = NULL;
        guint kept = used->len;
        if (kept > 0 && next->local == ((XtfNodeReading *)used->pdata[kept - 1])->local)
            continue;
        for (; kept > 0; kept--) {
            last = used->pdata[kept - 1];
            if (!may_follow(last, next) || may_join(last, next) || next->bound >= last->bound)
                break;
        }
        if (kept > 0 && !may_follow(last, next)) {
            clock->stepped = next->local;
            clock->step = (int64_t)(next->local - last->local) - (int64_t)(next->global - last->global);
            return;
        }
        if (kept > 0 && !may_join(last, next))
            continue;
        for (guint dropped = kept; dropped < used->len; dropped++)
            ((XtfNodeReading *)used->pdata[dropped])->used = false;
        g_ptr_array_set_size(used, (gint)kept);
        g_array_set_size(clock->knots, kept);
        next->used = true;
        add_knot(clock->knots, next->local, next->global);
        g_ptr_array_add(used, next);
    }
}

/* Returns the global time of a local time outside of two knots, on the line through them. */
static uint64_t extend_line(const XtfClockKnot *a, const XtfClockKnot *b, const XtfClockKnot *from, uint64_t local)
{
    __int128 run = (__int128)b->local - a->local, rise = (__int128)b->global - a->global;
    __int128 distance = (__int128)local - from->local;

    return (uint64_t)MAX((__int128)from->global + distance * rise / run, 0);
}

/* Extends the map to the node's first and last record by the drift next to them, if that is more than the errors. */
static void extend_map(XtfNodeClock *clock)
{
    uint64_t first = clock->first, last = clock->last;
    const XtfClockKnot *knots = (const XtfClockKnot *)(void *)clock->knots->data;
    guint n = clock->knots->len;

    if (n < 2)
        return;
    const XtfClockKnot head[] = {knots[0], knots[1]}, tail[] = {knots[n - 2], knots[n - 1]};
    uint64_t bound = 2 * xtf_node_clock_bound(clock);
    if (first < head[0].local && distance_of(head[1].local - head[0].local, head[1].global - head[0].global) > bound) {
        const XtfClockKnot knot = {.local = first, .global = extend_line(&head[0], &head[1], &head[0], first)};
        g_array_prepend_val(clock->knots, knot);
    }
    if (last > tail[1].local && clock->stepped == UINT64_MAX &&
        distance_of(tail[1].local - tail[0].local, tail[1].global - tail[0].global) > bound)
        add_knot(clock->knots, last, extend_line(&tail[0], &tail[1], &tail[1], last));
}

uint64_t xtf_node_clock_bound(const XtfNodeClock *clock)
{
    uint64_t most = 0;

    for (guint i = 0; i < clock->readings->len; i++)
        if (reading_at(clock, i)->used)
            most = MAX(most, reading_at(clock, i)->bound);
    return most;
}

uint64_t xtf_node_clocks_bound(const XtfNodeClocks *clocks)
{
    uint64_t most = 0;

    for (guint i = 0; i < clocks->clocks->len; i++)
        most = MAX(most, xtf_node_clock_bound(clock_at(clocks, i)));
    return most;
}

const XtfNodeClock *xtf_node_clock_of(const XtfNodeClocks *clocks, uint32_t proc)
{
    const guint64 *node = g_hash_table_lookup(clocks->nodes, GUINT_TO_POINTER(proc));
    guint number = node ? GPOINTER_TO_UINT(g_hash_table_lookup(clocks->by_node, node)) : 0;

    return number > 0 ? clock_at(clocks, number - 1) : NULL;
}

/* Lets the clocks be found by their nodes. If a damaged table has two clocks of a node, the first one counts. */
static void index_clocks(XtfNodeClocks *clocks)
{
    for (guint i = 0; i < clocks->clocks->len; i++)
        if (!g_hash_table_contains(clocks->by_node, &clock_at(clocks, i)->node))
            g_hash_table_insert(clocks->by_node, &clock_at(clocks, i)->node, GUINT_TO_POINTER(i + 1));
}

/* Times of the first and the last record of each process, in ticks of its clock. */
typedef struct {
    uint64_t first, last;
} Life;

/* Returns the number of a location's process. The recorder puts it into the upper half of the location. */
static uint32_t proc_of(uint64_t location)
{
    return (uint32_t)(location >> 32);
}

/* Widens the lives of the processes of a trace by their records. */
static bool add_lives(XtfNodeClocks *clocks, XtfTrace *trace, GError **error)
{
    for (uint64_t rank = 0; rank < xtf_trace_n_arrays(trace); rank++) {
        XtfArray array;
        if (!xtf_trace_get_arrays(trace, rank, 1, &array, error))
            return false;
        gpointer key = GUINT_TO_POINTER(proc_of(array.location));
        Life *life = g_hash_table_lookup(clocks->lives, key);
        if (!life) {
            life = g_new(Life, 1);
            *life = (Life){UINT64_MAX, 0};
            g_hash_table_insert(clocks->lives, key, life);
        }
        life->first = MIN(life->first, array.local_first);
        life->last = MAX(life->last, array.local_last);
    }
    return true;
}

/* Sets the times of the first and the last record of each node. */
static void join_lives(XtfNodeClocks *clocks)
{
    GHashTableIter iter;
    gpointer proc, value;

    g_hash_table_iter_init(&iter, clocks->lives);
    while (g_hash_table_iter_next(&iter, &proc, &value)) {
        XtfNodeClock *clock = (XtfNodeClock *)xtf_node_clock_of(clocks, GPOINTER_TO_UINT(proc));
        const Life *life = value;
        if (clock) {
            clock->first = MIN(clock->first, life->first);
            clock->last = MAX(clock->last, life->last);
        }
    }
}

/* True if times of a process's clock can be converted to the first node's, where process 0 is. */
static bool is_related(const XtfNodeClocks *clocks, uint32_t proc)
{
    const XtfNodeClock *clock = xtf_node_clock_of(clocks, proc);
    const guint64 *node = g_hash_table_lookup(clocks->nodes, GUINT_TO_POINTER(proc));
    const guint64 *first = g_hash_table_lookup(clocks->nodes, GUINT_TO_POINTER(0));

    return clock ? clock->knots->len > 0 : node && first && *node == *first;
}

/* Computes global times of a node's readings from the clock of the node above it. Readings after a step of that one are
 * left out. */
static void relate_readings(const XtfNodeClocks *clocks, XtfNodeClock *clock)
{
    g_array_sort(clock->readings, compare_readings);
    for (guint i = 0; i < clock->readings->len; i++) {
        XtfNodeReading *reading = reading_at(clock, i);
        const XtfNodeClock *above = xtf_node_clock_of(clocks, reading->reference);
        reading->global = to_global(above, reading->reference_local);
        reading->bound = reading->round_trip / 2 + 1 + bound_near(above, reading->reference_local);
        if (!is_related(clocks, reading->reference) || (above && above->stepped <= reading->reference_local)) {
            clock->stepped = reading->local;
            g_array_set_size(clock->readings, i);
        }
    }
}

void xtf_node_clocks_init(XtfNodeClocks *clocks)
{
    *clocks = (XtfNodeClocks){.clocks = g_array_new(FALSE, FALSE, sizeof(XtfNodeClock)),
                              .nodes = g_hash_table_new_full(NULL, NULL, NULL, g_free),
                              .lives = g_hash_table_new_full(NULL, NULL, NULL, g_free),
                              .by_node = g_hash_table_new(g_int64_hash, g_int64_equal),
                              .ends = g_array_new(FALSE, FALSE, sizeof(End))};
    g_array_set_clear_func(clocks->clocks, finish_clock);
}

void xtf_node_clocks_finish(XtfNodeClocks *clocks)
{
    g_clear_pointer(&clocks->by_node, g_hash_table_unref);
    g_clear_pointer(&clocks->clocks, g_array_unref);
    g_clear_pointer(&clocks->nodes, g_hash_table_unref);
    g_clear_pointer(&clocks->lives, g_hash_table_unref);
    g_clear_pointer(&clocks->ends, g_array_unref);
}

bool xtf_node_clocks_add(XtfNodeClocks *clocks, XtfTrace *trace, GError **error)
{
    guint n = g_hash_table_size(clocks->nodes);

    if (!load_ends(trace, clocks->ends, error) || !load_nodes(trace, clocks->nodes, error))
        return false;
    return g_hash_table_size(clocks->nodes) == n || add_lives(clocks, trace, error);
}

/* Sets the map of a clock. Damaged tables may make an impossible one, which is none. */
static void set_map(XtfNodeClock *clock)
{
    const XtfClockMap map = {.n_knots = clock->knots->len, .knots = (const XtfClockKnot *)(void *)clock->knots->data};
    uint32_t knot;

    if (map.n_knots > 0 && !xtf_clock_map_fault(&map, &knot))
        clock->map = map;
}

void xtf_node_clocks_make(XtfNodeClocks *clocks)
{
    g_array_sort(clocks->ends, compare_ends);
    add_readings(clocks, clocks->ends);
    g_array_sort(clocks->clocks, compare_clocks);
    index_clocks(clocks);
    join_lives(clocks);
    for (guint i = 0; i < clocks->clocks->len; i++) {
        XtfNodeClock *clock = clock_at(clocks, i);
        relate_readings(clocks, clock);
        choose_readings(clock);
        extend_map(clock);
        set_map(clock);
    }
}

bool xtf_node_clocks_load(XtfNodeClocks *clocks, XtfTrace *trace, GError **error)
{
    g_auto(XtfNodeClocks) loaded;

    xtf_node_clocks_init(&loaded);
    if (!xtf_node_clocks_add(&loaded, trace, error))
        return false;
    xtf_node_clocks_make(&loaded);
    *clocks = loaded;
    loaded = (XtfNodeClocks){0};
    return true;
}

const XtfClockMap *xtf_node_clocks_map(const XtfNodeClocks *clocks, uint64_t location)
{
    const XtfNodeClock *clock = xtf_node_clock_of(clocks, proc_of(location));

    return clock && clock->map.n_knots > 0 ? &clock->map : NULL;
}

/* ---- Reports. */

char *xtf_node_clock_fault(const XtfNodeClock *clock)
{
    if (clock->stepped == UINT64_MAX)
        return NULL;
    if (clock->step == 0)
        return g_strdup_printf("the clock of process %" PRIu32 "'s node is not corrected to its end: that of process "
                               "%" PRIu32 ", by which it was read, has stepped or is not known",
                               clock->reader, clock->reference);
    return g_strdup_printf("the clock of process %" PRIu32 "'s node has stepped by %.6f s: it is corrected by earlier "
                           "readings alone",
                           clock->reader, (double)clock->step * 1e-9);
}
