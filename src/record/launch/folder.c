#include "src/record/launch/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "libxtf/error.h"

enum {
    KEPT_PERCENT = 2,   /* of the file system's space, which is for others */
    JOB_NAME_MAX = 255, /* bytes */
};

#define JOB_FILE "job"

static bool check_space(const char *folder, GError **error)
{
    struct statvfs space;

    if (statvfs(folder, &space) != 0)
        return xtf_fail(error, XTF_ERROR_IO, "%s: %s", folder, g_strerror(errno));
    if (space.f_blocks > 0 && space.f_bavail < space.f_blocks / (100 / KEPT_PERCENT))
        return xtf_fail(error, XTF_ERROR_IO,
                        "%s: less than %d %% of its file system is free: make room, or let XTF_TMPDIR name a folder "
                        "elsewhere",
                        folder, KEPT_PERCENT);
    return true;
}

char *xtf_folder_name(const char *job)
{
    const char *const told[] = {g_getenv("XTF_TMPDIR"), g_getenv("TMPDIR")};
    const char *place = "/tmp";

    for (size_t i = G_N_ELEMENTS(told); i-- > 0;)
        place = told[i] && *told[i] ? told[i] : place;
    g_autofree char *absolute = g_canonicalize_filename(place, NULL); /* each process has a folder of its own */
    return g_strdup_printf("%s/xtf-%s", absolute, job);
}

bool xtf_folder_make(const char *folder, GError **error)
{
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return xtf_fail(error, XTF_ERROR_IO, "%s: cannot be made: %s", folder, g_strerror(errno));
    return check_space(folder, error);
}

/* Whether a job leaves a file of this name in its folder. */
static bool is_of_job(const char *name)
{
    return g_str_has_suffix(name, ".xtf") || g_str_has_suffix(name, ".log") || g_str_has_suffix(name, ".starting") ||
           g_str_has_prefix(name, "clock-") || g_str_has_prefix(name, ".part-") || g_str_equal(name, JOB_FILE) ||
           g_str_equal(name, "worlds") || /* src/record/mpi/world.h, connect.h */
           g_str_has_prefix(name, "accept-") || g_str_has_prefix(name, "connect-");
}

/* Removes what a job has left, but the file that says whose the folder is if `keep_job`. */
static bool empty(const char *folder, bool keep_job, GError **error)
{
    g_autoptr(GError) reason = NULL;
    g_autoptr(GDir) dir = g_dir_open(folder, 0, &reason);
    const char *name;

    if (!dir)
        return xtf_fail(error, XTF_ERROR_IO, "%s", reason->message);
    while ((name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        if (!is_of_job(name) || (keep_job && g_str_equal(name, JOB_FILE)))
            continue;
        if (g_unlink(path) != 0 && errno != ENOENT)
            return xtf_fail(error, XTF_ERROR_IO, "%s: cannot be removed: %s", path, g_strerror(errno));
    }
    return true;
}

bool xtf_folder_remove(const char *folder, GError **error)
{
    if (!empty(folder, false, error))
        return false;
    if (g_rmdir(folder) != 0 && errno != ENOENT)
        return xtf_fail(error, XTF_ERROR_IO, "%s: cannot be removed: %s", folder, g_strerror(errno));
    return true;
}

/* Processes of one host have the same job, if it is one; on other hosts Hydra tells nothing that is the same. */
static bool is_same_job(const char *one, const char *other)
{
    static const char hydra[] = "hydra-";
    const char *host = strrchr(one, '@'), *other_host = strrchr(other, '@');

    if (g_str_equal(one, other))
        return true;
    return g_str_has_prefix(one, hydra) && g_str_has_prefix(other, hydra) && host && other_host &&
           !g_str_equal(host, other_host);
}

/* Under the lock of the file "job". */
static bool take(int fd, const char *folder, const char *job, bool replace, GError **error)
{
    char before[JOB_NAME_MAX + 1] = "";
    ssize_t n = pread(fd, before, JOB_NAME_MAX, 0);

    if (n > 0 && is_same_job(before, job))
        return true;
    if (n > 0 && !replace)
        return xtf_fail(error, XTF_ERROR_INVALID,
                        "%s: it has the parts of another run: --force replaces them, -o names another place", folder);
    if (n > 0 && !empty(folder, true, error))
        return false;
    if (n < 0 || ftruncate(fd, 0) != 0 || pwrite(fd, job, strlen(job), 0) != (ssize_t)strlen(job))
        return xtf_fail(error, XTF_ERROR_IO, "%s/" JOB_FILE ": %s", folder, g_strerror(errno));
    return true;
}

/* Whether a folder has something in it; one that cannot be read has. */
static bool is_used(const char *folder)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);

    return !dir || g_dir_read_name(dir);
}

