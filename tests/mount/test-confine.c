/* Calls that a confined process can no longer make, and calls that it still can. Each test confines a child. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/cli/mount/confine.h"

static char *folder, *outside, *inside;

static void set_up(void)
{
    folder = g_dir_make_tmp("xtf-confine-XXXXXX", NULL);
    outside = g_build_filename(folder, "outside", NULL);
    char *trace = g_build_filename(folder, "trace", NULL);
    inside = g_build_filename(trace, "inside", NULL);
    g_mkdir(trace, 0700);
    g_file_set_contents(outside, "x", 1, NULL);
    g_file_set_contents(inside, "x", 1, NULL);
    g_free(trace);
}

static void tear_down(void)
{
    g_autofree char *trace = g_path_get_dirname(inside);

    g_unlink(outside);
    g_unlink(inside);
    g_rmdir(trace);
    cr_assert_eq(g_rmdir(folder), 0, "something was made");
}

/* Returns the number of the first check that fails in a child, from 1, or 0 if none fails. */
static int run_checks(int (*checks)(void))
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        g_autofree char *trace = g_path_get_dirname(inside);
        const XtfConfinement confinement = {.folder = trace};
        _exit(xtf_confine(&confinement, NULL) ? checks() : 255);
    }
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert(WIFEXITED(status), "it was ended by signal %d", WTERMSIG(status));
    return WEXITSTATUS(status);
}

#define REFUSED(call)                                                  \
    do {                                                               \
        errno = 0;                                                     \
        check++;                                                       \
        if ((long)(call) != -1 || (errno != EPERM && errno != EACCES)) \
            return check;                                              \
    } while (0)
#define WORKS(call)       \
    do {                  \
        check++;          \
        if (!(call))      \
            return check; \
    } while (0)

static int check_refused_calls(void)
{
    char *const arguments[] = {"/bin/true", NULL};
    int check = 0;

    REFUSED(execv("/bin/true", arguments));
    REFUSED(fork());
    REFUSED(socket(AF_INET, SOCK_STREAM, 0));
    REFUSED(mount("none", folder, "tmpfs", 0, NULL));
    REFUSED(umount2(folder, MNT_DETACH));
    REFUSED(open(outside, O_WRONLY));
    REFUSED(open(outside, O_RDONLY | O_CREAT | O_CLOEXEC, 0600));
    REFUSED(open(inside, O_RDONLY | O_TRUNC));
    REFUSED(unlink(inside));
    REFUSED(rename(inside, outside));
    REFUSED(chmod(inside, 0777));
    REFUSED(mkdir(outside, 0700));
    REFUSED(ptrace(PTRACE_ATTACH, getppid(), NULL, NULL));
    REFUSED(kill(getppid(), 0));
    REFUSED(syscall(SYS_tgkill, getppid(), getppid(), 0));
    REFUSED(setuid(0));
    REFUSED(truncate(inside, 0));
    REFUSED(mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    return 0;
}

static void *wait_for_ever(void *data)
{
    while (poll(NULL, 0, 1000) >= 0) /* poll() is a cancellation point */
        ;
    return data;
}

static int check_allowed_calls(void)
{
    pthread_t thread;
    void *result;
    int check = 0, fd;
    int pipes[2];
    char byte;

    WORKS((fd = open(inside, O_RDONLY | O_CLOEXEC)) >= 0 && read(fd, &byte, 1) == 1);
    WORKS(pthread_create(&thread, NULL, wait_for_ever, NULL) == 0);
    WORKS(pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
    for (size_t size = 1; size < 64 << 20; size *= 3)
        g_free(g_malloc0(size));
    WORKS(pipe(pipes) == 0 && write(pipes[1], "x", 1) == 1 && read(pipes[0], &byte, 1) == 1);
    GThread *worker = g_thread_new("other", (GThreadFunc)g_strdup, (gpointer) "done");
    g_autofree char *text = g_thread_join(worker);
    WORKS(g_str_equal(text, "done"));
    g_autoptr(GDateTime) now = g_date_time_new_now_utc();
    WORKS(now && *g_strerror(EIO));
    return 0;
}

TestSuite(confine, .init = set_up, .fini = tear_down);

Test(confine, refuses_calls_that_a_mount_does_not_need)
{
    int failed = run_checks(check_refused_calls);
    cr_assert_eq(failed, 0, "what should be refused is not: %d", failed);
}

Test(confine, allows_calls_that_a_mount_needs)
{
    int failed = run_checks(check_allowed_calls);
    cr_assert_eq(failed, 0, "what should work does not: %d", failed);
}

static int check_files(void)
{
    int check = 0;

    /* Without Landlock both folders are readable. */
    if (syscall(444 /* landlock_create_ruleset */, NULL, 0, 1) <= 0)
        return 0;
    REFUSED(open(outside, O_RDONLY));
    REFUSED(open(outside, O_RDWR | O_CLOEXEC));
    REFUSED(open(inside, O_RDWR | O_CLOEXEC));
    REFUSED(open("/etc/passwd", O_RDONLY));
    return 0;
}

Test(confine, opens_only_files_of_the_traces_folder)
{
    int failed = run_checks(check_files);
    cr_assert_eq(failed, 0, "what should be refused is not: %d", failed);
}
