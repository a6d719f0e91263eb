#include "src/pictures/drawing/colours.h"

#include <inttypes.h>
#include <string.h>

#include "src/tables/totals/regions/region-totals.h"
#include "src/trace/text/digits.h"
#include "src/trace/text/escape.h"
#include "src/trace/text/lines.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("row", XTF_COLUMN_NUMBER, NULL, "row of the region in definitions/regions"),
    XTF_COLUMN("class", XTF_COLUMN_TEXT, NULL, "class of the region"),
    XTF_COLUMN("colour", XTF_COLUMN_TEXT, NULL, "the colour, as #RRGGBB"),
    XTF_COLUMN("name", XTF_COLUMN_TEXT, NULL, "name of the region"),
};

const XtfTableDeclaration xtf_table_colours =
    XTF_TABLE("definitions/colours", "colour of each region in pictures", columns);

enum {
    NAME_MAX_SHOWN = 255, /* most bytes of a region's name in pictures */
    ROOT_PERCENT = 95,    /* percentage of the run for which a root is on the stack */
};

void xtf_colours_free(XtfColours *colours)
{
    if (!colours)
        return;
    for (uint64_t line = 0; colours->names && line < colours->n; line++)
        g_free(colours->names[line]);
    g_free(colours->names);
    g_free(colours->by_line);
    g_free(colours->paints);
    g_free(colours->classes);
    g_free(colours);
}

/* ---- Names and classes. */

static char *new_line_name(const XtfNameIndex *names, const XtfRegions *regions, uint64_t line)
{
    if (line == regions->n)
        return g_strdup("(unmatched LEAVE)");
    if (line > regions->n)
        return g_strdup("?");
    const char *text = line < names->n_rows ? names->texts[line] : NULL;
    return text && *text ? xtf_text_shown(text, NAME_MAX_SHOWN) : g_strdup_printf("#%" PRIu64, line);
}

static bool load_names(XtfColours *colours, XtfFormats *formats, const XtfRegions *regions, GError **error)
{
    const XtfNameIndex *names = xtf_trace_context_regions(formats->context, error);
    const XtfRegionClasses *classes = names ? xtf_trace_context_classes(formats->context, error) : NULL;

    if (!classes)
        return false;
    for (uint64_t line = 0; line < colours->n; line++) {
        XtfRegionClass class = line == regions->n ? XTF_CLASS_MEASUREMENT : xtf_region_classes_of(classes, line);
        colours->names[line] = new_line_name(names, regions, line);
        colours->classes[line] = class;
        colours->paints[line] = xtf_paint_of(class);
    }
    return true;
}

/* ---- Colours. */

static int compare_exclusive(const void *a, const void *b)
{
    const XtfRegionTotal *x = a, *y = b;

    if (x->exclusive != y->exclusive)
        return x->exclusive < y->exclusive ? 1 : -1;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* True if a region of the program is on the stack nearly always, and has calls in it. */
static bool is_root(const XtfRegionTotals *totals, const XtfRegionTotal *region)
{
    return region->inclusive * 100 > totals->whole * ROOT_PERCENT && region->exclusive < region->inclusive;
}

static void colour_program(XtfColours *colours, const XtfRegionTotals *totals)
{
    g_autofree XtfRegionTotal *sorted = g_memdup2(totals->all, totals->n * sizeof *totals->all);
    g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal); /* addresses in by_line, by name */
    bool taken[XTF_PROGRAM_COLOURS] = {false};
    unsigned n_taken = 0;

    qsort(sorted, totals->n, sizeof *sorted, compare_exclusive);
    for (uint64_t i = 0; i < totals->n; i++) {
        uint64_t line = sorted[i].line;
        if (colours->paints[line] != XTF_PAINT_PROGRAM)
            continue;
        if (is_root(totals, &sorted[i])) {
            colours->by_line[line] = xtf_root_colour();
            continue;
        }
        const XtfColour *same = g_hash_table_lookup(known, colours->names[line]);
        if (same) {
            colours->by_line[line] = *same;
            continue;
        }
        unsigned slot = xtf_program_slot(colours->names[line]);
        while (n_taken < XTF_PROGRAM_COLOURS && taken[slot])
            slot = (slot + 1) % XTF_PROGRAM_COLOURS;
        n_taken += !taken[slot];
        taken[slot] = true;
        colours->by_line[line] = xtf_program_colour(slot);
        g_hash_table_insert(known, colours->names[line], &colours->by_line[line]);
    }
}

XtfColours *xtf_colours_new(XtfFormats *formats, GError **error)
{
    g_autoptr(XtfColours) colours = g_new0(XtfColours, 1);
    g_autoptr(XtfSelection) whole = xtf_selection_new(formats->context);
    g_auto(XtfRegionTotals) totals = {0};

    if (!xtf_region_totals_load(&totals, formats, whole, error))
        return NULL;
    colours->n = totals.n;
    colours->by_line = g_new0(XtfColour, totals.n);
    colours->paints = g_new0(uint8_t, totals.n);
    colours->classes = g_new0(uint8_t, totals.n);
    colours->names = g_new0(char *, totals.n);
    colours->shown = totals.times.regions.names;
    if (!load_names(colours, formats, &totals.times.regions, error))
        return NULL;
    for (uint64_t line = 0; line < totals.n; line++)
        colours->by_line[line] = xtf_class_colour((XtfRegionClass)colours->classes[line], colours->names[line]);
    colour_program(colours, &totals);
    return g_steal_pointer(&colours);
}

static size_t class_width(void)
{
    size_t width = 0;

    for (unsigned i = 0; i < XTF_N_CLASSES; i++)
        width = MAX(width, strlen(xtf_class_names[i]));
    return width;
}

bool xtf_colours_table(const XtfColours *colours, const XtfTimeScale *scale, XtfTableOutput *output, GError **error)
{
    const XtfPaddedNames *names = colours->shown;
    uint64_t n = names ? names->n : 0;
    char colour[XTF_COLOUR_TEXT];
    XtfGrid *grid = &output->grid;

    xtf_grid_init(grid, &xtf_table_colours);
    xtf_grid_add(grid, "row", xtf_count_digits(n > 0 ? n - 1 : 0));
    xtf_grid_add(grid, "class", class_width());
    xtf_grid_add(grid, "colour", XTF_COLOUR_TEXT - 1);
    xtf_grid_add(grid, "name", names ? names->width : 0);
    XtfLines *lines = xtf_table_output_begin(output, scale);
    for (uint64_t row = 0; row < n; row++) {
        xtf_colour_print(colours->by_line[row], colour);
        xtf_lines_number(lines, row);
        xtf_lines_word(lines, xtf_class_names[colours->classes[row]]);
        xtf_lines_word(lines, colour);
        xtf_lines_padded_name(lines, names, row);
    }
    return xtf_lines_finish(lines, error);
}
