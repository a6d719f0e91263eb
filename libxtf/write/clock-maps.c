/*
 * The clock maps of a file being written, and the locations that have them.
 *
 * The P index stores the number of a map, so a map keeps its number. The next added map reuses the number of a map that
 * no array had when the file was opened. So repeated clock corrections do not accumulate unused maps.
 */
#include "libxtf/error.h"
#include "libxtf/write/writer-private.h"

static void free_map(gpointer data)
{
    XtfWriterMap *map = data;
    g_free((XtfClockKnot *)map->map.knots);
    g_free(map);
}

void xtf_writer_clocks_init(XtfWriterClocks *clocks)
{
    clocks->maps = g_ptr_array_new_with_free_func(free_map);
    clocks->known = g_hash_table_new(xtf_clock_map_hash, xtf_clock_map_equal);
    clocks->by_location = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
}

void xtf_writer_clocks_finish(XtfWriterClocks *clocks)
{
    g_hash_table_unref(clocks->known);
    g_ptr_array_unref(clocks->maps);
    g_hash_table_unref(clocks->by_location);
}

static XtfWriterMap *map_at(const XtfWriterClocks *clocks, uint32_t number)
{
    return clocks->maps->pdata[number - 1];
}

const XtfClockMap *xtf_writer_clock(const XtfWriter *writer, uint32_t number)
{
    return number > 0 ? &map_at(&writer->clocks, number)->map : NULL;
}

/* Stores a copy of a map under a number: the number of an unused map, or the next number. */
static XtfWriterMap *put_map(XtfWriterClocks *clocks, uint32_t number, const XtfClockMap *map)
{
    XtfWriterMap *copy = g_new(XtfWriterMap, 1);

    *copy = (XtfWriterMap){
        .map = {.n_knots = map->n_knots, .knots = g_memdup2(map->knots, map->n_knots * sizeof *map->knots)},
        .number = number,
    };
    clocks->n_knots += map->n_knots;
    if (number > clocks->maps->len) {
        g_ptr_array_add(clocks->maps, copy);
    } else {
        XtfWriterMap *old = map_at(clocks, number);
        if (g_hash_table_lookup(clocks->known, old) == old)
            g_hash_table_remove(clocks->known, old);
        clocks->n_knots -= old->map.n_knots;
        free_map(old);
        clocks->maps->pdata[number - 1] = copy;
    }
    g_hash_table_add(clocks->known, copy);
    return copy;
}

/* Returns the first number that has no map or an unused one. */
static uint32_t free_number(XtfWriterClocks *clocks)
{
    while (clocks->free < clocks->maps->len && map_at(clocks, clocks->free + 1)->used)
        clocks->free++;
    return clocks->free + 1;
}

bool xtf_writer_add_clock_map(XtfWriter *writer, const XtfClockMap *map, uint32_t *number, GError **error)
{
    XtfWriterClocks *clocks = &writer->clocks;
    uint32_t knot;
    const char *fault = xtf_clock_map_fault(map, &knot);

    if (fault)
        return xtf_fail(error, XTF_ERROR_INVALID, "the clock map to add, knot %u: %s", knot, fault);
    if (xtf_clock_map_is_identity(map)) {
        *number = 0;
        return true;
    }
    g_autoptr(GMutexLocker) locked G_GNUC_UNUSED = g_mutex_locker_new(&writer->lock);
    XtfWriterMap *known = g_hash_table_lookup(clocks->known, &(XtfWriterMap){.map = *map});
    if (!known) {
        if (clocks->n_knots + map->n_knots > XTF_CLOCK_KNOTS_MAX)
            return xtf_fail(error, XTF_ERROR_TOO_LARGE, "the clock maps have more than %d knots", XTF_CLOCK_KNOTS_MAX);
        known = put_map(clocks, free_number(clocks), map);
    }
    clocks->changed |= !known->used;
    known->used = true;
    *number = known->number;
    return true;
}

void xtf_array_writer_update_earliest(XtfArrayWriter *array)
{
    const XtfWriter *writer = array->writer;
    uint64_t complete = xtf_clock_map_to_local(xtf_writer_clock(writer, array->clock_map), writer->complete);

    array->earliest = array->schema->kind == XTF_SCHEMA_SIDE ? array->last : MAX(array->last, complete);
}

