/* The sentry: a thread that polls for the traced process's end. The collector naps on a futex, for which poll() cannot
 * wait. */
#include <errno.h>
#include <glib.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/record/collect/watch.h"

struct XtfCollectSentry {
    pthread_t thread;
    int process, socket; /* borrowed */
    int stop;            /* eventfd: readable when the thread must stop */
    _Atomic uint32_t *wake;
};

static void *poll_descriptors(void *data)
{
    const XtfCollectSentry *sentry = data;
    struct pollfd files[] = {{.fd = sentry->stop, .events = POLLIN},
                             {.fd = sentry->process, .events = POLLIN},
                             {.fd = sentry->socket, .events = POLLIN}};

    /* A descriptor that was ready stays ready: the thread polls each descriptor only until its first event. */
    while (files[1].fd >= 0 || files[2].fd >= 0) {
        int n = poll(files, G_N_ELEMENTS(files), -1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 || files[0].revents != 0)
            break; /* without the sentry the collector sees the end after its nap */
        for (unsigned i = 1; i < G_N_ELEMENTS(files); i++)
            if (files[i].revents != 0)
                files[i].fd = -1;
        atomic_fetch_add(sentry->wake, 1);
        syscall(SYS_futex, sentry->wake, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
    }
    return NULL;
}

/* Starts the thread with all signals blocked: signals go to the collector's thread and end its naps. */
static bool start_thread(XtfCollectSentry *sentry)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&sentry->thread, NULL, poll_descriptors, sentry) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

XtfCollectSentry *xtf_collect_sentry_new(const XtfCollectWatch *watch, _Atomic uint32_t *wake)
{
    XtfCollectSentry *sentry = g_new(XtfCollectSentry, 1);

    *sentry = (XtfCollectSentry){
        .process = watch->process, .socket = watch->socket, .stop = eventfd(0, EFD_CLOEXEC), .wake = wake};
    if (sentry->stop >= 0 && start_thread(sentry))
        return sentry;
    if (sentry->stop >= 0)
        close(sentry->stop);
    g_free(sentry);
    return NULL;
}

void xtf_collect_sentry_free(XtfCollectSentry *sentry)
{
    if (!sentry)
        return;
    eventfd_write(sentry->stop, 1);
    pthread_join(sentry->thread, NULL);
    close(sentry->stop);
    g_free(sentry);
}
