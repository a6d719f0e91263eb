/*
 * Listing directories.
 *
 * A name's offset is its rank; "." and ".." are the first two. So a listing continues at any name without reading the
 * names before. The kernel caches listings, so each directory is read once.
 *
 * With READDIRPLUS a listing includes the attributes of directories and links. Files are listed by name only: a file's
 * size may cost page visits, and a plain `ls` must not pay for them. So are names beyond half of the bound on names that
 * the kernel may hold: the reaper would take them before the listing ends.
 */
#include <errno.h>

#include "libxtf/trace.h"
#include "src/fs/fs-private.h"

typedef struct {
    char *name;
    XtfNodeKind kind;
} Listed;

typedef struct {
    fuse_req_t request;
    bool plus;
    uint64_t next; /* rank of the next name */
    char *buffer;
    size_t size, used;
    GArray *names;   /* Listed: names read, but not yet added to the buffer */
    size_t reserved; /* bytes that `names` will take */
    GArray *entered; /* ids that the reply looks up: the kernel holds each once more */
} Listing;

static void listed_clear(void *data)
{
    g_free(((Listed *)data)->name);
}

/* Returns the bytes that a name takes in the reply. */
static size_t entry_size(const Listing *listing, const char *name)
{
    return listing->plus ? fuse_add_direntry_plus(listing->request, NULL, 0, name, NULL, 0)
                         : fuse_add_direntry(listing->request, NULL, 0, name, NULL, 0);
}

/* Adds one name to the buffer, which has space for it. */
static void add_name(Listing *listing, const char *name, const struct fuse_entry_param *entry)
{
    char *end = listing->buffer + listing->used;
    size_t space = listing->size - listing->used;
    off_t next = (off_t)++listing->next;

    listing->used += listing->plus ? fuse_add_direntry_plus(listing->request, end, space, name, entry, next)
                                   : fuse_add_direntry(listing->request, end, space, name, &entry->attr, next);
}

/* Adds "." and "..". The reply does not count them as look-ups, so they have no id. */
static bool add_dot_names(Listing *listing, const XtfInode *directory)
{
    static const char *const names[] = {".", ".."};
    const uint64_t inos[] = {directory->ino, directory->parent_ino};

    while (listing->next < G_N_ELEMENTS(names)) {
        const char *name = names[listing->next];
        struct fuse_entry_param entry = {.attr = {.st_ino = inos[listing->next], .st_mode = S_IFDIR}};
        if (listing->used + entry_size(listing, name) > listing->size)
            return false;
        add_name(listing, name, &entry);
    }
    return true;
}

static bool collect_name(const char *name, XtfNodeKind kind, void *data)
{
    Listing *listing = data;
    size_t size = entry_size(listing, name);

    if (listing->used + listing->reserved + size > listing->size)
        return false;
    listing->reserved += size;
    Listed listed = {g_strdup(name), kind};
    g_array_append_val(listing->names, listed);
    return true;
}

/* Collects names. If the commit of the listed node was overwritten, collects the names of the latest commit. */
static bool collect_names(XtfFs *fs, fuse_ino_t id, XtfNode *listed, Listing *listing, GError **error)
{
    XtfAttempt attempt = xtf_fs_attempt(fs);
    g_auto(XtfInode) directory = {0};

    while (!xtf_node_list(listed, listing->next - 2, collect_name, listing, error)) {
        if (!xtf_fs_retry_later_generation(fs, &attempt, error))
            return false;
        g_array_set_size(listing->names, 0);
        listing->reserved = 0;
        xtf_inode_finish(&directory);
        if (!xtf_inodes_get(fs->inodes, id, &directory, error))
            return *error || xtf_fail(error, XTF_ERROR_NOT_FOUND, "the directory no longer exists");
        listed = directory.node;
    }
    return true;
}

static void add_names(XtfFs *fs, const XtfInode *directory, Listing *listing)
{
    uint64_t plus_end = listing->plus ? fs->options->max_nodes / 2 : 0;

    for (guint i = 0; i < listing->names->len; i++) {
        const Listed *listed = &g_array_index(listing->names, Listed, i);
        struct fuse_entry_param entry;
        /* A name whose look-up fails is listed nevertheless. The user's own look-up will report the error. */
        if (listing->next < plus_end && listed->kind != XTF_NODE_FILE &&
            xtf_fs_enter(fs, directory, listed->name, &entry, NULL)) {
            uint64_t id = entry.ino;
            g_array_append_val(listing->entered, id);
        } else {
            entry = (struct fuse_entry_param){0};
            entry.attr.st_ino = xtf_inodes_child_ino(directory->ino, listed->name);
            entry.attr.st_mode = xtf_fs_mode(listed->kind);
        }
        add_name(listing, listed->name, &entry);
    }
}

