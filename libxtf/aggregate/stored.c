#include "libxtf/aggregate/stored.h"

#include "libxtf/aggregate/mapped-groups.h"
#include "libxtf/aggregate/stored-rows.h"
#include "libxtf/disk/page.h"

/* The totals to decode, and where they are in the file. */
typedef struct {
    const XtfArray *array;
    const XtfDescentPage *descent;
    const XtfPageView *page; /* of the same page */
    unsigned index, level;
    bool open;
    uint64_t place;       /* of a sealed page's companion */
    const uint8_t *bytes; /* of an open page: from its XtfDiskTotals on */
    uint32_t length;
} TableSource;

static bool damaged(const TableSource *source, const char *fault, GError **error)
{
    const XtfArray *array = source->array;

    if (source->open)
        return xtf_damaged(error, "array %u: its right edge (byte %" PRIu64 "): totals of level %u: %s", array->id,
                           array->edge_offset, source->level, fault);
    return xtf_damaged(error, "page %" PRIu64 ": totals of array %u, level %u: %s", source->place, array->id,
                       source->level, fault);
}

static bool has_snapshots(const TableSource *source, unsigned index)
{
    return source->level == 1 && source->array->schema->aggregates[index].kind == XTF_AGGREGATE_FRAMES;
}

/* The number of children with stored totals. */
static uint32_t n_with_totals(const TableSource *source)
{
    return source->page->count - source->open;
}

/* Takes the rows of a group from the rows below the child that no group has counted yet; false if there are too few. */
static bool count_off(const XtfAggregate *aggregate, const XtfTotalsRow *group, uint64_t *uncounted)
{
    uint64_t counts[] = {group->cells[XTF_GROUP_ROWS], 0};

    if (aggregate->kind == XTF_AGGREGATE_FRAMES) {
        if (group->depth > 0 && group->key[0] == XTF_FRAMES_BEFORE)
            return true; /* its rows are counted under other keys too */
        counts[0] = group->cells[XTF_FRAMES_BEGUN];
        counts[1] = group->cells[XTF_FRAMES_ENDED];
    }
    if (counts[0] > *uncounted || counts[1] > *uncounted - counts[0])
        return false;
    *uncounted -= counts[0] + counts[1];
    return true;
}

/* A fault of a group of a child, or NULL. `before`: the group before it, NULL if it is the first. */
static const char *group_fault(const XtfAggregate *aggregate, const XtfTotalsRow *group, const XtfTotalsRow *before)
{
    if (group->depth > aggregate->n_keys)
        return "a group has more keys than there are";
    for (unsigned k = (unsigned)group->depth; k < aggregate->n_keys; k++)
        if (group->key[k] != 0)
            return "a group has a key beyond its depth";
    if (!before)
        return NULL;
    if (group->depth != before->depth)
        return "the groups of a child have different numbers of keys";
    for (unsigned k = 0; k < group->depth; k++)
        if (group->key[k] != before->key[k])
            return group->key[k] > before->key[k] ? NULL : "they are out of order";
    return "a group is there twice";
}

/* Reads the totals of all children; returns a fault, or NULL. Rank and select rely on it that the groups of a child
 * count exactly the rows below it. */
static const char *read_totals_of_children(const TableSource *source, XtfMappedGroups *to, const uint8_t *rows,
                                           uint32_t n_rows)
{
    const XtfAggregate *aggregate = &source->array->schema->aggregates[source->index];
    uint32_t row_size = xtf_stored_totals_schema(aggregate)->row_size;
    XtfTotalsRow groups[2];
    uint32_t row = 0;

    if (n_rows > 0)
        xtf_stored_totals_read(aggregate, rows, &groups[0]);
    for (uint32_t child = 0; child < n_with_totals(source); child++) {
        const XtfTotalsRow *before = NULL;
        uint64_t uncounted =
            xtf_descent_child_end(source->descent, child) - xtf_descent_child_start(source->descent, child);
        xtf_mapped_groups_next(to);
        for (; row < n_rows && groups[row % 2].child == child; row++) {
            const XtfTotalsRow *group = &groups[row % 2];
            const char *fault = group_fault(aggregate, group, before);
            if (fault)
                return fault;
            if (!count_off(aggregate, group, &uncounted))
                return "they count more rows than there are below a child";
            xtf_mapped_groups_add(to, group->key, (unsigned)group->depth, group->cells);
            before = group;
            if (row + 1 < n_rows)
                xtf_stored_totals_read(aggregate, rows + (size_t)(row + 1) * row_size, &groups[(row + 1) % 2]);
        }
        if (!before || uncounted > 0)
            return "they do not count all rows below a child";
    }
    if (source->open)
        xtf_mapped_groups_next(to);
    xtf_mapped_groups_flush(to);
    return row == n_rows ? NULL : "they are of a child that does not exist";
}

