#include "src/tables/match/order/message-index.h"

#include <string.h>

#include "src/trace/context/sorted.h"

enum {
    BYTES_MOST = 48 << 20,
    ROWS_PER_QUERY = 400,
    QUERIES_LEAST = 8,
    PROBES_MOST = 64, /* an index that needs more has bad keys, and is not made */
    SLOTS_FIRST = 64,
};

typedef struct {
    uint32_t values[XTF_ENVELOPE_KEYS];
} Key;

/* Group g has rows[starts[g]] to rows[starts[g + 1] - 1]. A slot is 0, or the number of a group plus 1. The slot of a
 * key is found from its hash on. At most half of the slots are used. */
struct XtfMessageIndex {
    uint32_t n_groups, n_slots; /* n_slots is a power of two */
    uint32_t *slots, *starts, *rows;
    Key *keys; /* of the groups */
    size_t bytes;
};

void xtf_message_index_bounds_init(XtfMessageIndexBounds *bounds)
{
    *bounds = (XtfMessageIndexBounds){.bytes_most = BYTES_MOST, .rows_per_query = ROWS_PER_QUERY};
}

static void free_index(XtfMessageIndex *index)
{
    g_free(index->slots);
    g_free(index->starts);
    g_free(index->rows);
    g_free(index->keys);
    g_free(index);
}

void xtf_message_index_free(XtfMessageIndexPlace *place, XtfMessageIndexBounds *bounds)
{
    XtfMessageIndex *index = place->index;

    if (!index)
        return;
    g_atomic_pointer_add(&bounds->bytes, -(gssize)index->bytes);
    free_index(index);
    place->index = NULL;
}

/* ---- Groups. */

