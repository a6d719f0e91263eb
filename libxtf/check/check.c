/*
 * Checking a trace. The walk descends as a reader does, so all that a reader verifies on the way (checksums, order
 * within a page, entries against children) is verified. The walk adds what only the whole trace shows: that levels are
 * linked, sealed pages full, every place taken once, counts and limits right.
 */
#include "libxtf/check.h"

#include "libxtf/check/check-aggregates.h"
#include "libxtf/check/check-header.h"
#include "libxtf/check/check-segments.h"
#include "libxtf/check/check-values.h"
#include "libxtf/disk/node.h"
#include "libxtf/disk/page.h"
#include "libxtf/schema/value-limits.h"
#include "libxtf/tree/descent.h"

/* A file made wrong on purpose can have endless problems; the check stops at this number. */
enum { PROBLEMS_MAX = 1000 };

/* The use of a page of the file. */
enum {
    USE_NONE,
    USE_PAGE,     /* a sealed page of a tree */
    USE_RESERVED, /* the place of an open page */
    USE_ITEM,     /* items lie in it */
    USE_FREE,     /* the catalog says that no item takes it */
};

/* The position of the walk along a level of an array. */
typedef struct {
    uint64_t place, next; /* of the page just passed; 0 before the first */
    uint64_t n;           /* rows passed */
} LevelWalk;

typedef struct {
    XtfTrace *trace;
    XtfCheckProblem problem;
    XtfCheckProgress progress;
    void *data;
    XtfCheckReport report;
    uint8_t *uses; /* by page of the file */
    uint64_t n_uses;
    GHashTable *beyond; /* reserved places past the end of the file */
    uint64_t *n_rows;   /* by schema, found */
    uint64_t n_nodes;   /* of the P index, met */
    XtfValueCheck *values;
    GArray *array_ids; /* segment and id of each array, uint64_t */
    bool cancelled;
    bool any_record;
    uint64_t first, last; /* of records, in global time */
    /* Of the array being walked. */
    const XtfArray *array;
    LevelWalk levels[XTF_HEIGHT_MAX];
    uint64_t last_t;
} Check;

static bool stopping(const Check *check)
{
    return check->cancelled || check->report.problems >= PROBLEMS_MAX;
}

static void G_GNUC_PRINTF(2, 3) problem(Check *check, const char *format, ...)
{
    va_list arguments;

    if (stopping(check))
        return;
    va_start(arguments, format);
    g_autofree char *message = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    check->report.problems++;
    check->problem(message, check->data);
}

static void take_error(Check *check, GError **error)
{
    problem(check, "%s", (*error)->message);
    g_clear_error(error);
}

/* False if the page has another use already. */
static bool use_page(Check *check, uint64_t page, uint8_t use)
{
    if (page >= check->trace->superblock.info.pages)
        problem(check, "page %" PRIu64 " is used, but not allotted", page);
    if (page >= check->n_uses) {
        if (use == USE_RESERVED && g_hash_table_add(check->beyond, g_memdup2(&page, sizeof page)))
            return true;
        problem(check,
                use == USE_RESERVED ? "page %" PRIu64 " is reserved twice"
                                    : "page %" PRIu64 " lies past the end of the file",
                page);
        return false;
    }
    uint8_t before = check->uses[page];
    bool free = before == USE_NONE || (before == USE_ITEM && use == USE_ITEM);
    if (!free)
        problem(check, "page %" PRIu64 " is used twice", page);
    check->uses[page] = use;
    return free;
}

static void use_item(Check *check, uint64_t base, XtfRef ref)
{
    uint32_t page_size = check->trace->superblock.info.page_size;

    if (ref.length == 0 || ref.offset > check->trace->source->size)
        return; /* reading it says what is wrong */
    uint64_t last = (base + ref.offset + ref.length - 1) / page_size;
    for (uint64_t page = (base + ref.offset) / page_size; page <= last && !stopping(check); page++)
        use_page(check, page, USE_ITEM);
}

/* One step along a level: checks the links and numbers of a page, sealed or open (an open page's `next` is 0, and its
 * place may be). False if the page was passed before, so that a walk that goes in circles ends. */
