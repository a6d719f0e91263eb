/*
 * Volumes: a trace in several files, one after the other.
 *
 * A writer that begins a volume commits to its file and leaves this file for ever. It continues in a new file, with the
 * same arrays: their trees have pages in all volumes. Pages are numbered through all volumes, so the references between
 * pages stay as they are. Everything that a later commit may replace is stored anew in the new file: right edges, the
 * P index, tables, strings, schemas and the catalog. So no later commit changes an earlier volume, and a reader needs
 * an earlier volume only for rows and totals that lie there.
 *
 * A sealed page names the place that was reserved for the next page of its level. The place lies in the old volume,
 * where nothing may be written any more. So the next page gets another place, and readers of such a trace do not use
 * the links between pages.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libxtf/disk/address.h"
#include "libxtf/disk/files.h"
#include "libxtf/error.h"
#include "libxtf/write/chunk-writer.h"

/* Makes the last commit of this volume durable, and describes the volume. */
static bool end_volume(const XtfWriter *writer, const char *name, XtfPartFile *volume, GError **error)
{
    struct stat status;

    xtf_writer_release_reserve(writer);
    if (fstat(writer->fd, &status) != 0)
        return xtf_fail(error, XTF_ERROR_IO, "%s: %s", writer->path, g_strerror(errno));
    const XtfTraceInfo info = {
        .file_size = (uint64_t)status.st_size,
        .commit = writer->commit,
        .wall_time = writer->wall_time,
        .epoch = writer->epoch,
    };
    *volume = xtf_part_file_of(name, &info);
    memcpy(volume->file_id, writer->file_id, sizeof volume->file_id);
    volume->first_page = writer->own_first;
    volume->pages = writer->pages - writer->own_first;
    return writer->no_sync || xtf_writer_sync(writer, error);
}

/* Forgets where the old volume holds what the next commit stores in the new one. */
static void forget_stored(XtfWriter *writer)
{
    for (guint i = 0; i < writer->nodes->len; i++) {
        XtfNodeWriter *node = writer->nodes->pdata[i];
        node->stored = (XtfRef){0};
        node->changed = true;
    }
    for (guint i = 0; i < writer->tables->len; i++)
        xtf_chunk_writer_forget(&((XtfTableWriter *)writer->tables->pdata[i])->rows);
    xtf_chunk_writer_forget(&writer->strings);
    xtf_chunk_writer_forget(&writer->schema_rows);
    for (uint32_t i = 0; i < writer->catalog.n_schemas; i++) {
        writer->limits_changed[i] |= writer->catalog.limit_items[i].length > 0;
        writer->catalog.limit_items[i] = (XtfRef){0};
    }
    writer->clocks.stored = (XtfRef){0};
    writer->clocks.changed = writer->clocks.n_stored > 0;
    writer->catalog_stored = (XtfRef){0};
    g_array_set_size(writer->branch_nodes, 0);
    g_array_set_size(writer->dropped, 0);
    g_array_set_size(writer->dropped_pages, 0);
}

/* Stores the edges of all open arrays with the next commit, and moves their reserved places into the new volume. Edges
 * of other arrays stay in the old one, with the rows of these arrays. */
static void move_edges(XtfWriter *writer)
{
    XtfArrayWriter *array;
    XtfObjectIter arrays;

    xtf_object_iter_init(&arrays, &writer->arrays);
    while ((array = xtf_object_iter_next(&arrays))) {
        array->edge_bytes = 0;
        if (!array->open)
            continue;
        array->edge = (XtfRef){0};
        array->changed = true;
        xtf_array_writer_move_places(array);
    }
}

/* Marks volumes that are too old as removed. The trace begins after them. */
static void forget_old_volumes(XtfWriter *writer)
{
    guint n = writer->volumes->len, keep = writer->keep_volumes;

    for (guint i = 0; keep > 0 && i + keep < n; i++) {
        g_array_index(writer->volumes, XtfPartFile, i).size = 0;
        writer->kept_from = MAX(writer->kept_from, g_array_index(writer->volume_ends, uint64_t, i) + 1);
    }
}

/* Enters an empty file. Exchanges the descriptors: the caller gets that of the old volume. */
static void enter_volume(XtfWriter *writer, int *fd, const XtfPartFile *last)
{
    int old = writer->fd;
    XtfPartFile volume = *last;

    volume.name = g_strdup(volume.name);
    if (!writer->volumes) {
        writer->volumes = g_array_new(FALSE, FALSE, sizeof(XtfPartFile));
        writer->volume_ends = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    }
    g_array_append_val(writer->volumes, volume);
    g_array_append_val(writer->volume_ends, writer->catalog.clock.last);
    forget_old_volumes(writer);
    writer->fd = *fd;
    *fd = old;
    writer->own_first = writer->pages;
    writer->pages += xtf_first_place(writer->page_size);
    writer->reserved = 0;
    writer->incompatible |= XTF_FEATURE_FILES | XTF_FEATURE_VOLUMES;
    xtf_space_free(writer->space);
    writer->space = xtf_space_new(writer->page_size, writer->kept_commits, writer->kept_seconds);
    forget_stored(writer);
    move_edges(writer);
}

/* Commits to both files, and enters the second. *fd becomes the descriptor of the old volume, which stays locked: the
 * old volume has the trace's name until the new one is complete. */
