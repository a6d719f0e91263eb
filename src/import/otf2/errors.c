#include "src/import/otf2/errors.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The first message since the last xtf_otf2_forget_errors(). Later messages are from outer functions, and less
 * specific. */
static _Thread_local char caught[512];
static _Thread_local OTF2_ErrorCode caught_code;

static OTF2_ErrorCode keep_first(void *data, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
                                 const char *format, va_list arguments)
{
    if (caught[0] == '\0') {
        vsnprintf(caught, sizeof caught, format, arguments);
        caught_code = code;
    }
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

bool xtf_otf2_has_caught(void)
{
    return caught[0] != '\0';
}

/* Returns what a message of OTF2's library means, in words for users, who see only files. */
static const char *meaning_of(const char *message)
{
    static const struct {
        const char *part, *meaning;
    } meanings[] = {
        {"Not enough memory left in buffer", "the file ends too early: it is cut short, or damaged"},
        {"terminating null byte", "the file ends too early: it is cut short, or damaged"},
        {"no chunk header", "the file is cut short, empty or overwritten"},
        {"POSIX: ", "a file cannot be opened or read"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(meanings); i++)
        if (strstr(message, meanings[i].part))
            return meanings[i].meaning;
    return "the file is damaged";
}

bool xtf_otf2_fail(GError **error, XtfErrorCode xtf_code, OTF2_ErrorCode otf2_code, const char *subject)
{
    const char *name = otf2_code == OTF2_SUCCESS ? "" : OTF2_Error_GetDescription(otf2_code);

    const char *otf2_message = caught[0] != '\0' ? caught : name;
    if (otf2_message[0] != '\0')
        xtf_fail(error, xtf_code, "%s: %s (OTF2 says: %s)", subject, meaning_of(otf2_message), otf2_message);
    else
        xtf_fail(error, xtf_code, "%s: %s", subject, meaning_of(otf2_message));
    xtf_otf2_forget_errors();
    return false;
}

bool xtf_otf2_fail_writing(GError **error, OTF2_ErrorCode otf2_code, const char *subject)
{
    OTF2_ErrorCode first = caught[0] != '\0' ? caught_code : otf2_code;
    const char *reason = first == OTF2_SUCCESS ? "unknown reason" : OTF2_Error_GetDescription(first);

    /* The library's message on a file is only the file's name. The reason is in the code. */
    xtf_fail(error, XTF_ERROR_IO, "%s: it cannot be written: %s%s%s%s", subject, reason,
             caught[0] != '\0' ? " (OTF2 says: " : "", caught, caught[0] != '\0' ? ")" : "");
    xtf_otf2_forget_errors();
    return false;
}
