/* Mounting and serving: options, mounting, the request loop, unmounting. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "libxtf/trace.h"
#include "src/fs/fs-private.h"

static void log_fuse(enum fuse_log_level level, const char *format, va_list arguments)
{
    g_autofree char *message = g_strchomp(g_strdup_vprintf(format, arguments));

    g_log(G_LOG_DOMAIN, level <= FUSE_LOG_WARNING ? G_LOG_LEVEL_WARNING : G_LOG_LEVEL_MESSAGE, "%s", message);
}

static gpointer run_remarks(gpointer data)
{
    xtf_fs_complete_log(data);
    return NULL;
}

static void handle_init(void *data, struct fuse_conn_info *connection)
{
    XtfFs *fs = data;
    /* Concurrent look-ups and reads; caching of links and of absent ACLs; attributes in each listing. */
    const unsigned wanted = FUSE_CAP_ASYNC_READ | FUSE_CAP_PARALLEL_DIROPS | FUSE_CAP_CACHE_SYMLINKS |
                            FUSE_CAP_POSIX_ACL | FUSE_CAP_READDIRPLUS;
    /* Contents never change, so the kernel need not drop or re-read its cache. Adaptive READDIRPLUS would cost `ls -l`
     * a request for each name. Without export support the kernel sends no ids that the table did not give out. */
    const unsigned unwanted = FUSE_CAP_AUTO_INVAL_DATA | FUSE_CAP_READDIRPLUS_AUTO | FUSE_CAP_EXPORT_SUPPORT;

    connection->want |= connection->capable & wanted;
    connection->want &= ~unwanted;
    fs->kernel_opens_files = connection->capable & FUSE_CAP_NO_OPEN_SUPPORT;
    fs->kernel_opens_directories = connection->capable & FUSE_CAP_NO_OPENDIR_SUPPORT;
    fs->can_prune = connection->proto_minor >= 45;
    if (fs->hooks->ready)
        fs->hooks->ready(fs->hooks->data);
    if (fs->hooks->remarks_at_once)
        fs->remarks = xtf_fs_start_thread("xtf-remarks", run_remarks, fs);
}

struct fuse_session *xtf_fs_new_session(XtfFs *fs)
{
    struct fuse_lowlevel_ops ops = {.init = handle_init};
    struct fuse_args arguments = FUSE_ARGS_INIT(0, NULL);
    char *all = NULL;

    xtf_fs_add_file_handlers(&ops);
    xtf_fs_add_directory_handlers(&ops);
    xtf_fs_add_attribute_handlers(&ops);
    xtf_fs_add_refusals(&ops);

    g_autofree char *name = g_strconcat("fsname=", fs->options->source, NULL);
    fuse_opt_add_opt(&all, "ro,default_permissions,subtype=xtf");
    fuse_opt_add_opt_escaped(&all, name);
    if (fs->options->kernel_options && *fs->options->kernel_options)
        fuse_opt_add_opt(&all, fs->options->kernel_options);
    fuse_opt_add_arg(&arguments, "xtf");
    fuse_opt_add_arg(&arguments, "-o");
    fuse_opt_add_arg(&arguments, all);
    if (fs->options->debug)
        fuse_opt_add_arg(&arguments, "-d");
    free(all);

    struct fuse_session *session = fuse_session_new(&arguments, &ops, sizeof ops, fs);
    fuse_opt_free_args(&arguments);
    return session;
}

/* Serves requests until the session ends. Returns libfuse's result: negative for an error. */
static int run_loop(XtfFs *fs)
{
    struct fuse_loop_config *config = fuse_loop_cfg_create();

    fuse_loop_cfg_set_clone_fd(config, 1);
    fuse_loop_cfg_set_max_threads(config, fs->options->max_threads);
    int result = fuse_session_loop_mt(fs->session, config);
    fuse_loop_cfg_destroy(config);
    return result;
}

/*
 * Ends the reaper. The reaper may block in the kernel, on the lock of a directory, until some look-up is answered. Not
 * even SIGKILL ends it there. So this function serves requests until the reaper has returned.
 */
static void end_reaper(XtfFs *fs, GThread *reaper)
{
    struct pollfd device = {.fd = fuse_session_fd(fs->session), .events = POLLIN};
    struct fuse_buf buffer = {0};

    xtf_inodes_stop(fs->inodes);
    while (!atomic_load(&fs->reaper_ended)) {
        if (poll(&device, 1, 5) <= 0)
            continue;
        if (device.revents & POLLERR)
            break;                       /* unmounted: the kernel no longer blocks the reaper */
        fuse_session_reset(fs->session); /* a session that has exited would discard the requests */
        if (fuse_session_receive_buf(fs->session, &buffer) > 0)
            fuse_session_process_buf(fs->session, &buffer);
    }
    free(buffer.mem);
    g_thread_join(reaper);
}

