/*
 * A look at the files of a folder: which have commits, which are written, and which nobody will write any more.
 *
 * A writer holds a lock as long as it lives. So a part that is not closed, and not locked, has ended early: its writer
 * died. A collector that cannot write lets go of its part and closes it in the end, and some file systems show no locks
 * of other machines; so a part counts as ended early once it has also been left alone for a while.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libxtf/merge/merge-private.h"

enum {
    IDLE_S = 3,       /* writers of parts commit once a second */
    BEGINNING_S = 30, /* from a file's creation to its writer's lock, at most */
    RETRIES = 5,
    RETRY_US = 20000,
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

void xtf_known_part_lose(XtfKnownPart *known, const char *reason)
{
    known->state = XTF_KNOWN_LOST;
    g_free(known->reason);
    known->reason = g_strdup(reason);
}

/* True while a writer holds the lock of a file; also where locks cannot be asked for. */
static bool is_locked(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0;

    if (fd >= 0)
        close(fd);
    return locked;
}

/* Seconds since the file was changed. */
static int64_t age_of(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 ? g_get_real_time() / G_USEC_PER_SEC - status.st_mtim.tv_sec : 0;
}

/* True if nothing lies where the superblocks should be: no commit was ever made, or the first one is under way. */
static bool is_blank(XtfSource *source)
{
    static const uint8_t nothing[8];
    uint8_t beginning[sizeof nothing];

    return xtf_source_size(source) < sizeof beginning ||
           (source->ops->read(source, 0, beginning, sizeof beginning, NULL) &&
            memcmp(beginning, nothing, sizeof nothing) == 0);
}

/* A file without a commit, which has bytes behind its superblocks only while its first commit is being made. */
static void judge_blank(const char *path, const XtfSource *source, XtfKnownPart *now)
{
    uint64_t size = xtf_source_size(source), room = XTF_SUPERBLOCK_SLOTS * XTF_SUPERBLOCK_STRIDE;

    now->state = XTF_KNOWN_BLANK;
    if (size <= room || is_locked(path))
        return;
    g_autofree char *reason =
        g_strdup_printf("it is damaged: its superblocks are gone, and %" PRIu64 " bytes lie behind them", size - room);
    xtf_known_part_lose(now, reason);
}

/* The newest commit of a file, from its superblocks. */
static bool look_at(const char *path, XtfKnownPart *now, GError **error)
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
    if (!found && !xtf_superblock_read(source, superblocks, &n, error)) { /* or was the first commit made meanwhile? */
        g_prefix_error(error, "%s: ", path);
        return false;
    }
    memcpy(now->file_id, superblocks[0].info.file_id, sizeof now->file_id);
    now->commit = superblocks[0].info.commit;
    now->state = superblocks[0].info.closed ? XTF_KNOWN_CLOSED : XTF_KNOWN_OPEN;
    return true;
}

/* Whether the writer of a part that is not closed has gone. */
static void judge_open(const char *path, const XtfKnownPart *then, XtfKnownPart *now)
{
    gint64 clock = g_get_monotonic_time();
    bool same = then && then->commit == now->commit;

    now->since = same ? then->since : clock;
    bool idle = age_of(path) >= IDLE_S || (same && clock - then->since >= IDLE_S * G_USEC_PER_SEC);
    if (idle && !is_locked(path))
        now->state = XTF_KNOWN_ENDED;
}

/* Whether a file without a commit will have one: its writer has it, or may be about to. `running`: another part of the
 * folder is being written. */
static bool will_begin(const char *path, bool running)
{
    int64_t age = age_of(path);

    if (running && age < BEGINNING_S)
        return true;
    for (unsigned i = 0; i < RETRIES; i++) { /* a file that was just made is locked at once */
        if (is_locked(path))
            return true;
        if (age >= IDLE_S)
            return false;
        g_usleep(RETRY_US);
    }
    return false;
}

/* Judges the files without a commit, once all others are known. */
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
            xtf_known_part_lose(known, "it is damaged: it has no commit, and nobody writes it");
    }
}

static bool is_other_file(const XtfKnownPart *then, const XtfKnownPart *now)
{
    return then->commit > 0 && (now->commit == 0 || memcmp(then->file_id, now->file_id, sizeof now->file_id) != 0);
}

/* Looks at one file, and says what is new. An error of it is a reason to leave it out, if the caller asks for that. */
static bool look_at_part(const XtfLook *how, const char *path, GHashTable *now, GError **error)
{
    const XtfKnownPart *then = g_hash_table_lookup(how->then, path);
    XtfKnownPart *found = g_new0(XtfKnownPart, 1);
    g_autoptr(GError) problem = NULL;

    g_hash_table_insert(now, g_strdup(path), found);
    if (!look_at(path, found, &problem)) {
        if (!how->incomplete || (then && then->commit > 0)) {
            g_propagate_error(error, g_steal_pointer(&problem));
            return false;
        }
        xtf_known_part_lose(found, problem->message);
    }
    if (then && is_other_file(then, found))
        return xtf_fail(error, XTF_ERROR_INVALID, "%s: is another file now: somebody wrote it anew", path);
    if (then && then->state == XTF_KNOWN_LOST && found->commit > 0 && then->commit == found->commit)
        xtf_known_part_lose(found, then->reason); /* as was found when it was read */
    if (found->state == XTF_KNOWN_OPEN)
        judge_open(path, then, found);
    found->given_up = then && (then->given_up || then->state == XTF_KNOWN_ENDED || then->state == XTF_KNOWN_LOST);
    found->last = then ? then->last : 0;
    found->floor = then && !found->given_up ? then->floor : how->promised;
    return true;
}

/* A file without a commit that was waited for does not hold up the others for ever. */
static bool accept_losses(const XtfLook *how, char **paths, GHashTable *now, GError **error)
{
    for (char **path = paths; *path; path++) {
        const XtfKnownPart *known = g_hash_table_lookup(now, *path);
        bool was_known = g_hash_table_contains(how->then, *path);
        if (known->state == XTF_KNOWN_LOST && !how->incomplete && !was_known)
            return xtf_damaged(error, "%s: %s (--incomplete leaves it out)", *path, known->reason);
    }
    return true;
}

static bool all_are_there(const XtfLook *how, GHashTable *now, GError **error)
{
    GHashTableIter iter;
    gpointer path;

    g_hash_table_iter_init(&iter, how->then);
    while (g_hash_table_iter_next(&iter, &path, NULL))
        if (!g_hash_table_contains(now, path))
            return xtf_fail(error, XTF_ERROR_INVALID, "%s: is not there any more", (const char *)path);
    return true;
}

static void find_changes(const XtfLook *how, GHashTable *now, bool *changed, bool *flipped)
{
    GHashTableIter iter;
    gpointer path, value;

    g_hash_table_iter_init(&iter, now);
    while (g_hash_table_iter_next(&iter, &path, &value)) {
        const XtfKnownPart *then = g_hash_table_lookup(how->then, path), *found = value;
        bool same_commit = then && then->commit == found->commit;
        *flipped |= same_commit && then->state != found->state;
        *changed |= !same_commit || then->state != found->state;
    }
}

bool xtf_look(const XtfLook *how, char **paths, GHashTable *now, bool *changed, bool *flipped, GError **error)
{
    for (char **path = paths; *path; path++)
        if (!look_at_part(how, *path, now, error))
            return false;
    judge_blanks(paths, now);
    if (!accept_losses(how, paths, now, error) || !all_are_there(how, now, error))
        return false;
    find_changes(how, now, changed, flipped);
    return true;
}