static bool change_volume(XtfWriter *writer, int *fd, const char *name, GError **error)
{
    XtfPartFile volume;

    if (!xtf_writer_commit(writer, error) || !end_volume(writer, name, &volume, error))
        return false;
    enter_volume(writer, fd, &volume);
    if (!xtf_writer_commit(writer, error) || (!writer->no_sync && !xtf_writer_sync(writer, error))) {
        writer->failed = true;
        return false;
    }
    if (writer->late_sync)
        xtf_writer_keep_synced(writer);
    return true;
}

/* ---- The names of the volumes. */

/* The names that a change of volumes needs. */
typedef struct {
    int folder;
    const char *name; /* of the last volume */
    char *ended;      /* of the volume that ends */
    char *temporary;  /* of the new volume, until it is complete */
    bool linked;      /* the volume that ends has both names */
    bool exchanged;   /* the new volume has the name of the trace */
} Names;

/* Returns true if the name leads to the file that the writer writes. */
static bool is_own_file(const XtfWriter *writer, int folder, const char *name)
{
    struct stat own, named;

    return fstat(writer->fd, &own) == 0 && fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           own.st_dev == named.st_dev && own.st_ino == named.st_ino;
}

static bool fail_name(const XtfWriter *writer, const char *name, GError **error)
{
    return xtf_fail(error, XTF_ERROR_IO, "%s: cannot begin a volume: %s: %s", writer->path, name, g_strerror(errno));
}

/* Gives the file a second name, so that it never is without one. A crashed writer may have done so before. Where the
 * file system has no links the file is renamed later. */
static bool link_ended(const XtfWriter *writer, Names *names, GError **error)
{
    names->linked = linkat(names->folder, names->name, names->folder, names->ended, 0) == 0 ||
                    (errno == EEXIST && is_own_file(writer, names->folder, names->ended));
    return names->linked || errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS || errno == EMLINK ||
           fail_name(writer, names->ended, error);
}

static int create_new(const XtfWriter *writer, const Names *names, GError **error)
{
    struct stat status;
    mode_t mode = fstat(writer->fd, &status) == 0 ? status.st_mode & 0777 : 0600;

    unlinkat(names->folder, names->temporary, 0); /* of a crashed writer */
    int fd = openat(names->folder, names->temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd < 0)
        fail_name(writer, names->temporary, error);
    return fd;
}

/* Renames a file in the folder of the volumes. */
static bool rename_file(const Names *names, const char *from, const char *to)
{
    return renameat(names->folder, from, names->folder, to) == 0;
}

/* Gives the new volume the name of the old one. */
static bool exchange_names(XtfWriter *writer, Names *names, GError **error)
{
    bool renamed = !names->linked && rename_file(names, names->name, names->ended);

    names->exchanged = (names->linked || renamed) && rename_file(names, names->temporary, names->name);
    if (names->exchanged && (writer->no_sync || fsync(names->folder) == 0 || errno == EINVAL))
        return true;
    writer->failed = true;
    fail_name(writer, names->name, error);
    if (renamed && !names->exchanged)
        rename_file(names, names->ended, names->name); /* a failure leaves the trace under its second name */
    return false;
}

/* Removes the names of a change of volumes that failed. An old volume that has another name keeps it. */
static void remove_names(const Names *names)
{
    unlinkat(names->folder, names->temporary, 0);
    if (names->linked)
        unlinkat(names->folder, names->ended, 0);
}

/* Removes the files of volumes that are marked as removed. After an error one stays, and is not missed. */
static void remove_old_volumes(const XtfWriter *writer, const Names *names)
{
    for (guint i = 0; i < writer->volumes->len; i++) {
        const XtfPartFile *volume = &g_array_index(writer->volumes, XtfPartFile, i);
        if (volume->size == 0)
            unlinkat(names->folder, volume->name, 0);
    }
}

static bool begin_volume(XtfWriter *writer, Names *names, GError **error)
{
    int fd = create_new(writer, names, error);
    bool good = fd >= 0 && xtf_writer_lock_file(fd, writer->path, error) && link_ended(writer, names, error) &&
                change_volume(writer, &fd, names->ended, error) && exchange_names(writer, names, error);

    if (!good && !names->exchanged)
        remove_names(names);
    if (fd >= 0)
        close(fd);
    if (good)
        remove_old_volumes(writer, names);
    return good;
}

bool xtf_writer_begin_volume(XtfWriter *writer, int folder, const char *name, GError **error)
{
    guint number = (writer->volumes ? writer->volumes->len : 0) + 1;
    g_autofree char *ended = g_strdup_printf("%s.%04u", name, number), *temporary = g_strdup_printf(".%s.new", name);
    Names names = {.folder = folder, .name = name, .ended = ended, .temporary = temporary};

    if (writer->base)
        return xtf_fail(error, XTF_ERROR_INVALID, "%s: a companion cannot go on in another volume", writer->path);
    if (!xtf_file_name_valid(name, strlen(name)) || !xtf_file_name_valid(ended, strlen(ended)) ||
        !is_own_file(writer, folder, name))
        return xtf_fail(error, XTF_ERROR_INVALID, "%s: \"%s\" is not the name of its file", writer->path, name);
    return begin_volume(writer, &names, error);
}
