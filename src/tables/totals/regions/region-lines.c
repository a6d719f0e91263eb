#include "src/tables/totals/regions/region-lines.h"

#include <string.h>

#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/trace/text/digits.h"

static const char unmatched_name[] = "(unmatched LEAVE)";

bool xtf_regions_load(XtfRegions *regions, XtfFormats *formats, const XtfSelection *selection,
                      const XtfAggregateRef *frames, GError **error)
{
    const XtfLimits *limits = xtf_trace_limits(formats->context->trace, frames->schema->id, frames->aggregate->keys[0]);

    memset(regions, 0, sizeof *regions);
    if (!xtf_padded_names_of_table(formats, XTF_TABLE_REGIONS, &regions->names, error))
        return false;
    regions->n = regions->names ? regions->names->n : 0;
    regions->has_unknown = limits->has_none || (limits->min <= limits->max && limits->max >= regions->n);
    regions->only = selection->by[XTF_BY_REGION];
    regions->n_listed = regions->only ? xtf_number_set_count_below(regions->only, regions->n) : regions->n;
    regions->lists_unknown = regions->has_unknown && xtf_number_set_contains(regions->only, regions->n);
    regions->name_width = MAX(regions->names ? regions->names->width : 0, strlen(unmatched_name));
    regions->row_width = xtf_count_digits(regions->n ? regions->n - 1 : 0);
    return true;
}

void xtf_lines_region_name(XtfLines *lines, const XtfRegions *regions, uint64_t line)
{
    if (line < regions->n)
        xtf_lines_padded_name(lines, regions->names, line);
    else if (line == regions->n)
        xtf_lines_word(lines, unmatched_name);
    else
        xtf_lines_word(lines, "?");
}