static bool pass_page(Check *check, unsigned level, const XtfPageView *view, uint64_t place, bool open)
{
    LevelWalk *walk = &check->levels[level];
    uint32_t id = check->array->id;

    if (view->first_n != walk->n)
        problem(check, "array %u, level %u: a page begins at row %" PRIu64 ", not %" PRIu64, id, level, view->first_n,
                walk->n);
    if (view->previous != walk->place)
        problem(check, "array %u, level %u: page %" PRIu64 " says page %" PRIu64 " is before it, not %" PRIu64, id,
                level, place, view->previous, walk->place);
    if (walk->place && place != walk->next)
        problem(check, "array %u, level %u: page %" PRIu64 " says page %" PRIu64 " is behind it, not %" PRIu64, id,
                level, walk->place, walk->next, place);
    if (open && !walk->place && place)
        problem(check, "array %u, level %u: page %" PRIu64 " is reserved, though none was sealed", id, level, place);
    *walk = (LevelWalk){.place = place, .next = view->next, .n = view->first_n};
    return !place ||
           use_page(check, xtf_page_number(xtf_array_segment(check->array), place), open ? USE_RESERVED : USE_PAGE);
}

static void pass_leaf(Check *check, const XtfPageView *leaf)
{
    const XtfSchema *schema = check->array->schema;

    if (xtf_page_time(leaf, 0) < check->last_t)
        problem(check, "array %u: time goes backwards before row %" PRIu64, check->array->id, leaf->first_n);
    check->last_t = xtf_page_time(leaf, leaf->count - 1);
    check->levels[0].n = leaf->first_n + leaf->count;
    xtf_value_check_rows(check->values, schema, leaf->payload, leaf->count);
}

static void report_progress(Check *check)
{
    if (check->progress)
        check->cancelled |= !check->progress((double)check->report.pages / (double)(check->n_uses + 1), check->data);
}

/* Whether a sealed page is as full as it can be. Of packed rows this is not known without packing more of them. */
static bool is_full(const XtfArray *array, unsigned level, uint32_t count)
{
    uint32_t page_size = xtf_array_page_size(array);

    if (level > 0)
        return count == xtf_index_entries_max(page_size);
    return !xtf_codec(array->codec)->side_by_side || count == xtf_page_room(page_size) / array->schema->row_size;
}

/* The pages of an index page's companion. Its content is checked once the array is known to be sound. */
static void use_companion(Check *check, uint64_t place, const XtfDiskPage *page)
{
    g_autoptr(GError) error = NULL;
    XtfSource *source = check->trace->source;
    uint32_t page_size = xtf_array_page_size(check->array), companion = xtf_read32(page->companion);
    uint64_t first = xtf_page_number(xtf_array_segment(check->array), place + companion);
    XtfDiskPage head;

    if (companion == 0 || first >= check->n_uses)
        return;
    if (!source->ops->read(source, first * page_size, &head, sizeof head, &error)) {
        take_error(check, &error);
        return;
    }
    uint64_t n_pages = (sizeof head + (uint64_t)xtf_read32(head.length) + page_size - 1) / page_size;
    for (uint64_t i = 0; i < n_pages && !stopping(check); i++)
        use_page(check, first + i, USE_PAGE);
}

/* Passes a page or leaf that a descent came to by an entry. False if it was passed before. */
static bool pass_child(Check *check, unsigned level, const XtfPageView *view, uint64_t place, bool open)
{
    if (!open && check->report.pages++ % 256 == 0)
        report_progress(check);
    bool fresh = pass_page(check, level, view, place, open);
    if (!open && !is_full(check->array, level, view->count))
        problem(check, "array %u: page %" PRIu64 " is sealed, but not full", check->array->id, place);
    return fresh;
}

/* What could not be read is passed over. */
static void skip_child(Check *check, unsigned level, uint64_t place, GError **error)
{
    take_error(check, error);
    check->levels[level] = (LevelWalk){.place = place, .n = check->levels[level].n};
}

static void walk_leaf(Check *check, const XtfDescentLeaf *leaf, uint64_t place)
{
    g_autoptr(GError) error = NULL;
    g_auto(XtfPageView) view = {0};

    if (!xtf_descent_leaf_rows(leaf, &view, &error))
        skip_child(check, 0, place, &error);
    else if (pass_child(check, 0, &view, place, leaf->open))
        pass_leaf(check, &view);
}

static void walk_children(Check *check, const XtfDescentPage *page);

static void walk_child(Check *check, const XtfDescentPage *page, uint32_t slot)
{
    g_autoptr(GError) error = NULL;
    uint64_t place = xtf_read64(xtf_page_entry(&page->page, slot)->child);
    XtfDescentPage child;

    if (page->level == 1) {
        XtfDescentLeaf leaf;
        xtf_descent_leaf(page, slot, &leaf);
        walk_leaf(check, &leaf, place);
        return;
    }
    if (!xtf_descent_enter(page, slot, &child, &error)) {
        skip_child(check, page->level - 1, place, &error);
        return;
    }
    if (pass_child(check, child.level, &child.page, place, child.open)) {
        if (!child.open)
            use_companion(check, place, xtf_page_head(child.page.block));
        walk_children(check, &child);
    }
    xtf_descent_leave(&child);
}

