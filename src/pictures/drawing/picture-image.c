#include "src/pictures/drawing/picture-image.h"

bool xtf_draw_image(XtfDrawing *drawing, const XtfIndexedImage *image, GError **error, const char *format, ...)
{
    g_autoptr(GByteArray) bytes = xtf_png_encode(image, error);
    va_list arguments;

    if (!bytes)
        return false;
    g_autofree char *text = g_base64_encode(bytes->data, bytes->len);
    xtf_draw(drawing, "<image ");
    va_start(arguments, format);
    g_string_append_vprintf(drawing->out, format, arguments);
    va_end(arguments);
    xtf_draw(drawing, " style=\"image-rendering:pixelated\" href=\"data:image/png;base64,%s\"/>\n", text);
    return true;
}
