#include "src/record/launch/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "libxtf/trace.h"
#include "libxtf/writer.h"
#include "src/model/part-name.h"
#include "src/model/schemas.h"
#include "src/record/job.h"
#include "src/record/launch/folder.h"
#include "src/record/launch/process-table.h"

enum {
    LOOK_EVERY_MS = 10,
    BEGIN_MS = 500,
    GATHERED_EVERY_MS = 100,
    WORLD_MAX = 1 << 24, /* bound of processes searched for; a damaged part may claim more */
};

/* Suffix of a part that holds only remarks on missing parts. */
#define REMARKS_PART ".part-remarks.xtf"

void xtf_parts_init(XtfParts *parts)
{
    parts->paths = g_ptr_array_new_with_free_func(g_free);
    parts->left_out = g_ptr_array_new_with_free_func(g_free);
    parts->remarks = g_ptr_array_new_with_free_func(g_free);
    parts->numbers = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
}

void xtf_parts_finish(XtfParts *parts)
{
    g_clear_pointer(&parts->paths, g_ptr_array_unref);
    g_clear_pointer(&parts->left_out, g_ptr_array_unref);
    g_clear_pointer(&parts->remarks, g_ptr_array_unref);
    g_clear_pointer(&parts->numbers, g_hash_table_unref);
    parts->world_size = parts->n_records = 0;
    parts->missing = false;
}

/* True if a writer holds the file's lock. */
static bool is_written(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool written = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;

    if (fd >= 0)
        close(fd);
    return written;
}

/* True if a process without a command line is alive, as during execve(). False if it has ended. */
static bool is_becoming(guint64 pid)
{
    g_autofree char *file = g_strdup_printf("/proc/%" G_GUINT64_FORMAT "/stat", pid), *line = NULL;

    if (!g_file_get_contents(file, &line, NULL, NULL))
        return false;
    const char *state = strrchr(line, ')');
    return state && state[1] == ' ' && !strchr("ZX", state[2]);
}

/* True if the collector that created the marker `name`, "HOST-PID.starting", still runs without a part. A log's name
 * has the pid of the traced process, so it does not count. */
static bool is_alive(const char *name)
{
    const char *minus = strrchr(name, '-');
    guint64 pid;

    if (!minus || !g_str_has_suffix(name, XTF_JOB_STARTING))
        return false;
    g_autofree char *number = g_strndup(minus + 1, strcspn(minus + 1, "."));
    if (!g_ascii_string_to_unsigned(number, 10, 1, G_MAXINT32, &pid, NULL))
        return false;
    g_autofree char *file = g_strdup_printf("/proc/%" G_GUINT64_FORMAT "/cmdline", pid), *command = NULL;
    gsize length;
    if (!g_file_get_contents(file, &command, &length, NULL))
        return false;
    return length == 0 ? is_becoming(pid) : memmem(command, length, "collect", strlen("collect")) != NULL;
}

/* True if a collector of the folder still works: it has no part yet, or writes one. Sets *begun if a process has
 * created a file there, so that its collector has started. */
static bool has_collectors(const char *folder, bool *begun)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    bool is_working = false;
    const char *name;

    while (dir && !is_working && (name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        *begun |= !g_str_equal(name, XTF_FOLDER_OUTPUT);
        is_working = is_alive(name) || (g_str_has_suffix(name, ".xtf") && is_written(path));
    }
    return is_working;
}

void xtf_parts_await(const char *folder, guint64 seconds, const atomic_bool *cancel)
{
    gint64 start = g_get_monotonic_time(), now = start;
    bool begun = false;

    while (now - start < (gint64)seconds * G_USEC_PER_SEC && !atomic_load(cancel)) {
        /* a program that ended at once may have a collector that is still starting */
        if (!has_collectors(folder, &begun) && (begun || now - start >= BEGIN_MS * 1000))
            return;
        g_usleep(LOOK_EVERY_MS * 1000);
        now = g_get_monotonic_time();
    }
}

static bool are_written(char **paths)
{
    for (; *paths; paths++)
        if (is_written(*paths))
            return true;
    return false;
}

void xtf_parts_await_files(char **paths, guint64 seconds, const atomic_bool *cancel)
{
    gint64 end = g_get_monotonic_time() + (gint64)seconds * G_USEC_PER_SEC;

    while (are_written(paths) && g_get_monotonic_time() < end && !atomic_load(cancel))
        g_usleep(LOOK_EVERY_MS * 1000);
}

static void add_process_number(XtfParts *parts, guint64 number)
{
    gint64 *key = g_new(gint64, 1);

    *key = (gint64)number;
    g_hash_table_add(parts->numbers, key);
}

/* Returns the number of launched processes, from a process that ended before MPI reported it. The process's number is
 * its launcher's rank; other processes without a rank have numbers above all ranks. 0: unknown. */
