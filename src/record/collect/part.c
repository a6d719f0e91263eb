#include "src/record/collect/part.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include "src/model/schemas.h"

enum { TRIES = 1 << 20 };

/* Followers read a commit within a second or two; longer makes a short run's part larger. */
static const XtfWriterOptions writer_options = {
    .origin = UINT64_MAX, .no_sync = true, .keep_commits = 2, .keep_seconds = 2};

/* An empty file under the first free number. */
static char *take_number(const char *folder, uint32_t *number, GError **error)
{
    for (uint32_t i = 0; i < TRIES; i++, (*number)++) {
        g_autofree char *path = g_strdup_printf("%s/%06" PRIu32 ".xtf", folder, *number);
        int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0) {
            close(fd);
            return g_steal_pointer(&path);
        }
        if (errno != EEXIST) {
            xtf_fail(error, XTF_ERROR_IO, "%s: %s", path, g_strerror(errno));
            return NULL;
        }
    }
    xtf_fail(error, XTF_ERROR_TOO_LARGE, "%s: there is no free number for a part", folder);
    return NULL;
}

/* Those of all arrays: who follows from the first commit on sees types of rows that come later. */
static bool add_schemas(XtfWriter *writer, GError **error)
{
    uint32_t id;

    for (unsigned i = 0; i < XTF_N_ARRAY_TYPES; i++)
        if (!xtf_writer_add_schema(writer, xtf_model_schema(i), &id, error))
            return false;
    return true;
}

bool xtf_collect_part_create(XtfCollectPart *part, const char *folder, uint32_t number, uint32_t from, GError **error)
{
    *part = (XtfCollectPart){.number = number == XTF_NONE32 ? from : number};
    if (g_mkdir_with_parents(folder, 0700) != 0)
        return xtf_fail(error, XTF_ERROR_IO, "%s: %s", folder, g_strerror(errno));
    g_autofree char *wanted = g_strdup_printf("%s/%06" PRIu32 ".xtf", folder, number);
    if (number != XTF_NONE32 && g_file_test(wanted, G_FILE_TEST_EXISTS))
        part->number = from;
    part->path = take_number(folder, &part->number, error);
    if (!part->path)
        return false;
    part->writer = xtf_writer_create(part->path, &writer_options, error);
    if (part->writer && add_schemas(part->writer, error))
        return true;
    xtf_collect_part_abort(part);
    g_unlink(part->path);
    g_clear_pointer(&part->path, g_free);
    return false;
}

bool xtf_collect_part_reopen(XtfCollectPart *part, GError **error)
{
    xtf_collect_part_abort(part);
    part->writer = xtf_writer_open(part->path, &writer_options, error);
    return part->writer != NULL;
}

bool xtf_collect_part_close(XtfCollectPart *part, GError **error)
{
    XtfWriter *writer = g_steal_pointer(&part->writer);

    return !writer || xtf_writer_close(writer, error);
}

void xtf_collect_part_abort(XtfCollectPart *part)
{
    g_clear_pointer(&part->writer, xtf_writer_abort);
}

void xtf_collect_part_finish(XtfCollectPart *part)
{
    xtf_collect_part_abort(part);
    g_clear_pointer(&part->path, g_free);
}
