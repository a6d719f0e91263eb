#include "src/cli/mount/later-changes.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "src/cli/trace/companion.h"
#include "src/fs/fs.h"
#include "src/trace/text/escape.h"

enum {
    EVENT_BYTES = sizeof(struct inotify_event) + NAME_MAX + 1, /* of the largest */
    EVENTS_AT_ONCE = 16,
};

struct XtfLaterChanges {
    char *path, *directory;
    char *name, *companion; /* in the folder of the trace */
    int events, end;        /* descriptors */
    GThread *thread;
    bool told_of_writer, told_of_analysis;
};

static void tell(const XtfLaterChanges *changes, const char *what)
{
    g_autofree char *path = g_shell_quote(changes->path), *directory = g_shell_quote(changes->directory);
    g_autofree char *line = g_strdup_printf("%s %s after it was mounted: xtf unmount %s && xtf mount %s %s shows that",
                                            path, what, directory, path, directory);
    g_autofree char *shown = xtf_text_shown(line, PATH_MAX);

    xtf_fs_log(shown);
}

/* A companion is linked or moved into its place, once it is whole. A line a kind is enough. */
static void take(XtfLaterChanges *changes, const struct inotify_event *event)
{
    if (!event->len)
        return;
    if (g_str_equal(event->name, changes->companion) && event->mask & (IN_CREATE | IN_MOVED_TO)) {
        if (!changes->told_of_analysis)
            tell(changes, "was analysed");
        changes->told_of_analysis = true;
    } else if (g_str_equal(event->name, changes->name) && event->mask & (IN_CLOSE_WRITE | IN_MOVED_TO)) {
        if (!changes->told_of_writer)
            tell(changes, "was written to, or replaced,");
        changes->told_of_writer = true;
    }
}

static bool read_events(XtfLaterChanges *changes)
{
    _Alignas(struct inotify_event) char buffer[EVENTS_AT_ONCE * EVENT_BYTES];
    ssize_t length = read(changes->events, buffer, sizeof buffer);

    for (char *at = buffer; length > 0 && at < buffer + length;) {
        const struct inotify_event *event = (const struct inotify_event *)(const void *)at;
        take(changes, event);
        at += sizeof *event + event->len;
    }
    return length > 0;
}

static void *watch(void *data)
{
    XtfLaterChanges *changes = data;
    struct pollfd fds[] = {{.fd = changes->events, .events = POLLIN}, {.fd = changes->end, .events = POLLIN}};

    while (poll(fds, G_N_ELEMENTS(fds), -1) > 0 && !fds[1].revents)
        if (fds[0].revents && !read_events(changes))
            break;
    return NULL;
}

XtfLaterChanges *xtf_later_changes_new(const char *path, const char *directory)
{
    g_autoptr(XtfLaterChanges) changes = g_new0(XtfLaterChanges, 1);
    g_autofree char *folder = g_path_get_dirname(path);

    changes->path = g_strdup(path);
    changes->directory = g_strdup(directory);
    changes->name = g_path_get_basename(path);
    changes->companion = xtf_companion_beside(changes->name);
    changes->events = inotify_init1(IN_CLOEXEC);
    changes->end = eventfd(0, EFD_CLOEXEC);
    if (changes->events < 0 || changes->end < 0 ||
        inotify_add_watch(changes->events, folder, IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_ONLYDIR) < 0)
        return NULL;
    return g_steal_pointer(&changes);
}

/* Signals are for the main thread. */
void xtf_later_changes_tell(XtfLaterChanges *changes)
{
    sigset_t all, before;

    if (!changes)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    changes->thread = g_thread_try_new("later-changes", watch, changes, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void xtf_later_changes_free(XtfLaterChanges *changes)
{
    if (!changes)
        return;
    if (changes->thread && eventfd_write(changes->end, 1) == 0)
        g_thread_join(changes->thread);
    if (changes->events >= 0)
        close(changes->events);
    if (changes->end >= 0)
        close(changes->end);
    g_free(changes->path);
    g_free(changes->directory);
    g_free(changes->name);
    g_free(changes->companion);
    g_free(changes);
}
