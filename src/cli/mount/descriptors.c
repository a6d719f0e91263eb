#include "src/cli/mount/descriptors.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FIRST = STDERR_FILENO + 1 };

/* Closes the descriptors one by one, where the kernel lacks close_range() (before Linux 5.9). */
static void close_each_descriptor(void)
{
    DIR *folder = opendir("/proc/self/fd");
    const struct dirent *entry;

    while (folder && (entry = readdir(folder))) {
        int fd = atoi(entry->d_name);
        if (fd >= FIRST && fd != dirfd(folder))
            close(fd);
    }
    if (folder)
        closedir(folder);
}

void xtf_close_inherited(void)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, FIRST, ~0U, 0) == 0)
        return;
#endif
    close_each_descriptor();
}
