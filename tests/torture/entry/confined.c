/*
 * Compares what a confined process can do with the table in confined-rows.def. Confines it as a mount's daemon does.
 *
 *     confined       prints each wrong row, and the numbers of rows, wrong rows and skipped rows.
 *
 *     confined ROW   prints the results of one row.
 *
 *     confined I N   runs every N-th row, from row I. Most rows wait for the kernel, so several processes are faster.
 *
 * Each attempt has its own process. One is not confined, and shows that the attempt can succeed on this machine. The
 * others are confined in each way that a daemon uses.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "src/cli/mount/confine.h"
#include "tests/torture/entry/place.h"

enum { NOBODY = 65534, HANDLE_BYTES = 128, SECONDS = 20 /* time limit of an attempt */ };

typedef enum {
    ALLOWED,
    REFUSED,
    REFUSED_UNLESS_MORE, /* allowed if the daemon opens more files later */
    KILLED,              /* ends the process */
} Expected;

/* Mechanisms that refuse an attempt. */
typedef enum {
    SECCOMP = 1 << 0,
    LANDLOCK = 1 << 1,
    SIGNALS = 1 << 2, /* Landlock with scopes of signals and abstract sockets */
    CAPABILITIES = 1 << 3,
} Barrier;

typedef enum { FREE, CONFINED, CONFINED_MORE, N_MODES } Mode;

static const char *const mode_names[N_MODES] = {"not confined", "confined", "confined, and opens more files"};

Place place;

/* ---- The rows. */

#define ROW(id, expected, by, description, expression) \
    static long row_##id(void)                         \
    {                                                  \
        return (long)(expression);                     \
    }
#include "tests/torture/entry/confined-rows.def"
#undef ROW

typedef struct {
    const char *name, *description;
    Expected expected;
    unsigned barriers;
    long (*attempt)(void);
} Row;

static const Row rows[] = {
#define ROW(id, expected, by, description, expression) {#id, description, expected, by, row_##id},
#include "tests/torture/entry/confined-rows.def"
#undef ROW
};

/* ---- The place. */

static void make_file(const char *path, mode_t mode)
{
    if (!g_file_set_contents_full(path, "some bytes\n", -1, G_FILE_SET_CONTENTS_NONE, (int)mode, NULL))
        g_error("%s cannot be made", path);
}

#define NAME(member, format, ...) g_snprintf(place.member, sizeof place.member, format, ##__VA_ARGS__)

static void make_files(void)
{
    NAME(trace, "%s/trace", place.folder);
    NAME(inside, "%s/inside", place.trace);
    NAME(private_file, "%s/private", place.trace);
    NAME(new, "%s/new", place.trace);
    NAME(link_in, "%s/link-in", place.trace);
    NAME(link_out, "%s/link-out", place.trace);
    NAME(outside, "%s/outside", place.folder);
    NAME(part, "%s/part", place.folder);
    NAME(outside_folder, "%s/folder", place.folder);
    g_mkdir(place.trace, 0700);
    g_mkdir(place.outside_folder, 0700);
    make_file(place.inside, 0600);
    make_file(place.outside, 0600);
    make_file(place.part, 0600);
    make_file(place.private_file, 0600);
    if (chown(place.private_file, NOBODY, NOBODY) != 0 || symlink(place.outside, place.link_out) != 0 ||
        symlink(place.part, place.link_in) != 0)
        g_debug("only root can give files away");
    place.writable = open(place.outside, O_RDWR);
    place.readable = open(place.inside, O_RDONLY);
    place.handle = g_malloc0(sizeof *place.handle + HANDLE_BYTES);
    place.handle->handle_bytes = HANDLE_BYTES;
    place.mount_fd = open(place.folder, O_RDONLY | O_DIRECTORY);
    int mount_id;
    (void)!name_to_handle_at(AT_FDCWD, place.outside, place.handle, &mount_id, 0);
}

/* Opens sockets of the parent, which the attempts try to reach. */
static void open_listeners(void)
{
    int tcp = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), local = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int log = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    socklen_t size = sizeof place.listening;
    const struct sockaddr_un any = {.sun_family = AF_UNIX}; /* the kernel chooses an abstract address */

    place.listening = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    place.abstract_size = place.log_size = sizeof place.log;
    if (bind(tcp, (struct sockaddr *)&place.listening, size) != 0 || listen(tcp, 1) != 0 ||
        getsockname(tcp, (struct sockaddr *)&place.listening, &size) != 0 ||
        bind(local, (const struct sockaddr *)&any, sizeof(sa_family_t)) != 0 || listen(local, 1) != 0 ||
        getsockname(local, (struct sockaddr *)&place.abstract, &place.abstract_size) != 0 ||
        bind(log, (const struct sockaddr *)&any, sizeof(sa_family_t)) != 0 ||
        getsockname(log, (struct sockaddr *)&place.log, &place.log_size) != 0)
        g_error("cannot listen: %s", g_strerror(errno));
}

static void open_descriptors(void)
{
    int controller = posix_openpt(O_RDWR | O_NOCTTY);

    place.tcp = socket(AF_INET, SOCK_STREAM, 0);
    place.local = socket(AF_UNIX, SOCK_STREAM, 0);
    place.datagram = socket(AF_UNIX, SOCK_DGRAM, 0);
    place.terminal = controller >= 0 && unlockpt(controller) == 0 ? open(ptsname(controller), O_RDWR | O_NOCTTY) : -1;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, place.pair) != 0)
        g_error("cannot make sockets: %s", g_strerror(errno));
}