static void walk_children(Check *check, const XtfDescentPage *page)
{
    for (uint32_t slot = 0; slot < page->page.count && !stopping(check); slot++)
        walk_child(check, page, slot);
    check->levels[page->level].n = check->levels[page->level - 1].n;
}

static void walk_tree(Check *check, XtfBlock *edge)
{
    const XtfArray *array = check->array;
    uint64_t place = xtf_edge_level(edge->data, array->height, array->height - 1u).place;
    XtfDescentLeaf leaf;
    XtfDescentPage root;

    if (array->height == 1) {
        xtf_descent_root_leaf(array, edge, &leaf);
        walk_leaf(check, &leaf, place);
        return;
    }
    xtf_descent_root_page(array, edge, &root);
    pass_page(check, root.level, &root.page, place, true);
    walk_children(check, &root);
}

static bool go_on(void *data)
{
    Check *check = data;

    report_progress(check);
    return !stopping(check);
}

static void pass_problem(const char *message, void *data)
{
    problem(data, "%s", message);
}

/* Nothing may follow the last part of an edge. */
static void check_edge_end(Check *check, const XtfBlock *edge)
{
    const XtfArray *array = check->array;
    unsigned last = array->schema->n_aggregates > 0 ? array->height : 0;
    XtfBytesReader totals = xtf_edge_totals(edge->data, edge->length, array->height, last);

    if (totals.failed || totals.at + totals.left != edge->data + edge->length)
        problem(check, "array %u: its right edge is not as long as its parts", array->id);
}

static void walk_array(Check *check, const XtfArray *array)
{
    g_autoptr(GError) error = NULL;
    uint64_t problems = check->report.problems, first;

    check->array = array;
    check->last_t = array->first;
    memset(check->levels, 0, sizeof check->levels);
    use_item(check, xtf_page_offset(xtf_array_segment(array), xtf_array_page_size(array), 0),
             (XtfRef){.offset = array->edge_offset, .length = array->edge_length});
    g_autoptr(XtfBlock) edge = xtf_edge_get(array, &error);
    if (!edge) {
        take_error(check, &error);
        return;
    }
    use_item(check, xtf_page_offset(xtf_array_segment(array), xtf_array_page_size(array), 0),
             xtf_edge_leaf(array, edge->data));
    check_edge_end(check, edge);
    walk_tree(check, edge);
    check->report.rows += array->n_rows;
    check->n_rows[array->schema->id] += array->n_rows;
    if (stopping(check) || check->report.problems > problems)
        return; /* the checks below would only repeat what is known to be wrong */
    if (!xtf_array_time(array, 0, &first, &error))
        take_error(check, &error);
    else if (first != array->first || check->last_t != array->last)
        problem(check, "array %u: its first and last times are not what the P index says", array->id);
    else
        xtf_check_aggregates(array, &(XtfAggregateCheck){.go_on = go_on, .problem = pass_problem, .data = check});
}

/* Its pages are told from others by the segment and the array's id. */
static void pass_identity(Check *check, const XtfArray *array)
{
    uint64_t both = (uint64_t)array->segment << 32 | array->id;
    const XtfCodec *codec = xtf_codec(array->codec);

    g_array_append_val(check->array_ids, both);
    if (codec->feature & ~check->trace->superblock.incompatible)
        problem(check, "array %u: its codec is %s, but the superblock does not say that some are", array->id,
                codec->name);
}

