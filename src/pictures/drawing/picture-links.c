#include "src/pictures/drawing/picture-links.h"

#include <inttypes.h>

#include "src/trace/text/digits.h"

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

/* Rows of a table as "#ROW", whose # a URL needs escaped. False if they are too many for a name. */
static bool add_rows(GString *path, const char *directory, const XtfNumberSet *rows, uint64_t n_rows)
{
    const char *separator = "";
    size_t length = 0;

    g_string_append_printf(path, "%s/", directory);
    for (unsigned i = 0; i < rows->n_ranges; i++) {
        for (uint64_t row = rows->ranges[i].first; row <= rows->ranges[i].last && row < n_rows; row++) {
            g_string_append_printf(path, "%s%%23%" PRIu64, separator, row);
            separator = ",";
            length += xtf_count_digits(row) + 2;
            if (length > XTF_DIRECTORY_NAME_MAX)
                return false;
        }
    }
    g_string_append_c(path, '/');
    return length > 0;
}

static bool add_regions(GString *path, const XtfTraceContext *context, const XtfNumberSet *regions, const char *instead)
{
    XtfClassSet classes = regions && !instead ? classes_of(&context->classes, regions) : 0;

    if (instead || !regions) {
        add_set(path, "region", NULL, instead);
        return true;
    }
    if (!classes)
        return add_rows(path, "region", regions, context->regions.n_rows);
    add_classes(path, classes);
    return true;
}

/* The records' type, whose name may be any that a file has. */
static void add_type(GString *path, const XtfPictureLinks *links, const char *instead)
{
    const XtfSelection *selection = links->selection;
    const char *name = selection->calls       ? "calls"
                       : selection->type >= 0 ? links->context->type_names[selection->type]
                                              : instead;

    if (name) {
        g_autofree char *escaped = g_uri_escape_string(name, NULL, FALSE);
        g_string_append_printf(path, "%s/", escaped);
    }
}

static char *link_to(const XtfPictureLinks *links, const char *window, const XtfPictureWhere *where)
{
    static const XtfPictureWhere nothing;
    const XtfSelection *selection = links->selection;
    g_autoptr(GString) path = g_string_new(links->up);

    if (selection->base || selection->type == XTF_NO_TYPE)
        return NULL;
    if (!where)
        where = &nothing;
    if (window)
        g_string_append_printf(path, "time/%s/", window);
    add_set(path, "proc", selection->procs, where->proc);
    add_set(path, "thread", selection->threads, where->thread);
    add_set(path, "peer", selection->by[XTF_BY_PEER], where->peer);
    add_set(path, "tag", selection->by[XTF_BY_TAG], NULL);
    if (!add_regions(path, links->context, selection->by[XTF_BY_REGION], where->region))
        return NULL;
    if (selection->by[XTF_BY_COMM] && !add_rows(path, "comm", selection->by[XTF_BY_COMM], links->context->comms.n_rows))
        return NULL;
    add_type(path, links, where->type);
    return g_strdup(path->str);
}

char *xtf_picture_link(const XtfPictureLinks *links, uint64_t from, uint64_t to, const XtfPictureWhere *where)
{
    char window[XTF_WINDOW_TEXT_MAX];

    xtf_time_scale_print_window(&links->context->scale, from, to, window);
    return link_to(links, window, where);
}

char *xtf_picture_link_whole(const XtfPictureLinks *links)
{
    return link_to(links, NULL, NULL);
}

void xtf_draw_link(XtfDrawing *drawing, const char *link, const char *file)
{
    if (link)
        xtf_draw(drawing, "<a href=\"%s%s\">", link, file);
    else
        xtf_draw(drawing, "<a>");
}
