#include "src/query/views/registry.h"

#include <string.h>

#include "libxtf/error.h"
#include "src/query/format/table.h"
#include "src/query/views/view.h"

enum {
    KEPT_BYTES = 8 << 20,
    KEPT_PARTS = 64,
};

const XtfView *const xtf_all_views[] = {&xtf_view_histogram, &xtf_view_profile, &xtf_view_matrix,
                                        &xtf_view_bytes,     &xtf_view_stack,   &xtf_view_imbalance,
                                        &xtf_view_values,    &xtf_view_info,    NULL};

const XtfView *xtf_view_find(const char *name)
{
    const XtfView *const *view = xtf_all_views;

    while (*view && !g_str_equal((*view)->name, name))
        view++;
    return *view;
}

bool xtf_view_exists(const XtfViews *views, const XtfView *view, const XtfSelection *selection)
{
    return !view->exists || view->exists(views->context, selection);
}

/*
 * A part of a view's text. Its text is there, and never changes again, once it is made; until then one thread makes it.
 * In `parts` as long as it is being made, or kept; `users` are those who look at it, and `parts`.
 */
typedef struct {
    const XtfView *view;
    XtfSelection *selection;
    uint64_t first; /* line */
    GString *text;  /* NULL: not made yet */
    unsigned users; /* with the lock held */
    GList link;
} Part;

static void part_free(Part *part)
{
    xtf_selection_unref(part->selection);
    if (part->text)
        g_string_free(part->text, TRUE);
    g_free(part);
}

void xtf_views_init(XtfViews *views, XtfResolver *resolver, XtfFormats *formats)
{
    memset(views, 0, sizeof *views);
    views->resolver = resolver;
    views->formats = formats;
    views->context = resolver->context;
    g_mutex_init(&views->lock);
    g_cond_init(&views->made);
    g_queue_init(&views->parts);
}

void xtf_views_finish(XtfViews *views)
{
    GList *link;
    while ((link = g_queue_pop_head_link(&views->parts)))
        part_free(link->data);
    g_cond_clear(&views->made);
    g_mutex_clear(&views->lock);
}

/* ---- Shapes. */

static bool get_shape(XtfViews *views, const XtfView *view, const XtfSelection *selection, XtfViewShape *shape,
                      GError **error)
{
    uint64_t bytes;

    memset(shape, 0, sizeof *shape);
    if (!view->shape(views, selection, shape, error))
        return false;
    shape->at_once = CLAMP(shape->at_once, 1, MAX(shape->n_lines, 1));
    if (shape->n_lines < UINT64_MAX &&
        !__builtin_mul_overflow(shape->n_lines + 1, (uint64_t)shape->grid.line, &bytes) && bytes <= INT64_MAX)
        return true;
    g_set_error(error, XTF_ERROR, XTF_ERROR_UNSUPPORTED, "the %s of this selection makes too large a file", view->name);
    return false;
}

bool xtf_view_size(XtfViews *views, const XtfView *view, const XtfSelection *selection, uint64_t *size, GError **error)
{
    XtfViewShape shape;

    if (!get_shape(views, view, selection, &shape, error))
        return false;
    *size = (shape.n_lines + 1) * shape.grid.line;
    return true;
}

/* ---- Parts. */

static GString *make_text(XtfViews *views, const XtfView *view, XtfSelection *selection, const XtfViewShape *shape,
                          uint64_t first, GError **error)
{
    uint64_t count = MIN(shape->at_once, shape->n_lines - first);
    GString *text = g_string_new(NULL);
    XtfLines lines;

    xtf_lines_init(&lines, &shape->grid, &views->context->scale, text);
    if (view->fill(views, selection, first, count, &lines, error) && xtf_lines_finish(&lines, error)) {
        if (text->len == count * shape->grid.line)
            return text;
        g_set_error(error, XTF_ERROR, XTF_ERROR_DAMAGED, "the %s has not as many lines as the trace states",
                    view->name);
    }
    g_string_free(text, TRUE);
    return NULL;
}

/* With the lock held. */
static void release(Part *part)
{
    if (--part->users == 0)
        part_free(part);
}

