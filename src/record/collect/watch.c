#include "src/record/collect/watch.h"

#include <glib.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "src/model/process-properties.h"
#include "src/record/openmp.h"

enum {
    LOOK_EVERY_US = 1000 * 1000,
    END_MS = 1000, /* how long a process without memory may take to end */
};

/* struct pidfd_info of <linux/pidfd.h>, from Linux 6.15 on. */
typedef struct {
    uint64_t mask, control_group;
    uint32_t ids[11];
    int32_t exit_code; /* status as of wait() */
} PidfdInfo;
#define PIDFD_INFO_EXIT_CODE (UINT64_C(1) << 3)
#define PIDFD_INFO_REQUEST   _IOWR(0xff, 11, PidfdInfo)

/* Returns the text of a file in the process's /proc folder; NULL if it cannot be read. */
static char *read_proc(int32_t pid, const char *name)
{
    g_autofree char *path = g_strdup_printf("/proc/%" PRId32 "/%s", pid, name);
    g_autofree char *text = NULL;

    g_file_get_contents(path, &text, NULL, NULL);
    return g_steal_pointer(&text);
}

/* True if the memory is still mapped in the process: exec unmaps it. */
static bool has_memory(const XtfCollectWatch *watch)
{
    g_autofree char *maps = read_proc(watch->pid, "maps");
    struct stat status;

    if (!maps || fstat(watch->memory, &status) != 0)
        return false;
    g_autofree char *inode = g_strdup_printf(" %" PRIu64 " ", (uint64_t)status.st_ino);
    g_auto(GStrv) lines = g_strsplit(maps, "\n", -1);
    for (char **line = lines; *line; line++)
        if (strstr(*line, "xtf-record") && strstr(*line, inode))
            return true;
    return false;
}

/* True if the process no longer maps the memory. Used when no descriptor shows the end. Looks only every LOOK_EVERY_US,
 * since reading the maps is slow. */
static bool has_vanished(XtfCollectWatch *watch)
{
    int64_t now = g_get_monotonic_time();

    if (now - watch->looked < LOOK_EVERY_US)
        return false;
    watch->looked = now;
    return !has_memory(watch);
}

bool xtf_collect_has_ended(XtfCollectWatch *watch)
{
    if (watch->process < 0 && watch->closed)
        return has_vanished(watch);
    struct pollfd files[] = {{.fd = watch->process, .events = POLLIN},
                             {.fd = watch->closed ? -1 : watch->socket, .events = POLLIN}};

    if (poll(files, G_N_ELEMENTS(files), 0) <= 0)
        return false;
    if (files[0].revents != 0)
        return true;
    if (!has_memory(watch))
        return true;
    watch->closed = true;
    return false;
}

bool xtf_collect_has_mpi(int32_t pid)
{
    g_autofree char *maps = read_proc(pid, "maps");

    return maps && (strstr(maps, "/libmpi") || strstr(maps, "/libmpich"));
}

const char *xtf_collect_openmp(int32_t pid)
{
    g_autofree char *maps = read_proc(pid, "maps");
    const char *runtime = NULL;

    /* A path is the last word of a line, and begins with a slash. */
    for (char *line = maps, *next; line && !runtime; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        char *path = strchr(line, '/');
        runtime = path ? xtf_openmp_runtime(path) : NULL;
    }
    return runtime;
}

/* Reads the wait status of a zombie, for which no process has called wait() yet. */
static bool read_zombie(int32_t pid, int *status)
{
    enum { STATUS_FIELD = 52, BEHIND_NAME = 3 };
    g_autofree char *stat = read_proc(pid, "stat");
    char *at = stat ? strrchr(stat, ')') : NULL; /* the name before the parenthesis may have blanks */
    char state;

    if (!at || sscanf(at + 1, " %c", &state) != 1 || (state != 'Z' && state != 'X'))
        return false;
    for (int field = BEHIND_NAME - 1; at && field < STATUS_FIELD; field++)
        at = strchr(at + 1, ' ');
    return at && sscanf(at, "%d", status) == 1;
}

/* Reads the wait status of a process that was waited for: newer kernels keep it while a descriptor is open. */
static bool read_kept(int process, int *status)
{
    PidfdInfo info = {.mask = PIDFD_INFO_EXIT_CODE};

    if (process < 0 || ioctl(process, PIDFD_INFO_REQUEST, &info) != 0 || !(info.mask & PIDFD_INFO_EXIT_CODE))
        return false;
    *status = info.exit_code;
    return true;
}

/* Waits up to END_MS for the process to end if it has no memory. An ending process frees its memory and files before it
 * has a status. A process after exec has memory. */
static void await_end(const XtfCollectWatch *watch)
{
    struct pollfd file = {.fd = watch->process, .events = POLLIN};
    g_autofree char *maps = read_proc(watch->pid, "maps");

    if (watch->process >= 0 && (!maps || !*maps))
        poll(&file, 1, END_MS);
}

/* Reads the wait status. A launcher may wait for the process at any moment. After that only the descriptor has the
 * status, and another process may get the pid. */
static bool read_status(const XtfCollectWatch *watch, int *status)
{
    await_end(watch);
    return read_kept(watch->process, status) || read_zombie(watch->pid, status) || read_kept(watch->process, status);
}

char *xtf_collect_end(const XtfCollectWatch *watch, const XtfWireProcess *process, int64_t *exit_status)
{
    bool finalized = atomic_load(&process->phase) == XTF_WIRE_FINALIZED;
    bool mpi = atomic_load(&process->world_size) > 0;
    int status = 0;
    bool has_status = read_status(watch, &status);

    *exit_status = 0;
    if (has_status && WIFSIGNALED(status))
        return xtf_end_text(XTF_END_KILLED, WTERMSIG(status));
    if (atomic_load(&process->exited))
        *exit_status = atomic_load(&process->exit_status);
    else if (has_status && WIFEXITED(status))
        *exit_status = WEXITSTATUS(status);
    if (*exit_status != 0)
        return xtf_end_text(XTF_END_STATUS, *exit_status);
    if (finalized)
        return xtf_end_text(XTF_END_FINALIZED, 0);
    if (has_status || atomic_load(&process->exited))
        return xtf_end_text(mpi ? XTF_END_WITHOUT_FINALIZE : XTF_END_EXITED, 0);
    return xtf_end_text(XTF_END_UNKNOWN, 0);
}