static int compare_ids(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void check_identities(Check *check)
{
    g_array_sort(check->array_ids, compare_ids);
    for (guint i = 1; i < check->array_ids->len; i++) {
        uint64_t both = g_array_index(check->array_ids, uint64_t, i);
        if (both == g_array_index(check->array_ids, uint64_t, i - 1))
            problem(check, "two arrays of segment %u have the id %u", (uint32_t)(both >> 32), (uint32_t)both);
    }
}

/* The times of an array as the catalog's clock has them. */
static void pass_times(Check *check, const XtfArray *array)
{
    if (array->schema->kind != XTF_SCHEMA_RECORD)
        return;
    check->first = check->any_record ? MIN(check->first, array->first) : array->first;
    check->last = check->any_record ? MAX(check->last, array->last) : array->last;
    check->any_record = true;
}

static void check_clock(Check *check)
{
    const XtfClock *clock = &check->trace->catalog.clock;

    if (check->any_record ? clock->first != check->first || clock->last != check->last : clock->first <= clock->last)
        problem(check, "the clock's first and last times are not those of the records");
}

static void walk_arrays(Check *check)
{
    uint64_t n = xtf_trace_n_arrays(check->trace);
    XtfArray before = {0};

    for (uint64_t rank = 0; rank < n && !stopping(check); rank++) {
        g_autoptr(GError) error = NULL;
        XtfArray array;
        if (!xtf_trace_get_arrays(check->trace, rank, 1, &array, &error)) {
            take_error(check, &error);
            continue;
        }
        if (before.schema && (array.location < before.location ||
                              (array.location == before.location && array.schema->id <= before.schema->id)))
            problem(check, "P index: location %" PRIu64 ", %s, is out of order", array.location, array.schema->name);
        if (before.schema && array.location == before.location && array.clock_map != before.clock_map)
            problem(check, "location %" PRIu64 ": its arrays have clock maps %u and %u", array.location,
                    before.clock_map, array.clock_map);
        before = array;
        check->report.arrays++;
        pass_times(check, &array);
        pass_identity(check, &array);
        array = xtf_array_local(&array);
        walk_array(check, &array);
    }
}

/* What lies below a node of the P index. */
typedef struct {
    uint64_t location; /* of its first entry */
    uint32_t schema;
    uint64_t arrays, rows;
} NodeSums;

static bool use_nodes(Check *check, XtfRef ref, unsigned level, NodeSums *sums);

/* Adds what a branch says, if it is so. */
static void pass_branch(Check *check, XtfBranch branch, unsigned level, NodeSums *sums)
{
    NodeSums below;

    if (use_nodes(check, branch.child, level - 1, &below) &&
        (below.location != branch.location || below.schema != branch.schema || below.arrays != branch.arrays ||
         below.rows != branch.n_rows))
        problem(check, "P index: a branch of level %u does not say what is below it (location %" PRIu64 ")", level,
                branch.location);
    sums->arrays += branch.arrays;
    sums->rows += branch.n_rows;
}

/* Nodes of the P index, for the map of pages. The arrays in them were checked while they were walked. */
static bool use_nodes(Check *check, XtfRef ref, unsigned level, NodeSums *sums)
{
    g_autoptr(GError) error = NULL;
    uint32_t count, schema;

    *sums = (NodeSums){0};
    /* Each node holds an array at least, so a level has no more nodes than there are arrays, unless one is named
     * twice. */
    if (check->n_nodes++ / check->trace->catalog.arrays_height >= check->trace->catalog.n_arrays) {
        problem(check, "P index: more nodes than arrays");
        return false;
    }
    use_item(check, 0, ref);
    g_autoptr(XtfBlock) block = xtf_item_get(check->trace, ref, &error);
    if (!block || !xtf_node_valid(block->data, block->length, level, &count))
        return false;
    xtf_node_key(block->data, level, 0, &sums->location, &sums->schema);
    for (uint32_t i = 0; i < count && !stopping(check); i++) {
        if (level > 0) {
            pass_branch(check, xtf_node_branch(block->data, i), level, sums);
        } else {
            XtfArray array;
            xtf_node_array(block->data, i, &array, &schema);
            sums->arrays++;
            sums->rows += array.n_rows;
        }
    }
    return true;
}

static void check_root(Check *check)
{
    const XtfCatalog *catalog = &check->trace->catalog;
    NodeSums sums;

    if (use_nodes(check, catalog->arrays_root, catalog->arrays_height - 1, &sums) && sums.arrays != catalog->n_arrays)
        problem(check, "P index: %" PRIu64 " arrays, the catalog says %" PRIu64, sums.arrays, catalog->n_arrays);
}

static void use_chunks(Check *check, const XtfChunks *chunks)
{
    for (uint32_t i = 0; i < chunks->n; i++)
        use_item(check, 0, chunks->chunks[i]);
}

static void check_tables(Check *check)
{
    const XtfCatalog *catalog = &check->trace->catalog;

    for (uint32_t i = 0; i < catalog->n_tables; i++) {
        g_autoptr(GError) error = NULL;
        const XtfTable *table;
        const XtfSchema *schema = catalog->schemas[catalog->tables[i].schema];
        use_chunks(check, &catalog->tables[i].rows);
        check->n_rows[schema->id] += catalog->tables[i].n_rows;
        if (!xtf_trace_table(check->trace, schema->name, &table, &error)) {
            take_error(check, &error);
            continue;
        }
        xtf_value_check_rows(check->values, schema, table->rows, table->n_rows);
    }
    use_chunks(check, &catalog->strings);
    use_item(check, 0, catalog->clock_maps);
}

/* The items by which a trace is opened. */
static void use_opening_items(Check *check, const XtfSuperblock *superblock, const XtfCatalog *catalog)
{
    use_item(check, 0, superblock->catalog);
    use_chunks(check, &catalog->schema_chunks);
    for (uint32_t i = 0; i < catalog->n_counts; i++)
        use_item(check, 0, catalog->limit_items[i]);
}

/* The opening items of the commit, and the copy of them that a closed file has for its other superblock. */
static void check_opening_items(Check *check)
{
    const XtfTrace *trace = check->trace;
    g_autoptr(GError) error = NULL;
    g_auto(XtfTwin) twin = {0};

    use_opening_items(check, &trace->superblock, &trace->catalog);
    if (trace->superblock.info.passed_over)
        problem(check, "commit %" PRIu64 " is damaged; commit %" PRIu64 " was opened in its place",
                trace->superblock.info.passed_over, trace->superblock.info.commit);
    if (!xtf_trace_read_twin(trace, &twin, &error))
        take_error(check, &error);
    else if (twin.found)
        use_opening_items(check, &twin.superblock, &twin.catalog);
}

/* What the catalog calls free must be so. */
static void check_free_pages(Check *check)
{
    const XtfCatalog *catalog = &check->trace->catalog;

    for (uint32_t i = 0; i < catalog->n_free_pages && !stopping(check); i++) {
        const XtfFreePages *pages = &catalog->free_pages[i];
        uint64_t end = pages->page + pages->n_pages;
        if (pages->n_pages == 0)
            continue;
        if (pages->page < xtf_first_place(check->trace->superblock.info.page_size) ||
            end > check->trace->superblock.info.pages || pages->commit > check->trace->superblock.info.commit)
            problem(check, "catalog: free pages %" PRIu64 " to %" PRIu64 " make no sense", pages->page, end);
        for (uint64_t page = pages->page; page < MIN(end, check->n_uses) && !stopping(check); page++)
            use_page(check, page, USE_FREE);
    }
}

static void check_totals(Check *check)
{
    const XtfCatalog *catalog = &check->trace->catalog;

    for (uint32_t i = 0; i < catalog->n_schemas; i++)
        if (check->n_rows[i] != catalog->n_rows[i])
            problem(check, "schema \"%s\": %" PRIu64 " rows, the catalog says %" PRIu64, catalog->schemas[i]->name,
                    check->n_rows[i], catalog->n_rows[i]);
    for (uint64_t page = xtf_first_place(check->trace->superblock.info.page_size); page < check->n_uses; page++) {
        check->report.reserved_pages += check->uses[page] == USE_RESERVED;
        check->report.free_pages += check->uses[page] == USE_FREE;
        check->report.unreachable_pages += check->uses[page] == USE_NONE;
    }
    check->report.reserved_pages += g_hash_table_size(check->beyond);
}

bool xtf_trace_check(XtfTrace *trace, XtfCheckProblem problem_met, XtfCheckProgress progress, void *data,
                     XtfCheckReport *report, GError **error)
{
    uint32_t page_size = trace->superblock.info.page_size;
    Check check = {.trace = trace, .problem = problem_met, .progress = progress, .data = data};

    check.n_uses = (trace->source->size + page_size - 1) / page_size;
    check.uses = g_malloc0(MAX(check.n_uses, 1));
    check.beyond = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    check.n_rows = g_new0(uint64_t, trace->catalog.n_schemas + 1);

    const XtfAggregateCheck parts = {.go_on = go_on, .problem = pass_problem, .data = &check};
    xtf_check_superblocks(trace, &parts);
    xtf_check_names(trace, &parts);
    xtf_check_segments(trace, pass_problem, &check);
    check.values = xtf_value_check_new(trace, &parts);
    check.array_ids = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    check_opening_items(&check);
    check_tables(&check);
    if (trace->catalog.n_arrays > 0)
        check_root(&check);
    walk_arrays(&check);
    check_free_pages(&check);
    if (!stopping(&check)) {
        check_identities(&check);
        check_totals(&check);
        xtf_value_check_limits(check.values, check.report.problems == 0);
    }
    if (!stopping(&check) && check.report.problems == 0)
        check_clock(&check);

    xtf_value_check_free(check.values);
    g_array_unref(check.array_ids);
    g_hash_table_unref(check.beyond);
    g_free(check.uses);
    g_free(check.n_rows);
    if (check.cancelled)
        return xtf_fail(error, XTF_ERROR_CANCELLED, "the check was interrupted");
    *report = check.report;
    return true;
}