/* True if a location has rows in an array whose clock map is not number `number`. */
static bool has_other_map(const XtfWriter *writer, uint64_t location, uint32_t number)
{
    for (uint32_t schema = 0; schema < writer->catalog.n_schemas; schema++) {
        const XtfArrayWriter *array = xtf_writer_find_array(writer, location, writer->catalog.schemas[schema]);
        if (array && array->n_rows > 0 && array->clock_map != number)
            return true;
    }
    return false;
}

/* Makes the kept time later if a location's new map moves its removed records to later times. */
static void move_kept_time(XtfWriter *writer, uint64_t location, uint32_t number)
{
    const XtfClockMap *before = xtf_writer_clock(writer, xtf_writer_clock_of(writer, location));
    uint64_t local = xtf_clock_map_to_local(before, writer->kept_before);

    if (writer->kept_before > 0)
        writer->kept_from = MAX(writer->kept_from, xtf_clock_map_to_global(xtf_writer_clock(writer, number), local));
}

bool xtf_writer_set_clock_map(XtfWriter *writer, uint64_t location, uint32_t number, GError **error)
{
    g_autoptr(GMutexLocker) locked G_GNUC_UNUSED = g_mutex_locker_new(&writer->lock);

    if (number > writer->clocks.maps->len || (number > 0 && !map_at(&writer->clocks, number)->used))
        return xtf_fail(error, XTF_ERROR_INVALID, "there is no clock map %u", number);
    if (writer->complete > 0 && has_other_map(writer, location, number))
        return xtf_fail(error, XTF_ERROR_INVALID,
                        "location %" PRIu64 ": its clock cannot change: the writer has already promised a time to be complete",
                        location);
    move_kept_time(writer, location, number);
    g_hash_table_replace(writer->clocks.by_location, g_memdup2(&location, sizeof location), GUINT_TO_POINTER(number));
    for (uint32_t schema = 0; schema < writer->catalog.n_schemas; schema++) {
        XtfArrayWriter *array = xtf_writer_find_array(writer, location, writer->catalog.schemas[schema]);
        if (array && array->clock_map != number) {
            array->clock_map = number;
            array->remapped = true;
            xtf_array_writer_update_earliest(array);
        }
    }
    return true;
}

uint32_t xtf_writer_clock_of(const XtfWriter *writer, uint64_t location)
{
    return GPOINTER_TO_UINT(g_hash_table_lookup(writer->clocks.by_location, &location));
}

void xtf_writer_clocks_resume(XtfWriter *writer, const XtfClockMap *const *maps, uint32_t n, XtfRef stored)
{
    XtfWriterClocks *clocks = &writer->clocks;

    for (uint32_t i = 0; i < n; i++)
        put_map(clocks, i + 1, maps[i]);
    clocks->n_stored = n;
    clocks->stored = stored;
    if (stored.length > 0)
        xtf_space_use(writer->space, stored.offset, stored.length);
}

void xtf_writer_clocks_resume_array(XtfWriter *writer, XtfArrayWriter *array, uint32_t number)
{
    array->clock_map = number;
    xtf_array_writer_update_earliest(array);
    if (number == 0) /* the location may have no map */
        return;
    g_hash_table_replace(writer->clocks.by_location, g_memdup2(&array->location, sizeof array->location),
                         GUINT_TO_POINTER(number));
    map_at(&writer->clocks, number)->used = true;
}

void xtf_writer_clocks_keep(XtfWriter *writer, uint32_t number)
{
    if (number > 0)
        map_at(&writer->clocks, number)->kept = true;
}

void xtf_writer_clocks_forget_unused(XtfWriter *writer)
{
    XtfWriterClocks *clocks = &writer->clocks;
    g_autofree bool *used = g_new0(bool, clocks->maps->len + 1);
    const XtfArrayWriter *array;
    XtfObjectIter arrays;

    xtf_object_iter_init(&arrays, &writer->arrays);
    while ((array = xtf_object_iter_next(&arrays)))
        used[array->clock_map] |= array->n_rows > 0;
    for (uint32_t number = 1; number <= clocks->maps->len; number++) {
        XtfWriterMap *map = map_at(clocks, number);
        used[number] |= map->kept;
        clocks->changed |= map->used && !used[number];
        map->used = used[number];
    }
}

uint32_t xtf_writer_clocks_encode(const XtfWriter *writer, GByteArray *bytes)
{
    const XtfWriterClocks *clocks = &writer->clocks;
    uint32_t n = clocks->maps->len;

    while (n > 0 && !map_at(clocks, n)->used)
        n--;
    for (uint32_t number = 1; number <= n; number++)
        xtf_clock_map_encode(&map_at(clocks, number)->map, bytes);
    return n;
}
