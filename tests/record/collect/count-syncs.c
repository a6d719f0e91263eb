/* Counts calls that write data to the disk: each adds a byte to the file $XTF_TEST_SYNCS, "f" or "d". If
 * $XTF_TEST_SYNC_MS is set, fdatasync() first sleeps for that number of milliseconds. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static void count_sync(const char *kind)
{
    const char *path = getenv("XTF_TEST_SYNCS");
    int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;

    if (file >= 0 && write(file, kind, 1) < 0)
        abort();
    close(file);
}

int fsync(int file)
{
    count_sync("f");
    return (int)syscall(SYS_fsync, file);
}

int fdatasync(int file)
{
    const char *slow = getenv("XTF_TEST_SYNC_MS");

    count_sync("d");
    if (slow)
        usleep((useconds_t)atoi(slow) * 1000);
    return (int)syscall(SYS_fdatasync, file);
}
