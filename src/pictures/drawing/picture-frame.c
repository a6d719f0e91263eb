#include "src/pictures/drawing/picture-frame.h"

#include <inttypes.h>

#include "src/pictures/drawing/text-width.h"
#include "src/pictures/drawing/time-axis.h"

enum {
    LINKS_WIDTH = 190,  /* pixels */
    TITLE_WIDTH = 1180, /* pixels */
    NAME_MIN = 8,       /* least characters of the name of a trace */
};

#define TITLE_SIZE 17.5 /* pixels for widths: letters are 15 high, but bold */

const char xtf_picture_style[] =
    "<style>"
    ".xt{font:12px 'DejaVu Sans','Liberation Sans',Arial,sans-serif;print-color-adjust:exact}.xt .xt-ground{fill:#fff}"
    ".xt text{fill:#1f2328;stroke:none}.xt .xt-title{font-size:15px;font-weight:bold}"
    ".xt .xt-dim,.xt .xt-axis text{fill:#59636e;font-size:11px}.xt .xt-row{fill:#eef1f4}"
    ".xt .xt-small{font-size:11px}.xt .xt-grid{stroke:#d8dee4;fill:none}.xt .xt-t{fill:#000;fill-opacity:0}"
    ".xt .xt-t:hover{stroke:#1f2328;stroke-width:1}.xt a:where([href]) text{fill:#0550ae}"
    ".xt .xt-m{stroke:#1f2328;fill:none}.xt .xt-halo{stroke:#fff;stroke-width:3;fill:none;stroke-opacity:.7}"
    ".xt .xt-dot{fill:#1f2328}.xt .xt-open{stroke:#1f2328;fill:#fff}"
    ".xt .xt-wait{fill:url(#xt-hatch)}.xt .xt-hatch{fill:#1f2328;fill-opacity:.6}.xt .xt-pale{fill-opacity:0}"
    ".xt .xt-band{stroke:#7f42a6}.xt .xt-none{fill-opacity:0}.xt .xt-sent{fill:#ed6b42}"
    ".xt .xt-name{paint-order:stroke;stroke-width:2;stroke-linejoin:round}"
    ".xt .xt-on-dark{fill:#fff}.xt .xt-on-light{fill:#000}.xt .xt-bar{fill:#67a5d9}"
    "@media(prefers-color-scheme:dark){.xt:root{background:#15181c}.xt .xt-ground{fill:#15181c}"
    ".xt text{fill:#e6edf3}"
    ".xt .xt-dim,.xt .xt-axis text{fill:#9aa4af}.xt .xt-row{fill:#262b32}.xt .xt-grid{stroke:#30363d}"
    ".xt .xt-t:hover,.xt .xt-m{stroke:#e6edf3}.xt a:where([href]) text{fill:#6cb6ff}.xt .xt-halo{stroke:#15181c}"
    ".xt .xt-pale{fill:#e6edf3;fill-opacity:.4}"
    ".xt .xt-band{stroke:#b98ad6}.xt .xt-dot{fill:#e6edf3}.xt .xt-open{stroke:#e6edf3;fill:#15181c}}"
    "@media print{.xt a:where([href]) text{fill:#1f2328}}"
    "</style>\n";

static void draw_window_link(XtfDrawing *drawing, int x, const char *path, const char *file, const char *text)
{
    xtf_draw_link(drawing, path, file);
    xtf_draw(drawing, "<text x=\"%d\" y=\"20\" text-anchor=\"end\">%s</text></a>", x, text);
}

/* True if the window is the whole run, so that links to a larger window are needless. */
static bool is_whole(const XtfPictureFrame *frame, const XtfTimeScale *scale)
{
    return frame->from <= scale->origin && frame->to >= scale->end;
}

/* Draws links to windows of the same selection: previous, next, out, whole. */
static void draw_links(XtfDrawing *drawing, const XtfPictureFrame *frame, const XtfPictureLinks *links)
{
    const XtfTimeScale *scale = &links->context->scale;
    uint64_t width = frame->to - frame->from;
    g_autofree char *whole = xtf_picture_link_whole(links);
    int x = XTF_PICTURE_LEFT + XTF_PICTURE_PLOT;

    if (is_whole(frame, scale))
        return;
    draw_window_link(drawing, x, whole, frame->file, "whole");
    uint64_t half = width / 2, left = MIN(half, frame->from - MIN(frame->from, scale->origin));
    uint64_t right = MIN(half, scale->end - MIN(scale->end, frame->to));
    g_autofree char *out = xtf_picture_link(links, frame->from - left, frame->to + right, NULL);
    draw_window_link(drawing, x - 48, out, frame->file, "out");
    if (width > 0 && frame->to < scale->end) {
        g_autofree char *next =
            xtf_picture_link(links, frame->to, frame->to + MIN(width, UINT64_MAX - 1 - frame->to), NULL);
        draw_window_link(drawing, x - 80, next, frame->file, "next");
    }
    if (width > 0 && frame->from > scale->origin) {
        uint64_t step = MIN(width, frame->from - scale->origin);
        g_autofree char *previous = xtf_picture_link(links, frame->from - step, frame->from, NULL);
        draw_window_link(drawing, x - 116, previous, frame->file, "previous");
    }
}