/* A fault of a frame in the stack before a child, or NULL. `outer`: the frame around it, NULL if it is the outermost.
 */
static const char *frame_fault(const XtfDiskEntry *child, const XtfOpenFrame *frame, const XtfOpenFrame *outer)
{
    if (frame->row >= xtf_read64(child->before) || frame->time > xtf_read64(child->first_t))
        return "a frame is open before it begins";
    if (outer && (frame->row <= outer->row || frame->time < outer->time))
        return "the frames of a stack are out of order";
    return NULL;
}

static const char *read_stacks_of_children(const TableSource *source, const XtfMappedGroups *to, const uint8_t *rows,
                                           uint32_t n_rows)
{
    const XtfDiskEntry *entries = (const XtfDiskEntry *)source->page->payload;
    uint32_t row_size = xtf_stored_snapshot_schema()->row_size;
    g_auto(XtfFrameStack) stack;
    const char *fault = NULL;
    uint32_t row = 0;

    xtf_frame_stack_init(&stack);
    for (uint32_t child = 0; !fault && child < source->page->count; child++) {
        g_array_set_size(stack.frames, 0);
        for (; !fault && row < n_rows; row++) {
            guint depth = stack.frames->len;
            uint64_t child_of_row;
            XtfOpenFrame frame;
            xtf_stored_snapshot_read(rows + (size_t)row * row_size, &child_of_row, &frame);
            if (child_of_row != child)
                break;
            fault =
                depth == XTF_SNAPSHOT_FRAMES
                    ? "a stack has too many frames"
                    : frame_fault(&entries[child], &frame, depth > 0 ? xtf_frame_stack_at(&stack, depth - 1) : NULL);
            frame.key = xtf_mapped_groups_key(to, 0, frame.key);
            g_array_append_val(stack.frames, frame);
        }
        if (!fault)
            xtf_child_totals_builder_stack(to->builder, &stack);
    }
    return fault || row == n_rows ? fault : "a stack is before a child that does not exist";
}

/* The most rows of totals that a page has. */
static uint64_t totals_most(const TableSource *source, const XtfSchema *schema)
{
    uint64_t children = source->page->count;
    uint64_t few = XTF_TABLE_BYTES / schema->row_size + XTF_CHILD_GROUPS + children * XTF_CHILD_GROUPS_LEAST;

    return MIN(children * XTF_CHILD_GROUPS, few);
}

/* Decodes source->bytes. */
static bool decode(void *context, uint8_t **data, uint32_t *length, GError **error)
{
    const TableSource *source = context;
    const XtfAggregate *aggregate = &source->array->schema->aggregates[source->index];
    XtfBytesReader reader = {.at = source->bytes, .left = source->length};
    g_autoptr(XtfChildTotalsBuilder) builder =
        xtf_child_totals_builder_new(source->array, source->index, source->level, source->page->first_n);
    g_autofree uint8_t *rows = NULL, *frames = NULL;
    g_auto(XtfMappedGroups) to = {0};
    const char *fault = NULL;

    for (unsigned before = 0; before < source->index; before++) {
        xtf_stored_rows_next(&reader);
        if (has_snapshots(source, before))
            xtf_stored_rows_next(&reader);
    }
    XtfPackedRows totals = xtf_stored_rows_next(&reader), snapshots = {0};
    if (has_snapshots(source, source->index))
        snapshots = xtf_stored_rows_next(&reader);
    if (reader.failed)
        return damaged(source, "they are cut short", error);

    if (!xtf_mapped_groups_init(&to, source->array, source->index, builder, error))
        return false;
    const XtfSchema *schema = xtf_stored_totals_schema(aggregate);
    rows =
        xtf_stored_rows_unpack(schema, xtf_codec(source->array->codec), &totals, totals_most(source, schema), &fault);
    if (rows)
        fault = read_totals_of_children(source, &to, rows, totals.n);
    if (!fault && has_snapshots(source, source->index)) {
        uint64_t most = (uint64_t)source->page->count * XTF_SNAPSHOT_FRAMES;
        frames = xtf_stored_rows_unpack(xtf_stored_snapshot_schema(), xtf_codec(source->array->codec), &snapshots, most,
                                        &fault);
        if (frames)
            fault = read_stacks_of_children(source, &to, frames, snapshots.n);
    }
    if (fault)
        return damaged(source, fault, error);
    XtfChildTotals *children = xtf_child_totals_builder_finish(builder, length, error);
    *data = (uint8_t *)children;
    return children != NULL;
}

