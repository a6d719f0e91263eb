/* Links of the front page: files of the directory, parts of the window, processes. */
#include <inttypes.h>
#include <string.h>

#include "src/pictures/page/page-private.h"
#include "src/tables/views/view.h"
#include "src/trace/select/grouping.h"

enum {
    PARTS = 10,         /* equal parts of the window, with a link each */
    PROCESSES_MAX = 64, /* most links to processes; more processes share at most this many links to ranges */
};

static void draw_file(const XtfPage *page, const char *up, const char *name, const char *shown)
{
    xtf_draw(page->drawing, "<a href=\"%s%s\">%s</a> ", up, name, shown);
}

static void draw_files(const XtfPage *page)
{
    const XtfViews *views = page->job->views;
    const XtfSelection *selection = page->job->selection;

    xtf_draw(page->drawing, "<p>Every number here is in a table: ");
    for (const XtfView *const *view = xtf_all_views; *view; view++) {
        if (xtf_view_exists(views, *view, selection) &&
            xtf_view_by_name(views, (*view)->table.name, selection) == *view)
            draw_file(page, "", (*view)->table.name, (*view)->table.name);
    }
    draw_file(page, "", "records", "records");
    draw_file(page, page->links.up, "definitions/", "definitions/");
    draw_file(page, page->links.up, "README", "README");
    xtf_draw(page->drawing, "</p>\n");
}

static void draw_parts(const XtfPage *page)
{
    char text[8];

    if (page->to - page->from < PARTS)
        return;
    xtf_draw(page->drawing, "<p class=\"xi-processes\">Tenths of the window: ");
    for (unsigned i = 0; i < PARTS && xtf_drawing_left(page->drawing) >= XTF_PAGE_LINE; i++) {
        g_snprintf(text, sizeof text, "%u", i + 1);
        xtf_page_link(page, xtf_time_bin_bound(page->from, page->to, i, PARTS),
                      xtf_time_bin_bound(page->from, page->to, i + 1, PARTS), NULL, text);
        xtf_draw(page->drawing, " ");
    }
    xtf_draw(page->drawing, "</p>\n");
}

/* Returns the name of the directory of selected processes `first` to end - 1, without others between. The caller frees
 * it. */
static char *print_range_name(const XtfPage *page, uint32_t first, uint32_t end)
{
    XtfNumberSet *chosen = page->job->selection->procs;
    const XtfNumberRange range = {page->selected.procs[first].proc, page->selected.procs[end - 1].proc};
    g_autoptr(XtfNumberSet) set = xtf_number_set_from_ranges(&range, 1);
    g_autoptr(XtfNumberSet) common = chosen ? xtf_number_set_intersect(set, chosen) : xtf_number_set_ref(set);
    g_autoptr(GString) name = g_string_new(NULL);

    xtf_number_set_print(common, name);
    return g_strdup(name->str);
}

/* Draws a link to a range of processes. A name that is too long for a directory has no link. */
static void draw_range(const XtfPage *page, uint32_t first, uint32_t end)
{
    g_autofree char *name = print_range_name(page, first, end);
    g_autofree char *text = end - first == 1 ? g_strdup(name)
                                             : g_strdup_printf("%" PRIu64 "-%" PRIu64, page->selected.procs[first].proc,
                                                               page->selected.procs[end - 1].proc);

    if (strlen(name) <= XTF_DIRECTORY_NAME_MAX)
        xtf_page_link(page, page->from, page->to, &(XtfPictureTarget){.proc = name}, text);
    else
        xtf_draw(page->drawing, "%s", text);
    xtf_draw(page->drawing, " ");
}

static void draw_processes(const XtfPage *page)
{
    uint32_t n = page->selected.n_procs, step = (n + PROCESSES_MAX - 1) / PROCESSES_MAX;

    if (n < 2)
        return;
    xtf_draw(page->drawing, "<p class=\"xi-processes\">Processes: ");
    for (uint32_t i = 0; i < n && xtf_drawing_left(page->drawing) >= XTF_PAGE_LINE; i += step)
        draw_range(page, i, MIN(i + step, n));
    xtf_draw(page->drawing, "</p>\n");
}

bool xtf_page_links(XtfPage *page, GError **error)
{
    xtf_draw(page->drawing, "<section id=\"links\" class=\"xi-text\"><h2>Further</h2>\n");
    draw_files(page);
    draw_parts(page);
    draw_processes(page);
    xtf_page_end(page);
    return true;
}
