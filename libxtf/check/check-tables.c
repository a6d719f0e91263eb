/*
 * Checks the layout of the tables of totals in companions and right edges. Their rows are compared elsewhere.
 */
#include "libxtf/check/check-private.h"
#include "libxtf/totals/tables/stored-rows.h"
#include "libxtf/totals/tables/stored.h"
#include "libxtf/tree/descent.h"

typedef struct {
    XtfChecking *check;
    const XtfArray *array;
    const char *page_name;
    unsigned level;
    unsigned kinds; /* a bit for each kind of table that may be there */
    XtfBytesReader payload;
} TablesCheck;

char *xtf_checking_name_page(const XtfDescentPage *page)
{
    const XtfArray *array = page->array;

    if (page->open)
        return g_strdup("right edge");
    return g_strdup_printf(
        "page %" PRIu64, xtf_place_at(xtf_array_segment(array), xtf_array_page_size(array), page->page.block->offset));
}

/* Returns the bit of a kind of table. */
static unsigned bit_of(XtfTotalsKind kind)
{
    return 1u << kind;
}

/* Returns the bits of the kinds of tables that the children of a page may have. */
static unsigned kinds_of_children(unsigned level)
{
    const unsigned all = bit_of(XTF_TOTALS_OF_GROUPS) | bit_of(XTF_TOTALS_BORDERS);

    return level > 1 ? all : all | bit_of(XTF_TOTALS_SNAPSHOTS) | bit_of(XTF_TOTALS_FILTERS);
}

/* Returns what is wrong with the kind of a table, which is known, or NULL. */
static const char *kind_fault(const TablesCheck *tables, const XtfAggregate *aggregate, XtfTotalsKind kind)
{
    const bool frames = aggregate->kind == XTF_AGGREGATE_FRAMES, may = tables->kinds & bit_of(kind);

    if (kind == XTF_TOTALS_OF_GROUPS && !may)
        return "totals of groups are not allowed here";
    if (kind == XTF_TOTALS_FILTERS && (!may || !aggregate->filters))
        return "filters are not allowed here";
    if (kind == XTF_TOTALS_BORDERS && (!may || !frames))
        return "borders are not allowed here";
    if (kind == XTF_TOTALS_SNAPSHOTS && (!may || !frames))
        return "snapshots are not allowed here";
    return NULL;
}

/* Returns what is wrong with the next table, or NULL. Tables of unknown kinds are not checked. */
static const char *table_fault(TablesCheck *tables)
{
    XtfBytesReader *payload = &tables->payload;
    const uint8_t *head = payload->at;
    XtfPackedRows table = xtf_stored_rows_next(payload);

    if (payload->failed)
        return "a table is cut short";
    const uint8_t *end = table.bytes.at + table.bytes.left;
    if (!xtf_checking_all_zero(head + offsetof(XtfDiskTotals, zero), 2) ||
        !xtf_checking_all_zero(head + offsetof(XtfDiskTotals, reserved), 4) ||
        !xtf_checking_all_zero(end, (size_t)(payload->at - end)))
        return "unused bytes of a table are not 0";
    if (table.kind == 0 || table.aggregate >= tables->array->schema->n_aggregates)
        return "a table has an invalid aggregate or kind";
    const XtfAggregate *aggregate = &tables->array->schema->aggregates[table.aggregate];
    if (aggregate->kind == XTF_AGGREGATE_UNKNOWN)
        return NULL;
    const char *fault = table.kind < XTF_TOTALS_KINDS ? kind_fault(tables, aggregate, table.kind) : NULL;
    return fault || table.n > 0 ? fault : "a table has no rows";
}

static void report_problem(const TablesCheck *tables, const char *problem)
{
    xtf_checking_problem(tables->check, "array %u, %s, level %u: totals: %s", tables->array->id, tables->page_name,
                         tables->level, problem);
}

/* Checks the tables of a payload or a section. */
static void check_tables(TablesCheck tables)
{
    const char *fault = NULL;

    while (!fault && tables.payload.left > 0)
        fault = table_fault(&tables);
    if (fault)
        report_problem(&tables, fault);
}

/* Checks the tables of a page in batches, section by section. */
static void check_batches(TablesCheck page_tables, const XtfDescentPage *page, const XtfCompanionTables *tables)
{
    const uint32_t size = xtf_stored_batch_size(page), n = (page->page.count + size - 1) / size;
    const uint8_t *directory = tables->bytes;
    const unsigned filters = bit_of(XTF_TOTALS_FILTERS), of_children = page_tables.kinds;

    if (!xtf_checking_all_zero(directory + offsetof(XtfDiskBatches, reserved), 4))
        report_problem(&page_tables, "unused bytes of the batches are not 0");
    for (uint32_t section = 0; section <= n; section++) {
        page_tables.kinds =
            section == 0 ? bit_of(XTF_TOTALS_OF_GROUPS) | (of_children & filters) : of_children & ~filters;
        page_tables.payload = xtf_companion_section(page, tables, section);
        if (!xtf_companion_section_is_whole(page, tables, section))
            report_problem(&page_tables, "the checksum of a batch is wrong");
        check_tables(page_tables);
    }
}

static void check_tables_below(XtfChecking *check, const XtfDescentPage *page)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *page_name = xtf_checking_name_page(page);
    g_auto(XtfCompanionTables) tables = {0};
    TablesCheck of_page = {.check = check,
                           .array = page->array,
                           .page_name = page_name,
                           .level = page->level,
                           .kinds = kinds_of_children(page->level)};

    if (!xtf_stored_totals_tables(page, &tables, &of_page.payload, &error))
        xtf_checking_problem(check, "%s", error->message);
    else if (xtf_stored_batch_size(page) < page->page.count)
        check_batches(of_page, page, &tables);
    else
        check_tables(of_page);
    for (uint32_t slot = 0; page->level > 1 && slot < page->page.count; slot++) {
        g_auto(XtfDescentPage) child = {0};
        g_clear_error(&error);
        if (xtf_descent_enter(page, slot, &child, &error))
            check_tables_below(check, &child);
        else
            xtf_checking_problem(check, "%s", error->message);
    }
}

void xtf_checking_tables(XtfChecking *check, const XtfArray *array, XtfBlock *edge)
{
    XtfBytesReader of_array = xtf_edge_totals(edge->data, edge->length, array->height, array->height);
    XtfDescentPage root;

    if (of_array.failed)
        xtf_checking_problem(check, "array %u, right edge: its totals are cut short", array->id);
    else
        check_tables((TablesCheck){.check = check,
                                   .array = array,
                                   .page_name = "right edge",
                                   .level = array->height,
                                   .kinds = bit_of(XTF_TOTALS_OF_GROUPS),
                                   .payload = of_array});
    if (array->height > 1) {
        xtf_descent_root_page(array, edge, &root);
        check_tables_below(check, &root);
    }
}
