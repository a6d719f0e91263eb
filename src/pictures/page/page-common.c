/* Functions that the parts of the front page share. */
#include <string.h>

#include "src/pictures/page/page-private.h"

bool xtf_page_has(const XtfPage *page, const char *view)
{
    XtfViews *views = page->job->views;
    return xtf_view_exists(views, xtf_view_by_name(views, view, page->job->selection), page->job->selection);
}

void xtf_page_link(const XtfPage *page, uint64_t from, uint64_t to, const XtfPictureTarget *target, const char *text)
{
    g_autofree char *link = xtf_picture_link(&page->links, from, to, target);

    if (link)
        xtf_draw(page->drawing, "<a href=\"%s%s\">%s</a>", link, page->job->file, text);
    else
        xtf_draw(page->drawing, "%s", text);
}

char *xtf_page_number(const char *number)
{
    size_t digits = strspn(number, "0123456789");
    g_autoptr(GString) text = g_string_new(NULL);

    for (size_t i = 0; i < digits; i++) {
        if (i > 0 && (digits - i) % 3 == 0)
            g_string_append(text, "\342\200\257"); /* a narrow no-break space */
        g_string_append_c(text, number[i]);
    }
    return g_strconcat(text->str, number + digits, NULL);
}

void xtf_page_begin(const XtfPage *page, const char *id, const char *heading, const char *const *files)
{
    xtf_draw(page->drawing, "<section id=\"%s\"><h2>%s", id, heading);
    if (files)
        xtf_draw(page->drawing, "<span class=\"xi-files\">");
    for (; files && *files; files += 2)
        xtf_draw(page->drawing, " <a href=\"%s\">%s</a>", files[1], files[0]);
    xtf_draw(page->drawing, files ? "</span></h2>\n" : "</h2>\n");
}

void xtf_page_end(const XtfPage *page)
{
    xtf_draw(page->drawing, "</section>\n");
}
