#include "src/analysis/align/earlier-clocks.h"

#include <string.h>

#include "libxtf/array.h"
#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/model/schemas.h"

/* ---- Loading. */

static void free_map(gpointer data)
{
    XtfClockMap *map = data;
    g_free((XtfClockKnot *)map->knots);
    g_free(map);
}

static void put_map(GHashTable *maps, uint64_t location, const XtfClockKnot *knots, guint n)
{
    XtfClockMap *map = g_new0(XtfClockMap, 1);

    map->n_knots = n;
    map->knots = g_memdup2(knots, n * sizeof *knots);
    g_hash_table_replace(maps, g_memdup2(&location, sizeof location), map);
}

static const uint8_t *row_at(const XtfTable *table, uint64_t number)
{
    return table->rows + number * table->schema->row_size;
}

/* Finds out whether a row of `clock_alignments` has the digest of the trace's clocks. `*has_rows`: the table has rows.
 * `*origin`: the origin before that alignment. */
static bool find_alignment(XtfTrace *trace, bool *has_rows, bool *current, uint64_t *origin, GError **error)
{
    const XtfTable *table;
    uint64_t digest;

    *has_rows = *current = false;
    if (!xtf_trace_table(trace, XTF_TABLE_CLOCK_ALIGNMENTS, &table, error))
        return false;
    const XtfField *clocks = table ? xtf_schema_field(table->schema, "clocks") : NULL;
    const XtfField *earlier = table ? xtf_schema_field(table->schema, "earlier_origin") : NULL;
    if (!clocks || !earlier || table->n_rows == 0)
        return true;
    if (!xtf_trace_clocks_digest(trace, &digest, error))
        return false;
    *has_rows = true;
    for (uint64_t i = 0; i < table->n_rows; i++)
        if (xtf_field_get(clocks, row_at(table, i)) == digest) {
            *current = true;
            *origin = xtf_field_get(earlier, row_at(table, i));
        }
    return true;
}

typedef struct {
    uint64_t location;
    XtfClockKnot knot;
} LocatedKnot;

static int compare_knots(const void *a, const void *b)
{
    const LocatedKnot *x = a, *y = b;

    if (x->location != y->location)
        return x->location < y->location ? -1 : 1;
    return x->knot.local < y->knot.local ? -1 : x->knot.local > y->knot.local;
}

/* Adds the map of a location from its knots. Several merged files may have the same knots, so duplicates are
 * skipped. */
static bool add_knots(GHashTable *maps, const LocatedKnot *located, uint64_t n, GError **error)
{
    g_autofree XtfClockKnot *knots = g_new(XtfClockKnot, n);
    XtfClockMap map = {.knots = knots};
    uint32_t knot;

    for (uint64_t i = 0; i < n; i++) {
        const XtfClockKnot *last = map.n_knots ? &knots[map.n_knots - 1] : NULL, *next = &located[i].knot;
        if (!last || last->local != next->local || last->global != next->global || last->jumps != next->jumps)
            knots[map.n_knots++] = *next;
    }
    if (xtf_clock_map_fault(&map, &knot))
        return xtf_damaged(error,
                           "table \"" XTF_TABLE_EARLIER_CLOCKS "\": the knots of location %" PRIu64 " are no clock map",
                           located->location);
    put_map(maps, located->location, map.knots, map.n_knots);
    return true;
}

static bool load_table(XtfTrace *trace, GHashTable *maps, GError **error)
{
    const XtfTable *table;

    if (!xtf_trace_table(trace, XTF_TABLE_EARLIER_CLOCKS, &table, error))
        return false;
    const XtfField *location = table ? xtf_schema_field(table->schema, "location") : NULL;
    const XtfField *local = table ? xtf_schema_field(table->schema, "local") : NULL;
    const XtfField *global = table ? xtf_schema_field(table->schema, "global") : NULL;
    const XtfField *jumps = table ? xtf_schema_field(table->schema, "jumps") : NULL;
    if (!location || !local || !global || !jumps)
        return true;
    g_autofree LocatedKnot *all = g_new(LocatedKnot, table->n_rows + 1);
    for (uint64_t i = 0; i < table->n_rows; i++) {
        const uint8_t *row = row_at(table, i);
        all[i] = (LocatedKnot){xtf_field_get(location, row),
                               {xtf_field_get(local, row), xtf_field_get(global, row), xtf_field_get(jumps, row) != 0}};
    }
    qsort(all, table->n_rows, sizeof *all, compare_knots);
    for (uint64_t from = 0, to; from < table->n_rows; from = to) {
        for (to = from; to < table->n_rows && all[to].location == all[from].location;)
            to++;
        if (!add_knots(maps, &all[from], to - from, error))
            return false;
    }
    return true;
}

