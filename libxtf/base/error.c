#include "libxtf/error.h"

#include <errno.h>

G_DEFINE_QUARK(xtf - error - quark, xtf_error)

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
    case XTF_ERROR_IO:
    case XTF_ERROR_NOT_XTF:
    case XTF_ERROR_DAMAGED:
        return EIO;
    }
    return EIO;
}
