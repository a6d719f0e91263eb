#include "src/cli/trace/copy-output.h"

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "src/cli/trace/companion.h"
#include "src/files/same-file.h"

XtfOutput *xtf_copy_output_begin(const XtfTrace *trace, const char *path, const char *source, GError **error)
{
    g_auto(GStrv) parts = xtf_trace_part_paths(trace, true);
    g_autofree char *base = xtf_companion_base(source), *beside = xtf_companion_beside(source);

    if (xtf_is_same_file(beside, path)) {
        xtf_fail(error, XTF_ERROR_IO, "%s: the output is the analysis of the trace to be read", path);
        return NULL;
    }
    for (char **part = parts; *part; part++)
        if (xtf_is_same_file(*part, path)) {
            xtf_fail(error, XTF_ERROR_IO, "%s: the output is a file of the trace to be read", path);
            return NULL;
        }
    return xtf_output_begin(path, base, error);
}