/* Starts a process that waits. It is no child of a process that attempts: such a child would outlive a confined parent,
 * which may not signal it. */
static void start_victim(void)
{
    place.nice = getpriority(PRIO_PROCESS, 0);
    place.victim = fork();
    if (place.victim != 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;)
        pause();
}

static void end_victim(void)
{
    kill(place.victim, SIGKILL);
    waitpid(place.victim, NULL, 0);
}

/* Moves to new namespaces, so that mounts and the host's name are this process's alone. Ends the process if that fails
 * although it is root, since an attempt would then change the machine. */
static void leave_machine(void)
{
    bool left = unshare(CLONE_NEWNS | CLONE_NEWUTS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;

    if (!left && geteuid() == 0)
        _exit(0);
    setsid();
}

/* ---- Attempts. */

/* Runs an attempt. Writes its errno, or 0, to `out`. A program that replaces this process writes nothing. */
static void run_attempt(const Row *row, Mode mode, int out)
{
    char *parts[] = {place.part, NULL};
    const XtfConfinement confinement = {.folder = place.trace, .files = parts, .opens_more = mode == CONFINED_MORE};
    struct rlimit none = {0};

    setrlimit(RLIMIT_CORE, &none);
    leave_machine();
    make_files();
    open_descriptors();
    alarm(SECONDS);
    if (mode != FREE && !xtf_confine(&confinement, NULL))
        _exit(0);
    errno = 0;
    int result = row->attempt() == -1 ? errno : 0;
    (void)!write(out, &result, sizeof result);
    _exit(1);
}

enum { ENDED = 1000 }; /* a result: a signal has ended the process */

/* Returns the errno of an attempt; 0: it succeeded; ENDED; or -1 if the attempt could not be made. */
static int result_of(const Row *row, Mode mode)
{
    int ends[2], result = -1, status;

    start_victim();
    g_strlcpy(place.folder, "/tmp/xtf-confined-XXXXXX", sizeof place.folder);
    if (!g_mkdtemp(place.folder) || pipe2(ends, O_CLOEXEC) != 0)
        g_error("cannot begin: %s", g_strerror(errno));
    pid_t pid = fork();
    if (pid == 0)
        run_attempt(row, mode, ends[1]);
    close(ends[1]);
    bool answered = read(ends[0], &result, sizeof result) == sizeof result;
    close(ends[0]);
    if (waitpid(pid, &status, 0) == pid && WIFSIGNALED(status))
        result = ENDED;
    else if (!answered && WEXITSTATUS(status) == 0)
        result = g_str_has_prefix(row->name, "program") ? 0 : -1;
    end_victim();
    g_autofree char *remove = g_strdup_printf("rm -rf '%s'", place.folder);
    if (system(remove) != 0)
        g_error("%s", remove);
    return result;
}

static bool is_refusal(int result)
{
    return result == EPERM || result == EACCES || result == ENOSYS;
}

static bool is_expected(const Row *row, Mode mode, int result)
{
    switch (row->expected) {
    case KILLED:
        return result == ENDED;
    case REFUSED:
        return is_refusal(result);
    case REFUSED_UNLESS_MORE:
        return mode == CONFINED_MORE ? result == 0 : is_refusal(result);
    default:
        return result == 0;
    }
}

static const char *result_word(int result)
{
    return result == 0       ? "allowed"
           : result == ENDED ? "ended by a signal"
           : result < 0      ? "not tried"
                             : g_strerror(result);
}

/* Returns the barriers of this build and this kernel. */
static unsigned barriers_here(void)
{
    long version = syscall(444 /* landlock_create_ruleset */, NULL, 0, 1);
    unsigned barriers = geteuid() == 0 ? CAPABILITIES : 0;

#ifdef XTF_HAVE_SECCOMP
    barriers |= SECCOMP;
#endif
    return barriers | (version > 0 ? LANDLOCK : 0) | (version >= 6 ? SIGNALS : 0);
}

/* Tries a row in all modes. Returns the number of modes that are wrong. Sets *skipped if nothing was compared. */
static int check_row(const Row *row, bool verbose, bool *skipped)
{
    int wrong = 0, free_result = result_of(row, FREE);

    *skipped = free_result != 0 || (row->expected != ALLOWED && !(row->barriers & barriers_here()));
    if (verbose || *skipped)
        printf("%s: %s: %s when not confined%s\n", row->name, row->description, result_word(free_result),
               *skipped ? ": skipped" : "");
    for (Mode mode = CONFINED; mode < N_MODES && !*skipped; mode++) {
        int result = result_of(row, mode);
        bool good = is_expected(row, mode, result);
        if (verbose || !good)
            printf("%s%s: %s: %s when %s\n", good ? "" : "WRONG: ", row->name, row->description, result_word(result),
                   mode_names[mode]);
        wrong += !good;
    }
    return wrong;
}

int main(int argc, char **argv)
{
    int tried = 0, n_wrong = 0, n_skipped = 0;

    setvbuf(stdout, NULL, _IOLBF, 0);
    open_listeners();
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        bool skipped = false;
        if (argc == 2 ? strcmp(argv[1], rows[i].name) != 0
                      : argc > 2 && i % (size_t)atoi(argv[2]) != (size_t)atoi(argv[1]))
            continue;
        tried++;
        n_wrong += check_row(&rows[i], argc == 2, &skipped) > 0;
        n_skipped += skipped;
    }
    printf("%d rows, %d wrong, %d skipped\n", tried, n_wrong, n_skipped);
    return tried > n_skipped && n_wrong == 0 ? 0 : 1;
}