/* Unmounts. Closes the device first, as libfuse does: then all requests that wait for an answer fail, including the
 * unmounting itself. */
static void unmount_session(XtfFs *fs)
{
    struct pollfd device = {.fd = fuse_session_fd(fs->session)};
    int ends[2];

    if (!fs->hooks->unmount) {
        fuse_session_unmount(fs->session);
        return;
    }
    if (poll(&device, 1, 0) == 1 && device.revents & POLLERR)
        return;                        /* the mount is already unmounted */
    if (pipe2(ends, O_CLOEXEC) == 0) { /* takes over the descriptor's number, so that libfuse closes no other file */
        dup2(ends[0], device.fd);
        close(ends[0]);
        close(ends[1]);
    }
    if (!fs->hooks->unmount(fs->hooks->data))
        fuse_session_unmount(fs->session);
}

/* Ignores further signals that end the daemon. libfuse's handlers would make the session discard the requests that
 * end_reaper() serves. Without handlers, a signal would kill the daemon amid its end. */
static void ignore_signals(void)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP};

    for (size_t i = 0; i < G_N_ELEMENTS(signals); i++)
        signal(signals[i], SIG_IGN);
}

static bool serve_mounted(XtfFs *fs, const char *mount_point, GError **error)
{
    bool needs_follower = fs->options->follow || fs->hooks->analysed;

    fs->follower = needs_follower ? xtf_follower_new(fs, error) : NULL;
    if (needs_follower && !fs->follower) {
        unmount_session(fs);
        return false;
    }
    GThread *reaper = xtf_fs_start_reaper(fs);
    XtfIdleWatch *idle = xtf_idle_watch_new(fs);
    int result = run_loop(fs);
    ignore_signals();
    if (fs->remarks)
        g_thread_join(g_steal_pointer(&fs->remarks));
    xtf_idle_watch_free(idle);
    end_reaper(fs, reaper);
    unmount_session(fs);
    xtf_follower_free(g_steal_pointer(&fs->follower));
    return result >= 0 || xtf_fail(error, XTF_ERROR_IO, "serving '%s' failed: %s", mount_point, g_strerror(-result));
}

static bool serve_session(XtfFs *fs, const char *mount_point, GError **error)
{
    bool served = false;

    if (fuse_set_signal_handlers(fs->session) != 0)
        return xtf_fail(error, XTF_ERROR_IO, "cannot set handlers of signals");
    if (fuse_session_mount(fs->session, mount_point) == 0) {
        if (!fs->hooks->mounted || fs->hooks->mounted(fs->hooks->data, error))
            served = serve_mounted(fs, mount_point, error);
        else
            unmount_session(fs);
    } else {
        xtf_fail(error, XTF_ERROR_IO, "cannot mount at '%s': 'xtf ls' and 'xtf cat' show the same without a mount",
                 mount_point);
    }
    fuse_remove_signal_handlers(fs->session); /* leaves ignored signals ignored */
    return served;
}

XtfInodes *xtf_fs_new_inodes(XtfTree *tree, const XtfFsOptions *options)
{
    g_autoptr(XtfGeneration) first = xtf_generation_new(1, tree);
    g_autoptr(XtfNode) root = xtf_tree_root(tree);
    XtfInodes *inodes = xtf_inodes_new(root, options->max_nodes);

    if (!options->follow)
        first->mtime = options->mtime;
    xtf_inodes_renew(inodes, first, root);
    return inodes;
}

bool xtf_fs_serve(XtfTree *tree, const char *mount_point, const XtfFsOptions *given, const XtfFsHooks *hooks,
                  GError **error)
{
    XtfFsOptions options = *given;
    XtfFs fs = {.options = &options, .hooks = hooks, .wake = -1};
    bool served = false;

    options.max_nodes = MAX(options.max_nodes ? options.max_nodes : XTF_FS_NODES_DEFAULT, XTF_FS_NODES_MIN);
    options.max_threads = options.max_threads ? options.max_threads : XTF_FS_THREADS_DEFAULT;
    g_autoptr(XtfInodes) inodes = xtf_fs_new_inodes(tree, &options);
    fs.inodes = inodes;

    fuse_set_log_func(log_fuse);
    fs.session = xtf_fs_new_session(&fs);
    if (fs.session) {
        served = serve_session(&fs, mount_point, error);
        fuse_session_destroy(fs.session);
        xtf_fs_free_buffers(&fs);
    } else {
        xtf_fail(error, XTF_ERROR_INVALID, "bad mount options: '%s'", options.kernel_options);
    }
    return served;
}
