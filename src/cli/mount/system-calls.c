#include "src/cli/mount/system-calls.h"

#ifdef XTF_HAVE_SECCOMP

#include <errno.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/cli/mount/system-call-filter.h" /* made by make-filter.c */

bool xtf_system_calls_restrict(GError **error)
{
    struct sock_filter own[G_N_ELEMENTS(filter)];
    const struct sock_fprog program = {.len = G_N_ELEMENTS(own), .filter = own};

    memcpy(own, filter, sizeof own);
    own[PROCESS_ID_PLACE].k = (uint32_t)getpid();
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0)
        return true;
    if (errno == EINVAL || errno == ENOSYS) /* the kernel supports no filters */
        return true;
    return xtf_fail(error, XTF_ERROR_IO, "cannot give up system calls: %s", g_strerror(errno));
}

#else

bool xtf_system_calls_restrict(GError **error)
{
    return true;
}

#endif