static guint64 launched_size(const XtfRecordedProcess *process)
{
    static const char *const names[][2] = {
        {"environment.OMPI_COMM_WORLD_RANK", "environment.OMPI_COMM_WORLD_SIZE"},
        {"environment.PMI_RANK", "environment.PMI_SIZE"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        if (xtf_recorded_text(process, names[i][0]) && xtf_recorded_number(process, names[i][0]) == process->number)
            return xtf_recorded_number(process, names[i][1]);
    return 0;
}

/* Reads a part that is no longer written: its processes, records and world size. */
static bool read_ended_part(const char *path, XtfParts *parts, XtfTraceInfo *info, GError **error)
{
    if (is_written(path))
        return xtf_fail(error, XTF_ERROR_IO, "%s: it is still being written", path);
    g_autoptr(XtfTrace) trace = xtf_trace_open(path, NULL, error);
    g_autoptr(GArray) processes = trace ? xtf_recorded_processes(trace, error) : NULL;

    if (!processes)
        return false;
    for (guint i = 0; i < processes->len; i++) {
        const XtfRecordedProcess *process = &g_array_index(processes, XtfRecordedProcess, i);
        guint64 size = xtf_recorded_number(process, "record.world_size");
        parts->world_size = MAX(parts->world_size, size > 0 ? size : launched_size(process));
        add_process_number(parts, process->number);
    }
    parts->n_records += xtf_recorded_n_records(trace);
    xtf_trace_get_info(trace, info);
    parts->n_removed += info->removed;
    return true;
}

static void add_recorded_part(const char *path, XtfParts *parts)
{
    g_autofree char *name = xtf_part_name(path);
    g_autoptr(GError) reason = NULL;
    guint64 rank;
    XtfTraceInfo info;

    if (xtf_part_process(path, &rank))
        add_process_number(parts, rank);
    if (!read_ended_part(path, parts, &info, &reason)) {
        g_ptr_array_add(parts->left_out, g_strdup_printf("%s is left out: %s", name, reason->message));
        return;
    }
    if (info.damaged_commit)
        g_ptr_array_add(
            parts->remarks,
            g_strdup_printf("%s: what was stored last is damaged; the trace has what was stored before", name));
    else if (!info.closed)
        g_ptr_array_add(
            parts->remarks,
            g_strdup_printf("%s: its collector did not end in order; the trace has what it had stored before", name));
    g_ptr_array_add(parts->paths, g_strdup(path));
}

/* Adds the messages of a collector's log as remarks. */
static void read_log(const char *path, XtfParts *parts)
{
    g_autofree char *text = NULL;

    if (!g_file_get_contents(path, &text, NULL, NULL))
        return;
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++)
        if (**line)
            g_ptr_array_add(parts->remarks, g_strdup(g_str_has_prefix(*line, "xtf: ") ? *line + 5 : *line));
}

/* Adds a remark if the marker's collector was killed: a collector removes its marker after delivering its part. */
static void check_marker(const char *name, XtfParts *parts)
{
    if (!g_str_has_suffix(name, XTF_JOB_STARTING) || is_alive(name))
        return;
    g_ptr_array_add(parts->remarks,
                    g_strdup_printf("a collector was killed: it has left %s; what it had not stored is lost", name));
}

static void search_folder(const char *folder, XtfParts *parts)
{
    g_auto(GStrv) paths = xtf_folder_parts(folder, NULL);
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name;

    for (char **path = paths; path && *path; path++)
        add_recorded_part(*path, parts);
    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        if (g_str_has_suffix(name, XTF_JOB_LOG_ENDING))
            read_log(path, parts);
        check_marker(name, parts);
    }
}

/* Adds a sentence on the processes of MPI_COMM_WORLD without a part. */
static void add_missing(XtfParts *parts)
{
    g_autoptr(GArray) missing = g_array_new(FALSE, FALSE, sizeof(guint32));

    for (guint64 i = 0; i < MIN(parts->world_size, WORLD_MAX); i++) {
        gint64 key = (gint64)i;
        guint32 number = (guint32)i;
        if (!g_hash_table_contains(parts->numbers, &key))
            g_array_append_val(missing, number);
    }
    g_autofree char *ranges = xtf_process_ranges(missing);
    if (missing->len > 0)
        g_ptr_array_add(parts->left_out, g_strdup_printf("process%s %s of %" G_GUINT64_FORMAT " left no part",
                                                         missing->len == 1 ? "" : "es", ranges, parts->world_size));
    parts->missing = missing->len > 0;
}

static bool search_folders(const char *folder, const char *gathered, XtfParts *parts)
{
    search_folder(folder, parts);
    if (gathered && !g_str_equal(folder, gathered))
        search_folder(gathered, parts);
    add_missing(parts);
    return !parts->missing;
}

