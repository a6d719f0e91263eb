#include "src/pictures/page/page-private.h"

#include "src/pictures/charts/histogram-picture.h"
#include "src/pictures/charts/matrix-picture.h"
#include "src/pictures/findings/findings.h"
#include "src/pictures/timeline/timeline-page.h"
#include "src/pictures/timeline/timeline.h"

enum {
    SIZE = 512 << 10,        /* bytes of all parts but the timeline */
    MATRIX_ROOM = 288 << 10, /* bytes for all cells of 64 processes without links */
    HISTOGRAM_ROOM = 64 << 10,
    FINDINGS_SHOWN = 6,
    SENTENCE_MAX = 2 * XTF_FINDING_SENTENCE, /* most characters of a sentence; not fewer than the table shows */
};

/* Names of CSS classes begin with "xi"; in pictures they begin with "xt". */
static const char styles[] =
    "body{margin:0 auto;max-width:1600px;box-sizing:border-box;padding:16px 24px;background:#fff;color:#1f2328;"
    "font:14px/1.5 'DejaVu Sans','Liberation Sans',Arial,sans-serif;print-color-adjust:exact}"
    "h1{font-size:24px;line-height:1.3;margin:0;overflow-wrap:anywhere}h2{font-size:17px;margin:28px 0 8px}"
    ".xi-files{font-size:13px;font-weight:normal}.xi-files a{padding-left:12px}p{margin:4px 0}"
    ".xi-dim,.xi-facts dt,th{color:#59636e;font-weight:normal}h2 a,td a{text-decoration:none}"
    ".xi-text a,h2 a,td a{color:#0550ae}.xi-text a{text-decoration:underline}"
    "h2 a:hover,td a:hover{text-decoration:underline}"
    ".xi-facts{display:flex;flex-wrap:wrap;row-gap:8px;margin:16px 0 0}"
    ".xi-facts div{display:flex;flex-direction:column-reverse;padding-right:36px}"
    ".xi-facts dd{margin:0;font-size:19px;font-weight:bold}"
    "ol{margin:0;padding-left:24px}li{margin:4px 0;overflow-wrap:anywhere}"
    "li::first-letter{text-transform:uppercase}"
    ".xi-columns{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);column-gap:32px}"
    ".xi-wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:13px;"
    "font-variant-numeric:tabular-nums}th,td{text-align:right;padding:3px 6px;border-bottom:1px solid #d8dee4;"
    "white-space:nowrap}.xi-name{text-align:left;white-space:normal;overflow-wrap:anywhere}"
    ".xi-bar{width:30%;padding-left:12px}.xi-bar div{height:10px}"
    ".xi-swatch{display:inline-block;width:12px;height:12px;margin-right:8px}"
    ".xi-processes a{display:inline-block;padding-right:8px}"
    "@media(max-width:1247px){.xt-narrow{display:block}}"
    "@media(max-width:1000px){.xi-columns{grid-template-columns:minmax(0,1fr)}}"
    "@media(max-width:600px){.xi-bar{display:none}.xi-name{min-width:9em}}"
    "@media(prefers-color-scheme:dark){body{background:#15181c;color:#e6edf3}"
    ".xi-dim,.xi-facts dt,th{color:#9aa4af}.xi-text a,h2 a,td a{color:#6cb6ff}th,td{border-color:#30363d}}"
    "@media print{.xi-text a,h2 a,td a{color:inherit}}"
    ".xi-text a:not([href]),h2 a:not([href]),td a:not([href]){color:inherit;text-decoration:none}"
    "li a:not([href]),#links a:not([href]){display:none}";

/* ---- Pictures. */

static bool has_picture(const XtfPage *page, const XtfPicture *picture)
{
    return xtf_picture_kind_check(page->job->views, picture, page->job->selection, NULL);
}

static bool draw_timeline(XtfPage *page, GError **error)
{
    uint64_t size;

    if (!has_picture(page, &xtf_picture_timeline))
        return true;
    if (!xtf_picture_timeline.size(page->job->views, page->job->selection, &size, error))
        return false;
    xtf_page_begin(page, "timeline", "Timeline",
                   (const char *[]){"alone", xtf_picture_timeline_page.name, "SVG", xtf_picture_timeline.name, NULL});
    xtf_timeline_page_scroller(page->drawing);
    if (!xtf_draw_part(page->job, &xtf_picture_timeline, page->drawing, size, error))
        return false;
    xtf_draw(page->drawing, "</div>\n");
    xtf_page_end(page);
    return true;
}

