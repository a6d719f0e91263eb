#include "src/query/drawing/picture-links.h"

#include <inttypes.h>

#include "src/query/text/digits.h"

void xtf_picture_links_init(XtfPictureLinks *links, const XtfTraceContext *context, const XtfSelection *selection,
                            uint32_t depth)
{
    g_autoptr(GString) up = g_string_new(NULL);

    for (uint32_t i = 0; i < depth; i++)
        g_string_append(up, "../");
    *links = (XtfPictureLinks){.context = context, .selection = selection, .up = g_strdup(up->str)};
}

void xtf_picture_links_finish(XtfPictureLinks *links)
{
    g_clear_pointer(&links->up, g_free);
}

static void add_set(GString *path, const char *directory, const XtfNumberSet *set, const char *instead)
{
    if (!set && !instead)
        return;
    g_string_append_printf(path, "%s/", directory);
    if (instead)
        g_string_append(path, instead);
    else
        xtf_number_set_print(set, path);
    g_string_append_c(path, '/');
}

/* The classes whose regions are these and no others; 0: there are none such. */
static XtfClassSet classes_of(const XtfRegionClasses *classes, const XtfNumberSet *regions)
{
    XtfClassSet wanted = 0;

    for (uint64_t row = 0; row < classes->n; row++) {
        if (xtf_number_set_contains(regions, row))
            wanted |= XTF_CLASS_BIT(classes->by_row[row]);
    }
    g_autoptr(XtfNumberSet) rows = xtf_region_classes_rows(classes, wanted);
    return xtf_number_set_equal(rows, regions) ? wanted : 0;
}

static void add_classes(GString *path, XtfClassSet classes)
{
    const char *separator = "class/";

    for (unsigned i = 0; i < XTF_N_CLASSES; i++) {
        if (classes & XTF_CLASS_BIT(i)) {
            g_string_append_printf(path, "%s%s", separator, xtf_class_names[i]);
            separator = ",";
        }
    }
    g_string_append_c(path, '/');
}

/* Regions by their class, or by rows as "#ROW", whose # a URL needs escaped. False if they are too many for a name. */
static bool add_regions(GString *path, const XtfTraceContext *context, const XtfNumberSet *regions)
{
    const char *separator = "region/";
    size_t length = 0;

    if (!regions)
        return true;
    XtfClassSet classes = classes_of(&context->classes, regions);
    if (classes) {
        add_classes(path, classes);
        return true;
    }
    for (unsigned i = 0; i < regions->n_ranges; i++) {
        uint64_t last = MIN(regions->ranges[i].last, context->regions.n_rows - 1);
        for (uint64_t row = regions->ranges[i].first; row <= last; row++) {
            g_string_append_printf(path, "%s%%23%" PRIu64, separator, row);
            separator = ",";
            length += xtf_count_digits(row) + 2;
            if (length > XTF_DIRECTORY_NAME_MAX)
                return false;
        }
    }
    g_string_append_c(path, '/');
    return true;
}

static char *link_to(const XtfPictureLinks *links, const char *window, const char *proc, const char *thread)
{
    g_autoptr(GString) path = g_string_new(links->up);

    if (window)
        g_string_append_printf(path, "time/%s/", window);
    add_set(path, "proc", links->selection->procs, proc);
    add_set(path, "thread", links->selection->threads, thread);
    if (!add_regions(path, links->context, links->selection->by[XTF_BY_REGION]))
        return NULL;
    return g_strdup(path->str);
}

char *xtf_picture_link(const XtfPictureLinks *links, uint64_t from, uint64_t to, const char *proc, const char *thread)
{
    char window[XTF_WINDOW_TEXT_MAX];

    xtf_time_scale_print_window(&links->context->scale, from, to, window);
    return link_to(links, window, proc, thread);
}

char *xtf_picture_link_whole(const XtfPictureLinks *links)
{
    return link_to(links, NULL, NULL, NULL);
}

void xtf_draw_link(XtfDrawing *drawing, const char *link, const char *file)
{
    if (link)
        xtf_draw(drawing, "<a href=\"%s%s\">", link, file);
    else
        xtf_draw(drawing, "<a>");
}
