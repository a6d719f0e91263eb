#include "libxtf/disk/clock-maps.h"

#include "libxtf/base/bytes.h"
#include "libxtf/disk/format.h"

/* ---- Maps. */

/* True if a line of `rise` global ticks in `run` local ticks is within the limits of a drift. */
static bool is_drift(uint64_t run, uint64_t rise)
{
    uint64_t difference = rise > run ? rise - run : run - rise;
    return difference <= run / XTF_CLOCK_DRIFT + 1;
}

const char *xtf_clock_map_fault(const XtfClockMap *map, uint32_t *knot)
{
    *knot = 0;
    if (map->n_knots == 0)
        return "a map without a knot";
    for (uint32_t i = 0; i + 1 < map->n_knots; i++) {
        const XtfClockKnot *from = &map->knots[i], *to = from + 1;
        *knot = i + 1;
        if (to->local <= from->local)
            return "its local time is not after that of the previous knot";
        if (to->global < from->global)
            return "its global time is before that of the previous knot";
        uint64_t run = to->local - from->local, rise = to->global - from->global;
        if (from->jumps ? rise < run : !is_drift(run, rise))
            return from->jumps ? "the jump to it goes backwards" : "the clock drifts more than the format allows";
    }
    return NULL;
}

/* Returns the last knot with a local time of at most `local`; the first knot if there is none. */
static uint32_t knot_before_local(const XtfClockMap *map, uint64_t local)
{
    uint32_t low = 0, high = map->n_knots - 1;

    while (low < high) {
        uint32_t middle = high - (high - low) / 2;
        if (map->knots[middle].local <= local)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Returns the last knot with a global time before t; the first knot if there is none. */
static uint32_t knot_before_global(const XtfClockMap *map, uint64_t t)
{
    uint32_t low = 0, high = map->n_knots - 1;

    while (low < high) {
        uint32_t middle = high - (high - low) / 2;
        if (map->knots[middle].global < t)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Returns the global time of a local time. Knot i is the one before the local time. */
static inline uint64_t to_global(const XtfClockMap *map, uint32_t i, uint64_t local)
{
    const XtfClockKnot *from = &map->knots[i];
    uint64_t t, product;

    if (local < from->local) /* before the first knot */
        return from->global > from->local - local ? from->global - (from->local - local) : 0;
    uint64_t x = local - from->local;
    if (i + 1 == map->n_knots)
        return __builtin_add_overflow(from->global, x, &t) ? UINT64_MAX : t;
    uint64_t run = from[1].local - from->local, rise = from[1].global - from->global;
    if (run == rise)
        return from->global + x;
    if (!__builtin_mul_overflow(x, rise, &product))
        return from->global + product / run;
    return from->global + (uint64_t)((unsigned __int128)x * rise / run);
}

uint64_t xtf_clock_map_to_global(const XtfClockMap *map, uint64_t local)
{
    return map ? to_global(map, knot_before_local(map, local), local) : local;
}

uint64_t xtf_clock_map_to_local(const XtfClockMap *map, uint64_t t)
{
    uint64_t local;

    if (!map || t == 0)
        return t;
    uint32_t i = knot_before_global(map, t);
    const XtfClockKnot *from = &map->knots[i];
    if (from->global >= t) /* no knot is before t */
        return from->local > from->global - t ? from->local - (from->global - t) : 0;
    uint64_t d = t - from->global;
    if (i + 1 == map->n_knots)
        return __builtin_add_overflow(from->local, d, &local) ? UINT64_MAX : local;
    /* Find the least x for which x * rise / run, rounded down, is at least d. The next knot is at t or later, so rise
     * is not 0. */
    uint64_t run = from[1].local - from->local, rise = from[1].global - from->global;
    return from->local + (uint64_t)(((unsigned __int128)d * run + rise - 1) / rise);
}

bool xtf_clock_map_is_identity(const XtfClockMap *map)
{
    for (uint32_t i = 0; i < map->n_knots; i++)
        if (map->knots[i].local != map->knots[i].global)
            return false;
    return true;
}

guint xtf_clock_map_hash(gconstpointer data)
{
    const XtfClockMap *map = data;
    uint64_t hash = map->n_knots;

    for (uint32_t i = 0; i < map->n_knots; i++) {
        const XtfClockKnot *knot = &map->knots[i];
        hash = (hash ^ knot->local) * UINT64_C(0x9e3779b97f4a7c15);
        hash = (hash ^ knot->global ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return (guint)(hash >> 32);
}

gboolean xtf_clock_map_equal(gconstpointer left, gconstpointer right)
{
    const XtfClockMap *a = left, *b = right;

    if (!a || !b || a->n_knots != b->n_knots)
        return a == b;
    for (uint32_t i = 0; i < a->n_knots; i++) {
        const XtfClockKnot *x = &a->knots[i], *y = &b->knots[i];
        if (x->local != y->local || x->global != y->global || (i + 1 < a->n_knots && x->jumps != y->jumps))
            return FALSE;
    }
    return TRUE;
}

static void free_clock_map(gpointer data)
{
    XtfClockMap *map = data;
    g_free((XtfClockKnot *)map->knots);
    g_free(map);
}

GHashTable *xtf_clock_set_new(void)
{
    return g_hash_table_new_full(xtf_clock_map_hash, xtf_clock_map_equal, free_clock_map, NULL);
}

const XtfClockMap *xtf_clock_set_add(GHashTable *set, const XtfClockMap *map)
{
    XtfClockMap *known = g_hash_table_lookup(set, map);

    if (!known) {
        known = g_new(XtfClockMap, 1);
        *known = (XtfClockMap){.n_knots = map->n_knots,
                               .knots = g_memdup2(map->knots, map->n_knots * sizeof *map->knots),
                               .id = g_hash_table_size(set) + 1};
        g_hash_table_add(set, known);
    }
    return known;
}

/* ---- Rows. */

/* Maps the ascending times of rows in place. The times are little-endian U64, `stride` bytes apart. */
static void map_times(const XtfClockMap *map, uint8_t *times, uint32_t stride, uint32_t count)
{
    if (count == 0)
        return;
    uint32_t knot = knot_before_local(map, xtf_load64(times));
    for (; count > 0; count--, times += stride) {
        uint64_t local = xtf_load64(times);
        while (knot + 1 < map->n_knots && map->knots[knot + 1].local <= local)
            knot++;
        xtf_store64(times, to_global(map, knot, local));
    }
}

/* Maps an instant of each row. The result is never "none", not even for the greatest time. */
static void map_instants(const XtfClockMap *map, const XtfField *field, uint32_t row_size, uint8_t *rows,
                         uint32_t count)
{
    uint64_t max_time = field->flags & XTF_FIELD_OPTIONAL ? UINT64_MAX - 1 : UINT64_MAX;

    for (; count > 0; count--, rows += row_size)
        if (!xtf_field_is_none(field, rows))
            xtf_field_set(field, rows, MIN(xtf_clock_map_to_global(map, xtf_field_get(field, rows)), max_time));
}

void xtf_clock_map_rows(const XtfClockMap *map, const XtfSchema *schema, uint8_t *rows, uint32_t count)
{
    map_times(map, rows, schema->row_size, count);
    for (uint32_t f = 1; f < schema->n_fields; f++)
        if (schema->fields[f].flags & XTF_FIELD_INSTANT)
            map_instants(map, &schema->fields[f], schema->row_size, rows, count);
}

/* ---- Bytes. */

void xtf_clock_maps_finish(XtfClockMaps *maps)
{
    g_free(maps->maps);
    g_free(maps->knots);
    *maps = (XtfClockMaps){0};
}

void xtf_clock_map_encode(const XtfClockMap *map, GByteArray *bytes)
{
    XtfDiskClockMap head = {0};

    xtf_write32(&head.n_knots, map->n_knots);
    g_byte_array_append(bytes, (const guint8 *)&head, sizeof head);
    for (uint32_t i = 0; i < map->n_knots; i++) {
        const XtfClockKnot *knot = &map->knots[i];
        XtfDiskClockKnot disk = {0};
        xtf_write64(&disk.local, knot->local);
        xtf_write64(&disk.global, knot->global);
        xtf_write32(&disk.flags, knot->jumps && i + 1 < map->n_knots ? XTF_KNOT_JUMPS : 0);
        g_byte_array_append(bytes, (const guint8 *)&disk, sizeof disk);
    }
}

static void decode_knots(XtfBytesReader *reader, XtfClockKnot *knots, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        XtfDiskClockKnot disk;
        xtf_bytes_read(reader, &disk, sizeof disk);
        knots[i] = (XtfClockKnot){
            .local = xtf_read64(disk.local),
            .global = xtf_read64(disk.global),
            .jumps = xtf_read32(disk.flags) & XTF_KNOT_JUMPS,
        };
    }
}

/* Decodes the next map. Its knots go to maps->knots, after *n_knots_used knots of earlier maps; `max_knots` are
 * allocated. */
static bool decode_map(XtfClockMaps *maps, uint64_t max_knots, uint64_t *n_knots_used, XtfBytesReader *reader,
                       GError **error)
{
    XtfDiskClockMap head;
    uint32_t number = maps->n + 1, knot;

    xtf_bytes_read(reader, &head, sizeof head);
    uint32_t n_knots = xtf_read32(head.n_knots);
    if (reader->failed || n_knots > max_knots - *n_knots_used || n_knots > reader->left / sizeof(XtfDiskClockKnot))
        return xtf_damaged(error, "clock map %u: it is cut short", number);
    XtfClockMap *map = &maps->maps[maps->n];
    *map = (XtfClockMap){.n_knots = n_knots, .knots = maps->knots + *n_knots_used};
    decode_knots(reader, maps->knots + *n_knots_used, n_knots);
    const char *fault = xtf_clock_map_fault(map, &knot);
    if (fault)
        return xtf_damaged(error, "clock map %u, knot %u: %s", number, knot, fault);
    *n_knots_used += n_knots;
    maps->n++;
    return true;
}

bool xtf_clock_maps_decode(XtfClockMaps *maps, uint32_t n, const uint8_t *bytes, size_t length, GError **error)
{
    XtfBytesReader reader = {.at = bytes, .left = length};
    uint64_t max_knots = MIN(length / sizeof(XtfDiskClockKnot), (size_t)XTF_CLOCK_KNOTS_MAX), n_knots_used = 0;

    if (n > length / sizeof(XtfDiskClockMap))
        return xtf_damaged(error, "clock maps: %zu bytes cannot hold %u of them", length, n);
    maps->maps = g_new0(XtfClockMap, n);
    maps->knots = g_new0(XtfClockKnot, max_knots);
    while (maps->n < n && decode_map(maps, max_knots, &n_knots_used, &reader, error))
        ;
    bool whole = maps->n == n;
    if (whole && reader.left > 0)
        xtf_damaged(error, "clock map %u: bytes are left over after it", n);
    if (whole && reader.left == 0)
        return true;
    xtf_clock_maps_finish(maps);
    return false;
}
