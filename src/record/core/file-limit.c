/*
 * Calls that may exceed the limit of file sizes (RLIMIT_FSIZE). Above the limit, the kernel sends SIGXFSZ to the
 * thread. The signal would kill a program that itself stays within the limit. So the thread blocks the signal during
 * the call, and removes it if it is pending after the call. No handler of the program sees the signal.
 */
#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "src/record/core/inner.h"

enum { SET_BYTES = 8 }; /* bytes of a set of signals, as the kernel has it */

XtfCoreHeldSignal xtf_core_hold_size_signal(void)
{
    XtfCoreHeldSignal held;
    sigset_t size_signal, pending;

    sigemptyset(&size_signal);
    sigaddset(&size_signal, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &size_signal, &held.before);
    held.was_pending = sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
    return held;
}

void xtf_core_release_size_signal(const XtfCoreHeldSignal *held)
{
    const struct timespec none = {0};
    int code = errno;
    sigset_t size_signal;

    sigemptyset(&size_signal);
    sigaddset(&size_signal, SIGXFSZ);
    /* sigtimedwait() is a cancellation point. */
    if (code == EFBIG && !held->was_pending)
        syscall(SYS_rt_sigtimedwait, &size_signal, NULL, &none, (size_t)SET_BYTES);
    pthread_sigmask(SIG_SETMASK, &held->before, NULL);
    errno = code;
}

ssize_t xtf_core_write(int descriptor, const void *data, size_t size)
{
    XtfCoreHeldSignal held = xtf_core_hold_size_signal();
    ssize_t written = syscall(SYS_write, descriptor, data, size);

    xtf_core_release_size_signal(&held);
    return written;
}

ssize_t xtf_core_pwrite(int descriptor, const void *data, size_t size, off_t offset)
{
    XtfCoreHeldSignal held = xtf_core_hold_size_signal();
    ssize_t written = pwrite(descriptor, data, size, offset);

    xtf_core_release_size_signal(&held);
    return written;
}
