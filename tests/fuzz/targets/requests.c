/*
 * Answers requests of FUSE without a mount. The input makes a sequence of requests with any opcode, inode and body. The
 * daemon answers each request once, or not at all if its kind has no answer. XTF_FUZZ_TRACE is the trace.
 *
 * Bodies end in zeros, and counts and sizes have bounds: libfuse trusts the kernel in these, and would read past the
 * end of the request.
 */
#include <fcntl.h>
#include <linux/fuse.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "libxtf/xtf.h"
#include "src/fs/fs-private.h"
#include "tests/fuzz/targets/target.h"

enum {
    BODY_MAX = 512,
    HEAD = 64,   /* bytes after each body, more than the fixed fields of any request, so that these are never cut */
    ZEROS = 256, /* zero bytes at the end of each request */
    REQUESTS_MAX = 200,
    KNOWN_MAX = 64,
    READ_MAX = 64 << 10,
    NODES_MAX = 256,
    OPCODE_NONE = 4096, /* first opcode that no version of FUSE has */
};

typedef struct {
    uint64_t handle;
    bool directory;
} Handle;

/* The kernel's side. */
typedef struct {
    XtfFs fs;
    uint64_t inodes[KNOWN_MAX]; /* ids that answers gave */
    unsigned n_inodes;
    Handle handles[KNOWN_MAX]; /* open files and directories */
    unsigned n_handles;
    uint32_t opcode; /* opcode of the current request */
    unsigned n_answers;
} Kernel;

static XtfTrace *open_trace(void)
{
    static XtfTrace *trace;
    GError *error = NULL;

    if (!trace) {
        const char *path = g_getenv("XTF_FUZZ_TRACE");
        target_must(path != NULL, "XTF_FUZZ_TRACE is not set");
        trace = xtf_trace_open(path, NULL, &error);
        target_must(trace != NULL, "the trace cannot be opened");
    }
    return trace;
}

static void keep_answer(Kernel *kernel, const uint8_t *body, size_t size)
{
    if (kernel->opcode == FUSE_LOOKUP && size >= sizeof(struct fuse_entry_out) && kernel->n_inodes < KNOWN_MAX)
        kernel->inodes[kernel->n_inodes++] = ((const struct fuse_entry_out *)body)->nodeid;
    if (kernel->opcode != FUSE_OPEN && kernel->opcode != FUSE_OPENDIR)
        return;
    target_must(kernel->n_handles < KNOWN_MAX, "a file was opened without a request");
    kernel->handles[kernel->n_handles++] =
        (Handle){((const struct fuse_open_out *)body)->fh, kernel->opcode == FUSE_OPENDIR};
}

/* Checks and counts an answer of libfuse. Keeps the inode or handle that it gives. */
static ssize_t take_answer(int fd, struct iovec *parts, int count, void *data)
{
    Kernel *kernel = data;
    const struct fuse_out_header *head = parts[0].iov_base;
    ssize_t size = 0;

    for (int i = 0; i < count; i++)
        size += (ssize_t)parts[i].iov_len;
    target_must(parts[0].iov_len == sizeof *head && head->len == size, "an answer has a wrong length");
    target_must(head->error <= 0 && head->error > -512, "an answer has an error that the kernel refuses");
    target_must(head->unique == 1, "an answer is to no request");
    kernel->n_answers++;
    if (head->error == 0 && count > 1)
        keep_answer(kernel, parts[1].iov_base, parts[1].iov_len);
    return size;
}

static ssize_t read_nothing(int fd, void *buffer, size_t size, void *data)
{
    return 0;
}

/* True if a request has no answer. */
static bool is_silent(uint32_t opcode)
{
    return opcode == FUSE_FORGET || opcode == FUSE_BATCH_FORGET || opcode == FUSE_NOTIFY_REPLY;
}

/* Passes a request to libfuse, which calls the handler. */
static void send_request(Kernel *kernel, uint32_t opcode, uint64_t inode, const void *body, size_t size)
{
    size_t length = sizeof(struct fuse_in_header) + size;
    g_autofree uint8_t *request = g_malloc0(length + ZEROS);
    const struct fuse_in_header head = {
        .len = (uint32_t)(length + ZEROS), .opcode = opcode, .unique = 1, .nodeid = inode, .pid = 1};
    const struct fuse_buf buffer = {.mem = request, .size = length + ZEROS};

    memcpy(request, &head, sizeof head);
    memcpy(request + sizeof head, body, size);
    kernel->opcode = opcode;
    kernel->n_answers = 0;
    fuse_session_process_buf(kernel->fs.session, &buffer);
    target_must(kernel->n_answers == (is_silent(opcode) ? 0 : 1), "a request has no answer, or several");
}

static void begin_session(Kernel *kernel)
{
    const struct fuse_init_in init = {.major = FUSE_KERNEL_VERSION,
                                      .minor = FUSE_KERNEL_MINOR_VERSION,
                                      .max_readahead = READ_MAX,
                                      .flags = FUSE_ASYNC_READ | FUSE_PARALLEL_DIROPS | FUSE_DO_READDIRPLUS};
    const struct fuse_custom_io io = {.writev = take_answer, .read = read_nothing};

    target_must(kernel->fs.session != NULL, "no session can be made");
    target_must(fuse_session_custom_io(kernel->fs.session, &io, open("/dev/null", O_RDWR | O_CLOEXEC)) == 0,
                "the session has no device");
    send_request(kernel, FUSE_INIT, 0, &init, sizeof init);
}

