/*
 * The check of a whole trace. The walk descends like a reader, and so verifies all that a reader verifies: checksums,
 * order within a page, entries against children. In addition the walk checks the properties of the whole trace: links
 * of levels, full sealed pages, one use for each page, counts and limits.
 */
#include "libxtf/check/check-private.h"
#include "libxtf/disk/node.h"
#include "libxtf/disk/page.h"
#include "libxtf/schema/value-limits.h"
#include "libxtf/tree/descent.h"

static int compare_ids(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

static void check_identities(XtfChecking *check)
{
    g_array_sort(check->array_ids, compare_ids);
    for (guint i = 1; i < check->array_ids->len; i++) {
        uint64_t identity = g_array_index(check->array_ids, uint64_t, i);
        if (identity == g_array_index(check->array_ids, uint64_t, i - 1))
            xtf_checking_problem(check, "two arrays of segment %u have the id %u", (uint32_t)(identity >> 32),
                                 (uint32_t)identity);
    }
}

static void add_derived_times(XtfChecking *check, const XtfArray *array)
{
    check->derived_first = check->any_derived ? MIN(check->derived_first, array->first) : array->first;
    check->derived_last = check->any_derived ? MAX(check->derived_last, array->last) : array->last;
    check->any_derived = true;
}

/* Adds the times of an array to the range that the catalog's clock must have. */
static void add_record_times(XtfChecking *check, const XtfArray *array)
{
    if (array->schema->kind == XTF_SCHEMA_DERIVED)
        add_derived_times(check, array);
    if (array->schema->kind != XTF_SCHEMA_RECORD)
        return;
    check->first = check->any_record ? MIN(check->first, array->first) : array->first;
    check->last = check->any_record ? MAX(check->last, array->last) : array->last;
    check->any_record = true;
}

static void check_clock(XtfChecking *check)
{
    const XtfClock *clock = &check->trace->catalog.clock;

    bool removed = xtf_catalog_n_removed(&check->trace->catalog) > 0;
    bool first_differs = removed ? clock->first < check->first : clock->first != check->first;

    if (check->any_record ? first_differs || clock->last != check->last : clock->first <= clock->last)
        xtf_checking_problem(check, "the clock's first and last times are not those of the records");
    if (check->any_derived &&
        (!check->any_record || check->derived_first < check->first || check->derived_last > check->last))
        xtf_checking_problem(check, "derived rows lie before the first record or after the last");
}

/* True if this library does not know the array's schema or codec. Then counts its rows by its entry in the P index. */
static bool skip_unknown_array(XtfChecking *check, const XtfArray *array)
{
    if (xtf_array_is_supported(array, NULL))
        return false;
    check->report.unknown_arrays++;
    check->n_rows[array->schema->id] += array->n_rows;
    check->unknown[array->schema->id] = true;
    xtf_checking_use_item(check, xtf_page_offset(xtf_array_segment(array), xtf_array_page_size(array), 0),
                          (XtfRef){.offset = array->edge_offset, .length = array->edge_length});
    return true;
}

static void walk_arrays(XtfChecking *check)
{
    uint64_t n = xtf_trace_n_arrays(check->trace);
    XtfArray previous = {0};

    for (uint64_t rank = 0; rank < n && !xtf_checking_stopping(check); rank++) {
        g_autoptr(GError) error = NULL;
        XtfArray array;
        if (!xtf_trace_get_arrays(check->trace, rank, 1, &array, &error)) {
            xtf_checking_take_error(check, &error);
            continue;
        }
        if (previous.schema && array.location == previous.location && array.clock_map != previous.clock_map)
            xtf_checking_problem(check, "location %" PRIu64 ": its arrays have clock maps %u and %u", array.location,
                                 previous.clock_map, array.clock_map);
        previous = array;
        check->report.arrays++;
        add_record_times(check, &array);
        xtf_checking_add_identity(check, &array);
        array = xtf_array_local(&array);
        if (!skip_unknown_array(check, &array))
            xtf_checking_walk_array(check, &array);
    }
}

/* Sums over the entries of a node of the P index. */
typedef struct {
    uint64_t location; /* key of its first entry */
    uint32_t schema;
    uint64_t arrays, rows;
} NodeSums;

static bool use_nodes(XtfChecking *check, XtfRef ref, unsigned level, NodeSums *sums);

/* Adds the arrays and rows of a branch to the sums, and compares the branch with the node below it. */
static void add_branch(XtfChecking *check, XtfBranch branch, unsigned level, NodeSums *sums)
{
    NodeSums below;

    if (use_nodes(check, branch.child, level - 1, &below) &&
        (below.location != branch.location || below.schema != branch.schema || below.arrays != branch.arrays ||
         below.rows != branch.n_rows))
        xtf_checking_problem(check,
                             "P index: a branch of level %u does not match the node below it (location %" PRIu64 ")",
                             level, branch.location);
    sums->arrays += branch.arrays;
    sums->rows += branch.n_rows;
}

/* Records the pages of a node of the P index, and of all nodes below it, as used. The arrays in the nodes are checked
 * by walk_arrays(). */
static bool use_nodes(XtfChecking *check, XtfRef ref, unsigned level, NodeSums *sums)
{
    g_autoptr(GError) error = NULL;
    uint32_t count, schema;

    *sums = (NodeSums){0};
    /* Each node holds at least one array. A level therefore never has more nodes than there are arrays, unless a
     * node is referenced twice. */
    if (check->n_nodes++ / check->trace->catalog.arrays_height >= check->trace->catalog.n_arrays) {
        xtf_checking_problem(check, "P index: more nodes than arrays");
        return false;
    }
    xtf_checking_use_own_item(check, ref);
    g_autoptr(XtfBlock) block = xtf_item_get(check->trace, ref, &error);
    if (!block || !xtf_node_valid(block->data, block->length, level, &count))
        return false;
    xtf_node_key(block->data, level, 0, &sums->location, &sums->schema);
    for (uint32_t i = 0; i < count && !xtf_checking_stopping(check); i++) {
        if (level > 0) {
            add_branch(check, xtf_node_branch(block->data, i), level, sums);
        } else {
            XtfArray array;
            xtf_node_array(block->data, i, &array, &schema);
            sums->arrays++;
            sums->rows += array.n_rows;
        }
    }
    return true;
}

static void check_root(XtfChecking *check)
{
    const XtfCatalog *catalog = &check->trace->catalog;
    NodeSums sums;

    if (use_nodes(check, catalog->arrays_root, catalog->arrays_height - 1, &sums) && sums.arrays != catalog->n_arrays)
        xtf_checking_problem(check, "P index: %" PRIu64 " arrays, the catalog says %" PRIu64, sums.arrays,
                             catalog->n_arrays);
}

static void use_chunks(XtfChecking *check, const XtfChunks *chunks)
{
    for (uint32_t i = 0; i < chunks->n; i++)
        xtf_checking_use_own_item(check, chunks->chunks[i]);
}

static void check_tables(XtfChecking *check)
{
    const XtfCatalog *catalog = &check->trace->catalog;

    for (uint32_t i = 0; i < catalog->n_tables; i++) {
        g_autoptr(GError) error = NULL;
        const XtfTable *table;
        const XtfSchema *schema = catalog->schemas[catalog->tables[i].schema];
        use_chunks(check, &catalog->tables[i].rows);
        check->n_rows[schema->id] += catalog->tables[i].n_rows;
        if (schema->kind != XTF_SCHEMA_TABLE) { /* the meaning of its rows is unknown */
            check->unknown[schema->id] = true;
            continue;
        }
        if (!xtf_trace_table(check->trace, schema->name, &table, &error)) {
            xtf_checking_take_error(check, &error);
            continue;
        }
        xtf_value_check_rows(check->values, schema, table->rows, table->n_rows);
    }
    for (uint32_t i = 1; i <= xtf_trace_n_clock_maps(check->trace); i++)
        if (xtf_clock_map_is_identity(xtf_trace_clock_map(check->trace, i)))
            xtf_checking_problem(check, "clock map %u changes nothing", i);
    for (uint32_t i = 0; i < catalog->strings.n; i++)
        /* In an anchor, chunks of the parts' strings lie in the files of the parts. */
        xtf_checking_use_item(check, 0, catalog->strings.chunks[i]);
    xtf_checking_use_own_item(check, catalog->clock_maps);
}

/* Records the items needed to open a trace as used. */
static void use_opening_items(XtfChecking *check, const XtfSuperblock *superblock, const XtfCatalog *catalog)
{
    xtf_checking_use_own_item(check, superblock->catalog);
    use_chunks(check, &catalog->schema_chunks);
    for (uint32_t i = 0; i < catalog->n_counts; i++)
        xtf_checking_use_own_item(check, catalog->limit_items[i]);
}

/* Checks the items that opening needs (catalog, schemas, limits), and the copy that a closed file has for its other
 * superblock. */
static void check_opening_items(XtfChecking *check)
{
    const XtfTrace *trace = check->trace;
    g_autoptr(GError) error = NULL;
    g_auto(XtfTwin) twin = {0};

    use_opening_items(check, &trace->superblock, &trace->catalog);
    if (trace->superblock.info.damaged_commit)
        xtf_checking_problem(check, "commit %" PRIu64 " is damaged; commit %" PRIu64 " was opened instead",
                             trace->superblock.info.damaged_commit, trace->superblock.info.commit);
    if (!xtf_trace_read_twin(trace, &twin, &error))
        xtf_checking_take_error(check, &error);
    else if (twin.found) {
        use_opening_items(check, &twin.superblock, &twin.catalog);
        xtf_checking_twin(check, &twin);
    }
}

static void check_totals(XtfChecking *check)
{
    const XtfCatalog *catalog = &check->trace->catalog;

    for (uint32_t i = 0; i < catalog->n_schemas; i++)
        if (check->n_rows[i] != catalog->n_rows[i])
            xtf_checking_problem(check, "schema \"%s\": %" PRIu64 " rows, the catalog says %" PRIu64,
                                 catalog->schemas[i]->name, check->n_rows[i], catalog->n_rows[i]);
    xtf_checking_count_pages(check);
}

static void check_all(XtfChecking *check)
{
    xtf_checking_superblocks(check);
    xtf_checking_schemas(check);
    xtf_checking_segments(check);
    check->values = xtf_value_check_new(check->trace, check);
    check->array_ids = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    check_opening_items(check);
    check_tables(check);
    if (check->trace->catalog.n_arrays > 0)
        check_root(check);
    walk_arrays(check);
    xtf_checking_leaf_lists(check);
    xtf_checking_free_pages(check);
    if (!xtf_checking_stopping(check)) {
        check_identities(check);
        check_totals(check);
        xtf_value_check_limits(check->values, check->report.problems == 0);
    }
    if (!xtf_checking_stopping(check) && check->report.problems == 0)
        check_clock(check);
    xtf_value_check_free(check->values);
    g_array_unref(check->array_ids);
}

/* Allocates the use of each readable page. Bounds the number of pages that named files claim but do not have. */
static bool allocate_uses(XtfChecking *check, GError **error)
{
    enum { CLAIMED_MAX = 1 << 24 };
    const XtfTraceInfo *info = &check->trace->superblock.info;
    const XtfCatalog *catalog = &check->trace->catalog;
    uint64_t n_existing = info->file_size / info->page_size; /* a valid file is as long as the catalog says */

    for (uint32_t i = 0; i < catalog->n_files; i++)
        n_existing -= check->wrong_files[i] ? catalog->files[i].size / info->page_size : 0;
    check->n_uses = (check->trace->source->size + info->page_size - 1) / info->page_size;
    check->n_uses -= check->wrong_pages[catalog->n_files];
    if (check->n_uses > n_existing && check->n_uses - n_existing > CLAIMED_MAX)
        return xtf_damaged(error, "the files that the catalog names claim %" PRIu64 " pages, but have %" PRIu64,
                           check->n_uses, n_existing);
    check->uses = g_try_malloc0(MAX(check->n_uses, 1));
    return check->uses || xtf_fail(error, XTF_ERROR_TOO_LARGE,
                                   "not enough memory for one byte for each of %" PRIu64 " pages", check->n_uses);
}

static bool run_check(XtfChecking *initial, XtfCheckReport *report, GError **error)
{
    XtfChecking check = *initial;
    XtfTrace *trace = check.trace;

    check.beyond = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    check.n_rows = g_new0(uint64_t, trace->catalog.n_schemas + 1);
    check.unknown = g_new0(bool, trace->catalog.n_schemas + 1);
    xtf_checking_files(&check);
    bool allocated = allocate_uses(&check, error);
    if (allocated)
        check_all(&check);
    g_hash_table_unref(check.beyond);
    g_free(check.wrong_files);
    g_free(check.wrong_pages);
    g_free(check.uses);
    g_free(check.n_rows);
    g_free(check.unknown);
    if (!allocated)
        return false;
    if (check.cancelled)
        return xtf_fail(error, XTF_ERROR_CANCELLED, "the check was interrupted");
    *report = check.report;
    return true;
}

bool xtf_trace_check(XtfTrace *trace, XtfCheckProblem problem, XtfCheckProgress progress, void *data,
                     XtfCheckReport *report, GError **error)
{
    XtfChecking check = {.trace = trace, .problem = problem, .progress = progress, .data = data};

    return run_check(&check, report, error);
}

bool xtf_trace_verify(XtfTrace *trace, XtfCheckProblem problem, XtfCheckProgress progress, void *data,
                      XtfCheckReport *report, GError **error)
{
    XtfChecking check = {.trace = trace, .problem = problem, .progress = progress, .data = data, .stored_only = true};

    return run_check(&check, report, error);
}
