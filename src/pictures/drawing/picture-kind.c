#include "src/pictures/drawing/picture-kind.h"

#include "libxtf/error.h"

bool xtf_picture_kind_check(XtfViews *views, const XtfPicture *picture, const XtfSelection *selection, GError **error)
{
    const XtfView *view = xtf_view_by_name(views, picture->of, selection);

    /* Rows of an analysis have views of the same names. */
    if (selection->type >= 0 && !xtf_trace_context_is_record(views->context, (uint32_t)selection->type))
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "%s draws records of the trace, not of its analysis",
                        picture->name);
    if (selection->windows)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND,
                        "%s needs one window for all processes: it exists below proc/N/iter/K/, and below time/",
                        picture->name);
    if (picture->or_of && !xtf_view_check(views, view, selection, NULL))
        view = xtf_view_by_name(views, picture->or_of, selection);
    return xtf_view_check(views, view, selection, error);
}

bool xtf_draw_part(const XtfPictureJob *page, const XtfPicture *picture, XtfDrawing *drawing, size_t room,
                   GError **error)
{
    XtfPictureJob job = *page;
    job.picture = picture;
    size_t size = drawing->size;

    job.in_page = true;
    drawing->size = MIN(size, drawing->out->len + room);
    bool good = picture->draw(&job, drawing, error);
    drawing->size = size;
    if (good)
        xtf_draw(drawing, "%s", picture->end);
    return good;
}
