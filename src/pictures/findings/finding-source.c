/* The places of regions of the program in its source, from files and lines of their definitions. */
#include <inttypes.h>
#include <string.h>

#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/pictures/drawing/text-width.h"
#include "src/pictures/findings/finding-rule.h"
#include "src/tables/format/callpaths.h"
#include "src/trace/text/escape.h"

enum {
    FILE_BYTES = 4096, /* most bytes of a file's name that are read */
};

static bool is_of_program(const XtfFindingJob *job, uint64_t region)
{
    return XTF_CLASS_BIT(xtf_region_classes_of(job->classes, region)) & XTF_CLASSES_USEFUL;
}

/* Sets *file to the path of a region's source, or "", and *line to its line, or 0. */
static bool read_definition(const XtfFindingJob *job, uint64_t region, const char **file, uint64_t *line,
                            GError **error)
{
    XtfTrace *trace = job->views->context->trace;
    const XtfTable *table;

    *file = "";
    *line = 0;
    if (!xtf_trace_table(trace, XTF_TABLE_REGIONS, &table, error))
        return false;
    if (!table || region >= table->n_rows)
        return true;
    const XtfField *file_field = xtf_schema_field(table->schema, "file");
    const XtfField *line_field = xtf_schema_field(table->schema, "line");
    const uint8_t *row = table->rows + region * table->schema->row_size;
    if (line_field && !xtf_field_is_none(line_field, row))
        *line = xtf_field_get(line_field, row);
    return !file_field || file_field->type != XTF_TYPE_STRING ||
           xtf_trace_string(trace, (uint32_t)xtf_field_get(file_field, row), file, error);
}

/* Sets *place to "stencil.c:41" for a region; NULL if its file or line is unknown. Recorders store a library's name as
 * the file, without a line. */
static bool find_source_place(const XtfFindingJob *job, uint64_t region, char **place, GError **error)
{
    const char *file;
    uint64_t line;

    *place = NULL;
    if (!read_definition(job, region, &file, &line, error))
        return false;
    if (!line)
        return true;
    const char *slash = strrchr(file, '/');
    g_autofree char *shown = xtf_text_shown(slash ? slash + 1 : file, FILE_BYTES);
    g_autofree char *name = xtf_text_elided(shown, XTF_FINDING_NAME);
    if (name[0])
        *place = g_strdup_printf("%s:%" PRIu64, name, line);
    return true;
}

static bool find_name(const XtfFindingJob *job, uint64_t region, char **name, GError **error)
{
    const XtfNameIndex *regions = xtf_trace_context_regions(job->views->context, error);

    if (!regions)
        return false;
    g_autofree char *shown =
        xtf_text_shown(region < regions->n_rows && regions->texts ? regions->texts[region] : "?", FILE_BYTES);
    *name = xtf_finding_name(shown);
    return true;
}

/* Sets *source to " (stencil.c:41)", or with the region's name " (exchange at stencil.c:15)"; "" if the place is
 * unknown. */
static bool print_source(const XtfFindingJob *job, uint64_t region, bool is_named, char **source, GError **error)
{
    g_autofree char *place = NULL, *name = NULL;

    if (!find_source_place(job, region, &place, error) || !find_name(job, region, &name, error))
        return false;
    bool has_place = place && strstr(name, place); /* as in names of OpenMP's regions */
    if (!place || (has_place && !is_named))
        *source = g_strdup("");
    else if (has_place)
        *source = g_strdup_printf(" (%s)", name);
    else
        *source = is_named ? g_strdup_printf(" (%s at %s)", name, place) : g_strdup_printf(" (%s)", place);
    return true;
}

bool xtf_finding_source(const XtfFindingJob *job, uint64_t region, char **source, GError **error)
{
    if (is_of_program(job, region))
        return print_source(job, region, false, source, error);
    *source = g_strdup("");
    return true;
}

bool xtf_finding_callpath_source(const XtfFindingJob *job, uint64_t callpath, char **source, GError **error)
{
    XtfCallpaths callpaths;
    uint64_t at = callpath;

    if (!xtf_callpaths_load(&callpaths, job->views->context, error))
        return false;
    /* Each call path has a higher row than its caller's. */
    while (at < callpaths.n && !is_of_program(job, callpaths.rows[at].region))
        at = callpaths.rows[at].parent < at ? callpaths.rows[at].parent : UINT64_MAX;
    if (at < callpaths.n)
        return print_source(job, callpaths.rows[at].region, at != callpath, source, error);
    *source = g_strdup("");
    return true;
}