static bool draw_chart(XtfPage *page, const XtfPicture *chart, size_t room, const char *heading, GError **error)
{
    if (!has_picture(page, chart))
        return true;
    xtf_page_begin(page, chart->of, heading, (const char *[]){"table", chart->of, "picture", chart->name, NULL});
    if (!xtf_draw_part(page->job, chart, page->drawing, room, error))
        return false;
    xtf_page_end(page);
    return true;
}

/* ---- Findings. */

static void draw_finding(const XtfPage *page, const XtfFinding *finding)
{
    bool is_same_selection = !finding->is_window && !finding->proc && !finding->type;
    const XtfPictureTarget target = {.proc = finding->proc, .type = finding->type};
    g_autofree char *link = is_same_selection    ? g_strdup("")
                            : finding->is_window ? xtf_picture_link(&page->links, finding->from, finding->to, &target)
                                                 : xtf_picture_link(&page->links, page->from, page->to, &target);

    xtf_draw(page->drawing, "<li>");
    xtf_draw_text(page->drawing, finding->sentence, SENTENCE_MAX);
    if (link)
        xtf_draw(page->drawing, " <a href=\"%s%s\">%s</a>", link, finding->table, finding->table);
    xtf_draw(page->drawing, "</li>\n");
}

static bool draw_findings(XtfPage *page, GError **error)
{
    if (!has_picture(page, &xtf_picture_findings))
        return true;
    g_autoptr(GArray) findings = xtf_findings_find(page->job->views, page->job->selection, error);
    if (!findings)
        return false;
    xtf_page_begin(page, "findings", "What to look at first", (const char *[]){"as text", "findings", NULL});
    if (findings->len == 0)
        xtf_draw(page->drawing, "<p>Nothing: no rule found more than its threshold.</p>\n");
    else
        xtf_draw(page->drawing, "<ol class=\"xi-text\">\n");
    for (unsigned i = 0; i < findings->len && i < FINDINGS_SHOWN; i++)
        draw_finding(page, &g_array_index(findings, XtfFinding, i));
    if (findings->len > 0)
        xtf_draw(page->drawing, "</ol>\n");
    xtf_page_end(page);
    return true;
}

/* ---- The page. */

static bool index_size(XtfViews *views, const XtfSelection *selection, uint64_t *size, GError **error)
{
    if (!xtf_picture_timeline.size(views, selection, size, error))
        return false;
    *size += SIZE;
    return true;
}

static bool draw_page(XtfPage *page, GError **error)
{
    g_autofree char *path = xtf_page_path(page);

    xtf_timeline_page_begin(page->drawing, page->job, path ? path : "front page", styles);
    xtf_draw(page->drawing, "<main>\n");
    if (!xtf_page_facts(page, error) || !draw_findings(page, error) || !draw_timeline(page, error))
        return false;
    xtf_draw(page->drawing, "<div class=\"xi-columns\">\n");
    if (!xtf_page_profile(page, error) ||
        (page->has_messages && !draw_chart(page, &xtf_picture_matrix, MATRIX_ROOM, "Who sends to whom", error)) ||
        !xtf_page_imbalance(page, error) ||
        !draw_chart(page, &xtf_picture_histogram, HISTOGRAM_ROOM, "Where the records are", error))
        return false;
    xtf_draw(page->drawing, "</div>\n");
    if (!xtf_page_links(page, error))
        return false;
    xtf_draw(page->drawing, "</main>\n");
    if (has_picture(page, &xtf_picture_timeline))
        xtf_timeline_page_script(page->drawing, page->job);
    return true;
}

static bool index_draw(const XtfPictureJob *job, XtfDrawing *drawing, GError **error)
{
    XtfTraceContext *context = job->views->context;
    XtfPage page = {.job = job, .drawing = drawing};

    xtf_picture_links_init(&page.links, context, job->selection, job->depth);
    xtf_selection_window(job->selection, &context->scale, &page.from, &page.to);
    bool good = xtf_selected_locations_init(&page.selected, context, job->selection, error) && draw_page(&page, error);
    xtf_selected_locations_finish(&page.selected);
    xtf_picture_links_finish(&page.links);
    return good;
}

/* Every selection of a program's records has totals. */
const XtfPicture xtf_picture_index = {.name = "index.html",
                                      .of = "totals",
                                      .has_colours = true,
                                      .size = index_size,
                                      .draw = index_draw,
                                      .end = "</body></html>\n"};