static void reply_listing(fuse_req_t request, fuse_ino_t id, size_t size, off_t offset, const XtfOpened *opened,
                          bool plus)
{
    XtfFs *fs = xtf_fs_of(request, XTF_REQUEST_READDIR);
    g_auto(XtfInode) directory = {0};
    GError *error = NULL;

    if (!xtf_inodes_get(fs->inodes, id, &directory, &error)) {
        if (error)
            xtf_fs_reply_error(request, error);
        else
            xtf_fs_reply_stale(request);
        return;
    }
    /* While the trace grows, a listing shows the names of the commit that opendir(3) saw. The names themselves are
     * looked up in the latest commit. */
    bool keeps_commit = opened && !xtf_tree_is_final(opened->generation->tree);
    XtfNode *listed = keeps_commit ? opened->node : directory.node;
    if (directory.kind != XTF_NODE_DIRECTORY || offset < 0) {
        fuse_reply_err(request, ENOTDIR);
        return;
    }
    g_autofree char *buffer = g_malloc(size);
    g_autoptr(GArray) names = g_array_new(FALSE, FALSE, sizeof(Listed));
    g_autoptr(GArray) entered = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    Listing listing = {request, plus, (uint64_t)offset, buffer, size, 0, names, 0, entered};

    g_array_set_clear_func(names, listed_clear);
    if (add_dot_names(&listing, &directory) && !collect_names(fs, id, listed, &listing, &error)) {
        xtf_fs_reply_error(request, error);
        return;
    }
    add_names(fs, &directory, &listing);
    if (fuse_reply_buf(request, buffer, listing.used) != 0)
        for (guint i = 0; i < entered->len; i++)
            xtf_inodes_forget(fs->inodes, g_array_index(entered, uint64_t, i), 1);
}

static const XtfOpened *opened_directory(fuse_req_t request, const struct fuse_file_info *info)
{
    const XtfFs *fs = fuse_req_userdata(request);
    return fs->options->follow ? (const XtfOpened *)(uintptr_t)info->fh : NULL;
}

static void handle_readdir(fuse_req_t request, fuse_ino_t id, size_t size, off_t offset, struct fuse_file_info *info)
{
    reply_listing(request, id, size, offset, opened_directory(request, info), false);
}

static void handle_readdirplus(fuse_req_t request, fuse_ino_t id, size_t size, off_t offset,
                               struct fuse_file_info *info)
{
    reply_listing(request, id, size, offset, opened_directory(request, info), true);
}

/* Opens a directory of a followed trace. The kernel may cache the listing only when no later commit adds names. */
static void open_followed(fuse_req_t request, fuse_ino_t id, struct fuse_file_info *info)
{
    XtfFs *fs = fuse_req_userdata(request);
    g_auto(XtfInode) directory = {0};
    GError *error = NULL;

    XtfOpened *opened = xtf_inodes_get(fs->inodes, id, &directory, &error) ? xtf_opened_new(&directory, &error) : NULL;
    if (opened) {
        bool final = xtf_tree_is_final(opened->generation->tree);
        info->fh = (uintptr_t)opened;
        info->cache_readdir = final;
        info->keep_cache = final;
        if (fuse_reply_open(request, info) != 0)
            xtf_opened_free(opened);
    } else if (error) {
        xtf_fs_reply_error(request, error);
    } else {
        xtf_fs_reply_stale(request);
    }
}

static void handle_releasedir(fuse_req_t request, fuse_ino_t id, struct fuse_file_info *info)
{
    xtf_opened_free((XtfOpened *)(uintptr_t)info->fh);
    fuse_reply_err(request, 0);
}

/* Opens a directory. As for open(), a kernel that gets ENOSYS opens directories by itself from then on, and caches
 * listings. */
static void handle_opendir(fuse_req_t request, fuse_ino_t id, struct fuse_file_info *info)
{
    XtfFs *fs = xtf_fs_of(request, XTF_REQUEST_OPENDIR);

    if (fs->options->follow) {
        open_followed(request, id, info);
        return;
    }
    if (fs->kernel_opens_directories) {
        fuse_reply_err(request, ENOSYS);
        return;
    }
    info->cache_readdir = 1;
    info->keep_cache = 1;
    fuse_reply_open(request, info);
}

void xtf_fs_add_directory_handlers(struct fuse_lowlevel_ops *ops)
{
    ops->opendir = handle_opendir;
    ops->releasedir = handle_releasedir;
    ops->readdir = handle_readdir;
    ops->readdirplus = handle_readdirplus;
}
