#include "libxtf/tree/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "libxtf/disk/files.h"
#include "libxtf/error.h"

typedef struct {
    XtfPartFile file;  /* owns its name */
    bool is_anchor;    /* the file must be an anchor; else it must be none */
    uint64_t start;    /* offset of its first byte in this source */
    XtfSource *source; /* NULL: closed */
    uint32_t users;    /* number of current reads */
    GList link;        /* link in `idle`, if the part is open and has no users */
} Part;

typedef struct {
    XtfSource base;
    XtfSource *own;
    uint64_t own_start; /* offset of the first byte of `own` in this source */
    int folder;         /* descriptor of the folder */
    char *path;         /* path of the folder */
    uint32_t page_size;
    bool growing, anchored;
    uint32_t idle_max;
    Part *parts; /* ascending by start */
    uint32_t n;
    GMutex lock; /* guards `idle`, and the sources and users of the parts */
    GQueue idle; /* Part: open without users, longest unused first */
} PartsSource;

/* ---- Opening and closing parts. The caller holds the lock, except of enter_part() and leave_part(). */

/* Compares the part's newest superblock with the catalog. */
static bool compare_part(const PartsSource *self, const Part *part, XtfSource *source, GError **error)
{
    XtfSuperblock superblocks[XTF_SUPERBLOCK_SLOTS];
    unsigned n;

    if (!xtf_superblock_read(source, superblocks, &n, error) ||
        (source->ops->grow && !source->ops->grow(source, error)))
        return false;
    bool is_anchor = (superblocks[0].incompatible & XTF_FEATURE_FILES) && superblocks[0].own_first == 0;
    if (is_anchor && !part->is_anchor)
        return xtf_damaged(error, "it is an anchor, which cannot be a part");
    if (part->is_anchor && (!is_anchor || (superblocks[0].incompatible & XTF_FEATURE_ANCHORED)))
        return xtf_damaged(error, "it is no anchor of parts, as the companion expects");
    return xtf_part_file_is(&part->file, self->growing, &superblocks[0].info, xtf_source_size(source), error);
}

static char *part_path(const PartsSource *self, const Part *part)
{
    return g_build_filename(self->path, part->file.name, NULL);
}

static bool open_part_source(const PartsSource *self, Part *part, GError **error)
{
    g_autofree char *path = part_path(self, part);

    if (part->file.size == 0)
        return xtf_fail(error, XTF_ERROR_NOT_FOUND, "%s was removed on purpose, and the records in it are gone", path);
    g_autoptr(XtfSource) source = xtf_source_open_pread_at(self->folder, part->file.name, path, error);

    if (!source)
        return false;
    if (!compare_part(self, part, source, error)) {
        g_prefix_error(error, "%s: ", path);
        return false;
    }
    part->source = g_steal_pointer(&source);
    return true;
}

static void close_part(PartsSource *self, Part *part)
{
    g_queue_unlink(&self->idle, &part->link);
    xtf_source_close(g_steal_pointer(&part->source));
}

/* Returns the source of a part, in use until leave_part(). */
static XtfSource *enter_part(PartsSource *self, Part *part, GError **error)
{
    g_autoptr(GMutexLocker) locked G_GNUC_UNUSED = g_mutex_locker_new(&self->lock);

    if (!part->source && !open_part_source(self, part, error))
        return NULL;
    if (part->users++ == 0 && (part->link.prev || part->link.next || self->idle.head == &part->link))
        g_queue_unlink(&self->idle, &part->link);
    return part->source;
}

static void leave_part(PartsSource *self, Part *part)
{
    g_autoptr(GMutexLocker) locked G_GNUC_UNUSED = g_mutex_locker_new(&self->lock);

    if (--part->users > 0)
        return;
    g_queue_push_tail_link(&self->idle, &part->link);
    if (self->idle.length > self->idle_max)
        close_part(self, self->idle.head->data);
}

/* ---- The source. */

