#include "libxtf/error.h"

#include <errno.h>

/* clang-format would read the hyphen in the domain's name as a subtraction. */
/* clang-format off */
G_DEFINE_QUARK(xtf-error-quark, xtf_error)
/* clang-format on */

int xtf_error_to_errno(const GError *error)
{
    if (!error || error->domain != XTF_ERROR)
        return EIO;
    switch ((XtfErrorCode)error->code) {
    case XTF_ERROR_NOT_FOUND:
        return ENOENT;
    case XTF_ERROR_INVALID:
        return EINVAL;
    case XTF_ERROR_UNSUPPORTED:
        return ENOTSUP;
    case XTF_ERROR_CANCELLED:
        return EINTR;
    case XTF_ERROR_TOO_LARGE:
        return EFBIG;
    case XTF_ERROR_STALE:
        return ESTALE;
    case XTF_ERROR_IO:
    case XTF_ERROR_NOT_XTF:
    case XTF_ERROR_DAMAGED:
        return EIO;
    }
    return EIO;
}

bool xtf_fail(GError **error, XtfErrorCode code, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_propagate_error(error, g_error_new_valist(XTF_ERROR, (gint)code, format, arguments));
    va_end(arguments);
    return false;
}
