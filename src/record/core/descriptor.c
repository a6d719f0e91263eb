#include "src/record/core/inner.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

XtfCoreDescriptor xtf_core_hide(int descriptor)
{
    XtfCoreDescriptor hidden = {.number = -1};
    struct rlimit limit;
    struct stat about;

    /* Below 1024, so that the kernel's table of descriptors does not grow, but too high for a program to expect it. */
    int lowest = 1000;
    if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur <= 1024)
        lowest = (int)(limit.rlim_cur < 64 ? limit.rlim_cur / 2 : limit.rlim_cur / 8 * 7);
    int high = fcntl(descriptor, F_DUPFD_CLOEXEC, lowest);
    int saved = errno;
    syscall(SYS_close, descriptor);
    if (high < 0) {
        errno = saved;
        return hidden;
    }
    if (fstat(high, &about)) {
        saved = errno;
        syscall(SYS_close, high);
        errno = saved;
        return hidden;
    }
    return (XtfCoreDescriptor){.number = high, .device = about.st_dev, .inode = about.st_ino};
}

bool xtf_core_is_ours(const XtfCoreDescriptor *descriptor)
{
    struct stat about;

    return descriptor->number >= 0 && !fstat(descriptor->number, &about) && about.st_dev == descriptor->device &&
           about.st_ino == descriptor->inode;
}

void xtf_core_drop_descriptor(XtfCoreDescriptor *descriptor)
{
    if (xtf_core_is_ours(descriptor))
        syscall(SYS_close, descriptor->number);
    descriptor->number = -1;
}
