/*
 * A folder of parts that may grow, as one trace.
 *
 * At each look that finds something new, the newest commits of all parts are joined in memory, as xtf_merge_anchor()
 * would do it; the bytes of that anchor, and the parts behind it, are the trace. One commit of each part is a snapshot,
 * whatever the parts do meanwhile.
 */
#include "libxtf/merge/merge-private.h"

/* A part as it was when the parts were joined last. */
typedef struct {
    bool blank; /* without a commit */
    uint8_t file_id[16];
    uint64_t commit;
    uint64_t floor; /* it holds nothing before: up to here all was complete when the part came */
} Known;

typedef struct {
    XtfJoinedFiles base;
    gint references; /* atomic: the snapshots, and whoever is opening one */
    GMutex caches_lock;
    GPtrArray *caches; /* XtfCache of the snapshots that are there, the newest last */
    GMutex lock;       /* of what follows */
    XtfOpenOptions options;
    GHashTable *known; /* path -> Known */
    XtfKeptParts *kept;
    XtfTraceInfo info; /* of the newest snapshot... */
    XtfClock clock;    /* ...and its clock; of commit 0: there is none yet */
} Joined;

static void joined_unref(Joined *self)
{
    if (!g_atomic_int_dec_and_test(&self->references))
        return;
    xtf_kept_parts_free(self->kept);
    g_hash_table_unref(self->known);
    g_ptr_array_unref(self->caches);
    g_mutex_clear(&self->caches_lock);
    g_mutex_clear(&self->lock);
    g_free(self->base.folder);
    g_free(self);
}

/*
 * All snapshots that are in use keep to one bound together. They cannot have one cache: the numbers in their rows, and
 * what is made of them, are each snapshot's own. So the newest has most of the bound, and older ones, which only those
 * still use who opened something before, share the rest.
 */
static void joined_begin(XtfJoinedFiles *base, XtfCache *cache, size_t limit)
{
    Joined *self = (Joined *)base;
    g_autoptr(GMutexLocker) locked G_GNUC_UNUSED = g_mutex_locker_new(&self->caches_lock);
    size_t older = limit / 4, n = self->caches->len;

    for (guint i = 0; i < n; i++)
        xtf_cache_set_limit(self->caches->pdata[i], older / n);
    if (n > 0)
        xtf_cache_set_limit(cache, limit - older);
    g_ptr_array_add(self->caches, cache);
}

static void joined_end(XtfJoinedFiles *base, XtfCache *cache)
{
    Joined *self = (Joined *)base;

    g_mutex_lock(&self->caches_lock);
    g_ptr_array_remove(self->caches, cache);
    g_mutex_unlock(&self->caches_lock);
    joined_unref(self);
}

/* ---- What is there. */

/* Until its first commit a file begins with nothing; the first may leave it so, and is in the other slot. */
static bool is_blank(XtfSource *source)
{
    static const uint8_t nothing[8];
    uint8_t beginning[sizeof nothing];

    return xtf_source_size(source) < sizeof beginning ||
           (source->ops->read(source, 0, beginning, sizeof beginning, NULL) &&
            memcmp(beginning, nothing, sizeof nothing) == 0);
}

/* The part's newest commit. */
static bool look_at(const char *path, Known *now, GError **error)
{
    XtfSuperblock superblocks[XTF_SUPERBLOCK_SLOTS];
    unsigned n;
    g_autoptr(GError) problem = NULL;
    g_autoptr(XtfSource) source = xtf_source_open_pread(path, error);

    if (!source)
        return false;
    if (!xtf_superblock_read(source, superblocks, &n, &problem)) {
        now->blank = is_blank(source);
        if (now->blank)
            return true;
        if (!xtf_superblock_read(source, superblocks, &n, error)) { /* or was the first commit made meanwhile? */
            g_prefix_error(error, "%s: ", path);
            return false;
        }
    }
    memcpy(now->file_id, superblocks[0].info.file_id, sizeof now->file_id);
    now->commit = superblocks[0].info.commit;
    return true;
}

static bool is_other_file(const Known *then, const Known *now)
{
    return !then->blank && (now->blank || memcmp(then->file_id, now->file_id, sizeof now->file_id) != 0);
}

