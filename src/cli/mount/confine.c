#include "src/cli/mount/confine.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libxtf/error.h"
#include "src/cli/mount/system-calls.h"

#if __has_include(<linux/landlock.h>) && defined(SYS_landlock_create_ruleset)
#include <linux/landlock.h>
#define HAVE_LANDLOCK 1
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#else
#define SANITIZED false
#endif

static bool fail_to_drop(const char *right, GError **error)
{
    return xtf_fail(error, XTF_ERROR_IO, "cannot give up %s: %s", right, g_strerror(errno));
}

bool xtf_confine_is_wanted(void)
{
    const char *preloaded = g_getenv("LD_PRELOAD");
    return !SANITIZED && !(preloaded && (strstr(preloaded, "vgpreload") || strstr(preloaded, "valgrind")));
}

/* ---- Capabilities. */

void xtf_confine_bound(guint64 kept)
{
    int held;

    /* Reading one takes a small part of the time of dropping it. */
    for (unsigned long i = 0; (held = prctl(PR_CAPBSET_READ, i, 0, 0, 0)) >= 0; i++)
        if (held > 0 && !(kept >> i & 1) && prctl(PR_CAPBSET_DROP, i, 0, 0, 0) != 0)
            return; /* it lacks CAP_SETPCAP, and so has none to gain */
}

bool xtf_confine_capabilities(guint64 kept, GError **error)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    xtf_confine_bound(kept);
    if (syscall(SYS_capget, &header, sets) != 0)
        return fail_to_drop("capabilities", error);
    for (unsigned i = 0; i < G_N_ELEMENTS(sets); i++) {
        sets[i].permitted &= (guint32)(kept >> (32 * i));
        sets[i].effective = sets[i].permitted;
        sets[i].inheritable = 0;
    }
    return syscall(SYS_capset, &header, sets) == 0 || fail_to_drop("capabilities", error);
}

/* ---- Files. */

#ifdef HAVE_LANDLOCK

/* Returns all rights that a version of Landlock knows, 0 for none. Each version adds bits above the earlier ones. */
static guint64 rights_of_version(long version)
{
    static const struct {
        long version;
        unsigned n_rights;
    } versions[] = {{5, 16}, {3, 15}, {2, 14}, {1, 13}};

    for (size_t i = 0; i < G_N_ELEMENTS(versions); i++)
        if (version >= versions[i].version)
            return (G_GUINT64_CONSTANT(1) << versions[i].n_rights) - 1;
    return 0;
}

/* The kernel's struct landlock_ruleset_attr of version 6. Headers of older versions lack its last fields. */
typedef struct {
    guint64 handled_access_fs;
    guint64 handled_access_net; /* since version 4 of Landlock */
    guint64 scoped;             /* since version 6 of Landlock */
} Ruleset;

/* Makes a ruleset that restricts all rights to files. From version 6 on it also restricts signals, and abstract
 * sockets, to this process. */
static int new_ruleset(long version, guint64 rights)
{
    enum { ABSTRACT_SOCKETS = 1 << 0, SIGNALS = 1 << 1 };
    const Ruleset attributes = {.handled_access_fs = rights, .scoped = version >= 6 ? ABSTRACT_SOCKETS | SIGNALS : 0};
    size_t size = version >= 6 ? sizeof attributes : offsetof(Ruleset, handled_access_net);

    return (int)syscall(SYS_landlock_create_ruleset, &attributes, size, 0);
}

/* Allows rights at or below a path, if it exists. For a file, leaves out the right to list. */
static void allow_path(int ruleset, const char *path, guint64 rights)
{
    struct landlock_path_beneath_attr rule = {.allowed_access = rights, .parent_fd = open(path, O_PATH | O_CLOEXEC)};
    struct stat status;

    if (rule.parent_fd < 0)
        return;
    if (fstat(rule.parent_fd, &status) == 0 && !S_ISDIR(status.st_mode))
        rule.allowed_access &= ~(guint64)LANDLOCK_ACCESS_FS_READ_DIR;
    syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(rule.parent_fd);
}

static bool restrict_files(const XtfConfinement *confinement, GError **error)
{
    /* libc reads the number of processors, and GLib random numbers */
    static const char *const system_files[] = {"/sys/devices/system/cpu", "/proc/stat", "/dev/urandom"};
    enum { IOCTL_DEV = 1 << 15 }; /* LANDLOCK_ACCESS_FS_IOCTL_DEV, since Linux 6.10 */
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    guint64 all = rights_of_version(version);

    if (all == 0)
        return true;
    int ruleset = new_ruleset(version, all);
    if (ruleset < 0)
        return fail_to_drop("files", error);
    allow_path(ruleset, "/dev/fuse", (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | IOCTL_DEV) & all);
    for (size_t i = 0; i < G_N_ELEMENTS(system_files); i++)
        allow_path(ruleset, system_files[i], LANDLOCK_ACCESS_FS_READ_FILE);
    allow_path(ruleset, confinement->folder, LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR);
    for (char **file = confinement->files; file && *file; file++)
        allow_path(ruleset, *file, LANDLOCK_ACCESS_FS_READ_FILE);
    bool good = syscall(SYS_landlock_restrict_self, ruleset, 0) == 0 || fail_to_drop("files", error);
    close(ruleset);
    return good;
}

#else

static bool restrict_files(const XtfConfinement *confinement, GError **error)
{
    return true;
}

#endif

/* ---- Everything. */

/* Loads libgcc_s, which libc opens when the first thread is cancelled, as libfuse cancels its threads. It stays loaded.
 */
static void load_libgcc(void)
{
    dlopen("libgcc_s.so.1", RTLD_NOW);
}

bool xtf_confine(const XtfConfinement *confinement, GError **error)
{
    guint64 kept = confinement->opens_more ? G_GUINT64_CONSTANT(1) << CAP_DAC_READ_SEARCH : 0;

    load_libgcc();
    if (!xtf_confine_capabilities(kept, error))
        return false;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return fail_to_drop("new privileges", error);
    return restrict_files(confinement, error) && xtf_system_calls_restrict(error);
}