/* Returns an open handle; 0 if there is none. `close`: forgets the handle, since the kernel closes each handle once. */
static uint64_t take_handle(Kernel *kernel, unsigned number, bool directory, bool close)
{
    unsigned i = kernel->n_handles > 0 ? number % kernel->n_handles : 0;

    if (kernel->n_handles == 0 || kernel->handles[i].directory != directory)
        return 0;
    uint64_t handle = kernel->handles[i].handle;
    if (close) {
        kernel->n_handles--;
        kernel->handles[i] = kernel->handles[kernel->n_handles];
    }
    return handle;
}

/* Bounds what libfuse takes from the kernel without a check. */
static void bound_body(Kernel *kernel, uint32_t opcode, uint8_t *body)
{
    struct fuse_read_in *read = (struct fuse_read_in *)body;
    bool directory = opcode == FUSE_READDIR || opcode == FUSE_READDIRPLUS || opcode == FUSE_RELEASEDIR;

    if (opcode == FUSE_READ || opcode == FUSE_READDIR || opcode == FUSE_READDIRPLUS)
        read->size %= READ_MAX;
    if (opcode == FUSE_GETXATTR || opcode == FUSE_LISTXATTR)
        ((struct fuse_getxattr_in *)body)->size %= READ_MAX;
    if (opcode == FUSE_BATCH_FORGET)
        ((struct fuse_batch_forget_in *)body)->count %= 8;
    if (opcode == FUSE_WRITE)
        ((struct fuse_write_in *)body)->size %= ZEROS;
    if (opcode == FUSE_SETXATTR)
        ((struct fuse_setxattr_in *)body)->size %= ZEROS;
    /* Requests with a handle have it in their first eight bytes. */
    if (directory || opcode == FUSE_READ || opcode == FUSE_RELEASE)
        read->fh =
            take_handle(kernel, (unsigned)read->fh, directory, opcode == FUSE_RELEASE || opcode == FUSE_RELEASEDIR);
}

/* Picks a known inode, or rarely any number. */
static uint64_t pick_inode(const Kernel *kernel, TargetBytes *bytes)
{
    unsigned i = (unsigned)target_take(bytes, 1);

    if (i < 0xf8)
        return kernel->inodes[i % kernel->n_inodes];
    return i < 0xfc ? i - 0xf8 : target_take(bytes, 8);
}

static void send_any(Kernel *kernel, TargetBytes *bytes)
{
    static const uint8_t often[] = {FUSE_LOOKUP, FUSE_GETATTR, FUSE_READ,    FUSE_READDIR, FUSE_READDIRPLUS,
                                    FUSE_OPEN,   FUSE_LOOKUP,  FUSE_OPENDIR, FUSE_RELEASE, FUSE_READLINK};
    g_autofree uint8_t *body = g_malloc0(BODY_MAX + ZEROS);
    unsigned kind = (unsigned)target_take(bytes, 1);
    uint32_t opcode = kind < 0x80 ? often[kind % G_N_ELEMENTS(often)] : kind < 0xfe ? kind - 0x80 : OPCODE_NONE + kind;
    uint64_t inode = pick_inode(kernel, bytes);
    size_t size = target_take(bytes, 1) * 2;

    size = MIN(size, bytes->left);
    memcpy(body, bytes->at, size);
    bytes->at += size;
    bytes->left -= size;
    /* The kernel sends FUSE_INIT, FUSE_DESTROY and CUSE_INIT once. libfuse itself answers FUSE_INTERRUPT, and later. */
    if (opcode == FUSE_INIT || opcode == FUSE_DESTROY || opcode == CUSE_INIT || opcode == FUSE_INTERRUPT)
        return;
    if ((opcode == FUSE_OPEN || opcode == FUSE_OPENDIR) && kernel->n_handles == KNOWN_MAX)
        return;
    bound_body(kernel, opcode, body);
    send_request(kernel, opcode, inode, body, size + HEAD);
}

static void close_handles(Kernel *kernel)
{
    while (kernel->n_handles > 0) {
        const Handle *handle = &kernel->handles[--kernel->n_handles];
        const struct fuse_release_in release = {.fh = handle->handle};
        send_request(kernel, handle->directory ? FUSE_RELEASEDIR : FUSE_RELEASE, FUSE_ROOT_ID, &release,
                     sizeof release);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    TargetBytes bytes = {data, size};
    const XtfFsOptions options = {
        .source = "trace", .max_nodes = NODES_MAX, .max_threads = 1, .follow = target_take(&bytes, 1) & 1};
    const XtfFsHooks hooks = {.changes = -1};
    GError *error = NULL;
    XtfTree *tree = xtf_tree_new(open_trace(), &error);

    target_must(tree != NULL, "the trace has no tree");
    g_autoptr(XtfInodes) inodes = xtf_fs_new_inodes(tree, &options);
    Kernel kernel = {.fs = {.options = &options, .hooks = &hooks, .wake = -1, .inodes = inodes},
                     .inodes = {FUSE_ROOT_ID},
                     .n_inodes = 1};
    kernel.fs.session = xtf_fs_new_session(&kernel.fs);
    begin_session(&kernel);
    for (unsigned n = 0; n < REQUESTS_MAX && bytes.left > 0; n++)
        send_any(&kernel, &bytes);
    close_handles(&kernel);
    fuse_session_destroy(kernel.fs.session);
    xtf_fs_free_buffers(&kernel.fs);
    return 0;
}
