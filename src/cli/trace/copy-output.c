#include "src/cli/trace/copy-output.h"

#include <sys/stat.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "src/cli/trace/companion.h"

static bool is_file(const char *path, const struct stat *file)
{
    struct stat status;

    return stat(path, &status) == 0 && status.st_dev == file->st_dev && status.st_ino == file->st_ino;
}

XtfOutput *xtf_copy_output_begin(const XtfTrace *trace, const char *path, const char *source, GError **error)
{
    g_auto(GStrv) parts = xtf_trace_part_paths(trace, true);
    g_autofree char *base = xtf_companion_base(source);
    struct stat existing;
    bool exists = stat(path, &existing) == 0;

    for (char **part = parts; exists && *part; part++)
        if (is_file(*part, &existing)) {
            xtf_fail(error, XTF_ERROR_IO, "%s: the output is a file of the trace to be read", path);
            return NULL;
        }
    return xtf_output_begin(path, base, error);
}
