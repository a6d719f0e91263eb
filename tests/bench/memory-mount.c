/*
 * Mounts the fastest file that a mount like that of `xtf mount` can have: a file in memory.
 *
 *     memory-mount BYTES FOLDER
 *
 * Mounts a folder with one file, `file`, of BYTES bytes. Its content is made before: one line repeated, similar to
 * XTF's lines. The session, its threads and readahead have the options of `xtf mount`. The program prints a line when
 * the mount is usable, and serves it until it is unmounted. A first read takes the time that the kernel needs to pass a
 * file through FUSE. A program that makes the bytes on request needs more.
 */
#define FUSE_USE_VERSION 312

#include <errno.h>
#include <fuse_lowlevel.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "src/cli/mount/readahead.h"
#include "src/fs/fs.h"

enum { FILE_ID = 2 };

static const char name[] = "file";
static const double forever = 1e9;

typedef struct {
    char *bytes;
    size_t size;
    const char *folder;
    bool kernel_opens;
} Memory;

static struct stat attributes_of(const Memory *memory, fuse_ino_t id)
{
    struct stat attributes = {.st_ino = id, .st_mode = S_IFDIR | 0555, .st_nlink = 2};

    if (id == FILE_ID) {
        attributes.st_mode = S_IFREG | 0444;
        attributes.st_nlink = 1;
        attributes.st_size = (off_t)memory->size;
        attributes.st_blocks = (blkcnt_t)((memory->size + 511) / 512);
    }
    return attributes;
}

static void handle_init(void *data, struct fuse_conn_info *connection)
{
    Memory *memory = data;

    connection->want |= connection->capable & (FUSE_CAP_ASYNC_READ | FUSE_CAP_PARALLEL_DIROPS);
    connection->want &= ~(unsigned)FUSE_CAP_AUTO_INVAL_DATA;
    memory->kernel_opens = connection->capable & FUSE_CAP_NO_OPEN_SUPPORT;
}

static void handle_lookup(fuse_req_t request, fuse_ino_t parent, const char *wanted)
{
    struct fuse_entry_param entry = {.ino = FILE_ID, .attr_timeout = forever, .entry_timeout = forever};

    if (parent != FUSE_ROOT_ID || strcmp(wanted, name) != 0) {
        fuse_reply_err(request, ENOENT);
        return;
    }
    entry.attr = attributes_of(fuse_req_userdata(request), FILE_ID);
    fuse_reply_entry(request, &entry);
}

static void handle_getattr(fuse_req_t request, fuse_ino_t id, struct fuse_file_info *info)
{
    struct stat attributes = attributes_of(fuse_req_userdata(request), id);
    fuse_reply_attr(request, &attributes, forever);
}

static void handle_open(fuse_req_t request, fuse_ino_t id, struct fuse_file_info *info)
{
    const Memory *memory = fuse_req_userdata(request);

    if (memory->kernel_opens) {
        fuse_reply_err(request, ENOSYS);
        return;
    }
    info->keep_cache = 1;
    fuse_reply_open(request, info);
}

static void handle_read(fuse_req_t request, fuse_ino_t id, size_t size, off_t offset, struct fuse_file_info *info)
{
    const Memory *memory = fuse_req_userdata(request);
    size_t from = MIN((size_t)offset, memory->size);

    fuse_reply_buf(request, memory->bytes + from, MIN(size, memory->size - from));
}

static void *widen_readahead(void *data)
{
    const Memory *memory = data;

    xtf_readahead_widen(memory->folder);
    puts("ready");
    fflush(stdout);
    return NULL;
}

static void fill_memory(Memory *memory)
{
    static const char line[] =
        " 0.000061602 1 0       1 ENTER                         -       -     -  - MPI_Testany     \n";

    memory->bytes = g_malloc(memory->size);
    for (size_t at = 0; at < memory->size; at += sizeof line - 1)
        memcpy(memory->bytes + at, line, MIN(sizeof line - 1, memory->size - at));
}

static int serve_mount(Memory *memory)
{
    const struct fuse_lowlevel_ops ops = {.init = handle_init,
                                          .lookup = handle_lookup,
                                          .getattr = handle_getattr,
                                          .open = handle_open,
                                          .read = handle_read};
    char *words[] = {(char *)"memory-mount", (char *)"-o", (char *)"ro,default_permissions,fsname=memory", NULL};
    struct fuse_args arguments = FUSE_ARGS_INIT(3, words);
    struct fuse_session *session = fuse_session_new(&arguments, &ops, sizeof ops, memory);
    struct fuse_loop_config *config = fuse_loop_cfg_create();

    bench_check(session && fuse_session_mount(session, memory->folder) == 0, NULL, "cannot mount at %s",
                memory->folder);
    fuse_loop_cfg_set_clone_fd(config, 1);
    fuse_loop_cfg_set_max_threads(config, XTF_FS_THREADS_DEFAULT);
    GThread *thread = g_thread_new("widen", widen_readahead, memory);
    int result = fuse_session_loop_mt(session, config);
    g_thread_join(thread);
    fuse_session_unmount(session);
    fuse_session_destroy(session);
    fuse_loop_cfg_destroy(config);
    return result != 0;
}

int main(int argc, char **argv)
{
    Memory memory = {0};

    bench_check(argc == 3, NULL, "usage: memory-mount BYTES FOLDER");
    memory.size = g_ascii_strtoull(argv[1], NULL, 10);
    memory.folder = argv[2];
    bench_check(memory.size > 0, NULL, "BYTES must be a number greater than 0");
    fill_memory(&memory);
    int status = serve_mount(&memory);
    g_free(memory.bytes);
    return status;
}