/* Returns the part that holds an offset; NULL if the anchor, or the later volume, holds it itself. */
static Part *find_part_at(const PartsSource *self, uint64_t offset)
{
    uint32_t low = 0, high = self->own_start > 0 && offset >= self->own_start ? 0 : self->n;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (self->parts[middle].start <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? &self->parts[low - 1] : NULL;
}

static bool fail_beyond_end(const PartsSource *self, const Part *part, uint64_t size, GError **error)
{
    g_autofree char *path = part ? part_path(self, part) : g_strdup("the anchor");

    return xtf_damaged(error, "%s: a reference is beyond its end, at %" PRIu64 " bytes", path, size);
}

static bool parts_read(XtfSource *source, uint64_t offset, void *buffer, size_t length, GError **error)
{
    PartsSource *self = (PartsSource *)source;
    Part *part = find_part_at(self, offset);
    uint64_t start = part ? part->start : self->own_start, size = part ? part->file.size : xtf_source_size(self->own);

    if (part && size == 0)
        return enter_part(self, part, error); /* fails: it was removed */
    if (offset < start)
        return xtf_damaged(error, "a reference leads to an earlier volume that the catalog does not name");
    if (length > size || offset - start > size - length)
        return fail_beyond_end(self, part, size, error);
    if (!part)
        return self->own->ops->read(self->own, offset - start, buffer, length, error);
    XtfSource *part_source = enter_part(self, part, error);
    if (!part_source)
        return false;
    bool good = part_source->ops->read(part_source, offset - start, buffer, length, error);
    leave_part(self, part);
    return good;
}

static uint64_t parts_file_offset(XtfSource *source, uint64_t offset)
{
    const PartsSource *self = (const PartsSource *)source;
    const Part *part = find_part_at(self, offset);

    return offset - (part ? part->start : self->own_start);
}

/* Adds the name of the part to an error. If the part has a different commit now, the error becomes XTF_ERROR_STALE. */
static void parts_name_file(XtfSource *source, uint64_t offset, GError **error)
{
    PartsSource *self = (PartsSource *)source;
    Part *part = find_part_at(self, offset);
    g_autoptr(GError) changed = NULL;

    if (!part || !error || !g_error_matches(*error, XTF_ERROR, XTF_ERROR_DAMAGED))
        return;
    g_autofree char *path = part_path(self, part);
    if (g_str_has_prefix((*error)->message, path))
        return;
    XtfSource *part_source = enter_part(self, part, NULL);
    PartsSource strictly = {.growing = false};
    if (part_source && !compare_part(&strictly, part, part_source, &changed) &&
        g_error_matches(changed, XTF_ERROR, XTF_ERROR_STALE)) {
        g_clear_error(error);
        g_propagate_error(error, g_steal_pointer(&changed));
    }
    if (part_source)
        leave_part(self, part);
    g_prefix_error(error, "%s: ", path);
}

static void parts_close(XtfSource *source)
{
    PartsSource *self = (PartsSource *)source;

    for (uint32_t i = 0; i < self->n; i++) {
        xtf_source_close(self->parts[i].source);
        g_free(self->parts[i].file.name);
    }
    xtf_source_close(self->own);
    if (self->folder >= 0)
        close(self->folder);
    g_mutex_clear(&self->lock);
    g_free(self->parts);
    g_free(self->path);
    g_free(self);
}

/* Updates the size of a later volume. An anchor does not grow. */
static bool parts_grow(XtfSource *source, GError **error)
{
    PartsSource *self = (PartsSource *)source;

    if (self->own_start == 0)
        return true;
    if (self->own->ops->grow && !self->own->ops->grow(self->own, error))
        return false;
    __atomic_store_n(&source->size, self->own_start + xtf_source_size(self->own), __ATOMIC_RELAXED);
    return true;
}

static const XtfSourceOps parts_ops = {
    .read = parts_read,
    .grow = parts_grow,
    .close = parts_close,
    .file_offset = parts_file_offset,
    .name_file = parts_name_file,
};

/* Opens the folder, so that the parts are found after the process changes its directory. */
static bool open_folder(PartsSource *self, const char *folder, GError **error)
{
    const char *own = !folder && self->own->ops->path ? self->own->ops->path(self->own) : NULL;
    char *real = own ? realpath(own, NULL) : NULL; /* the anchor may be opened by a symbolic link from elsewhere */

    self->path = folder ? g_strdup(folder) : real ? g_path_get_dirname(real) : NULL;
    free(real);
    if (!self->path)
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED, "it refers to files in its folder, but the folder is unknown");
    self->folder = open(self->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return self->folder >= 0 || xtf_fail(error, XTF_ERROR_IO, "%s: %s", self->path, g_strerror(errno));
}

/* Checks where the parts lie: directly after the anchor, or directly before the later volume. */
static bool check_places(const PartsSource *self, GError **error)
{
    const Part *first = &self->parts[0], *last = &self->parts[self->n - 1];
    uint64_t own = xtf_source_size(self->own), start = first->start;

    if (self->own_start > 0)
        return (start == 0 && last->start + last->file.pages * self->page_size == self->own_start) ||
               xtf_damaged(error, "catalog: the pages of the earlier volumes are not those before this one's");
    return (own <= start && start - own <= (uint64_t)XTF_FILES_GAP_MAX * self->page_size) ||
           xtf_damaged(
               error, "catalog: the pages of file \"%s\" overlap the anchor, or begin more than %d pages after its end",
               first->file.name, XTF_FILES_GAP_MAX);
}

bool xtf_parts_source_add(XtfSource *source, const XtfPartFile *files, uint32_t n, GError **error)
{
    PartsSource *self = (PartsSource *)source;

    self->parts = g_new0(Part, n);
    for (; self->n < n; self->n++) {
        Part *part = &self->parts[self->n];
        part->file = files[self->n];
        part->file.name = g_strdup(files[self->n].name);
        part->start = part->file.first_page * self->page_size;
        part->link.data = part;
        part->is_anchor = self->anchored && self->n == 0;
        if (self->own_start == 0)
            self->base.size = part->start + part->file.pages * self->page_size;
        if (part->file.size > part->file.pages * self->page_size) {
            self->n++; /* count it, so that its name is freed */
            return xtf_damaged(error, "catalog: file \"%s\" has more bytes than its pages hold", part->file.name);
        }
    }
    return check_places(self, error);
}

/* Returns the bound on idle parts: a fraction of the process's descriptors. For a growing folder it is smaller, because
 * many snapshots, each with its own parts, may be in use at once. */
static uint32_t idle_max(bool growing)
{
    struct rlimit limit;
    rlim_t share = XTF_PARTS_OPEN_MAX;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        share = limit.rlim_cur / (growing ? 256 : 8);
    return (uint32_t)CLAMP(share, 1, XTF_PARTS_OPEN_MAX);
}

XtfSource *xtf_parts_source_new(const XtfPartsSetting *setting, GError **error)
{
    PartsSource *self = g_new0(PartsSource, 1);

    *self = (PartsSource){
        .base = {.ops = &parts_ops},
        .own = setting->own,
        .own_start = setting->own_first * setting->page_size,
        .folder = -1,
        .page_size = setting->page_size,
        .growing = setting->growing,
        .anchored = setting->anchored,
        .idle_max = idle_max(setting->growing),
        .idle = G_QUEUE_INIT,
    };
    g_mutex_init(&self->lock);
    self->base.size = self->own_start + xtf_source_size(self->own);
    if (open_folder(self, setting->folder, error))
        return &self->base;
    parts_close(&self->base);
    return NULL;
}

bool xtf_parts_source_check(XtfSource *source, uint32_t part, GError **error)
{
    PartsSource *self = (PartsSource *)source;

    if (!enter_part(self, &self->parts[part], error))
        return false;
    leave_part(self, &self->parts[part]);
    return true;
}

char *xtf_parts_source_path(const XtfSource *source, uint32_t part)
{
    const PartsSource *self = (const PartsSource *)source;

    return part_path(self, &self->parts[part]);
}
