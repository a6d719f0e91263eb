#include "src/import/otf2/errors.h"

#include <stdarg.h>
#include <stdio.h>

/* The first message since the last xtf_otf2_forget_errors(): later ones come from outer functions, which know less. */
static _Thread_local char caught[512];

static OTF2_ErrorCode keep_first(void *data, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
                                 const char *format, va_list arguments)
{
    if (caught[0] == '\0')
        vsnprintf(caught, sizeof caught, format, arguments);
    return code;
}

void xtf_otf2_catch_errors(void)
{
    OTF2_Error_RegisterCallback(keep_first, NULL);
}

void xtf_otf2_forget_errors(void)
{
    caught[0] = '\0';
}

bool xtf_otf2_fail(GError **error, XtfErrorCode xtf_code, OTF2_ErrorCode otf2_code, const char *what)
{
    const char *name = otf2_code == OTF2_SUCCESS ? "" : OTF2_Error_GetDescription(otf2_code);

    xtf_fail(error, xtf_code, "%s: %s%s%s", what, name, name[0] != '\0' && caught[0] != '\0' ? ": " : "", caught);
    xtf_otf2_forget_errors();
    return false;
}