/* A fault of a companion's head, compared with its index page, or NULL. */
static const char *companion_fault(const TableSource *source, const XtfDiskPage *head, uint64_t room)
{
    const XtfDiskPage *page = xtf_page_head(source->page->block);

    if (xtf_read32(head->magic) != XTF_PAGE_MAGIC || head->kind != XTF_PAGE_TOTALS)
        return "they do not begin like totals";
    if (head->codec != source->array->codec)
        return "their codec is not that of the rows";
    if (head->level != page->level || xtf_read32(head->array) != source->array->id ||
        xtf_read64(head->segment) != xtf_read64(page->segment) || xtf_read64(head->first_n) != source->page->first_n ||
        xtf_read32(head->count) != source->page->count)
        return "they are of another page";
    if (xtf_read32(head->epoch) > xtf_read32(page->epoch))
        return "a later writer wrote them than wrote the page";
    return xtf_read32(head->length) > room ? "they are cut short" : NULL;
}

/* Reads a companion without the cache: only its decoded totals are kept there. */
static bool make_sealed(void *context, uint8_t **data, uint32_t *length, GError **error)
{
    TableSource *source = context;
    const XtfSegment *segment = xtf_array_segment(source->array);
    XtfSource *file = source->array->trace->source;
    uint32_t page_size = xtf_array_page_size(source->array);
    XtfDiskPage head;

    if (source->place >= segment->pages)
        return damaged(source, "they should lie behind the last page", error);
    uint64_t offset = xtf_page_offset(segment, page_size, source->place);
    if (offset > xtf_source_size(file) || xtf_source_size(file) - offset < page_size)
        return damaged(source, "they should lie behind the end of the file", error);
    if (!file->ops->read(file, offset, (uint8_t *)&head, sizeof head, error))
        return false;
    uint64_t room = MIN((segment->pages - source->place) * page_size, xtf_source_size(file) - offset) - sizeof head;
    const char *fault = companion_fault(source, &head, room);
    if (fault)
        return damaged(source, fault, error);

    uint32_t bytes = xtf_read32(head.length);
    g_autofree uint8_t *payload = g_malloc(MAX(bytes, 1));
    if (!file->ops->read(file, offset + sizeof head, payload, bytes, error))
        return false;
    if (xtf_read32(head.checksum) != xtf_page_checksum(&head, source->place, payload, bytes))
        return damaged(source, "their checksum is wrong", error);
    source->bytes = payload;
    source->length = bytes;
    return decode(source, data, length, error);
}

/* The block of a table, named by where its bytes begin; NULL with an error. */
static XtfBlock *make_table(TableSource *source, GError **error)
{
    const XtfArray *array = source->array;
    const XtfBlock *page = source->page->block;
    XtfCache *cache = array->trace->cache;

    if (source->open) { /* its totals are in the right edge */
        XtfBytesReader totals = xtf_edge_totals(page->data, page->length, array->height, source->level);
        if (totals.failed) {
            damaged(source, "they are cut short", error);
            return NULL;
        }
        source->bytes = totals.at;
        source->length = (uint32_t)totals.left;
        return xtf_cache_make(cache, page->offset + (uint64_t)(totals.at - page->data), source->index + 1,
                              page->version, decode, source, error);
    }
    const XtfSegment *segment = xtf_array_segment(array);
    uint32_t page_size = xtf_array_page_size(array), companion = xtf_read32(xtf_page_head(page)->companion);
    source->place = xtf_place_at(segment, page_size, page->offset) + companion;
    if (companion == 0) {
        damaged(source, "there are none", error);
        return NULL;
    }
    return xtf_cache_make(cache, xtf_page_offset(segment, page_size, source->place), source->index + 1, 0, make_sealed,
                          source, error);
}

XtfBlock *xtf_stored_totals_get(const XtfDescentPage *descent, unsigned index, GError **error)
{
    TableSource source = {.array = descent->array,
                          .descent = descent,
                          .page = &descent->page,
                          .index = index,
                          .level = descent->level,
                          .open = descent->open};
    g_autoptr(XtfBlock) block = make_table(&source, error);

    if (!block)
        return NULL;
    if (xtf_child_totals_are_of(xtf_block_child_totals(block), descent->array, index, descent->level,
                                descent->page.first_n, descent->page.count))
        return g_steal_pointer(&block);
    damaged(&source, "they are of another page", error);
    return NULL;
}
