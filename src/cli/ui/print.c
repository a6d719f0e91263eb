#include "src/cli/ui/print.h"

#include <errno.h>
#include <stdarg.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "src/trace/text/escape.h"

enum {
    LINE_MAX_BYTES = 64 << 10, /* names from a file can be of any length */
};

void xtf_print_line(FILE *out, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    g_autofree char *line = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    g_autofree char *shown = xtf_text_shown(line, LINE_MAX_BYTES);
    fprintf(out, "%s\n", shown);
}

bool xtf_print_bytes(const char *bytes, size_t length, GError **error)
{
    return fwrite(bytes, 1, length, stdout) == length ||
           xtf_fail(error, XTF_ERROR_IO, "cannot write: %s", g_strerror(errno));
}

void xtf_print_unknown(FILE *out, const XtfTrace *trace)
{
    for (uint32_t i = 0; i < xtf_trace_n_schemas(trace); i++) {
        g_autoptr(GError) reason = NULL;
        if (!xtf_schema_is_supported(xtf_trace_schema(trace, i), &reason))
            xtf_print_line(out, "not known: %s", reason->message);
    }
}

void xtf_print_log(const char *domain, GLogLevelFlags level, const char *message, gpointer data)
{
    if (!(level & (G_LOG_LEVEL_DEBUG | G_LOG_LEVEL_INFO)))
        xtf_print_line(stderr, "xtf: %s", message);
}
