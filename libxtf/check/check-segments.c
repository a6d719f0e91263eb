#include <stdlib.h>

#include "libxtf/check/check-private.h"
#include "libxtf/schema/row-map.h"
#include "libxtf/schema/schema-codec.h"
#include "libxtf/tree/row-maps.h"

static int compare_first_pages(const void *a, const void *b)
{
    const XtfSegment *const *first = a, *const *second = b;
    return ((*first)->first_page > (*second)->first_page) - ((*first)->first_page < (*second)->first_page);
}

static void check_segment_pages(XtfChecking *check)
{
    const XtfCatalog *catalog = &check->trace->catalog;
    uint64_t allotted = check->trace->superblock.info.pages;
    g_autofree const XtfSegment **segments = g_new(const XtfSegment *, catalog->n_segments);
    g_autoptr(GHashTable) ids = g_hash_table_new(g_int64_hash, g_int64_equal);

    for (uint32_t i = 0; i < catalog->n_segments; i++) {
        segments[i] = &catalog->segments[i];
        if (segments[i]->first_page > allotted || segments[i]->pages > allotted - segments[i]->first_page)
            xtf_checking_problem(check, "segment %u lies past the pages that are allotted", i);
        if (!g_hash_table_add(ids, &catalog->segments[i].id))
            xtf_checking_problem(check, "segment %u: another segment has the same id", i);
    }
    qsort(segments, catalog->n_segments, sizeof(*segments), compare_first_pages);
    for (uint32_t i = 1; i < catalog->n_segments; i++)
        if (segments[i]->first_page < segments[i - 1]->first_page + segments[i - 1]->pages)
            xtf_checking_problem(check, "two segments overlap, at page %" PRIu64, segments[i]->first_page);
}

/* Checks that a file without segment maps has only its own segment, and that a file with maps has only segments of
 * parts. A companion with maps also has its own segment, the first. */
static void check_segment_owners(XtfChecking *check)
{
    const XtfCatalog *catalog = &check->trace->catalog;
    uint64_t own_id = xtf_load64(check->trace->superblock.info.file_id);

    if (!catalog->segment_maps && (catalog->n_segments > 1 || catalog->segments[0].first_page > 0))
        xtf_checking_problem(check, "segments: there are several, or one of another file, but no segment maps");
    for (uint32_t i = xtf_trace_has_own_segment(check->trace) ? 1 : 0; catalog->segment_maps && i < catalog->n_segments;
         i++)
        if (catalog->segments[i].id == own_id)
            xtf_checking_problem(check, "segment %u: it is the file's own segment, but the others are from parts", i);
}

/* Checks that the maps of a segment can be loaded for rows of any schema, and that its strings are inside the heap. */
static void check_maps(XtfChecking *check, uint32_t segment)
{
    XtfTrace *trace = check->trace;
    const XtfCatalog *catalog = &trace->catalog;
    const XtfSegmentMap *map = &catalog->segment_maps[segment];

    if ((uint64_t)map->strings + map->strings_length > catalog->strings.bytes)
        xtf_checking_problem(check, "segment %u: its strings lie outside of the heap", segment);
    for (uint32_t i = 0; i < map->n_tables; i++)
        if (map->tables[i].schema >= catalog->n_schemas ||
            (catalog->schemas[map->tables[i].schema]->kind != XTF_SCHEMA_TABLE &&
             xtf_schema_kind_is_supported(catalog->schemas[map->tables[i].schema])))
            xtf_checking_problem(check, "segment %u: it maps a schema that is not a table", segment);
    for (uint32_t i = 0; i < map->n_tables; i++) {
        g_autoptr(GError) error = NULL;
        xtf_checking_use_own_item(check, map->tables[i].rows);
        if (!xtf_row_maps_check(trace, &map->tables[i], &error))
            xtf_checking_problem(check, "segment %u: %s", segment, error->message);
    }
    for (uint32_t i = 0; i < catalog->n_schemas; i++) {
        const XtfArray array = {.trace = trace, .schema = catalog->schemas[i], .segment = segment};
        g_autoptr(GError) error = NULL;
        const XtfRowMap *unused;
        if (array.schema->kind != XTF_SCHEMA_TABLE && xtf_schema_is_readable(array.schema) &&
            !xtf_array_row_map(&array, &unused, &error))
            xtf_checking_problem(check, "segment %u: %s", segment, error->message);
    }
}

void xtf_checking_segments(XtfChecking *check)
{
    const XtfCatalog *catalog = &check->trace->catalog;

    check_segment_pages(check);
    check_segment_owners(check);
    for (uint32_t i = 0; catalog->segment_maps && i < catalog->n_segments; i++)
        check_maps(check, i);
}