static uint32_t hash_index_key(const Key *key)
{
    uint64_t hash = 0;

    for (unsigned i = 0; i < XTF_ENVELOPE_KEYS; i++)
        hash = (hash ^ key->values[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(hash >> 32);
}

static bool make_key(const uint64_t envelope[XTF_ENVELOPE_KEYS], Key *key)
{
    for (unsigned i = 0; i < XTF_ENVELOPE_KEYS; i++) {
        key->values[i] = (uint32_t)envelope[i];
        if (envelope[i] > UINT32_MAX)
            return false;
    }
    return true;
}

/* Returns the slot of a key, or the free slot for it. NULL if the search takes too many probes. */
static uint32_t *find_key_slot(const XtfMessageIndex *index, const Key *key)
{
    uint32_t mask = index->n_slots - 1, at = hash_index_key(key) & mask;

    for (unsigned i = 0; i < PROBES_MOST; i++, at = (at + 1) & mask)
        if (!index->slots[at] || memcmp(&index->keys[index->slots[at] - 1], key, sizeof *key) == 0)
            return &index->slots[at];
    return NULL;
}

XtfGroupRows xtf_message_index_rows(const XtfMessageIndex *index, const uint64_t envelope[XTF_ENVELOPE_KEYS])
{
    const uint32_t *slot;
    Key key;

    if (!make_key(envelope, &key) || !(slot = find_key_slot(index, &key)) || !*slot)
        return (XtfGroupRows){0};
    const uint32_t *starts = index->starts + *slot - 1;
    return (XtfGroupRows){index->rows + starts[0], starts[1] - starts[0]};
}

uint32_t xtf_group_rows_rank(const XtfGroupRows *group, uint64_t n)
{
    return xtf_sorted_rank(group->rows, group->n, n);
}

/* ---- Making. */

/* An index that is being made, and the group of each row. */
typedef struct {
    XtfMessageIndex *index;
    XtfMessageIndexBounds *bounds;
    uint32_t *groups;
    size_t bytes; /* reserved */
    bool good;    /* false: the bounds or the keys forbid the index */
} Making;

/* Reserves bytes for the index. Returns false beyond the bound. */
static bool reserve_bytes(Making *making, size_t bytes)
{
    gsize before = (gsize)g_atomic_pointer_add(&making->bounds->bytes, (gssize)bytes);

    making->bytes += bytes;
    making->good &= before + bytes <= making->bounds->bytes_most;
    return making->good;
}

/* Doubles the slots, and the room for groups with them. */
static void double_slots(Making *making)
{
    XtfMessageIndex *index = making->index;
    uint32_t n = index->n_slots ? 2 * index->n_slots : SLOTS_FIRST;

    if (!reserve_bytes(making,
                       (n - index->n_slots) * (sizeof *index->slots + (sizeof(Key) + sizeof *index->starts) / 2)))
        return;
    g_free(index->slots);
    index->slots = g_new0(uint32_t, n);
    index->keys = g_renew(Key, index->keys, n / 2);
    index->starts = g_renew(uint32_t, index->starts, n / 2 + 1);
    index->n_slots = n;
    for (uint32_t i = 0; i < index->n_groups && making->good; i++) {
        uint32_t *slot = find_key_slot(index, &index->keys[i]);
        making->good = slot != NULL;
        if (slot)
            *slot = i + 1;
    }
}

/* Adds a row to its group. Counts the rows of a group in `starts`. */
static void index_row(Making *making, const XtfMessageType *type, const uint8_t *row, uint64_t n)
{
    XtfMessageIndex *index = making->index;
    uint64_t envelope[XTF_ENVELOPE_KEYS];
    Key key;

    xtf_message_envelope(type, row, envelope);
    if (2 * index->n_groups == index->n_slots)
        double_slots(making);
    making->good &= make_key(envelope, &key);
    uint32_t *slot = making->good ? find_key_slot(index, &key) : NULL;
    making->good = slot != NULL;
    if (!slot)
        return;
    if (!*slot) {
        index->keys[index->n_groups] = key;
        index->starts[index->n_groups++] = 0;
        *slot = index->n_groups;
    }
    index->starts[*slot - 1]++;
    making->groups[n] = *slot - 1;
}

/* Adds all rows. An index of an array that cannot be read as a whole is not good. */
static void index_rows(Making *making, const XtfMessageType *type, const XtfArray *array)
{
    g_auto(XtfCursor) cursor;
    bool found = false;
    uint64_t n = 0;

    xtf_cursor_init(&cursor, array);
    making->good = xtf_cursor_seek_n(&cursor, 0, &found, NULL);
    for (; found && making->good && n < array->n_rows; n++) {
        index_row(making, type, xtf_cursor_row(&cursor), n);
        making->good &= xtf_cursor_next(&cursor, 1, &found, NULL);
    }
    making->good &= n == array->n_rows;
}

/* Sorts the rows by group: turns counts into starts. */
static void sort_rows(Making *making, uint32_t n_rows)
{
    XtfMessageIndex *index = making->index;

    for (uint32_t i = 0, end = 0; i < index->n_groups; i++)
        index->starts[i] = end += index->starts[i];
    index->starts[index->n_groups] = n_rows;
    for (uint32_t n = n_rows; n-- > 0;)
        index->rows[--index->starts[making->groups[n]]] = n;
}

/* Makes an index. Returns NULL if the bounds or the keys forbid it, or if not all rows can be read. */
static XtfMessageIndex *make_index(XtfMessageIndexBounds *bounds, const XtfMessageType *type, const XtfArray *array)
{
    size_t n_rows = array->n_rows, row_bytes = n_rows * sizeof(uint32_t);
    Making making = {.bounds = bounds, .good = true};
    XtfMessageIndex *made = NULL;
    uint64_t first_kept;

    if (!xtf_array_first_kept(array, &first_kept, NULL) || first_kept > 0)
        return NULL;
    if (reserve_bytes(&making, 2 * row_bytes + sizeof(XtfMessageIndex))) {
        making.index = g_new0(XtfMessageIndex, 1);
        making.index->rows = g_new(uint32_t, n_rows);
        making.groups = g_new(uint32_t, n_rows);
        index_rows(&making, type, array);
    }
    if (making.good) {
        sort_rows(&making, (uint32_t)n_rows);
        making.index->bytes = making.bytes - row_bytes;
        made = g_steal_pointer(&making.index);
    }
    g_free(making.groups);
    g_clear_pointer(&making.index, free_index);
    g_atomic_pointer_add(&bounds->bytes, made ? -(gssize)row_bytes : -(gssize)making.bytes);
    return made;
}

/* True if the queries so far have cost about as much as an index. */
static bool is_worth_index(XtfMessageIndexPlace *place, const XtfMessageIndexBounds *bounds, const XtfArray *array)
{
    if (array->n_rows >= bounds->bytes_most / (2 * sizeof(uint32_t)))
        return false;
    uint64_t queries = (uint64_t)g_atomic_int_add(&place->queries, 1) + 1;
    return queries >= QUERIES_LEAST && queries * bounds->rows_per_query >= array->n_rows;
}

const XtfMessageIndex *xtf_message_index_find(XtfMessageIndexPlace *place, XtfMessageIndexBounds *bounds,
                                              const XtfMessageType *type, const XtfArray *array)
{
    const XtfMessageIndex *index = xtf_message_index_made(place);

    if (index || g_atomic_int_get(&place->made) || !is_worth_index(place, bounds, array) ||
        !g_atomic_int_compare_and_exchange(&place->made, 0, 1))
        return index;
    XtfMessageIndex *made = make_index(bounds, type, array);
    g_atomic_pointer_set(&place->index, made);
    return made;
}
