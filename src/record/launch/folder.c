#include "src/record/launch/folder.h"

#include <dirent.h>
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
#include "libxtf/merge.h"
#include "libxtf/writer.h"
#include "src/record/job-folder.h"
#include "src/record/job.h"

enum {
    KEPT_PERCENT = 2,   /* percent of the file system's space that stay free */
    JOB_NAME_MAX = 255, /* most bytes of a job's name */
    NUMBER_MIN = 6,     /* least number of digits in a part's name */
};

#define JOB_FILE "job"

/* Opens a folder safely. In a shared place, such as /tmp, another user may have made a folder of this name, to read the
 * records or to redirect them. */
static int open_folder(const char *folder, GError **error)
{
    int fd = xtf_job_folder_open(folder);

    if (fd < 0)
        xtf_fail(error, XTF_ERROR_IO, "%s: %s", folder, xtf_job_folder_reason(errno));
    return fd;
}

static bool check_space(int fd, const char *folder, GError **error)
{
    struct statvfs space;

    if (fstatvfs(fd, &space) != 0)
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
    const char *const variables[] = {g_getenv("XTF_TMPDIR"), g_getenv("TMPDIR")};
    const char *place = "/tmp";

    for (size_t i = G_N_ELEMENTS(variables); i-- > 0;)
        place = variables[i] && *variables[i] ? variables[i] : place;
    g_autofree char *absolute =
        g_canonicalize_filename(place, NULL); /* absolute, since each process has its own working directory */
    return g_strdup_printf("%s/xtf-%s", absolute, job);
}

bool xtf_folder_make(const char *folder, GError **error)
{
    bool made = mkdir(folder, 0700) == 0;

    if (!made && errno != EEXIST)
        return xtf_fail(error, XTF_ERROR_IO, "%s: cannot be made: %s", folder, g_strerror(errno));
    int fd = open_folder(folder, error);
    bool good = fd >= 0 && check_space(fd, folder, error);
    if (fd >= 0)
        close(fd);
    if (made && !good)
        rmdir(folder);
    return good;
}

void xtf_folder_set_output(const char *folder, const char *output)
{
    int directory = open_folder(folder, NULL);

    if (directory < 0)
        return;
    unlinkat(directory, XTF_FOLDER_OUTPUT, 0);
    int fd = openat(directory, XTF_FOLDER_OUTPUT, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0 && write(fd, output, strlen(output)) != (ssize_t)strlen(output))
        unlinkat(directory, XTF_FOLDER_OUTPUT, 0);
    if (fd >= 0)
        close(fd);
    close(directory);
}

char *xtf_folder_output(const char *folder)
{
    g_autofree char *path = g_build_filename(folder, XTF_FOLDER_OUTPUT, NULL), *output = NULL;
    g_autofree char *absolute = g_canonicalize_filename(folder, NULL);

    if (g_file_get_contents(path, &output, NULL, NULL) && g_path_is_absolute(output))
        return g_steal_pointer(&output);
    return g_str_has_suffix(absolute, ".xtf.d") ? g_strndup(absolute, strlen(absolute) - strlen(".d")) : NULL;
}

/* True if a name is a process number and one of the endings: "000012.xtf". */
static bool is_numbered(const char *name, const char *const *endings)
{
    size_t digits = strspn(name, "0123456789");

    return digits >= NUMBER_MIN && g_strv_contains(endings, name + digits);
}

/* True if a name is that of an earlier volume of a part, or of a volume that is being made (libxtf/writer.h). */
static bool is_volume(const char *name)
{
    static const char *const endings[] = {".xtf", ".xtf.new", NULL}, *const parts[] = {".xtf", NULL};
    const char *dot = strrchr(name, '.');
    g_autofree char *part = dot ? g_strndup(name, (gsize)(dot - name)) : NULL;

    if (name[0] == '.')
        return is_numbered(name + 1, endings);
    return dot && dot[1] && strspn(dot + 1, "0123456789") == strlen(dot + 1) && is_numbered(part, parts);
}

/* True if a name is `prefix`, which ends with a minus, a pid, and `ending`. */
static bool is_process_file(const char *name, const char *prefix, const char *ending)
{
    const char *number = strrchr(name, '-');

    if (!number++ || !g_str_has_prefix(name, prefix))
        return false;
    size_t digits = strspn(number, "0123456789");
    return digits > 0 && g_str_equal(number + digits, ending);
}

/* True if a job creates files of this name in its folder. A user may have put other files there, even traces. */
static bool is_job_file(const char *name)
{
    static const char *const endings[] = {".xtf", XTF_JOB_LOG_ENDING, NULL}, *const parts[] = {".xtf", NULL};
    static const char *const names[] = {
        JOB_FILE, XTF_FOLDER_OUTPUT, XTF_ANCHOR_NAME, XTF_ANCHOR_NAME XTF_COMPANION_SUFFIX, XTF_JOB_RECORDED, NULL};
    const char *minus = strrchr(name, '-');

    return is_numbered(name, endings) || is_volume(name) || g_strv_contains(names, name) ||
           is_process_file(name, XTF_JOB_LOG, XTF_JOB_LOG_ENDING) || is_process_file(name, "", XTF_JOB_STARTING) ||
           xtf_job_is_shared(name) || g_str_has_prefix(name, ".part-") ||
           (name[0] == '.' && minus && is_numbered(minus + 1, parts)); /* src/record/collect/deliver.c */
}

