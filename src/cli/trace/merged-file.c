#include "src/cli/trace/merged-file.h"

#include "libxtf/trace.h"
#include "src/model/properties.h"
#include "src/record/launch/folder.h"

/* Returns the job that recorded a trace; NULL: it does not say. The trace owns the name. */
static const char *job_of(XtfTrace *trace)
{
    g_autoptr(GHashTable) properties = xtf_trace_read_properties(trace, NULL);

    return properties ? xtf_property(properties, "record.job") : NULL;
}

XtfMergedFile *xtf_merged_file_new(const char *folder, XtfTrace *parts, const XtfOpenOptions *open)
{
    g_autofree char *path = xtf_folder_output(folder);
    const char *job = job_of(parts);

    if (!path || !job)
        return NULL;
    XtfMergedFile *file = g_new0(XtfMergedFile, 1);
    *file = (XtfMergedFile){
        .folder = g_strdup(folder), .path = g_steal_pointer(&path), .job = g_strdup(job), .open = *open};
    return file;
}

void xtf_merged_file_free(XtfMergedFile *file)
{
    if (!file)
        return;
    g_free(file->folder);
    g_free(file->path);
    g_free(file->job);
    g_free(file);
}

bool xtf_merged_file_is_due(const XtfMergedFile *file)
{
    return !g_file_test(file->folder, G_FILE_TEST_EXISTS);
}

XtfTrace *xtf_merged_file_open(const XtfMergedFile *file)
{
    g_autoptr(XtfTrace) trace = xtf_merged_file_is_due(file) ? xtf_trace_open(file->path, &file->open, NULL) : NULL;

    return trace && g_strcmp0(job_of(trace), file->job) == 0 ? g_steal_pointer(&trace) : NULL;
}
