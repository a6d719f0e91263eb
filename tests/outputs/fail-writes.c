/*
 * Runs a command and lets the N-th write into files of a folder fail, in any of its processes, or kills the command
 * there.
 *
 *     fail-writes FOLDER N ERRNO once|on COUNT COMMAND [ARGUMENT...]
 *     fail-writes FOLDER N kill group|parent|caller COUNT COMMAND [ARGUMENT...]
 *
 * The kernel asks this process about each call (seccomp's notifications), so the process also sees libraries that
 * bypass libc's functions. `once`: only that write fails; `on`: that write and all later ones. If N is 0, none fails.
 * Writes are the calls below, on files of the folder with a name or without one. The file COUNT gets their number, and
 * the inodes of files that were not synced after their last write. The status is the command's, or 77 if this kernel or
 * container cannot do it.
 *
 * `kill`: the N-th call does not happen. Instead SIGKILL ends the command's process group, its first process alone, or
 * the process that made the call. Calls that link, rename or remove files count, too, in any folder.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SKIP = 77, REST_MS = 100, FILES_MAX = 1024 };

static const int calls[] = {SCMP_SYS(write),     SCMP_SYS(writev),    SCMP_SYS(pwrite64),
                            SCMP_SYS(pwritev),   SCMP_SYS(pwritev2),  SCMP_SYS(fsync),
                            SCMP_SYS(fdatasync), SCMP_SYS(ftruncate), SCMP_SYS(fallocate)};
/* Calls that count only in a run that ends with a kill. */
static const int name_calls[] = {SCMP_SYS(link),     SCMP_SYS(linkat),    SCMP_SYS(rename),
                                 SCMP_SYS(renameat), SCMP_SYS(renameat2), SCMP_SYS(unlink),
                                 SCMP_SYS(unlinkat), SCMP_SYS(mkdir),     SCMP_SYS(mkdirat)};

typedef struct {
    ino_t inode;
    bool dirty; /* written since its last sync */
} File;

static File files[FILES_MAX];
static unsigned n_files;
static const char *folder;
static unsigned long failing_write, n_writes;
static int error_number;
static bool only_once;
static const char *victim; /* the processes to kill; NULL: calls fail */
static pid_t command_pid;

/* Records a write into a file, or its sync. */
static void record_write(const char *link, bool syncs)
{
    struct stat file;
    unsigned i = 0;

    if (stat(link, &file) != 0)
        return;
    while (i < n_files && files[i].inode != file.st_ino)
        i++;
    if (i == FILES_MAX)
        exit(SKIP);
    n_files += i == n_files;
    files[i] = (File){file.st_ino, !syncs};
}

static bool is_name_call(int number)
{
    for (size_t i = 0; i < sizeof name_calls / sizeof name_calls[0]; i++)
        if (name_calls[i] == number)
            return true;
    return false;
}

/* True if the call is a write into the folder, or changes a name. */
static bool is_write(const struct seccomp_notif *call)
{
    char link[64], path[4096];

    if (is_name_call(call->data.nr))
        return true;
    snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)call->pid, (int)call->data.args[0]);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n <= 0)
        return false;
    path[n] = 0; /* no '/' follows the folder's own path, so the sync of the folder is no write */
    if (strncmp(path, folder, strlen(folder)) != 0 || path[strlen(folder)] != '/')
        return false;
    record_write(link, call->data.nr == SCMP_SYS(fsync) || call->data.nr == SCMP_SYS(fdatasync));
    return true;
}

/* Returns false if the process of the call survives, which then makes the call. */
static bool kill_victim(const struct seccomp_notif *call)
{
    bool is_group = strcmp(victim, "group") == 0, is_parent = strcmp(victim, "parent") == 0;

    kill(is_group ? -command_pid : is_parent ? command_pid : (pid_t)call->pid, SIGKILL);
    return !is_parent || (pid_t)call->pid == command_pid;
}

static void answer_call(int listener, struct seccomp_notif *call, struct seccomp_notif_resp *reply)
{
    memset(call, 0, sizeof *call);
    if (seccomp_notify_receive(listener, call) != 0)
        return; /* the process was killed before the answer */
    *reply = (struct seccomp_notif_resp){.id = call->id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
    if (is_write(call)) {
        n_writes++;
        if (failing_write > 0 && (n_writes == failing_write || (n_writes > failing_write && !only_once))) {
            bool fails = !victim || kill_victim(call);
            reply->flags = fails ? 0 : SECCOMP_USER_NOTIF_FLAG_CONTINUE;
            reply->error = fails ? -error_number : 0;
        }
    }
    seccomp_notify_respond(listener, reply);
}

static void send_descriptor(int socket, int descriptor)
{
    char byte = 0, control[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec part = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);

    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
    if (sendmsg(socket, &message, 0) != 1)
        _exit(SKIP);
}

static int receive_descriptor(int socket)
{
    char byte, control[CMSG_SPACE(sizeof(int))];
    struct iovec part = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    int descriptor;

    if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != 1 || !CMSG_FIRSTHDR(&message))
        exit(SKIP);
    memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof descriptor);
    return descriptor;
}

static void run_command(int socket, char **command)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);

    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        if (seccomp_rule_add(filter, SCMP_ACT_NOTIFY, calls[i], 0) != 0)
            _exit(SKIP);
    for (size_t i = 0; victim && i < sizeof name_calls / sizeof name_calls[0]; i++)
        if (seccomp_rule_add(filter, SCMP_ACT_NOTIFY, name_calls[i], 0) != 0)
            _exit(SKIP);
    if (victim && setpgid(0, 0) != 0)
        _exit(SKIP);
    if (seccomp_load(filter) != 0)
        _exit(SKIP);
    int listener = seccomp_notify_fd(filter);
    fcntl(listener, F_SETFD, FD_CLOEXEC);
    send_descriptor(socket, listener);
    execvp(command[0], command);
    _exit(127);
}

/* Answers calls until the command has ended. Processes that it leaves behind get no more answers, so their calls
 * fail. */
static int serve_calls(int listener, pid_t child)
{
    struct pollfd ready[] = {{.fd = listener, .events = POLLIN},
                             {.fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN}};
    struct seccomp_notif *call;
    struct seccomp_notif_resp *reply;
    int status;

    if (seccomp_notify_alloc(&call, &reply) != 0)
        exit(SKIP);
    while (waitpid(child, &status, WNOHANG) == 0)
        if (poll(ready, 2, REST_MS) > 0 && (ready[0].revents & POLLIN))
            answer_call(listener, call, reply);
    seccomp_notify_free(call, reply);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool write_report(const char *path)
{
    FILE *file = fopen(path, "w");

    if (!file)
        return false;
    fprintf(file, "%lu", n_writes);
    for (unsigned i = 0; i < n_files; i++)
        if (files[i].dirty)
            fprintf(file, " %lu", (unsigned long)files[i].inode);
    return fclose(file) == 0;
}

int main(int argc, char **argv)
{
    int sockets[2];

    if (argc < 7 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0)
        return SKIP;
    folder = argv[1];
    failing_write = strtoul(argv[2], NULL, 10);
    victim = strcmp(argv[3], "kill") == 0 ? argv[4] : NULL;
    error_number = victim ? EINTR : atoi(argv[3]);
    only_once = victim || strcmp(argv[4], "once") == 0;
    command_pid = fork();
    if (command_pid == 0)
        run_command(sockets[1], argv + 6);
    close(sockets[1]);
    int status = serve_calls(receive_descriptor(sockets[0]), command_pid);
    return write_report(argv[5]) ? status : SKIP;
}