bool xtf_folder_join(const char *folder, const char *job, bool replace, GError **error)
{
    g_autofree char *file = g_build_filename(folder, JOB_FILE, NULL);
    int flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW;

    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return xtf_fail(error, XTF_ERROR_IO, "%s: cannot be made: %s", folder, g_strerror(errno));
    if (is_used(folder) && !g_file_test(file, G_FILE_TEST_EXISTS) && !replace)
        return xtf_fail(error, XTF_ERROR_INVALID, "%s: it is no folder that `xtf record` made: -o names another place",
                        folder);
    int fd = open(file, flags, 0666);
    if (fd < 0)
        return xtf_fail(error, XTF_ERROR_IO, "%s: %s", file, g_strerror(errno));
    while (flock(fd, LOCK_EX) != 0 && errno == EINTR)
        continue;
    bool good = take(fd, folder, job, replace, error) && check_space(folder, error);
    close(fd);
    return good;
}

char *xtf_job_new(void)
{
    return g_strdup_printf("%s-%d-%" G_GINT64_MODIFIER "x", g_get_host_name(), (int)getpid(), g_get_real_time());
}

/* When a process of this host was started, in ticks since the machine was; "" if it is not told. */
static char *start_of(pid_t pid)
{
    g_autofree char *file = g_strdup_printf("/proc/%d/stat", (int)pid), *text = NULL;
    const char *behind_name = g_file_get_contents(file, &text, NULL, NULL) ? strrchr(text, ')') : NULL;
    g_auto(GStrv) words = g_strsplit(behind_name ? behind_name : "", " ", -1);

    return g_strdup(g_strv_length(words) > 20 ? words[20] : ""); /* the 22nd of the line: proc(5) */
}

char *xtf_job_of_rank(void)
{
    const char *space = g_getenv("PMIX_NAMESPACE"), *job = g_getenv("SLURM_JOB_ID"), *step = g_getenv("SLURM_STEP_ID");

    if (job && step)
        return g_strdup_printf("slurm-%s.%s", job, step);
    if (space) {
        const char *server = g_getenv("OMPI_MCA_orte_hnp_uri"); /* the same on all hosts, and other in each run */
        return g_strdup_printf("pmix-%s-%08x", space, server ? g_str_hash(server) : 0);
    }
    g_autofree char *start = start_of(getppid());
    return g_strdup_printf("hydra-%d-%s@%s", (int)getppid(), start, g_get_host_name());
}

const char *xtf_shared_file_system(unsigned long number)
{
    static const struct {
        unsigned long number;
        const char *name;
    } known[] = {
        {0x6969, "NFS"},        {0xff534d42, "CIFS"}, {0xfe534d42, "SMB"},    {0x517b, "SMB"},
        {0x0bd00bd0, "Lustre"}, {0x47504653, "GPFS"}, {0x19830326, "BeeGFS"}, {0x00c36400, "Ceph"},
        {0x5346414f, "AFS"},    {0x73757245, "Coda"}, {0xaad7aaea, "PanFS"},  {0x7461636f, "OCFS2"},
        {0x01161970, "GFS2"},   {0x01021997, "9P"},   {0x6b414653, "AFS"},    {0x20030528, "OrangeFS"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
        if (known[i].number == number)
            return known[i].name;
    return NULL;
}

const char *xtf_folder_is_shared(const char *folder)
{
    struct statfs status;

    return statfs(folder, &status) == 0 ? xtf_shared_file_system((unsigned long)status.f_type & 0xffffffff) : NULL;
}
