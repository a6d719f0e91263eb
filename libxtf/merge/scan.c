/*
 * A scan of the files of a folder: which have commits, which are being written, and which have no writer any more.
 *
 * A writer holds a lock while it runs. So a part that is neither closed nor locked has ended early: its writer crashed.
 * But a collector that cannot write releases its part and closes it only at the end. Some file systems do not show
 * locks of other machines. So a part counts as ended early only when it has also been unchanged for IDLE_S.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libxtf/merge/merge-private.h"

enum {
    IDLE_S = 3,           /* writers of parts commit once per second */
    START_TIMEOUT_S = 30, /* longest time from a file's creation to its writer's lock */
    RETRIES = 5,
    RETRY_DELAY_US = 20000,
};

static void free_known(gpointer data)
{
    XtfKnownPart *known = data;

    g_free(known->reason);
    g_free(known);
}

GHashTable *xtf_known_parts_new(void)
{
    return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_known);
}

void xtf_known_part_mark_lost(XtfKnownPart *known, const char *reason)
{
    known->state = XTF_KNOWN_LOST;
    g_free(known->reason);
    known->reason = g_strdup(reason);
}

/* True if a writer holds the lock of a file, or if the file system does not support the query. */
static bool is_locked(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0;

    if (fd >= 0)
        close(fd);
    return locked;
}

/* Returns the seconds since the file was changed. */
static int64_t file_age_s(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 ? g_get_real_time() / G_USEC_PER_SEC - status.st_mtim.tv_sec : 0;
}

/* True if the superblocks are zero or missing: no commit exists, or the first one is being made. */
static bool is_blank(XtfSource *source)
{
    static const uint8_t zeros[8];
    uint8_t beginning[sizeof zeros];

    return xtf_source_size(source) < sizeof beginning ||
           (source->ops->read(source, 0, beginning, sizeof beginning, NULL) &&
            memcmp(beginning, zeros, sizeof zeros) == 0);
}

/* Judges a file without a commit. The file has bytes behind its superblocks only while its first commit is being made.
 */
static void judge_blank(const char *path, const XtfSource *source, XtfKnownPart *now)
{
    uint64_t size = xtf_source_size(source), room = XTF_SUPERBLOCK_SLOTS * XTF_SUPERBLOCK_STRIDE;

    now->state = XTF_KNOWN_BLANK;
    if (size <= room || is_locked(path))
        return;
    g_autofree char *reason = g_strdup_printf(
        "it is damaged: its superblocks are missing, though %" PRIu64 " bytes follow them", size - room);
    xtf_known_part_mark_lost(now, reason);
}

/* Reads the newest commit of a file from its superblocks. */
static bool read_newest_commit(const char *path, XtfKnownPart *now, GError **error)
{
    XtfSuperblock superblocks[XTF_SUPERBLOCK_SLOTS];
    unsigned n;
    g_autoptr(GError) problem = NULL;
    g_autoptr(XtfSource) source = xtf_source_open_pread(path, error);

    if (!source)
        return false;
    bool found = xtf_superblock_read(source, superblocks, &n, &problem);
    if (!found && is_blank(source)) {
        judge_blank(path, source, now);
        return true;
    }
    /* The first commit may have been made meanwhile, so try again. */
    if (!found && !xtf_superblock_read(source, superblocks, &n, error)) {
        g_prefix_error(error, "%s: ", path);
        return false;
    }
    memcpy(now->file_id, superblocks[0].info.file_id, sizeof now->file_id);
    now->commit = superblocks[0].info.commit;
    now->state = superblocks[0].info.closed ? XTF_KNOWN_CLOSED : XTF_KNOWN_OPEN;
    return true;
}

/* Judges whether the writer of an unclosed part still runs. */
static void judge_open(const char *path, const XtfKnownPart *before, XtfKnownPart *now)
{
    gint64 clock = g_get_monotonic_time();
    bool same = before && before->commit == now->commit;

    now->since = same ? before->since : clock;
    bool idle = file_age_s(path) >= IDLE_S || (same && clock - before->since >= IDLE_S * G_USEC_PER_SEC);
    if (idle && !is_locked(path))
        now->state = XTF_KNOWN_ENDED;
}

/* True if a file without a commit will get one: its writer has locked it, or may be about to. `running`: another part
 * of the folder is being written. */
static bool will_begin(const char *path, bool running)
{
    int64_t age_s = file_age_s(path);

    if (running && age_s < START_TIMEOUT_S)
        return true;
    for (unsigned i = 0; i < RETRIES; i++) { /* a writer locks a new file immediately */
        if (is_locked(path))
            return true;
        if (age_s >= IDLE_S)
            return false;
        g_usleep(RETRY_DELAY_US);
    }
    return false;
}

