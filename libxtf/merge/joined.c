/*
 * A folder of parts that may grow, as one trace.
 *
 * At each look that finds something new, the newest commits of all parts are joined in memory, as xtf_merge_anchor()
 * would do it; the bytes of that anchor, and the parts behind it, are the trace. One commit of each part is a snapshot,
 * whatever the parts do meanwhile.
 */
#include "libxtf/merge/merge-private.h"

typedef struct {
    XtfJoinedFiles base;
    gint references; /* atomic: the snapshots, and whoever is opening one */
    GMutex caches_lock;
    GPtrArray *caches; /* XtfCache of the snapshots that are there, the newest last */
    GMutex lock;       /* of what follows */
    XtfOpenOptions options;
    GHashTable *known; /* path -> XtfKnownPart, of the last look */
    uint64_t flips;    /* looks at which a part without a later commit was in another state */
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

/* ---- What is said of the whole. */

/* Up to here all is complete; 0: nothing is. */
static uint64_t promised(const Joined *self)
{
    const XtfClock *clock = &self->clock;
    bool any = self->info.commit > 0 && clock->first <= clock->last && clock->complete > clock->first;

    return any ? clock->complete : 0;
}

/* What is shown never moves: neither by a part that came late, nor by one that was given up and has gone on. */
static bool comes_in_time(const XtfPart *part, const XtfKnownPart *known, GError **error)
{
    const XtfClock *clock = &part->clock;

    if (known->given_up && known->last > 0)
        return clock->last == known->last ||
               xtf_fail(error, XTF_ERROR_INVALID, "%s: it was written on after its writer had ended", part->path);
    return clock->first > clock->last || clock->first >= known->floor ||
           xtf_fail(error, XTF_ERROR_INVALID, "%s: it came late, with records before what was complete", part->path);
}

/* Notes a part's commit, and what it means for the whole. */
static bool pass_part(const XtfPart *part, XtfKnownPart *known, XtfTraceInfo *info, XtfClock *clock, GError **error)
{
    const XtfTraceInfo *own = &part->superblock.info;
    bool first = info->epoch == 0;

    if (known->state == XTF_KNOWN_BLANK) /* it was */
        known->state = own->closed ? XTF_KNOWN_CLOSED : XTF_KNOWN_OPEN;
    known->commit = MAX(own->commit, own->passed_over);
    memcpy(known->file_id, own->file_id, sizeof known->file_id);
    if (!comes_in_time(part, known, error))
        return false;
    known->last = part->clock.first <= part->clock.last ? part->clock.last : 0;
    if (known->state != XTF_KNOWN_ENDED) /* nothing more comes of it */
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
    XtfTraceInfo info = {.closed = true, .commit = g_hash_table_size(now) + self->flips};
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
        const XtfKnownPart *part = known;
        if (part->state != XTF_KNOWN_BLANK)
            continue;
        clock.complete = MIN(clock.complete, part->floor);
        info.closed = false;
    }
    /* What is complete has its place in time already. */
    if (promised(self) > 0)
        clock.origin = self->clock.origin;
    merge->info = info;
    merge->clock = clock;
    return true;
}

/* ---- The trace. */

static GPtrArray *with_commits(char **paths, GHashTable *now)
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

/* What is to be said of the parts, in the order of their names. */
static GPtrArray *find_remarks(char **paths, GHashTable *now)
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

/* Opens what was joined, and keeps in mind what it was joined from. */
static XtfTrace *open_output(Joined *self, const XtfMerge *merge, const XtfMergeOutput *output, char **paths,
                             GHashTable *now, GError **error)
{
    g_autoptr(GBytes) bytes = g_bytes_new(output->buffer->data, output->end);

    g_atomic_int_inc(&self->references);
    XtfTrace *trace = xtf_trace_open_joined(xtf_source_new_bytes(bytes), &self->base, &self->options, error);
    if (!trace)
        return NULL;
    trace->superblock.info.passed_over = merge->info.passed_over;
    trace->part_remarks = find_remarks(paths, now);
    self->info = merge->info;
    self->clock = merge->clock;
    g_hash_table_unref(self->known);
    self->known = g_hash_table_ref(now);
    return trace;
}

/* A part whose superblocks are sound, and which cannot be read all the same. */
static void leave_out(const char *path, const GError *error, void *data)
{
    const char *message = error->message;

    if (g_str_has_prefix(message, path) && g_str_has_prefix(message + strlen(path), ": "))
        message += strlen(path) + strlen(": ");
    xtf_known_part_lose(g_hash_table_lookup(data, path), message);
}

/* Joins the newest commits of all parts. */
static XtfTrace *join(Joined *self, char **paths, GHashTable *now, GError **error)
{
    g_autoptr(GPtrArray) parts = with_commits(paths, now);
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
        !describe(self, &merge, now, error) || !xtf_merge_write_in_place(&merge, &output, error))
        return NULL;
    return open_output(self, &merge, &output, paths, now, error);
}

/* The newest snapshot, if it is another than the one that is known. */
static bool join_if_changed(Joined *self, bool changed, XtfTrace **trace, GError **error)
{
    const XtfLook how = {.then = self->known, .promised = promised(self), .incomplete = self->options.incomplete};
    g_autoptr(GHashTable) now = xtf_known_parts_new();
    g_auto(GStrv) paths = xtf_folder_parts(self->base.folder, error);
    bool flipped = false;

    if (!paths || !xtf_look(&how, paths, now, &changed, &flipped, error))
        return false;
    self->flips += flipped && self->info.commit > 0;
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
