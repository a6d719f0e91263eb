/*
 * A folder of parts that may grow, as one trace.
 *
 * Each scan that finds something new joins the newest commits of all parts in memory, as xtf_merge_anchor() would do on
 * disk. The trace consists of the bytes of that anchor and the parts. One commit of each part makes a snapshot, which
 * later commits of the parts do not change.
 */
#include "libxtf/merge/merge-private.h"

typedef struct {
    XtfJoinedFiles base;
    gint references; /* atomic: the snapshots, and the threads that open one */
    GMutex caches_lock;
    GPtrArray *caches; /* XtfCache of the existing snapshots, the newest last */
    GMutex lock;       /* guards the members below */
    XtfOpenOptions options;
    GHashTable *known; /* path -> XtfKnownPart, from the last scan */
    uint64_t flips;    /* number of scans at which a part changed its state without a later commit */
    XtfKeptParts *kept;
    XtfTraceInfo info; /* of the newest snapshot; commit 0: none yet */
    XtfClock clock;    /* clock of the newest snapshot */
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
 * Sets the bounds of the caches. All snapshots in use share one memory bound. They cannot share a cache, because
 * numbers in their rows, and data derived from them, differ. So the newest snapshot gets most of the bound. The older
 * ones, used only by readers that opened them before, share the remainder.
 */
static void joined_add_cache(XtfJoinedFiles *base, XtfCache *cache, size_t limit)
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

static void joined_remove_cache(XtfJoinedFiles *base, XtfCache *cache)
{
    Joined *self = (Joined *)base;

    g_mutex_lock(&self->caches_lock);
    g_ptr_array_remove(self->caches, cache);
    g_mutex_unlock(&self->caches_lock);
    joined_unref(self);
}

/* ---- Clock and state of the whole. */

/* Returns the time up to which the whole is complete; 0: none. */
static uint64_t complete_time(const Joined *self)
{
    const XtfClock *clock = &self->clock;
    bool any = self->info.commit > 0 && clock->first <= clock->last && clock->complete > clock->first;

    return any ? clock->complete : 0;
}

/* Checks that a part changes nothing that was shown before: it must neither begin too early nor have grown after it was
 * given up. */
static bool check_part_time(const XtfPart *part, const XtfKnownPart *known, GError **error)
{
    const XtfClock *clock = &part->clock;

    if (known->given_up && known->last > 0)
        return clock->last == known->last ||
               xtf_fail(error, XTF_ERROR_INVALID,
                        "%s: it has grown after the trace went on without it: its writer seemed to have ended",
                        part->path);
    return clock->first > clock->last || clock->first >= known->floor ||
           xtf_fail(error, XTF_ERROR_INVALID,
                    "%s: it appeared late, with records before the time up to which the trace was complete",
                    part->path);
}

/* Records a part's commit and adds it to the info and clock of the whole. */
static bool add_part_info(const XtfPart *part, XtfKnownPart *known, XtfTraceInfo *info, XtfClock *clock, GError **error)
{
    const XtfTraceInfo *own = &part->superblock.info;
    bool first = info->epoch == 0;

    if (known->state == XTF_KNOWN_BLANK) /* blank at the scan; it has a commit now */
        known->state = own->closed ? XTF_KNOWN_CLOSED : XTF_KNOWN_OPEN;
    known->commit = MAX(own->commit, own->damaged_commit);
    memcpy(known->file_id, own->file_id, sizeof known->file_id);
    if (!check_part_time(part, known, error))
        return false;
    known->last = part->clock.first <= part->clock.last ? part->clock.last : 0;
    if (known->state != XTF_KNOWN_ENDED) /* an ended part will not grow */
        clock->complete = MIN(clock->complete, MAX(part->clock.complete, known->floor));
    if (__builtin_add_overflow(info->commit, own->commit, &info->commit))
        return xtf_fail(error, XTF_ERROR_TOO_LARGE, "%s: the sum of the parts' commits is too large", part->path);
    info->damaged_commit +=
        own->damaged_commit ? own->damaged_commit - own->commit : 0; /* number of skipped commits, for now */
    info->epoch = MAX(info->epoch, own->epoch);
    info->wall_time = MAX(info->wall_time, own->wall_time);
    info->closed &= own->closed;
    info->kept_commits = first ? own->kept_commits : MIN(info->kept_commits, own->kept_commits);
    info->kept_seconds = first ? own->kept_seconds : MIN(info->kept_seconds, own->kept_seconds);
    return true;
}

/* Computes the clock and the info of the snapshot from the parts. A later snapshot has a greater commit number, because
 * the numbers of its parts grow. */
static bool describe_snapshot(const Joined *self, XtfMerge *merge, GHashTable *now, GError **error)
{
    XtfTraceInfo info = {.closed = true, .commit = g_hash_table_size(now) + self->flips};
    XtfClock clock = merge->clock;
    GHashTableIter iter;
    gpointer known;

    memcpy(info.file_id, self->info.file_id, sizeof info.file_id);
    clock.complete = UINT64_MAX;
    for (guint i = 0; i < merge->parts->len; i++) {
        const XtfPart *part = merge->parts->pdata[i];
        if (!add_part_info(part, g_hash_table_lookup(now, part->path), &info, &clock, error))
            return false;
    }
    info.damaged_commit += info.damaged_commit ? info.commit : 0;
    g_hash_table_iter_init(&iter, now);
    while (g_hash_table_iter_next(&iter, NULL, &known)) {
        const XtfKnownPart *part = known;
        if (part->state != XTF_KNOWN_BLANK)
            continue;
        clock.complete = MIN(clock.complete, part->floor);
        info.closed = false;
    }
    /* Rows up to the complete time are already placed relative to the origin, so it stays. */
    if (complete_time(self) > 0)
        clock.origin = self->clock.origin;
    merge->info = info;
    merge->clock = clock;
    return true;
}

/* ---- The trace. */

static GPtrArray *list_parts_with_commits(char **paths, GHashTable *now)
{
    GPtrArray *found = g_ptr_array_new();

    for (; *paths; paths++) {
        const XtfKnownPart *known = g_hash_table_lookup(now, *paths);
        if (known->state != XTF_KNOWN_BLANK && known->state != XTF_KNOWN_LOST)
            g_ptr_array_add(found, *paths);
    }
    return found;
}

static void add_remark(GPtrArray *remarks, const char *path, XtfPartRemarkKind kind, const char *text)
{
    XtfPartRemark *remark = g_new(XtfPartRemark, 1);

    *remark = (XtfPartRemark){.path = g_strdup(path), .kind = kind, .text = g_strdup(text)};
    g_ptr_array_add(remarks, remark);
}

/* Creates the remarks on the parts, in the order of their names. */
static GPtrArray *create_remarks(char **paths, GHashTable *now)
{
    GPtrArray *remarks = g_ptr_array_new_with_free_func(xtf_part_remark_free);

    for (; *paths; paths++) {
        const XtfKnownPart *known = g_hash_table_lookup(now, *paths);
        if (known->state == XTF_KNOWN_BLANK)
            add_remark(remarks, *paths, XTF_PART_WITHOUT_COMMIT, "it has no commit yet");
        else if (known->state == XTF_KNOWN_ENDED)
            add_remark(remarks, *paths, XTF_PART_ENDED_EARLY,
                       "it ended early: its writer has gone without closing it, and what it had not stored is missing");
        else if (known->state == XTF_KNOWN_LOST)
            add_remark(remarks, *paths, XTF_PART_LEFT_OUT, known->reason);
    }
    return remarks;
}

/* Opens the joined trace, and records the state that it was joined from. */
static XtfTrace *open_output(Joined *self, const XtfMerge *merge, const XtfMergeOutput *output, char **paths,
                             GHashTable *now, GError **error)
{
    g_autoptr(GBytes) bytes = g_bytes_new(output->buffer->data, output->end);

    g_atomic_int_inc(&self->references);
    XtfTrace *trace = xtf_trace_open_joined(xtf_source_new_bytes(bytes), &self->base, &self->options, error);
    if (!trace)
        return NULL;
    trace->superblock.info.damaged_commit = merge->info.damaged_commit;
    trace->part_remarks = create_remarks(paths, now);
    self->info = merge->info;
    self->clock = merge->clock;
    g_hash_table_unref(self->known);
    self->known = g_hash_table_ref(now);
    return trace;
}

/* Records a part with valid superblocks that cannot be read. */
static void leave_out(const char *path, const GError *error, void *data)
{
    const char *message = error->message;

    if (g_str_has_prefix(message, path) && g_str_has_prefix(message + strlen(path), ": "))
        message += strlen(path) + strlen(": ");
    xtf_known_part_mark_lost(g_hash_table_lookup(data, path), message);
}

/* Joins the newest commits of all parts. */
static XtfTrace *join_parts(Joined *self, char **paths, GHashTable *now, GError **error)
{
    g_autoptr(GPtrArray) parts = list_parts_with_commits(paths, now);
    g_auto(XtfMerge) merge;
    g_auto(XtfMergeOutput) output;

    const XtfMergeOptions options = {.keep_going = self->options.incomplete, .left_out = leave_out, .data = now};
    xtf_merge_init(&merge, &options);
    merge.growing = true;
    merge.kept = self->kept;
    xtf_kept_parts_begin(self->kept);
    xtf_merge_output_begin_in_memory(&output, self->base.folder);
    if (parts->len == 0) {
        xtf_fail(error, XTF_ERROR_NOT_FOUND, "%s: no .xtf file in it has a commit yet", self->base.folder);
        return NULL;
    }
    if (!xtf_merge_join_parts(&merge, (const char *const *)parts->pdata, parts->len, error) ||
        !describe_snapshot(self, &merge, now, error) || !xtf_merge_write_in_place(&merge, &output, error))
        return NULL;
    return open_output(self, &merge, &output, paths, now, error);
}

/* Opens the newest snapshot if it differs from the last one. */
static bool join_if_changed(Joined *self, bool changed, XtfTrace **trace, GError **error)
{
    const XtfPartsScan scan = {
        .known = self->known, .promised = complete_time(self), .incomplete = self->options.incomplete};
    g_autoptr(GHashTable) now = xtf_known_parts_new();
    g_auto(GStrv) paths = xtf_folder_parts(self->base.folder, error);
    bool flipped = false;

    if (!paths || !xtf_parts_scan(&scan, paths, now, &changed, &flipped, error))
        return false;
    self->flips += flipped && self->info.commit > 0;
    if (changed)
        *trace = join_parts(self, paths, now, error);
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
                 .begin = joined_add_cache,
                 .end = joined_remove_cache},
        .references = 1,
        .caches = g_ptr_array_new(),
        .kept = xtf_kept_parts_new(),
        .known = xtf_known_parts_new(),
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