/* Looks at all parts: `now` is path -> Known, with the floors that were known. *changed is set if anything is new. */
static bool look(const Joined *self, char **paths, GHashTable *now, bool *changed, GError **error)
{
    for (char **path = paths; *path; path++) {
        const Known *then = g_hash_table_lookup(self->known, *path);
        Known *found = g_new0(Known, 1);
        g_hash_table_insert(now, g_strdup(*path), found);
        if (!look_at(*path, found, error))
            return false;
        if (then && is_other_file(then, found))
            return xtf_fail(error, XTF_ERROR_INVALID, "%s: is another file now: somebody wrote it anew", *path);
        bool promised = self->clock.first <= self->clock.last && self->clock.complete > self->clock.first;
        found->floor = then ? then->floor : self->info.commit > 0 && promised ? self->clock.complete : 0;
        *changed |= !then || then->blank != found->blank || then->commit != found->commit;
    }
    GHashTableIter iter;
    gpointer path;
    g_hash_table_iter_init(&iter, self->known);
    while (g_hash_table_iter_next(&iter, &path, NULL))
        if (!g_hash_table_contains(now, path))
            return xtf_fail(error, XTF_ERROR_INVALID, "%s: is not there any more", (const char *)path);
    return true;
}

/* ---- What is said of the whole. */

static bool begins_late_enough(const XtfPart *part, const Known *known, GError **error)
{
    const XtfClock *clock = &part->clock;

    return clock->first > clock->last || clock->first >= known->floor ||
           xtf_fail(error, XTF_ERROR_INVALID, "%s: it came late, with records before what was complete", part->path);
}

/* Notes a part's commit, and what it means for the whole. */
static bool pass_part(const XtfPart *part, Known *known, XtfTraceInfo *info, XtfClock *clock, GError **error)
{
    const XtfTraceInfo *own = &part->superblock.info;
    bool first = info->epoch == 0;

    known->blank = false; /* or no more */
    known->commit = MAX(own->commit, own->passed_over);
    memcpy(known->file_id, own->file_id, sizeof known->file_id);
    if (!begins_late_enough(part, known, error))
        return false;
    clock->complete = MIN(clock->complete, MAX(part->clock.complete, known->floor));
    if (__builtin_add_overflow(info->commit, own->commit, &info->commit))
        return xtf_fail(error, XTF_ERROR_TOO_LARGE, "%s: the commits of the parts are too many together", part->path);
    info->passed_over += own->passed_over ? own->passed_over - own->commit : 0; /* for now, so many */
    info->epoch = MAX(info->epoch, own->epoch);
    info->wall_time = MAX(info->wall_time, own->wall_time);
    info->closed &= own->closed;
    info->kept_commits = first ? own->kept_commits : MIN(info->kept_commits, own->kept_commits);
    info->kept_seconds = first ? own->kept_seconds : MIN(info->kept_seconds, own->kept_seconds);
    return true;
}

/* The clock and the snapshot's name, from the parts. A later snapshot has a greater commit, since the parts have. */
static bool describe(const Joined *self, XtfMerge *merge, GHashTable *now, GError **error)
{
    XtfTraceInfo info = {.closed = true, .commit = g_hash_table_size(now)};
    XtfClock clock = merge->clock;
    GHashTableIter iter;
    gpointer known;

    memcpy(info.file_id, self->info.file_id, sizeof info.file_id);
    clock.complete = UINT64_MAX;
    for (guint i = 0; i < merge->parts->len; i++) {
        const XtfPart *part = merge->parts->pdata[i];
        if (!pass_part(part, g_hash_table_lookup(now, part->path), &info, &clock, error))
            return false;
    }
    info.passed_over += info.passed_over ? info.commit : 0;
    g_hash_table_iter_init(&iter, now);
    while (g_hash_table_iter_next(&iter, NULL, &known)) {
        if (!((const Known *)known)->blank)
            continue;
        clock.complete = MIN(clock.complete, ((const Known *)known)->floor);
        info.closed = false;
    }
    /* What is complete has its place in time already. */
    if (self->info.commit > 0 && self->clock.first <= self->clock.last && self->clock.complete > self->clock.first)
        clock.origin = self->clock.origin;
    merge->info = info;
    merge->clock = clock;
    return true;
}

