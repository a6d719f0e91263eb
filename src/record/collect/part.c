#include "src/record/collect/part.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/model/schemas.h"
#include "src/record/job-folder.h"

enum {
    TRIES = 1 << 20,
    RESERVE = 96 << 10, /* bytes for the note that the part ends early */
};

/* Followers read a commit within a second or two; longer makes a short run's part larger. Numbers of commits rise by
 * two (xtf_writer_keep_synced()), so that four of them are two commits. */
static const XtfWriterOptions common_options = {
    .origin = UINT64_MAX, .late_sync = true, .reserve = RESERVE, .keep_commits = 4, .keep_seconds = 2};

static XtfWriterOptions writer_options(void)
{
    const char *text = g_getenv("XTF_RECORD_KEEP");
    XtfWriterOptions options = common_options;
    guint64 keep;

    if (text && g_ascii_string_to_unsigned(text, 10, 1, G_MAXUINT32, &keep, NULL))
        options.keep_volumes = (uint32_t)keep;
    return options;
}

int xtf_collect_folder_open(const char *path, GError **error)
{
    int folder = xtf_job_folder_open(path);

    if (folder < 0)
        xtf_fail(error, XTF_ERROR_IO, "%s: %s", path, xtf_job_folder_reason(errno));
    return folder;
}

static char *part_name(uint32_t number)
{
    return g_strdup_printf("%06" PRIu32 ".xtf", number);
}

/* Creates an empty file under the first free number. Returns its descriptor, or -1; sets the part's path. */
static int create_file(XtfCollectPart *part, const char *path, GError **error)
{
    for (uint32_t i = 0; i < TRIES; i++, part->number++) {
        g_autofree char *name = part_name(part->number);
        int fd = xtf_job_file_open(part->folder, name, O_RDWR | O_CREAT | O_EXCL);
        if (fd < 0 && errno == EEXIST)
            continue;
        if (fd >= 0)
            part->path = g_build_filename(path, name, NULL);
        else
            xtf_fail(error, XTF_ERROR_IO, "%s/%s: %s", path, name, g_strerror(errno));
        return fd;
    }
    xtf_fail(error, XTF_ERROR_TOO_LARGE, "%s: there is no free number for a part", path);
    return -1;
}

/* Adds the schemas of all arrays, so that followers see from the first commit which types of rows may appear. */
static bool add_schemas(XtfWriter *writer, bool sites, GError **error)
{
    uint32_t id;

    for (unsigned i = 0; i < XTF_N_ARRAY_TYPES; i++) {
        bool sited = sites && i == XTF_MODEL_ENTERS_LEAVES;
        if (!xtf_writer_add_schema(writer, sited ? xtf_model_schema_with_sites() : xtf_model_schema(i), &id, error))
            return false;
    }
    return true;
}

bool xtf_collect_part_create(XtfCollectPart *part, int folder, const char *path, uint32_t number, uint32_t from,
                             bool sites, GError **error)
{
    g_autofree char *wanted = part_name(number);
    struct stat status;

    *part = (XtfCollectPart){.number = number == XTF_NONE32 ? from : number, .folder = folder};
    if (number != XTF_NONE32 && fstatat(folder, wanted, &status, AT_SYMLINK_NOFOLLOW) == 0)
        part->number = from;
    int fd = create_file(part, path, error);
    if (fd < 0)
        return false;
    const XtfWriterOptions options = writer_options();
    part->writer = xtf_writer_create_in(fd, part->path, &options, error);
    if (part->writer && add_schemas(part->writer, sites, error))
        return true;
    xtf_collect_part_abort(part);
    g_autofree char *name = part_name(part->number);
    unlinkat(folder, name, 0);
    g_clear_pointer(&part->path, g_free);
    return false;
}

bool xtf_collect_part_reopen(XtfCollectPart *part, GError **error)
{
    g_autofree char *name = part_name(part->number);
    g_autofree char *path = g_strdup_printf("/proc/self/fd/%d/%s", part->folder, name);

    xtf_collect_part_abort(part);
    const XtfWriterOptions options = writer_options();
    part->writer = xtf_writer_open(path, &options, error);
    return part->writer != NULL;
}

bool xtf_collect_part_close(XtfCollectPart *part, GError **error)
{
    bool good = xtf_collect_part_end_sync(part, error);
    XtfWriter *writer = g_steal_pointer(&part->writer);

    if (!part->named)
        fsync(part->folder);
    if (good)
        return !writer || xtf_writer_close(writer, error);
    xtf_writer_abort(writer);
    return false;
}

void xtf_collect_part_abort(XtfCollectPart *part)
{
    xtf_collect_part_end_sync(part, NULL);
    g_clear_pointer(&part->writer, xtf_writer_abort);
}

void xtf_collect_part_finish(XtfCollectPart *part)
{
    xtf_collect_part_abort(part);
    g_clear_pointer(&part->path, g_free);
}