/* Returns the names of all entries of an open folder. The caller frees them. */
static char **folder_entries(int fd)
{
    GPtrArray *names = g_ptr_array_new();
    int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = again < 0 ? NULL : fdopendir(again);
    const struct dirent *entry;

    while (dir && (entry = readdir(dir)))
        if (!g_str_equal(entry->d_name, ".") && !g_str_equal(entry->d_name, ".."))
            g_ptr_array_add(names, g_strdup(entry->d_name));
    if (dir)
        closedir(dir);
    g_ptr_array_add(names, NULL);
    return (char **)g_ptr_array_free(names, FALSE);
}

/* Removes a job's files; with `keep_job`, all but the file that names the job. */
static bool remove_job_files(int fd, const char *folder, bool keep_job, GError **error)
{
    g_auto(GStrv) names = folder_entries(fd);

    for (char **name = names; *name; name++) {
        if (!is_job_file(*name) || (keep_job && g_str_equal(*name, JOB_FILE)))
            continue;
        if (unlinkat(fd, *name, 0) != 0 && errno != ENOENT)
            return xtf_fail(error, XTF_ERROR_IO, "%s/%s: cannot be removed: %s", folder, *name, g_strerror(errno));
    }
    return true;
}

bool xtf_folder_remove(const char *folder, GError **error)
{
    int fd = open_folder(folder, error);
    bool is_empty = fd >= 0 && remove_job_files(fd, folder, false, error);

    if (fd >= 0)
        close(fd);
    if (!is_empty)
        return false;
    if (g_rmdir(folder) != 0 && errno != ENOENT)
        return xtf_fail(error, XTF_ERROR_IO, "%s: cannot be removed: %s", folder, g_strerror(errno));
    return true;
}

/* True if two processes are of the same job. Hydra gives processes of different hosts no common name, so two Hydra jobs
 * of different hosts count as the same. */
static bool is_same_job(const char *first, const char *second)
{
    static const char hydra[] = "hydra-";
    const char *first_host = strrchr(first, '@'), *second_host = strrchr(second, '@');

    if (g_str_equal(first, second))
        return true;
    return g_str_has_prefix(first, hydra) && g_str_has_prefix(second, hydra) && first_host && second_host &&
           !g_str_equal(first_host, second_host);
}

/* Fails with errno: XTF_ERROR_TOO_LARGE if the limit of file sizes forbids the file, else XTF_ERROR_IO. */
static bool fail_file(const char *folder, const char *name, GError **error)
{
    return xtf_fail(error, errno == EFBIG ? XTF_ERROR_TOO_LARGE : XTF_ERROR_IO, "%s/%s: %s", folder, name,
                    g_strerror(errno));
}

/* Marks the folder as the job's. The caller holds the lock of the file "job", `fd`. */
static bool claim_folder(int fd, int directory, const char *folder, const char *job, bool replace, GError **error)
{
    char before[JOB_NAME_MAX + 1] = "";
    ssize_t n = pread(fd, before, JOB_NAME_MAX, 0);

    if (n > 0 && is_same_job(before, job))
        return true;
    if (n > 0 && !replace)
        return xtf_fail(
            error, XTF_ERROR_INVALID,
            "%s: it has the parts of another run: replace them with --force, or name another folder with -o", folder);
    if (n > 0 && !remove_job_files(directory, folder, true, error))
        return false;
    if (n < 0 || ftruncate(fd, 0) != 0 || pwrite(fd, job, strlen(job), 0) != (ssize_t)strlen(job))
        return fail_file(folder, JOB_FILE, error);
    return true;
}

/* True if a folder has entries but no file "job": `xtf record` may not have made it. */
static bool is_foreign_folder(int directory)
{
    g_auto(GStrv) names = folder_entries(directory);

    return *names && faccessat(directory, JOB_FILE, F_OK, AT_SYMLINK_NOFOLLOW) != 0;
}

static bool join_open_folder(int directory, const char *folder, const char *job, bool replace, GError **error)
{
    if (is_foreign_folder(directory))
        return xtf_fail(error, XTF_ERROR_INVALID, "%s: `xtf record` did not create this folder: name another with -o",
                        folder);
    int fd = xtf_job_file_open(directory, JOB_FILE, O_RDWR | O_CREAT);
    if (fd < 0)
        return xtf_fail(error, XTF_ERROR_IO, "%s/" JOB_FILE ": %s", folder, g_strerror(errno));
    while (flock(fd, LOCK_EX) != 0 && errno == EINTR)
        continue;
    bool good = claim_folder(fd, directory, folder, job, replace, error) && check_space(directory, folder, error);
    close(fd);
    return good;
}