static void forget(XtfViews *views, Part *part)
{
    g_queue_unlink(&views->parts, &part->link);
    if (part->text)
        views->bytes -= part->text->allocated_len;
    release(part);
}

static void move_to_front(XtfViews *views, Part *part)
{
    g_queue_unlink(&views->parts, &part->link);
    g_queue_push_head_link(&views->parts, &part->link);
}

/* The oldest that are too many; the latest stays, whatever its size. */
static void trim(XtfViews *views)
{
    for (GList *link = views->parts.tail, *previous; link && link != views->parts.head; link = previous) {
        Part *part = link->data;
        previous = link->prev;
        if (part->text && (views->bytes > KEPT_BYTES || views->parts.length > KEPT_PARTS))
            forget(views, part);
    }
}

static Part *find_part(XtfViews *views, const XtfView *view, const XtfSelection *selection, uint64_t first)
{
    for (GList *link = views->parts.head; link; link = link->next) {
        Part *part = link->data;
        if (part->view == view && part->selection == selection && part->first == first)
            return part;
    }
    return NULL;
}

/* With the lock held, which it gives up meanwhile: makes the part anew. The caller uses it then; NULL with an error. */
static Part *make_part(XtfViews *views, const XtfView *view, XtfSelection *selection, const XtfViewShape *shape,
                       uint64_t first, GError **error)
{
    Part *part = g_new0(Part, 1);

    *part = (Part){.view = view, .selection = xtf_selection_ref(selection), .first = first, .users = 2};
    part->link.data = part;
    g_queue_push_head_link(&views->parts, &part->link);
    g_mutex_unlock(&views->lock);
    GString *text = make_text(views, view, selection, shape, first, error);
    g_mutex_lock(&views->lock);
    if (text) {
        part->text = text;
        views->bytes += text->allocated_len;
        move_to_front(views, part); /* for those who wait for it */
        trim(views);
    } else {
        forget(views, part);
        release(part);
        part = NULL;
    }
    g_cond_broadcast(&views->made);
    return part;
}

/* The part that begins with a line: kept, or being made by another thread, or made now. */
static Part *use_part(XtfViews *views, const XtfView *view, XtfSelection *selection, const XtfViewShape *shape,
                      uint64_t first, GError **error)
{
    Part *part;

    g_mutex_lock(&views->lock);
    while ((part = find_part(views, view, selection, first)) && !part->text)
        g_cond_wait(&views->made, &views->lock);
    if (part) {
        part->users++;
        move_to_front(views, part);
    } else {
        part = make_part(views, view, selection, shape, first, error);
    }
    g_mutex_unlock(&views->lock);
    return part;
}

static void put_part(XtfViews *views, Part *part)
{
    g_mutex_lock(&views->lock);
    release(part);
    g_mutex_unlock(&views->lock);
}

/* ---- Reading. */

static void read_header(const XtfViewShape *shape, const XtfTimeScale *scale, uint64_t offset, char *buffer,
                        size_t length)
{
    g_autoptr(GString) text = g_string_new(NULL);
    XtfLines lines;

    xtf_lines_init(&lines, &shape->grid, scale, text);
    xtf_lines_header(&lines);
    xtf_copy_part(text->str, text->len, 0, offset, buffer, length);
}

bool xtf_view_read(XtfViews *views, const XtfView *view, XtfSelection *selection, uint64_t offset, char *buffer,
                   size_t length, GError **error)
{
    XtfViewShape shape;
    uint64_t line, end = offset + length;

    if (!get_shape(views, view, selection, &shape, error))
        return false;
    line = shape.grid.line;
    if (offset < line)
        read_header(&shape, &views->context->scale, offset, buffer, length);
    /* Lines are counted from the one below the header. */
    uint64_t first = offset < line ? 0 : (offset / line - 1) / shape.at_once * shape.at_once;
    for (; first < shape.n_lines && (first + 1) * line < end; first += shape.at_once) {
        Part *part = use_part(views, view, selection, &shape, first, error);
        if (!part)
            return false;
        xtf_copy_part(part->text->str, part->text->len, (first + 1) * line, offset, buffer, length);
        put_part(views, part);
    }
    return true;
}
