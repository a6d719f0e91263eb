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

static void append_set(GString *path, const char *directory, const XtfNumberSet *set, const char *replacement)
{
    if (!set && !replacement)
        return;
    g_string_append_printf(path, "%s/", directory);
    if (replacement)
        g_string_append(path, replacement);
    else
        xtf_number_set_print(set, path);
    g_string_append_c(path, '/');
}

/* Returns the classes whose regions are exactly `regions`; 0 if there are none. */
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

static void append_classes(GString *path, XtfClassSet classes)
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

/* Appends rows of a table as "#ROW", with the # escaped for URLs. False if they are too many for a name. */
static bool append_rows(GString *path, const char *directory, const XtfNumberSet *rows, uint64_t n_rows)
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

static bool append_regions(GString *path, const XtfTraceContext *context, const XtfNumberSet *regions,
                           const char *replacement)
{
    XtfClassSet classes = regions && !replacement ? classes_of(&context->classes, regions) : 0;

    if (replacement || !regions) {
        append_set(path, "region", NULL, replacement);
        return true;
    }
    if (!classes)
        return append_rows(path, "region", regions, context->regions.n_rows);
    append_classes(path, classes);
    return true;
}

/* Appends the type of the selection's records. Without one, appends `fallback`; NULL: none. Names may have any
 * characters. */
static void append_type(GString *path, const XtfPictureLinks *links, const char *fallback)
{
    const XtfSelection *selection = links->selection;
    const char *name = selection->calls       ? "calls"
                       : selection->type >= 0 ? links->context->type_names[selection->type]
                                              : fallback;

    if (name) {
        g_autofree char *escaped = g_uri_escape_string(name, NULL, FALSE);
        g_string_append_printf(path, "%s/", escaped);
    }
}

static char *print_link(const XtfPictureLinks *links, const char *window, const XtfPictureTarget *target)
{
    static const XtfPictureTarget no_target;
    const XtfSelection *selection = links->selection;
    g_autoptr(GString) path = g_string_new(links->up);

    if (selection->base || selection->type == XTF_NO_TYPE)
        return NULL;
    if (!target)
        target = &no_target;
    if (window)
        g_string_append_printf(path, "time/%s/", window);
    append_set(path, "proc", selection->procs, target->proc);
    append_set(path, "thread", selection->threads, target->thread);
    append_set(path, "peer", selection->by[XTF_BY_PEER], target->peer);
    append_set(path, "tag", selection->by[XTF_BY_TAG], NULL);
    if (!append_regions(path, links->context, selection->by[XTF_BY_REGION], target->region))
        return NULL;
    if (selection->by[XTF_BY_COMM] &&
        !append_rows(path, "comm", selection->by[XTF_BY_COMM], links->context->comms.n_rows))
        return NULL;
    if (selection->by[XTF_BY_SITE] && !append_rows(path, "site", selection->by[XTF_BY_SITE], links->context->sites.n))
        return NULL;
    append_type(path, links, target->type);
    return g_strdup(path->str);
}

char *xtf_picture_link(const XtfPictureLinks *links, uint64_t from, uint64_t to, const XtfPictureTarget *target)
{
    char window[XTF_WINDOW_TEXT_MAX];

    xtf_time_scale_print_window(&links->context->scale, from, to, window);
    return print_link(links, window, target);
}

char *xtf_picture_link_whole(const XtfPictureLinks *links)
{
    return print_link(links, NULL, NULL);
}

void xtf_draw_link(XtfDrawing *drawing, const char *link, const char *file)
{
    if (link)
        xtf_draw(drawing, "<a href=\"%s%s\">", link, file);
    else
        xtf_draw(drawing, "<a>");
}