bool xtf_folder_join(const char *folder, const char *job, bool replace, GError **error)
{
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return xtf_fail(error, XTF_ERROR_IO, "%s: cannot be made: %s", folder, g_strerror(errno));
    int directory = open_folder(folder, error);
    bool good = directory >= 0 && join_open_folder(directory, folder, job, replace, error);
    if (directory >= 0)
        close(directory);
    return good;
}

bool xtf_folder_count_in(const char *folder, guint32 rank, GError **error)
{
    const char is_open = 0, begun = XTF_JOB_BEGUN;
    char closed;
    int fd = xtf_job_open_in(folder, XTF_JOB_RECORDED, O_RDWR | O_CREAT);

    while (fd >= 0 && flock(fd, LOCK_EX) != 0 && errno == EINTR)
        continue;
    bool good = fd >= 0;
    if (good && pread(fd, &closed, 1, XTF_JOB_RECORDED_CLOSED) != 1)
        good = pwrite(fd, &is_open, 1, XTF_JOB_RECORDED_CLOSED) == 1;
    else if (good && closed) /* the count is closed: later processes are not counted */
        rank = G_MAXUINT32;
    if (good && rank != G_MAXUINT32)
        good = pwrite(fd, &begun, 1, XTF_JOB_RECORDED_RANKS + (off_t)rank) == 1;
    if (!good)
        fail_file(folder, XTF_JOB_RECORDED, error);
    if (fd >= 0)
        close(fd);
    return good;
}

char *xtf_job_new(void)
{
    return g_strdup_printf("%s-%d-%" G_GINT64_MODIFIER "x", g_get_host_name(), (int)getpid(), g_get_real_time());
}

/* Returns the start time of a process of this host, in ticks since boot; "" if unknown. */
static char *start_time(pid_t pid)
{
    g_autofree char *file = g_strdup_printf("/proc/%d/stat", (int)pid), *text = NULL;
    const char *behind_name = g_file_get_contents(file, &text, NULL, NULL) ? strrchr(text, ')') : NULL;
    g_auto(GStrv) words = g_strsplit(behind_name ? behind_name : "", " ", -1);

    return g_strdup(g_strv_length(words) > 20 ? words[20] : ""); /* the 22nd of the line: proc(5) */
}

/* True if Slurm's srun started this process. Programs of other launchers in a Slurm step have the step's variables,
 * too, but other ranks. */
static bool is_slurm_task(void)
{
    const char *rank = g_getenv("PMI_RANK");

    return g_getenv("SLURM_JOB_ID") && g_getenv("SLURM_STEP_ID") && g_getenv("SLURM_PROCID") &&
           !g_getenv("OMPI_COMM_WORLD_RANK") && !g_getenv("MPI_LOCALRANKID") && /* Open MPI's launcher, Hydra */
           (!rank || g_str_equal(rank, g_getenv("SLURM_PROCID")));
}

char *xtf_job_of_rank(void)
{
    const char *space = g_getenv("PMIX_NAMESPACE");         /* one for each run, also for each step of Slurm */
    const char *server = g_getenv("OMPI_MCA_orte_hnp_uri"); /* the same on all hosts, different in each run */

    if (space || server)
        return g_strdup_printf("pmix-%s-%08x", space ? space : "", server ? g_str_hash(server) : 0);
    if (is_slurm_task())
        return g_strdup_printf("slurm-%s.%s", g_getenv("SLURM_JOB_ID"), g_getenv("SLURM_STEP_ID"));
    g_autofree char *start = start_time(getppid());
    return g_strdup_printf("hydra-%d-%s@%s", (int)getppid(), start, g_get_host_name());
}

const char *xtf_shared_file_system(unsigned long number)
{
    static const struct {
        unsigned long number;
        const char *name;
    } file_systems[] = {
        {0x6969, "NFS"},        {0xff534d42, "CIFS"}, {0xfe534d42, "SMB"},    {0x517b, "SMB"},
        {0x0bd00bd0, "Lustre"}, {0x47504653, "GPFS"}, {0x19830326, "BeeGFS"}, {0x00c36400, "Ceph"},
        {0x5346414f, "AFS"},    {0x73757245, "Coda"}, {0xaad7aaea, "PanFS"},  {0x7461636f, "OCFS2"},
        {0x01161970, "GFS2"},   {0x01021997, "9P"},   {0x6b414653, "AFS"},    {0x20030528, "OrangeFS"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(file_systems); i++)
        if (file_systems[i].number == number)
            return file_systems[i].name;
    return NULL;
}

const char *xtf_folder_is_shared(const char *folder)
{
    struct statfs status;

    return statfs(folder, &status) == 0 ? xtf_shared_file_system((unsigned long)status.f_type & 0xffffffff) : NULL;
}