/* Judges the files without a commit, after all others are known. */
static void judge_blanks(char **paths, GHashTable *now)
{
    bool running = false, any = false;

    for (char **path = paths; *path; path++) {
        const XtfKnownPart *known = g_hash_table_lookup(now, *path);
        running |= known->state == XTF_KNOWN_OPEN;
        any |= known->commit > 0;
    }
    for (char **path = paths; any && *path; path++) {
        XtfKnownPart *known = g_hash_table_lookup(now, *path);
        if (known->state == XTF_KNOWN_BLANK && !will_begin(*path, running))
            xtf_known_part_mark_lost(known, "it is damaged: it has no commit, and no writer");
    }
}

static bool is_other_file(const XtfKnownPart *before, const XtfKnownPart *now)
{
    return before->commit > 0 && (now->commit == 0 || memcmp(before->file_id, now->file_id, sizeof now->file_id) != 0);
}

/* Looks at one file and adds it to `now`. If it cannot be read and the caller asked for it, marks the part as lost. */
static bool scan_part(const XtfPartsScan *scan, const char *path, GHashTable *now, GError **error)
{
    const XtfKnownPart *before = g_hash_table_lookup(scan->known, path);
    XtfKnownPart *found = g_new0(XtfKnownPart, 1);
    g_autoptr(GError) problem = NULL;

    g_hash_table_insert(now, g_strdup(path), found);
    if (!read_newest_commit(path, found, &problem)) {
        if (!scan->incomplete || (before && before->commit > 0)) {
            g_propagate_error(error, g_steal_pointer(&problem));
            return false;
        }
        xtf_known_part_mark_lost(found, problem->message);
    }
    if (before && is_other_file(before, found))
        return xtf_fail(error, XTF_ERROR_INVALID, "%s: the file was replaced by another one", path);
    if (before && before->state == XTF_KNOWN_LOST && found->commit > 0 && before->commit == found->commit)
        xtf_known_part_mark_lost(found, before->reason); /* as reading it found */
    if (found->state == XTF_KNOWN_OPEN)
        judge_open(path, before, found);
    found->given_up =
        before && (before->given_up || before->state == XTF_KNOWN_ENDED || before->state == XTF_KNOWN_LOST);
    found->last = before ? before->last : 0;
    found->floor = before && !found->given_up ? before->floor : scan->promised;
    return true;
}

/* Checks the lost parts. Accepts a new lost part only with `incomplete`. A part that an earlier scan found does not
 * stop the others. */
static bool accept_losses(const XtfPartsScan *scan, char **paths, GHashTable *now, GError **error)
{
    for (char **path = paths; *path; path++) {
        const XtfKnownPart *known = g_hash_table_lookup(now, *path);
        bool was_known = g_hash_table_contains(scan->known, *path);
        if (known->state == XTF_KNOWN_LOST && !scan->incomplete && !was_known)
            return xtf_damaged(error, "%s: %s (--incomplete leaves it out)", *path, known->reason);
    }
    return true;
}

static bool check_none_missing(const XtfPartsScan *scan, GHashTable *now, GError **error)
{
    GHashTableIter iter;
    gpointer path;

    g_hash_table_iter_init(&iter, scan->known);
    while (g_hash_table_iter_next(&iter, &path, NULL))
        if (!g_hash_table_contains(now, path))
            return xtf_fail(error, XTF_ERROR_INVALID, "%s: the file no longer exists", (const char *)path);
    return true;
}

static void find_changes(const XtfPartsScan *scan, GHashTable *now, bool *changed, bool *flipped)
{
    GHashTableIter iter;
    gpointer path, value;

    g_hash_table_iter_init(&iter, now);
    while (g_hash_table_iter_next(&iter, &path, &value)) {
        const XtfKnownPart *before = g_hash_table_lookup(scan->known, path), *found = value;
        bool same_commit = before && before->commit == found->commit;
        *flipped |= same_commit && before->state != found->state;
        *changed |= !same_commit || before->state != found->state;
    }
}

bool xtf_parts_scan(const XtfPartsScan *scan, char **paths, GHashTable *now, bool *changed, bool *flipped,
                    GError **error)
{
    for (char **path = paths; *path; path++)
        if (!scan_part(scan, *path, now, error))
            return false;
    judge_blanks(paths, now);
    if (!accept_losses(scan, paths, now, error) || !check_none_missing(scan, now, error))
        return false;
    find_changes(scan, now, changed, flipped);
    return true;
}
