#include "src/pictures/registry/picture.h"

#include "libxtf/trace.h"
#include "src/pictures/charts/histogram-picture.h"
#include "src/pictures/charts/matrix-picture.h"
#include "src/pictures/charts/profile-picture.h"
#include "src/pictures/findings/findings.h"
#include "src/pictures/frames/state-picture.h"
#include "src/pictures/page/page.h"
#include "src/pictures/timeline/timeline.h"
#include "src/tables/format/table.h"
#include "src/tables/totals/regions/region-times.h"

enum {
    KEPT_BYTES = 32 << 20,
    KEPT_PICTURES = 64,
    SMALL = 64 << 10,      /* most records of a picture that is drawn when stat() asks for its size */
    FILE_SMALL = 8 << 20,  /* most bytes of the trace of such a picture, as messages may need matching */
    LOCATIONS_SMALL = 256, /* most locations of such a picture, as each costs a little */
};

const XtfPicture *const xtf_all_pictures[] = {&xtf_picture_findings,      &xtf_picture_histogram, &xtf_picture_index,
                                              &xtf_picture_matrix,        &xtf_picture_profile,   &xtf_picture_state,
                                              &xtf_picture_timeline_page, &xtf_picture_timeline,  NULL};

const XtfPicture *xtf_picture_find(const char *name)
{
    for (const XtfPicture *const *picture = xtf_all_pictures; *picture; picture++) {
        if (g_str_equal((*picture)->name, name))
            return *picture;
    }
    return NULL;
}

/* ---- Drawn pictures. */

typedef struct {
    XtfKept kept;
    const XtfPicture *picture;
    XtfSelection *selection; /* owned */
    uint32_t depth;
    GString *text; /* NULL: not drawn yet */
} Drawn;

static Drawn *drawn_new(const XtfPicture *picture, XtfSelection *selection, uint32_t depth)
{
    Drawn *drawn = g_new(Drawn, 1);
    *drawn = (Drawn){.picture = picture, .selection = xtf_selection_ref(selection), .depth = depth};
    return drawn;
}

static void drawn_free(void *data)
{
    Drawn *drawn = data;
    xtf_selection_unref(drawn->selection);
    if (drawn->text)
        g_string_free(drawn->text, TRUE);
    g_free(drawn);
}

static gboolean drawn_equal(const void *item, const void *wanted)
{
    const Drawn *a = item, *b = wanted;
    return a->picture == b->picture && a->selection == b->selection && a->depth == b->depth;
}

static const XtfKeeperMethods drawn_methods = {.equal = drawn_equal, .free = drawn_free};

void xtf_pictures_init(XtfPictures *pictures, XtfViews *views)
{
    *pictures = (XtfPictures){.views = views};
    g_mutex_init(&pictures->lock);
    xtf_keeper_init(&pictures->drawn, &drawn_methods, KEPT_BYTES, KEPT_PICTURES);
}

void xtf_pictures_finish(XtfPictures *pictures)
{
    xtf_keeper_finish(&pictures->drawn);
    xtf_colours_free(pictures->colours);
    g_mutex_clear(&pictures->lock);
}

const XtfColours *xtf_pictures_colours(XtfPictures *pictures, GError **error)
{
    g_mutex_lock(&pictures->lock);
    if (!pictures->colours)
        pictures->colours = xtf_colours_new(pictures->views->formats, error);
    const XtfColours *colours = pictures->colours;
    g_mutex_unlock(&pictures->lock);
    return colours;
}

/* ---- Files. */

bool xtf_picture_check(const XtfPictures *pictures, const XtfPicture *picture, const XtfSelection *selection,
                       GError **error)
{
    return xtf_picture_kind_check(pictures->views, picture, selection, error);
}

/* Sets *small if a picture takes little work: it has few records, and few others that may match them. */
static bool find_small(const XtfPictures *pictures, XtfSelection *selection, bool *small, GError **error)
{
    const XtfViews *views = pictures->views;
    const XtfLocations *locations = xtf_trace_context_locations(views->context, error);
    XtfTraceInfo info;
    uint64_t n = 0;

    if (!locations)
        return false;
    xtf_trace_get_info(views->context->trace, &info);
    *small = locations->n <= LOCATIONS_SMALL && info.file_size <= FILE_SMALL;
    if (*small && !xtf_resolver_count(views->resolver, selection, &n, error))
        return false;
    *small &= n <= SMALL;
    return true;
}

