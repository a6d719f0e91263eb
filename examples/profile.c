/*
 * Prints the time that a location spent in each region: profile FILE LOCATION FROM TO
 *
 * One line a region, for the window [FROM, TO): its name, inclusive and exclusive ticks. No call is read for it but
 * those beside both ends of the window: the index keeps totals of the rest.
 */
#include <libxtf/xtf.h>
#include <stdio.h>
#include <stdlib.h>

/* The array of calls, and the times of the first and the last record of any type. */
static bool find_calls(XtfTrace *trace, uint64_t location, XtfArray *calls, uint64_t *first, uint64_t *last,
                       GError **error)
{
    const XtfSchema *schema = xtf_trace_find_schema(trace, XTF_RECORD_ENTERS_LEAVES);
    uint64_t rank;
    XtfArray array;
    bool found = false;

    if (!xtf_trace_array_rank(trace, location, 0, &rank, error))
        return false;
    *first = UINT64_MAX;
    *last = 0;
    for (; rank < xtf_trace_n_arrays(trace); rank++) {
        if (!xtf_trace_get_arrays(trace, rank, 1, &array, error))
            return false;
        if (array.location != location)
            break;
        if (array.schema->kind == XTF_SCHEMA_RECORD) {
            *first = MIN(*first, array.first);
            *last = MAX(*last, array.last);
        }
        if (array.schema == schema) {
            *calls = array;
            found = true;
        }
    }
    if (!found)
        g_set_error(error, XTF_ERROR, XTF_ERROR_NOT_FOUND, "location %" G_GUINT64_FORMAT " has no calls", location);
    return found;
}

static bool print_regions(XtfTrace *trace, const XtfGroupTotals *totals, GError **error)
{
    const XtfTable *regions;

    if (!xtf_trace_table(trace, XTF_TABLE_REGIONS, &regions, error))
        return false;
    const XtfField *name = regions ? xtf_schema_field(regions->schema, "name") : NULL;
    for (uint32_t i = 0; i < xtf_group_totals_n(totals); i++) {
        uint64_t region = *xtf_group_totals_key(totals, i);
        const uint64_t *cells = xtf_group_totals_cells(totals, i);
        const char *text = region == XTF_FRAMES_BEFORE ? "(unmatched LEAVE)" : "?";
        if (name && region < regions->n_rows &&
            !xtf_trace_string(trace, xtf_field_get(name, regions->rows + region * regions->schema->row_size), &text,
                              error))
            return false;
        printf("%s %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT "\n", text, cells[XTF_FRAMES_INCLUSIVE],
               cells[XTF_FRAMES_EXCLUSIVE]);
    }
    return true;
}

static bool print_profile(const char *path, uint64_t location, uint64_t from, uint64_t to, GError **error)
{
    XtfArray calls;
    uint64_t first, last;
    unsigned frames = 0;
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, error);

    if (!trace || !find_calls(trace, location, &calls, &first, &last, error))
        return false;
    while (frames < calls.schema->n_aggregates && calls.schema->aggregates[frames].kind != XTF_AGGREGATE_FRAMES)
        frames++;
    if (frames == calls.schema->n_aggregates) {
        g_set_error(error, XTF_ERROR, XTF_ERROR_NOT_FOUND, "%s has no totals of calls", path);
        return false;
    }
    g_autoptr(XtfGroupTotals) totals = xtf_group_totals_new(&calls.schema->aggregates[frames], 1);
    if (!xtf_array_profile(&calls, frames, from, to, first, last, totals, error))
        return false;
    xtf_group_totals_sort(totals);
    return print_regions(trace, totals, error);
}

int main(int argc, char **argv)
{
    g_autoptr(GError) error = NULL;

    if (argc != 5) {
        fprintf(stderr, "usage: profile FILE LOCATION FROM TO\n");
        return 2;
    }
    if (!print_profile(argv[1], strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10), strtoull(argv[4], NULL, 10),
                       &error)) {
        fprintf(stderr, "profile: %s\n", error->message);
        return 1;
    }
    return 0;
}
