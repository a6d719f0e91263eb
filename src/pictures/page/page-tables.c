/* Tables of the front page: the first lines of `profile` and of `imbalance`, with the same digits. */
#include "src/pictures/page/page-private.h"

enum {
    PROFILE_LINES = 10,
    IMBALANCE_LINES = 5,
};

typedef struct {
    XtfPage *page;
    unsigned n;      /* number of lines that were drawn */
    double greatest; /* percentage of the first line */
} Table;

/* Returns the line of XtfRegions for a line of a table. Rows of definitions precede lines without a row. */
static uint64_t region_line(const XtfPage *page, const XtfRowCell *row, const XtfRowCell *name)
{
    uint64_t n_rows = page->links.context->regions.n_rows;
    uint64_t line = row->type != XTF_ROW_NOTHING ? xtf_row_number(row) : n_rows + (*name->text != '(');
    return MIN(line, page->job->colours->n - 1);
}

/* Draws the colour and the name of a region, with a link to the front page of its calls. */
static void draw_region(const XtfPage *page, uint64_t line)
{
    const XtfColours *colours = page->job->colours;
    char colour[XTF_COLOUR_TEXT], region[24];
    g_autofree char *link = NULL;

    g_snprintf(region, sizeof region, "%%23%" PRIu64, line);
    if (line < page->links.context->regions.n_rows)
        link = xtf_picture_link(&page->links, page->from, page->to, &(XtfPictureTarget){.region = region});
    xtf_colour_print(colours->by_line[line], colour);
    xtf_draw(page->drawing, "<td class=\"xi-name\"><span class=\"xi-swatch\" style=\"background:%s\"></span>", colour);
    xtf_draw_link(page->drawing, link, page->job->file);
    xtf_draw_text(page->drawing, colours->names[line], XTF_TITLE_NAME);
    xtf_draw(page->drawing, "</a></td>");
}

/* ---- profile */

enum { ROW, CALLS, EXCLUSIVE, PERCENT, REGION };
static const char *const profile_columns[] = {"row", "calls", "exclusive", "exclusive%", "region"};

static bool draw_profile_line(const XtfRowCell *cells, void *data, GError **error)
{
    Table *table = data;
    const XtfPage *page = table->page;
    char colour[XTF_COLOUR_TEXT];

    if (table->n == PROFILE_LINES || xtf_drawing_left(page->drawing) < XTF_PAGE_LINE)
        return true;
    double percent = xtf_row_real(&cells[PERCENT]);
    if (percent == 0 && cells[EXCLUSIVE].number == 0 && cells[CALLS].number == 0)
        return true;
    if (table->n++ == 0)
        table->greatest = percent;
    uint64_t line = region_line(page, &cells[ROW], &cells[REGION]);
    g_autofree char *calls = xtf_page_number(xtf_row_shown(&cells[CALLS]));
    xtf_draw(page->drawing, "<tr>");
    draw_region(page, line);
    xtf_colour_print(page->job->colours->by_line[line], colour);
    xtf_draw(page->drawing,
             "<td>%s</td><td>%s</td><td>%s</td><td class=\"xi-bar\"><div style=\"width:%.2f%%;background:%s\"></div>"
             "</td></tr>\n",
             calls, xtf_row_shown(&cells[EXCLUSIVE]), xtf_row_shown(&cells[PERCENT]),
             table->greatest > 0 ? 100 * percent / table->greatest : 0.0, colour);
    return true;
}

bool xtf_page_profile(XtfPage *page, GError **error)
{
    Table table = {.page = page};
    XtfRowPicker picker = XTF_ROW_PICKER(profile_columns, draw_profile_line, &table);

    if (!xtf_page_has(page, "profile"))
        return true;
    xtf_page_begin(page, "profile", "Where the time went",
                   (const char *[]){"table", "profile", "by call path", "profile.svg", NULL});
    xtf_draw(page->drawing,
             "<div class=\"xi-wide\"><table><thead><tr><th class=\"xi-name\" scope=\"col\">region</th>"
             "<th scope=\"col\">calls</th><th scope=\"col\">exclusive, s</th><th scope=\"col\">%% of all time</th>"
             "<th class=\"xi-bar\" scope=\"col\">share</th></tr></thead><tbody>\n");
    if (!xtf_view_pick(page->job->views, "profile", page->job->selection, &picker, error))
        return false;
    xtf_draw(page->drawing, "%s</tbody></table></div>\n",
             table.n ? "" : "<tr><td class=\"xi-name\">no calls</td></tr>");
    xtf_page_end(page);
    return true;
}

/* ---- imbalance */

enum { IMBALANCE_ROW, MEAN, MIN_TIME, MAX_TIME, MIN_PROC, MAX_PROC, IMBALANCE_REGION };
static const char *const imbalance_columns[] = {"row", "mean", "min", "max", "min_proc", "max_proc", "region"};

/* Draws a time, and the process that has it, with a link to its front page. */
static void draw_extreme(const XtfPage *page, const XtfRowCell *time, const XtfRowCell *proc)
{
    xtf_draw(page->drawing, "<td>%s</td><td>", xtf_row_shown(time));
    xtf_page_link(page, page->from, page->to, &(XtfPictureTarget){.proc = xtf_row_shown(proc)}, xtf_row_shown(proc));
    xtf_draw(page->drawing, "</td>");
}

static bool draw_imbalance_line(const XtfRowCell *cells, void *data, GError **error)
{
    Table *table = data;
    const XtfPage *page = table->page;

    if (table->n == IMBALANCE_LINES || xtf_drawing_left(page->drawing) < XTF_PAGE_LINE)
        return true;
    if (cells[MAX_TIME].type == XTF_ROW_NOTHING || cells[MAX_TIME].number == cells[MIN_TIME].number)
        return true;
    table->n++;
    xtf_draw(page->drawing, "<tr>");
    draw_region(page, region_line(page, &cells[IMBALANCE_ROW], &cells[IMBALANCE_REGION]));
    xtf_draw(page->drawing, "<td>%s</td>", xtf_row_shown(&cells[MEAN]));
    draw_extreme(page, &cells[MIN_TIME], &cells[MIN_PROC]);
    draw_extreme(page, &cells[MAX_TIME], &cells[MAX_PROC]);
    xtf_draw(page->drawing, "</tr>\n");
    return true;
}

bool xtf_page_imbalance(XtfPage *page, GError **error)
{
    Table table = {.page = page};
    XtfRowPicker picker = XTF_ROW_PICKER(imbalance_columns, draw_imbalance_line, &table);

    if (!xtf_page_has(page, "imbalance") || page->selected.n_procs < 2)
        return true;
    xtf_page_begin(page, "imbalance", "Where processes differ", (const char *[]){"table", "imbalance", NULL});
    xtf_draw(page->drawing,
             "<div class=\"xi-wide\"><table><thead><tr><th class=\"xi-name\" scope=\"col\">region</th>"
             "<th scope=\"col\">mean, s</th><th scope=\"col\">least, s</th><th scope=\"col\">process</th>"
             "<th scope=\"col\">most, s</th><th scope=\"col\">process</th></tr></thead><tbody>\n");
    if (!xtf_view_pick(page->job->views, "imbalance", page->job->selection, &picker, error))
        return false;
    xtf_draw(page->drawing, "%s</tbody></table></div>\n",
             table.n ? "" : "<tr><td class=\"xi-name\">no differences</td></tr>");
    xtf_page_end(page);
    return true;
}
