/* Folders of targets that need files. */
#define _XOPEN_SOURCE 700

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/fuzz/targets/target.h"

enum { OPEN_FOLDERS = 16 };

static char *made;
static pid_t maker;

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    return remove(path);
}

void target_remove(const char *folder)
{
    nftw(folder, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}

static void remove_made(void)
{
    if (getpid() == maker)
        target_remove(made);
}

char *target_folder(void)
{
    if (!made) {
        made = g_dir_make_tmp("xtf-fuzz-XXXXXX", NULL);
        target_must(made != NULL, "no temporary folder can be made");
        maker = getpid();
        atexit(remove_made);
    }
    return g_strdup(made);
}
