#include "src/record/launch/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "libxtf/writer.h"
#include "src/model/schemas.h"

enum {
    LOOK_EVERY_MS = 10,
};

/* What is missing is told in a part of its own, which has no records. */
#define REMARKS_PART ".part-remarks.xtf"

void xtf_parts_init(XtfParts *parts)
{
    parts->paths = g_ptr_array_new_with_free_func(g_free);
    parts->left_out = g_ptr_array_new_with_free_func(g_free);
    parts->remarks = g_ptr_array_new_with_free_func(g_free);
}

void xtf_parts_finish(XtfParts *parts)
{
    g_clear_pointer(&parts->paths, g_ptr_array_unref);
    g_clear_pointer(&parts->left_out, g_ptr_array_unref);
    g_clear_pointer(&parts->remarks, g_ptr_array_unref);
}

/* Whether a writer holds the file's lock. */
static bool is_written(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool written = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;

    if (fd >= 0)
        close(fd);
    return written;
}

/* Hidden ones, too: a part has no other name until its process's number is known. */
static bool some_are_written(const char *folder)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    bool some = false;
    const char *name;

    while (dir && !some && (name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        some = g_str_has_suffix(name, ".xtf") && is_written(path);
    }
    return some;
}

void xtf_parts_await(const char *folder, guint64 seconds, const atomic_bool *cancel)
{
    gint64 until = g_get_monotonic_time() + (gint64)seconds * G_USEC_PER_SEC;

    while (some_are_written(folder) && g_get_monotonic_time() < until && !atomic_load(cancel))
        g_usleep(LOOK_EVERY_MS * 1000);
}

/* The number of the process that a part is of, by its name; false: it has another name. */
static bool rank_of(const char *path, guint64 *rank)
{
    g_autofree char *name = g_path_get_basename(path);

    name[strlen(name) - strlen(".xtf")] = '\0';
    return g_ascii_string_to_unsigned(name, 10, 0, G_MAXUINT32 - 1, rank, NULL);
}

static char *name_of(const char *path)
{
    guint64 rank;

    return rank_of(path, &rank) ? g_strdup_printf("process %" G_GUINT64_FORMAT, rank) : g_path_get_basename(path);
}

static void look_at(const char *path, XtfParts *parts)
{
    g_autofree char *name = name_of(path);
    g_autoptr(GError) reason = NULL;
    XtfTraceInfo info;

    g_autoptr(XtfTrace) trace = is_written(path) ? NULL : xtf_trace_open(path, NULL, &reason);
    if (!trace) {
        g_ptr_array_add(parts->left_out, g_strdup_printf("%s is left out: %s", name,
                                                         reason ? reason->message : "it is still being written"));
        return;
    }
    xtf_trace_get_info(trace, &info);
    if (!info.closed)
        g_ptr_array_add(
            parts->remarks,
            g_strdup_printf("%s: its collector did not end in order; the trace has what it had committed", name));
    g_ptr_array_add(parts->paths, g_strdup(path));
}

static void look_in(const char *folder, XtfParts *parts)
{
    g_auto(GStrv) paths = xtf_folder_parts(folder, NULL);

    for (char **path = paths; path && *path; path++)
        look_at(*path, parts);
}

void xtf_parts_find(const char *folder, const char *gathered, XtfParts *parts)
{
    look_in(folder, parts);
    if (gathered && !g_str_equal(folder, gathered))
        look_in(gathered, parts);
}

static bool add_remark(XtfWriter *writer, XtfTableWriter *table, const char *text, unsigned kind, GError **error)
{
    XtfRemarkRow row = {.kind = (uint8_t)kind};
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    uint32_t string;

    if (!xtf_writer_add_string(writer, valid, &string, error))
        return false;
    row.text = string;
    return xtf_table_writer_append(table, &row, NULL, error);
}

static bool add_remarks(const XtfParts *parts, XtfWriter *writer, GError **error)
{
    uint32_t id;

    if (!xtf_writer_add_schema(writer, xtf_model_schema(XTF_MODEL_REMARKS), &id, error))
        return false;
    XtfTableWriter *table = xtf_writer_table(writer, id, error);
    bool good = table != NULL;
    for (guint i = 0; good && i < parts->left_out->len; i++)
        good = add_remark(writer, table, parts->left_out->pdata[i], XTF_REMARK_LEFT_OUT, error);
    for (guint i = 0; good && i < parts->remarks->len; i++)
        good = add_remark(writer, table, parts->remarks->pdata[i], XTF_REMARK_WARNING, error);
    return good;
}

/* Writes the part with the remarks, as the others are. */
static bool write_remarks(const XtfParts *parts, const char *path, GError **error)
{
    g_autoptr(XtfTrace) like = xtf_trace_open(parts->paths->pdata[0], NULL, error);
    XtfTraceInfo info;

    if (!like)
        return false;
    xtf_trace_get_info(like, &info);
    const XtfWriterOptions options = {
        .page_size = info.page_size,
        .resolution_num = xtf_trace_clock(like)->resolution_num,
        .resolution_den = xtf_trace_clock(like)->resolution_den,
        .origin = UINT64_MAX,
        .no_sync = true,
    };
    g_autoptr(XtfWriter) writer = xtf_writer_create(path, &options, error);
    return writer && add_remarks(parts, writer, error) && xtf_writer_close(g_steal_pointer(&writer), error);
}

bool xtf_parts_merge(const XtfParts *parts, const char *output, const char *folder, const XtfMergeOptions *options,
                     XtfMergeReport *report, GError **error)
{
    g_autofree char *remarks = g_build_filename(folder, REMARKS_PART, NULL);
    g_autoptr(GPtrArray) paths = g_ptr_array_new();

    if (parts->paths->len == 0)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "%s: there is no part of a trace that can be read", folder);
    for (guint i = 0; i < parts->paths->len; i++)
        g_ptr_array_add(paths, parts->paths->pdata[i]);
    if (parts->left_out->len + parts->remarks->len > 0) {
        if (!write_remarks(parts, remarks, error))
            return false;
        g_ptr_array_add(paths, remarks);
    }
    bool good = xtf_merge(output, (const char *const *)paths->pdata, paths->len, options, report, error);
    g_unlink(remarks);
    return good;
}
