#include "libxtf/frame-finder.h"

#include "libxtf/aggregate/frame-leaf.h"

struct XtfFrameFinder {
    XtfArray array; /* in local ticks */
    const XtfClockMap *clock;
    unsigned index;
    bool keys;
    XtfPageView leaf;  /* pinned: columns of frames, or rows */
    XtfPageView keyed; /* pinned: the leaf of the last key that `leaf` lacked */
};

XtfFrameFinder *xtf_frame_finder_new(const XtfArray *array, unsigned index, bool keys)
{
    XtfFrameFinder *finder = g_new0(XtfFrameFinder, 1);

    finder->array = xtf_array_local(array);
    finder->clock = array->clock;
    finder->index = index;
    finder->keys = keys;
    return finder;
}

void xtf_frame_finder_free(XtfFrameFinder *finder)
{
    if (!finder)
        return;
    xtf_page_view_finish(&finder->leaf);
    xtf_page_view_finish(&finder->keyed);
    g_free(finder);
}

/* True if the first row at or after t, in local ticks, is certainly in the pinned leaf, and not its first row. */
static bool finder_has_time(const XtfFrameFinder *finder, uint64_t t)
{
    const XtfPageView *leaf = &finder->leaf;

    return leaf->block && leaf->count > 0 && xtf_page_time(leaf, 0) < t && xtf_page_time(leaf, leaf->count - 1) >= t;
}

/* Returns the distance of a row to the row that it leads to; XTF_FRAME_CHAINED if other rows are needed to know it. */
static uint64_t read_finder_distance(const XtfFrameFinder *finder, uint32_t i)
{
    const XtfPageView *leaf = &finder->leaf;
    const XtfSchema *schema = finder->array.schema;
    const XtfField *distance = &schema->fields[schema->aggregates[finder->index].values[1]];

    return leaf->frames ? leaf->frames->templates[leaf->frames->numbers[i]].distance
                        : xtf_field_get(distance, leaf->payload + (size_t)i * schema->row_size);
}

/* True if row i, not the leaf's first, leads to the row before. A chained row leads there from a row that leads
 * nowhere. */
static bool leads_to_previous(const XtfFrameFinder *finder, uint32_t i)
{
    uint64_t distance = read_finder_distance(finder, i);

    return distance == 1 ||
           (finder->leaf.frames && distance == XTF_FRAME_CHAINED && read_finder_distance(finder, i - 1) == 0);
}

/* Returns the key of row i of a leaf that has keys. */
static uint64_t read_frame_key(const XtfFrameFinder *finder, const XtfPageView *leaf, uint32_t i)
{
    const XtfSchema *schema = finder->array.schema;
    const XtfField *key = &schema->fields[schema->aggregates[finder->index].keys[0]];

    return leaf->frames ? xtf_frame_key(leaf->frames, &leaf->frames->templates[leaf->frames->numbers[i]], i)
                        : xtf_field_get(key, leaf->payload + (size_t)i * schema->row_size);
}

static uint64_t read_finder_time(const XtfFrameFinder *finder, uint32_t i)
{
    return xtf_clock_map_to_global(finder->clock, xtf_page_time(&finder->leaf, i));
}

/* True if rows i - 1 and i of the leaf begin and end a frame around time t. */
static bool is_frame_around(const XtfFrameFinder *finder, uint64_t t, uint32_t i)
{
    return i > 0 && i < finder->leaf.count && read_finder_time(finder, i) > t &&
           xtf_frame_row(&finder->array, finder->index, &finder->leaf, i) == XTF_FRAME_ROW_ENDS &&
           xtf_frame_row(&finder->array, finder->index, &finder->leaf, i - 1) == XTF_FRAME_ROW_BEGINS &&
           leads_to_previous(finder, i);
}

/* Pins the leaf of the first row at or after t, in local ticks. */
static bool enter_leaf(XtfFrameFinder *finder, uint64_t t, GError **error)
{
    XtfLeafPart part = (finder->keys ? XTF_LEAF_FRAMES : XTF_LEAF_FRAMES_WITHOUT_KEYS) + finder->index;
    XtfBlock *left = g_steal_pointer(&finder->leaf.block);
    bool is_later = left && xtf_page_time(&finder->leaf, finder->leaf.count - 1) < t;

    (is_later ? xtf_block_pass : xtf_block_put)(left);
    return xtf_leaf_find(&finder->array, XTF_KEY_T, t, part, &finder->leaf, error);
}

bool xtf_frame_finder_at(XtfFrameFinder *finder, uint64_t t, XtfFrameSpan *frame, bool *has_key, bool *found,
                         GError **error)
{
    const XtfArray *array = &finder->array;
    uint64_t local = xtf_clock_map_to_local(finder->clock, t), row;

    *found = false;
    if (array->kept > 0 || local <= array->first || local > array->last)
        return true;
    if (!finder_has_time(finder, local) && !enter_leaf(finder, local, error))
        return false;
    uint32_t i = xtf_leaf_rank(array, &finder->leaf, local);
    *found = is_frame_around(finder, t, i);
    if (!*found)
        return true;
    row = finder->leaf.first_n + i - 1;
    *has_key = !finder->leaf.frames || !finder->leaf.frames->lacks_keys;
    *frame = (XtfFrameSpan){.key = *has_key ? read_frame_key(finder, &finder->leaf, i - 1) : 0,
                            .row = row,
                            .end_row = row + 1,
                            .begin = read_finder_time(finder, i - 1),
                            .end = read_finder_time(finder, i)};
    return true;
}

bool xtf_frame_finder_key(XtfFrameFinder *finder, uint64_t row, uint64_t *key, GError **error)
{
    XtfPageView *leaf = &finder->keyed;

    if (!leaf->block || row < leaf->first_n || row - leaf->first_n >= leaf->count) {
        xtf_page_view_finish(leaf);
        if (!xtf_leaf_find(&finder->array, XTF_KEY_N, row, XTF_LEAF_FRAMES + finder->index, leaf, error))
            return false;
    }
    *key = read_frame_key(finder, leaf, (uint32_t)(row - leaf->first_n));
    return true;
}
