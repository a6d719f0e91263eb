#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "libxtf/error.h"
#include "src/cli/commands/commands.h"
#include "src/cli/mount/mount-point.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/print.h"

static int fail_to_unmount(const char *directory, int number)
{
    if (number == EBUSY)
        xtf_print_line(stderr, "xtf: '%s' is in use (--lazy detaches it anyway)", directory);
    else
        xtf_print_line(stderr, "xtf: cannot unmount '%s': %s", directory, g_strerror(number));
    return XTF_EXIT_FAILED;
}

/* Unmounts with fusermount3, as only it can for an ordinary user. Its own messages are shown only for errors that xtf
 * cannot explain better. */
static int unmount_as_user(const char *directory, const char *path, bool lazy)
{
    const char *arguments[] = {"fusermount3", lazy ? "-uz" : "-u", "--", path, NULL};
    g_autofree char *messages = NULL;
    g_autoptr(GError) error = NULL;
    int status;

    if (!g_spawn_sync(NULL, (char **)arguments, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL,
                      NULL, &messages, &status, &error))
        return xtf_cli_fail(g_steal_pointer(&error));
    if (g_spawn_check_wait_status(status, NULL))
        return XTF_EXIT_DONE;
    if (strstr(messages, "Device or resource busy")) /* messages of fusermount3 are not translated */
        return fail_to_unmount(directory, EBUSY);
    xtf_print_line(stderr, "xtf: cannot unmount '%s': %s%s", directory, g_strchomp(messages),
                   strstr(messages, "/etc/mtab") ? " (/etc/mtab should be a link to /proc/self/mounts)" : "");
    return XTF_EXIT_FAILED;
}

/* True if another user mounted the trace, so that this user may not unmount it. Prints who may. */
static bool is_owned_by_other(const char *directory, const XtfMounted *mounted)
{
    uint64_t owner;

    if (geteuid() == 0 || !mounted->owner ||
        !g_ascii_string_to_unsigned(mounted->owner, 10, 0, UINT32_MAX, &owner, NULL) || owner == getuid())
        return false;
    g_autofree char *user = xtf_mounted_owner(mounted);
    xtf_print_line(stderr, "xtf: user %s mounted '%s': only that user or root may unmount it", user, directory);
    return true;
}

int xtf_command_unmount(int argc, char **argv)
{
    gboolean lazy = FALSE;
    const GOptionEntry entries[] = {
        {"lazy", 'z', 0, G_OPTION_ARG_NONE, &lazy, "Detach a trace that is in use", NULL},
        {0},
    };
    g_auto(XtfMounted) mounted = {0};

    if (!xtf_cli_parse(&argc, &argv, 1, "DIR",
                       "Unmounts a trace.\n"
                       "\n"
                       "  xtf unmount DIR",
                       entries))
        return XTF_EXIT_USAGE;
    g_autofree char *path = xtf_mount_path(argv[1]);
    if (path)
        xtf_mounted_find(&mounted, path);
    if (g_strcmp0(mounted.type, "fuse.xtf") != 0) {
        xtf_print_line(stderr, "xtf: no trace is mounted at '%s'", argv[1]);
        return XTF_EXIT_FAILED;
    }
    if (is_owned_by_other(argv[1], &mounted))
        return XTF_EXIT_FAILED;
    if (geteuid() != 0)
        return unmount_as_user(argv[1], path, lazy);
    if (umount2(path, UMOUNT_NOFOLLOW | (lazy ? MNT_DETACH : 0)) == 0)
        return XTF_EXIT_DONE;
    return fail_to_unmount(argv[1], errno);
}
