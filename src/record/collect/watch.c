#include "src/record/collect/watch.h"

#include <glib.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { LOOK_EVERY_US = 1000 * 1000 };

/* What a file of /proc says of the process; NULL: nothing. */
static char *read_proc(int32_t pid, const char *name)
{
    g_autofree char *path = g_strdup_printf("/proc/%" PRId32 "/%s", pid, name);
    g_autofree char *text = NULL;

    g_file_get_contents(path, &text, NULL, NULL);
    return g_steal_pointer(&text);
}

/* Whether the memory is still mapped in the process: exec unmaps it. */
static bool has_memory(const XtfCollectWatch *watch)
{
    g_autofree char *maps = read_proc(watch->pid, "maps");
    struct stat status;

    if (!maps || fstat(watch->memory, &status) != 0)
        return false;
    g_autofree char *inode = g_strdup_printf(" %" PRIu64 " ", (uint64_t)status.st_ino);
    g_auto(GStrv) lines = g_strsplit(maps, "\n", -1);
    for (char **line = lines; *line; line++)
        if (strstr(*line, "memfd:") && strstr(*line, inode))
            return true;
    return false;
}

/* Nothing else tells of its end: that is looked for now and then, since it takes a while. */
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

/* What wait() would say of a process that nobody waited for yet. */
static bool read_status(int32_t pid, int *status)
{
    enum { STATUS_FIELD = 52, BEHIND_NAME = 3 };
    g_autofree char *stat = read_proc(pid, "stat");
    char *at = stat ? strrchr(stat, ')') : NULL; /* the name before it may have blanks */
    char state;

    if (!at || sscanf(at + 1, " %c", &state) != 1 || (state != 'Z' && state != 'X'))
        return false;
    for (int field = BEHIND_NAME - 1; at && field < STATUS_FIELD; field++)
        at = strchr(at + 1, ' ');
    return at && sscanf(at, "%d", status) == 1;
}

char *xtf_collect_end(const XtfCollectWatch *watch, const XtfWireProcess *process, int64_t *exit_status)
{
    bool finalized = atomic_load(&process->phase) == XTF_WIRE_FINALIZED;
    bool mpi = atomic_load(&process->world_size) > 0;
    int status;

    *exit_status = 0;
    if (read_status(watch->pid, &status) && WIFSIGNALED(status))
        return g_strdup_printf("killed by signal %d", WTERMSIG(status));
    if (atomic_load(&process->exited))
        *exit_status = atomic_load(&process->exit_status);
    else if (read_status(watch->pid, &status) && WIFEXITED(status))
        *exit_status = WEXITSTATUS(status);
    if (*exit_status != 0)
        return g_strdup_printf("status %" PRId64, *exit_status);
    if (finalized)
        return g_strdup("finalized");
    if (atomic_load(&process->exited))
        return g_strdup(mpi ? "exited without MPI_Finalize" : "exited");
    return g_strdup("unknown");
}