/* Draws the name of a trace in at most `pixels`. */
static void draw_name(XtfDrawing *drawing, const char *name, double pixels)
{
    size_t most = XTF_TITLE_NAME;
    g_autofree char *fitting = xtf_text_elided(name, most);

    while (most > NAME_MIN && xtf_text_pixels(fitting, TITLE_SIZE) > pixels) {
        g_free(fitting);
        fitting = xtf_text_elided(name, --most);
    }
    xtf_draw_text(drawing, fitting, XTF_TITLE_NAME);
}

/* Draws the title: trace, content and window. The name of the trace gets the room that is left. */
static void draw_picture_title(XtfDrawing *drawing, const XtfPictureFrame *frame, const XtfPictureLinks *links)
{
    const XtfTimeScale *scale = &links->context->scale;
    char from[XTF_TIME_TEXT_MAX], *begin = from + sizeof from - 1, to[XTF_TIME_TEXT_MAX], *end = to + sizeof to - 1;

    *begin = *end = '\0';
    begin = xtf_time_scale_put(scale, frame->from - MIN(frame->from, scale->origin), begin);
    end = xtf_time_scale_put(scale, frame->to - MIN(frame->to, scale->origin), end);
    g_autofree char *content_text = g_strdup_printf("%s, %s s to %s s", frame->content, begin, end);
    if (links->context->name) {
        draw_name(drawing, links->context->name, TITLE_WIDTH - xtf_text_pixels(content_text, TITLE_SIZE));
        xtf_draw(drawing, ": ");
    }
    xtf_draw(drawing, "%s", content_text);
}

/* Draws the title, the part of the run, and the links. */
static void draw_head(XtfDrawing *drawing, const XtfPictureFrame *frame, const XtfPictureLinks *links)
{
    const XtfTimeScale *scale = &links->context->scale;
    char width[48], whole[48];

    xtf_time_in_words(scale, frame->to - frame->from, width, sizeof width);
    xtf_time_in_words(scale, scale->end - scale->origin, whole, sizeof whole);
    xtf_draw(drawing, "<text class=\"xt-title\" x=\"8\" y=\"20\">");
    draw_picture_title(drawing, frame, links);
    xtf_draw(drawing, "</text><text class=\"xt-dim\" x=\"%d\" y=\"20\" text-anchor=\"end\">%s of %s</text>",
             XTF_PICTURE_LEFT + XTF_PICTURE_PLOT - (is_whole(frame, scale) ? 0 : LINKS_WIDTH), width, whole);
    draw_links(drawing, frame, links);
    xtf_draw(drawing, "\n");
}

void xtf_draw_frame(XtfDrawing *drawing, const XtfPictureFrame *frame, const XtfPictureLinks *links)
{
    int top = frame->is_bare ? XTF_BARE_TOP : 0;

    xtf_draw(drawing, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"xt\" role=\"group\" ");
    /* Charts in a page have a fixed size. Other pictures are as wide as the browser's window. */
    if (frame->is_bare)
        xtf_draw(drawing, "width=\"%d\" height=\"%d\" ", frame->width, frame->height - top);
    else
        xtf_draw(drawing, "width=\"100%%\" style=\"height:auto\" ");
    xtf_draw(drawing, "viewBox=\"0 %d %d %d\">\n<title>", top, frame->width, frame->height - top);
    draw_picture_title(drawing, frame, links);
    xtf_draw(drawing, "</title><desc>%s</desc>\n%s", frame->description, xtf_picture_style);
    xtf_draw(drawing, "<rect class=\"xt-ground\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", top, frame->width,
             frame->height - top);
    if (!frame->is_bare)
        draw_head(drawing, frame, links);
}

void xtf_draw_footer(XtfDrawing *drawing, int y, const char *text)
{
    xtf_draw(drawing, "<text class=\"xt-dim\" x=\"%d\" y=\"%d\">%s</text>\n", XTF_PICTURE_LEFT, y, text);
}

const char *xtf_clock_remark(XtfClockVerdict clocks)
{
    static const char *const remarks[] = {
        [XTF_CLOCKS_AGREE] = "",
        [XTF_CLOCKS_CONTRADICT] = "The clocks disagree (xtf align corrects them). ",
        [XTF_CLOCKS_NOT_JUDGED] = "The clocks are not judged (xtf info says why). ",
    };

    return remarks[clocks];
}
