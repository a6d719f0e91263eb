/*
 * Listing directories.
 *
 * A name's offset is its rank, "." and ".." being the first two, so that a listing goes on at any name without a walk
 * over those before. The kernel keeps listings, so a directory is read once.
 *
 * With READDIRPLUS a listing brings along what is known of the names. It does so for directories and links; of files it
 * gives only the names, because a file's size may cost page visits, which a plain `ls` shall not pay.
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
    GArray *names;   /* Listed: read, not yet put into the buffer */
    size_t reserved; /* bytes that they will take */
    GArray *entered; /* ids of the look-ups that the reply gives to the kernel */
} Listing;

static void listed_clear(void *data)
{
    g_free(((Listed *)data)->name);
}

/* Bytes that a name takes in the reply. */
static size_t entry_size(const Listing *listing, const char *name)
{
    return listing->plus ? fuse_add_direntry_plus(listing->request, NULL, 0, name, NULL, 0)
                         : fuse_add_direntry(listing->request, NULL, 0, name, NULL, 0);
}

/* Puts one name into the buffer, which has room for it. */
static void put(Listing *listing, const char *name, const struct fuse_entry_param *entry)
{
    char *place = listing->buffer + listing->used;
    size_t room = listing->size - listing->used;
    off_t next = (off_t)++listing->next;

    listing->used += listing->plus ? fuse_add_direntry_plus(listing->request, place, room, name, entry, next)
                                   : fuse_add_direntry(listing->request, place, room, name, &entry->attr, next);
}

/* "." and "..": their look-ups are not counted, so they come without an id. */
static bool put_dots(Listing *listing, const XtfInode *directory)
{
    static const char *const names[] = {".", ".."};
    const uint64_t inos[] = {directory->ino, directory->parent_ino};

    while (listing->next < G_N_ELEMENTS(names)) {
        const char *name = names[listing->next];
        struct fuse_entry_param entry = {.attr = {.st_ino = inos[listing->next], .st_mode = S_IFDIR}};
        if (listing->used + entry_size(listing, name) > listing->size)
            return false;
        put(listing, name, &entry);
    }
    return true;
}

static bool collect(const char *name, XtfNodeKind kind, void *data)
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

/* Collects names. Where the commit of the listed node was overwritten, those of the latest one. */
static bool list(XtfFs *fs, fuse_ino_t id, XtfNode *listed, Listing *listing, GError **error)
{
    XtfAttempt attempt = xtf_fs_attempt(fs);
    g_auto(XtfInode) directory = {0};

    while (!xtf_node_list(listed, listing->next - 2, collect, listing, error)) {
        if (!xtf_fs_moves_on(fs, &attempt, error))
            return false;
        g_array_set_size(listing->names, 0);
        listing->reserved = 0;
        xtf_inode_finish(&directory);
        if (!xtf_inodes_get(fs->inodes, id, &directory, error))
            return *error || xtf_fail(error, XTF_ERROR_NOT_FOUND, "the directory is there no more");
        listed = directory.node;
    }
    return true;
}

static void put_names(XtfFs *fs, const XtfInode *directory, Listing *listing)
{
    for (guint i = 0; i < listing->names->len; i++) {
        const Listed *listed = &g_array_index(listing->names, Listed, i);
        struct fuse_entry_param entry;
        /* A name that cannot be looked up is listed all the same: looking it up again will say why. */
        if (listing->plus && listed->kind != XTF_NODE_FILE && xtf_fs_enter(fs, directory, listed->name, &entry, NULL)) {
            uint64_t id = entry.ino;
            g_array_append_val(listing->entered, id);
        } else {
            entry = (struct fuse_entry_param){0};
            entry.attr.st_ino = xtf_inodes_child_ino(directory->ino, listed->name);
            entry.attr.st_mode = xtf_fs_mode(listed->kind);
        }
        put(listing, listed->name, &entry);
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
    /* While the trace grows a listing goes on with what it began with; its names are looked up as they are now. */
    bool goes_on = opened && !xtf_tree_is_final(opened->generation->tree);
    XtfNode *listed = goes_on ? opened->node : directory.node;
    if (directory.kind != XTF_NODE_DIRECTORY || offset < 0) {
        fuse_reply_err(request, ENOTDIR);
        return;
    }
    g_autofree char *buffer = g_malloc(size);
    g_autoptr(GArray) names = g_array_new(FALSE, FALSE, sizeof(Listed));
    g_autoptr(GArray) entered = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    Listing listing = {request, plus, (uint64_t)offset, buffer, size, 0, names, 0, entered};

    g_array_set_clear_func(names, listed_clear);
    if (put_dots(&listing, &directory) && !list(fs, id, listed, &listing, &error)) {
        xtf_fs_reply_error(request, error);
        return;
    }
    put_names(fs, &directory, &listing);
    if (fuse_reply_buf(request, buffer, listing.used) != 0)
        for (guint i = 0; i < entered->len; i++)
            xtf_inodes_forget(fs->inodes, g_array_index(entered, uint64_t, i), 1);
}

static const XtfOpened *opened_in(fuse_req_t request, const struct fuse_file_info *info)
{
    const XtfFs *fs = fuse_req_userdata(request);
    return fs->options->follow ? (const XtfOpened *)(uintptr_t)info->fh : NULL;
}

static void handle_readdir(fuse_req_t request, fuse_ino_t id, size_t size, off_t offset, struct fuse_file_info *info)
{
    reply_listing(request, id, size, offset, opened_in(request, info), false);
}

static void handle_readdirplus(fuse_req_t request, fuse_ino_t id, size_t size, off_t offset,
                               struct fuse_file_info *info)
{
    reply_listing(request, id, size, offset, opened_in(request, info), true);
}

/* Of a followed trace: the kernel keeps listings once nothing is added any more. */
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

/* As for open(): after ENOSYS the kernel opens by itself and keeps listings. */
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
