#include "src/cli/trace/merged-file.h"

#include <limits.h>

#include "libxtf/trace.h"
#include "src/fs/fs.h"
#include "src/model/properties.h"
#include "src/record/launch/folder.h"
#include "src/trace/text/escape.h"

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

/* Logs what the mount shows from now on. */
static void log_merged(const XtfMergedFile *file, bool found)
{
    g_autofree char *line =
        found
            ? g_strdup_printf("the parts were merged into '%s': the mount shows this file", file->path)
            : g_strdup_printf("the folder '%s' is gone, and '%s' is not its merged file: the mount cannot read records "
                              "any more",
                              file->folder, file->path);
    g_autofree char *shown = xtf_text_shown(line, 2 * PATH_MAX);

    xtf_fs_log(shown);
}

XtfTree *xtf_merged_file_tree(XtfMergedFile *file)
{
    if (file->is_shown || g_file_test(file->folder, G_FILE_TEST_EXISTS))
        return NULL;
    g_autoptr(XtfTrace) trace = xtf_trace_open(file->path, &file->open, NULL);
    XtfTree *tree = trace && g_strcmp0(job_of(trace), file->job) == 0 ? xtf_tree_new_growing(trace, NULL) : NULL;

    if (tree || !file->is_logged)
        log_merged(file, tree);
    file->is_logged = true;
    file->is_shown = tree;
    return tree;
}