/* ---- The trace. */

static GPtrArray *with_commits(char **paths, GHashTable *now)
{
    GPtrArray *found = g_ptr_array_new();

    for (; *paths; paths++)
        if (!((const Known *)g_hash_table_lookup(now, *paths))->blank)
            g_ptr_array_add(found, *paths);
    return found;
}

/* Opens what was joined, and keeps in mind what it was joined from. */
static XtfTrace *open_output(Joined *self, const XtfMerge *merge, const XtfMergeOutput *output, GHashTable *now,
                             GError **error)
{
    g_autoptr(GBytes) bytes = g_bytes_new(output->buffer->data, output->end);

    g_atomic_int_inc(&self->references);
    XtfTrace *trace = xtf_trace_open_joined(xtf_source_new_bytes(bytes), &self->base, &self->options, error);
    if (!trace)
        return NULL;
    trace->superblock.info.passed_over = merge->info.passed_over;
    self->info = merge->info;
    self->clock = merge->clock;
    g_hash_table_unref(self->known);
    self->known = g_hash_table_ref(now);
    return trace;
}

/* Joins the newest commits of all parts. */
static XtfTrace *join(Joined *self, char **paths, GHashTable *now, GError **error)
{
    g_autoptr(GPtrArray) parts = with_commits(paths, now);
    g_auto(XtfMerge) merge;
    g_auto(XtfMergeOutput) output;

    xtf_merge_init(&merge, NULL);
    merge.growing = true;
    merge.kept = self->kept;
    xtf_kept_parts_begin(self->kept);
    xtf_merge_output_begin_in_memory(&output, self->base.folder);
    if (parts->len == 0) {
        xtf_fail(error, XTF_ERROR_NOT_FOUND, "%s: no .xtf file in it has a commit yet", self->base.folder);
        return NULL;
    }
    if (!xtf_merge_join_parts(&merge, (const char *const *)parts->pdata, parts->len, error) ||
        !describe(self, &merge, now, error) || !xtf_merge_write_in_place(&merge, &output, error))
        return NULL;
    return open_output(self, &merge, &output, now, error);
}

/* The newest snapshot, if it is another than the one that is known. */
static bool join_if_changed(Joined *self, bool changed, XtfTrace **trace, GError **error)
{
    g_autoptr(GHashTable) now = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    g_auto(GStrv) paths = xtf_folder_parts(self->base.folder, error);

    if (!paths || !look(self, paths, now, &changed, error))
        return false;
    if (changed)
        *trace = join(self, paths, now, error);
    return !changed || *trace;
}

static bool joined_refresh(XtfJoinedFiles *base, const XtfTrace *trace, XtfTrace **later, GError **error)
{
    Joined *self = (Joined *)base;
    g_autoptr(GMutexLocker) locked G_GNUC_UNUSED = g_mutex_locker_new(&self->lock);

    return join_if_changed(self, trace->superblock.info.commit < self->info.commit, later, error);
}

static XtfTrace *open_parts(const char *folder, const XtfOpenOptions *options, GError **error)
{
    Joined *self = g_new0(Joined, 1);
    XtfTrace *trace = NULL;

    *self = (Joined){
        .base = {.folder = g_canonicalize_filename(folder, NULL),
                 .refresh = joined_refresh,
                 .begin = joined_begin,
                 .end = joined_end},
        .references = 1,
        .caches = g_ptr_array_new(),
        .kept = xtf_kept_parts_new(),
        .known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
    };
    if (options)
        self->options = *options;
    g_mutex_init(&self->lock);
    g_mutex_init(&self->caches_lock);
    if (xtf_merge_new_file_id(self->info.file_id, error))
        join_if_changed(self, true, &trace, error);
    joined_unref(self);
    return trace;
}

XtfTrace *xtf_folder_open(const char *folder, const XtfOpenOptions *options, GError **error)
{
    g_autofree char *anchor = g_build_filename(folder, XTF_ANCHOR_NAME, NULL);

    if (g_file_test(anchor, G_FILE_TEST_EXISTS))
        return xtf_trace_open(anchor, options, error);
    return open_parts(folder, options, error);
}
