/* Parsing of the -o options of a mount. */
#include <string.h>
#include <unistd.h>

#include "libxtf/error.h"
#include "src/cli/mount/mount.h"
#include "src/cli/ui/common.h"
#include "src/fs/fs.h"

/* Options for mount(8) or fstab, and common ones that do not matter for a read-only mount. */
static const char ignored[] =
    "defaults,ro,rw,default_permissions,auto,noauto,user,nouser,users,owner,group,nofail,_netdev,_rnetdev,"
    "suid,dev,exec,async,sync,dirsync,atime,diratime,nodiratime,relatime,norelatime,strictatime,nostrictatime,"
    "lazytime,nolazytime,silent,loud,mand,nomand";
static const char ignored_prefixes[] = "x-,X-,comment=,user=,subtype=,fsname=";

static const char passed_on[] = "allow_other,allow_root,auto_unmount,nosuid,nodev,noexec,noatime";
static const char passed_on_prefixes[] = "context=,fscontext=,defcontext=,rootcontext=";

void xtf_mount_options_init(XtfMountOptions *options)
{
    *options =
        (XtfMountOptions){.idle = XTF_FS_IDLE_DEFAULT, .uid = getuid(), .gid = getgid(), .kernel = g_string_new(NULL)};
}

void xtf_mount_options_finish(XtfMountOptions *options)
{
    g_clear_pointer(&options->cache_folder, g_free);
    g_clear_pointer(&options->companion, g_free);
    if (options->kernel)
        g_string_free(g_steal_pointer(&options->kernel), TRUE);
}

/* True if the option is one of the names, or begins with one of the prefixes. */
static bool is_listed(const char *option, const char *names, const char *prefixes)
{
    g_auto(GStrv) all_names = g_strsplit(names, ",", -1);
    g_auto(GStrv) all_prefixes = g_strsplit(prefixes, ",", -1);

    for (char **prefix = all_prefixes; *prefix; prefix++)
        if (g_str_has_prefix(option, *prefix))
            return true;
    return g_strv_contains((const char *const *)all_names, option);
}

/* True if the option is NAME=VALUE. Sets *valid to true if VALUE is a number in [low, high], and stores it in *value.
 */
static bool parse_number_option(const char *option, const char *name, uint64_t low, uint64_t high, uint64_t *value,
                                bool *valid)
{
    size_t length = strlen(name);
    uint64_t number;

    if (strncmp(option, name, length) != 0 || option[length] != '=')
        return false;
    *valid = xtf_cli_parse_size(option + length + 1, &number) && number >= low && number <= high;
    if (*valid)
        *value = number;
    return true;
}

/* Sets an option of xtf that has a number. Returns false if the option is another one. */
static bool set_number_option(XtfMountOptions *options, const char *option, bool *valid)
{
    uint64_t threads = options->threads, idle = options->idle, uid = options->uid, gid = options->gid;

    bool known = parse_number_option(option, "cache", 1, SIZE_MAX, &options->cache_bytes, valid) ||
                 parse_number_option(option, "max_nodes", 1, UINT32_MAX, &options->max_nodes, valid) ||
                 parse_number_option(option, "threads", 1, 1024, &threads, valid) ||
                 parse_number_option(option, "idle", 0, 1 << 30, &idle, valid) ||
                 parse_number_option(option, "uid", 0, UINT32_MAX - 1, &uid, valid) ||
                 parse_number_option(option, "gid", 0, UINT32_MAX - 1, &gid, valid);
    options->threads = (unsigned)threads;
    options->idle = (unsigned)idle;
    options->uid = (uid_t)uid;
    options->gid = (gid_t)gid;
    return known;
}

static bool set_flag_option(XtfMountOptions *options, const char *option)
{
    bool follow = g_str_equal(option, "follow"), nonempty = g_str_equal(option, "nonempty");
    bool incomplete = g_str_equal(option, "incomplete");

    options->follow = options->follow || follow;
    options->nonempty = options->nonempty || nonempty;
    options->incomplete = options->incomplete || incomplete;
    return follow || nonempty || incomplete;
}

/* Sets *path if the option is NAME=PATH. Returns false if it is not. */
static bool set_path_option(const char *option, const char *name, char **path)
{
    size_t length = strlen(name);

    if (strncmp(option, name, length) != 0 || option[length] != '=' || option[length + 1] == '\0')
        return false;
    g_free(*path);
    *path = g_strdup(option + length + 1);
    return true;
}

bool xtf_mount_options_parse(XtfMountOptions *options, const char *list, bool sloppy, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(list, ",", -1);

    for (char **option = parts; *option; option++) {
        bool valid = true;
        if (!**option || is_listed(*option, ignored, ignored_prefixes))
            continue;
        if (is_listed(*option, passed_on, passed_on_prefixes)) {
            g_string_append_printf(options->kernel, "%s%s", options->kernel->len ? "," : "", *option);
            continue;
        }
        if (set_flag_option(options, *option) || set_path_option(*option, "cachedir", &options->cache_folder) ||
            set_path_option(*option, "analysis", &options->companion))
            continue;
        if (!set_number_option(options, *option, &valid) && !sloppy)
            return xtf_fail(error, XTF_ERROR_INVALID, "unknown mount option '%s'", *option);
        if (!valid)
            return xtf_fail(error, XTF_ERROR_INVALID, "mount option '%s': the value is not a valid number", *option);
    }
    return true;
}
