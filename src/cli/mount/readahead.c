#include "src/cli/mount/readahead.h"

#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

enum { READAHEAD_KIB = 1024 };

void xtf_readahead_widen(const char *mount_point)
{
    struct stat attributes;
    char path[64];

    /* Waits for the first answer. The kernel answers FUSE_INIT earlier, which would overwrite the readahead. */
    if (stat(mount_point, &attributes) != 0)
        return;
    snprintf(path, sizeof path, "/sys/class/bdi/%u:%u/read_ahead_kb", major(attributes.st_dev),
             minor(attributes.st_dev));
    FILE *file = fopen(path, "we");
    if (!file)
        return;
    fprintf(file, "%d\n", READAHEAD_KIB);
    fclose(file);
}