static bool load_arrays(XtfTrace *trace, GHashTable *maps, GError **error)
{
    for (uint64_t rank = 0; xtf_trace_n_clock_maps(trace) > 0 && rank < xtf_trace_n_arrays(trace); rank++) {
        XtfArray array;
        if (!xtf_trace_get_arrays(trace, rank, 1, &array, error))
            return false;
        if (array.clock && !g_hash_table_contains(maps, &array.location))
            put_map(maps, array.location, array.clock->knots, array.clock->n_knots);
    }
    return true;
}

bool xtf_earlier_clocks_load(XtfEarlierClocks *earlier, XtfTrace *trace, GError **error)
{
    g_autoptr(GHashTable) maps = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_map);
    const XtfClock *clock = xtf_trace_clock(trace);
    uint64_t origin = clock->origin == clock->first ? UINT64_MAX : clock->origin;
    bool has_rows, current;

    if (!find_alignment(trace, &has_rows, &current, &origin, error))
        return false;
    if (!(current ? load_table(trace, maps, error) : load_arrays(trace, maps, error)))
        return false;
    *earlier = (XtfEarlierClocks){
        .aligned = current, .stale = has_rows && !current, .origin = origin, .maps = g_steal_pointer(&maps)};
    return true;
}

void xtf_earlier_clocks_finish(XtfEarlierClocks *earlier)
{
    g_clear_pointer(&earlier->maps, g_hash_table_unref);
}

const XtfClockMap *xtf_earlier_clocks_of(const XtfEarlierClocks *earlier, uint64_t location)
{
    return g_hash_table_lookup(earlier->maps, &location);
}

/* ---- Storing. */

static int compare_locations(gconstpointer a, gconstpointer b)
{
    uint64_t x = **(const uint64_t *const *)a, y = **(const uint64_t *const *)b;
    return x < y ? -1 : x > y;
}

static XtfTableWriter *empty_table(XtfWriter *writer, unsigned tag, GError **error)
{
    uint32_t id;

    if (!xtf_writer_add_schema(writer, xtf_model_schema(tag), &id, error))
        return NULL;
    XtfTableWriter *table = xtf_writer_table(writer, id, error);
    if (table)
        xtf_table_writer_clear(table);
    return table;
}

bool xtf_earlier_clocks_store(const XtfEarlierClocks *earlier, XtfWriter *writer, GError **error)
{
    XtfTableWriter *table = empty_table(writer, XTF_MODEL_EARLIER_CLOCKS, error);
    guint n;
    g_autofree gpointer *locations = g_hash_table_get_keys_as_array(earlier->maps, &n);

    if (!table)
        return false;
    qsort(locations, n, sizeof *locations, compare_locations);
    for (guint i = 0; i < n; i++) {
        const uint64_t *location = locations[i];
        const XtfClockMap *map = xtf_earlier_clocks_of(earlier, *location);
        for (uint32_t k = 0; k < map->n_knots; k++) {
            const XtfClockKnot *knot = &map->knots[k];
            const XtfEarlierClockRow row = {
                .location = *location, .local = knot->local, .global = knot->global, .jumps = knot->jumps};
            if (!xtf_table_writer_append(table, &row, NULL, error))
                return false;
        }
    }
    return true;
}

/* ---- Undoing. */

static bool restore_clocks(const XtfEarlierClocks *earlier, XtfTrace *trace, XtfWriter *writer, GError **error)
{
    for (uint64_t rank = 0; rank < xtf_trace_n_arrays(trace); rank++) {
        XtfArray array;
        uint32_t number = 0;
        if (!xtf_trace_get_arrays(trace, rank, 1, &array, error))
            return false;
        const XtfClockMap *map = xtf_earlier_clocks_of(earlier, array.location);
        if ((map && !xtf_writer_add_clock_map(writer, map, &number, error)) ||
            !xtf_writer_set_clock_map(writer, array.location, number, error))
            return false;
    }
    return xtf_writer_set_origin(writer, earlier->origin, error) &&
           empty_table(writer, XTF_MODEL_EARLIER_CLOCKS, error) &&
           empty_table(writer, XTF_MODEL_CLOCK_ALIGNMENTS, error);
}

bool xtf_alignment_undo(XtfTrace *trace, XtfWriter *writer, GError **error)
{
    XtfEarlierClocks earlier;

    if (!xtf_earlier_clocks_load(&earlier, trace, error))
        return false;
    bool good = earlier.aligned
                    ? restore_clocks(&earlier, trace, writer, error)
                    : xtf_fail(error, XTF_ERROR_NOT_FOUND,
                               earlier.stale ? "the clocks were changed since they were aligned, or aligned files were "
                                               "merged: the alignment cannot be undone"
                                             : "the clocks of the trace were not aligned: there is nothing to undo");
    xtf_earlier_clocks_finish(&earlier);
    return good;
}