void xtf_parts_find(const char *folder, const char *gathered, guint64 seconds, const atomic_bool *cancel,
                    XtfParts *parts)
{
    gint64 until = g_get_monotonic_time() + (gint64)seconds * G_USEC_PER_SEC;

    /* Other hosts move their parts here one by one, when their processes have ended. */
    while (!search_folders(folder, gathered, parts) && gathered && g_file_test(gathered, G_FILE_TEST_IS_DIR) &&
           g_get_monotonic_time() < until && !atomic_load(cancel)) {
        xtf_parts_finish(parts);
        xtf_parts_init(parts);
        g_usleep(GATHERED_EVERY_MS * 1000);
    }
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

/* Writes the part with the remarks, with the page size and resolution of the first part. */
static bool write_remarks(const XtfParts *parts, const char *path, GError **error)
{
    g_autoptr(XtfTrace) first_part = xtf_trace_open(parts->paths->pdata[0], NULL, error);
    XtfTraceInfo info;

    if (!first_part)
        return false;
    xtf_trace_get_info(first_part, &info);
    const XtfWriterOptions options = {
        .page_size = info.page_size,
        .resolution_num = xtf_trace_clock(first_part)->resolution_num,
        .resolution_den = xtf_trace_clock(first_part)->resolution_den,
        .origin = UINT64_MAX,
        .no_sync = true,
    };
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return xtf_fail(error, XTF_ERROR_IO, "%s: %s", path, g_strerror(errno));
    g_autoptr(XtfWriter) writer = xtf_writer_create_in(fd, path, &options, error);
    return writer && add_remarks(parts, writer, error) && xtf_writer_close(g_steal_pointer(&writer), error);
}

/* Moves a part to the left-out list. Damage deep in a file shows only in the merge. */
static void leave_part_out(const char *path, const GError *error, void *data)
{
    XtfParts *parts = data;
    g_autofree char *name = xtf_part_name(path);

    g_ptr_array_add(parts->left_out, g_strdup_printf("%s is left out: %s", name, error->message));
    for (guint i = 0; i < parts->paths->len; i++)
        if (g_str_equal(parts->paths->pdata[i], path))
            g_ptr_array_remove_index(parts->paths, i--);
}

typedef struct {
    const XtfMergeOptions *options;
    XtfParts *parts;
} Merging;

static bool pass_progress(uint64_t done, uint64_t total, void *data)
{
    const Merging *merging = data;

    return !merging->options->progress || merging->options->progress(done, total, merging->options->data);
}

static const XtfClockMap *pass_clock(uint64_t location, void *data)
{
    const Merging *merging = data;

    return merging->options->clock_of ? merging->options->clock_of(location, merging->options->data) : NULL;
}

static void pass_left_out(const char *path, const GError *error, void *data)
{
    const Merging *merging = data;

    leave_part_out(path, error, merging->parts);
}

static bool merge_once(XtfParts *parts, const char *output, const XtfMergeOptions *options, GError **error)
{
    /* Beside the output, since the disk of the parts may be full. */
    g_autofree char *remarks = g_strdup_printf("%s.%d" REMARKS_PART, output, (int)getpid());
    g_autoptr(GPtrArray) paths =
        g_ptr_array_new_with_free_func(g_free); /* copies: the merge frees the path of a damaged part */
    Merging merging = {.options = options, .parts = parts};
    XtfMergeOptions own = {.keep_going = true,
                           .no_sync = options->no_sync,
                           .progress = pass_progress,
                           .left_out = pass_left_out,
                           .clock_of = pass_clock,
                           .data = &merging};

    for (guint i = 0; i < parts->paths->len; i++)
        g_ptr_array_add(paths, g_strdup(parts->paths->pdata[i]));
    if (parts->left_out->len + parts->remarks->len > 0) {
        if (!write_remarks(parts, remarks, error)) {
            g_unlink(remarks);
            return false;
        }
        g_ptr_array_add(paths, g_strdup(remarks));
    }
    bool good = xtf_merge(output, (const char *const *)paths->pdata, paths->len, &own, NULL, error);
    g_unlink(remarks);
    return good;
}

bool xtf_parts_merge(XtfParts *parts, const char *output, const char *folder, const XtfMergeOptions *options,
                     GError **error)
{
    bool again = false;
    guint n;

    do { /* again, to add remarks on parts that the merge left out */
        if (parts->paths->len == 0)
            return xtf_fail(error, XTF_ERROR_NOT_FOUND, "%s: there is no part of a trace that can be read", folder);
        n = parts->paths->len;
        if (!merge_once(parts, output, options, error))
            return false;
        again |= parts->paths->len < n;
    } while (parts->paths->len < n);
    g_autoptr(XtfTrace) whole = xtf_trace_open(output, NULL, error);
    guint64 records = whole ? xtf_recorded_n_records(whole) : 0;
    if (!whole)
        return false;
    if (records != parts->n_records && !again)
        return xtf_damaged(error, "%s: it has %" G_GUINT64_FORMAT " records, but its parts have %" G_GUINT64_FORMAT,
                           output, records, parts->n_records);
    return true;
}
