/* The head of the front page: the trace, the selection, and its figures. */
#include <inttypes.h>
#include <string.h>

#include "src/model/properties.h"
#include "src/pictures/page/page-private.h"
#include "src/tables/totals/regions/class-times.h"
#include "src/trace/text/escape.h"

enum {
    PATH_SHOWN = 256,    /* most characters of the selection's path */
    PROPERTY_SHOWN = 80, /* most bytes of a property on the trace's origin */
    NUMBER = 32,         /* bytes of a figure with its NUL */
};

/* ---- The selection. */

char *xtf_page_path(const XtfPage *page)
{
    g_autofree char *link = xtf_picture_link_whole(&page->links);
    const XtfTimeScale *scale = &page->links.context->scale;
    bool is_window = page->from > scale->origin || page->to < scale->end;
    g_autofree char *whole =
        link && is_window ? xtf_picture_link(&page->links, page->from, page->to, NULL) : g_steal_pointer(&link);
    g_autofree char *path = whole ? g_uri_unescape_string(whole + strlen(page->links.up), NULL) : NULL;
    size_t length = path ? strlen(path) : 0;

    if (page->job->depth == 0 || (path && length == 0))
        return NULL;
    if (!path)
        return g_strdup("A part");
    path[length - 1] = '\0'; /* the last slash */
    return xtf_text_shown(path, 4 * PATH_SHOWN);
}

/* Draws the selection's path, or a remark if no directory has the selection. */
static void draw_path(const XtfPage *page)
{
    g_autofree char *path = xtf_page_path(page);

    if (!path) {
        xtf_draw(page->drawing, "All of the trace");
        return;
    }
    xtf_draw_text(page->drawing, path, PATH_SHOWN);
    xtf_draw(page->drawing, " of <a href=\"%s%s\">all of the trace</a>", page->links.up, page->job->file);
}

static void draw_property(const XtfPage *page, const char *name, const char *before)
{
    const char *value = xtf_property(page->links.context->properties, name);
    g_autofree char *shown = value && *value ? xtf_text_shown(value, PROPERTY_SHOWN) : NULL;

    if (!shown)
        return;
    xtf_draw(page->drawing, "%s", before);
    xtf_draw_text(page->drawing, shown, PROPERTY_SHOWN);
}

static void draw_selection(const XtfPage *page)
{
    xtf_draw(page->drawing, "<p class=\"xi-text xi-dim\">");
    draw_path(page);
    xtf_draw(page->drawing, ": %" PRIu32 " process%s, %" PRIu32 " thread%s", page->selected.n_procs,
             page->selected.n_procs == 1 ? "" : "es", page->selected.n, page->selected.n == 1 ? "" : "s");
    draw_property(page, "source", ", source: ");
    draw_property(page, "creator", ", recorded by ");
    draw_property(page, "machine", ", on ");
    xtf_draw(page->drawing, "</p>\n");
}

/* ---- Figures. */

typedef struct {
    char duration[NUMBER], records[NUMBER], calls[NUMBER], sends[NUMBER], recvs[NUMBER], collectives[NUMBER];
    char program[NUMBER], busy[NUMBER]; /* percentages */
    bool has_messages;
} Facts;

/* Stores the first cell of a name. Cells are digits, with or without a point, or a dash if the figure is unknown. */
static void keep_first(char *fact, const XtfRowCell *cell)
{
    if (!*fact)
        g_strlcpy(fact, xtf_row_shown(cell), NUMBER);
}

enum { WHAT, VALUE };
static const char *const info_columns[] = {"what", "value"};

static bool read_info_row(const XtfRowCell *cells, void *data, GError **error)
{
    Facts *facts = data;
    char *const facts_by_name[] = {facts->duration, facts->records, facts->calls,
                                   facts->sends,    facts->recvs,   facts->collectives};
    static const char *const names[] = {"duration", "records", "calls", "sends", "recvs", "collectives"};

    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        if (g_str_equal(cells[WHAT].text, names[i]))
            keep_first(facts_by_name[i], &cells[VALUE]);
    }
    bool is_of_messages = g_str_equal(cells[WHAT].text, "sends") || g_str_equal(cells[WHAT].text, "recvs");
    facts->has_messages |= is_of_messages && xtf_row_number(&cells[VALUE]) > 0;
    return true;
}

/* Prints a percentage as tables show it; nothing if `whole` is 0. */
static void print_percent(char text[static NUMBER], unsigned __int128 part, unsigned __int128 whole)
{
    if (!whole)
        return;
    uint64_t hundredths = xtf_hundredths(part, whole);
    g_snprintf(text, NUMBER, "%" PRIu64 ".%02" PRIu64, hundredths / 100, hundredths % 100);
}

/* Reads the percentages of the threads of processors, and of the streams of accelerators. */
static bool read_times(const XtfPage *page, Facts *facts, GError **error)
{
    XtfFormats *formats = page->job->views->formats;
    const XtfSelection *selection = page->job->selection;
    XtfClassTimes threads = {0}, devices = {0};

    if (!xtf_page_has(page, "classes"))
        return true;
    if (!xtf_class_times_measure(&threads, formats, selection, XTF_TIMES_OF_THREADS, error) ||
        !xtf_class_times_measure(&devices, formats, selection, XTF_TIMES_OF_DEVICES, error))
        return false;
    print_percent(facts->program, xtf_class_times_program(&threads), threads.whole);
    print_percent(facts->busy, devices.whole - xtf_class_times_outside(&devices), devices.whole);
    return true;
}

static void draw_fact(const XtfPage *page, const char *figure, const char *unit, const char *label)
{
    g_autofree char *grouped = xtf_page_number(figure);

    if (*figure)
        xtf_draw(page->drawing, "<div><dt>%s</dt><dd>%s%s</dd></div>\n", label, grouped, unit);
}

bool xtf_page_facts(XtfPage *page, GError **error)
{
    XtfViews *views = page->job->views;
    XtfSelection *selection = page->job->selection;
    const char *name = page->links.context->name;
    Facts facts = {0};
    XtfRowPicker info = XTF_ROW_PICKER(info_columns, read_info_row, &facts);

    if (!xtf_view_pick(views, "info", selection, &info, error) || !read_times(page, &facts, error))
        return false;
    page->has_messages = facts.has_messages;
    xtf_draw(page->drawing, "<header id=\"facts\"><h1>");
    xtf_draw_text(page->drawing, name ? name : "Trace", PATH_SHOWN);
    xtf_draw(page->drawing, "</h1>\n");
    draw_selection(page);
    xtf_draw(page->drawing, "<dl class=\"xi-facts\">\n");
    draw_fact(page, facts.duration, " s", "duration");
    draw_fact(page, facts.records, "", "records");
    draw_fact(page, facts.calls, "", "calls");
    draw_fact(page, facts.sends, "", "messages sent");
    draw_fact(page, facts.collectives, "", "collective records");
    draw_fact(page, facts.program, " %", "of the threads' time in the program");
    draw_fact(page, facts.busy, " %", "of the devices' time busy");
    xtf_draw(page->drawing, "</dl></header>\n");
    return true;
}