/* Sets *fitted if a picture is drawn before stat() returns its size. */
static bool find_fitted(const XtfPictures *pictures, XtfSelection *selection, bool *fitted, GError **error)
{
    *fitted = pictures->drawn_first;
    return *fitted || find_small(pictures, selection, fitted, error);
}

/* Pads a text to a size with a line of blanks. */
static void pad_text(GString *text, uint64_t size)
{
    if (text->len < size) {
        g_string_append_printf(text, "%*s", (int)(size - text->len), "");
        text->str[text->len - 1] = '\n';
    }
}

static GString *draw_picture(XtfPictures *pictures, const Drawn *drawn, GError **error)
{
    XtfTraceContext *context = pictures->views->context;
    g_autoptr(GString) text = g_string_new(NULL);
    const XtfPicture *picture = drawn->picture;
    XtfPictureJob job = {.picture = picture,
                         .views = pictures->views,
                         .selection = drawn->selection,
                         .depth = drawn->depth,
                         .file = picture->path ? picture->path : picture->name};
    XtfDrawing drawing;
    uint64_t size;
    bool fitted;

    /* Links name regions, classes and communicators. */
    if (!xtf_trace_context_regions(context, error) || !xtf_trace_context_classes(context, error) ||
        !xtf_trace_context_comms(context, error))
        return NULL;
    /* Traces without calls have pages, but no colours. */
    if (picture->has_colours && xtf_region_times_exist(context, drawn->selection) &&
        !(job.colours = xtf_pictures_colours(pictures, error)))
        return NULL;
    if (!picture->size(pictures->views, drawn->selection, &size, error))
        return NULL;
    xtf_drawing_init(&drawing, text, size);
    if (!find_fitted(pictures, drawn->selection, &fitted, error) || !picture->draw(&job, &drawing, error))
        return NULL;
    if (!picture->end && !fitted)
        pad_text(text, size);
    if (picture->end && !xtf_drawing_finish(&drawing, picture->end, fitted, error))
        return NULL;
    return g_steal_pointer(&text);
}

/* Returns a drawn picture from the keeper, which xtf_keeper_put() releases. NULL with an error. */
static Drawn *take_drawn(XtfPictures *pictures, const XtfPicture *picture, XtfSelection *selection, uint32_t depth,
                         GError **error)
{
    Drawn *drawn = xtf_keeper_take(&pictures->drawn, drawn_new(picture, selection, depth));

    if (!drawn->text)
        drawn->text = draw_picture(pictures, drawn, error);
    if (drawn->text)
        return drawn;
    xtf_keeper_put(&pictures->drawn, drawn, 0, false);
    return NULL;
}

bool xtf_picture_size(XtfPictures *pictures, const XtfPicture *picture, XtfSelection *selection, uint32_t depth,
                      uint64_t *size, GError **error)
{
    bool fitted;

    if (!find_fitted(pictures, selection, &fitted, error))
        return false;
    if (!fitted)
        return picture->size(pictures->views, selection, size, error);
    Drawn *drawn = take_drawn(pictures, picture, selection, depth, error);
    if (!drawn)
        return false;
    *size = drawn->text->len;
    xtf_keeper_put(&pictures->drawn, drawn, drawn->text->allocated_len, true);
    return true;
}

bool xtf_picture_read(XtfPictures *pictures, const XtfPicture *picture, XtfSelection *selection, uint32_t depth,
                      uint64_t offset, char *buffer, size_t length, GError **error)
{
    Drawn *drawn = take_drawn(pictures, picture, selection, depth, error);

    if (!drawn)
        return false;
    xtf_copy_part(drawn->text->str, drawn->text->len, 0, offset, buffer, length);
    xtf_keeper_put(&pictures->drawn, drawn, drawn->text->allocated_len, true);
    return true;
}
