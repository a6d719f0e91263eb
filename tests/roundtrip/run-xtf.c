/*
 * Runs the xtf command many times without loading it each time. The process loads the command once and forks a child
 * for each request, and the child calls the command's main(). With sanitizers, loading takes more time than most
 * commands.
 *
 *     run-xtf SOCKET      a descriptor: one end of a pair of AF_UNIX, SOCK_SEQPACKET
 *
 * A request is one message: the folder to run in and the command's arguments, each followed by a zero byte. Three
 * descriptors accompany it: the child's input, output and errors. The answer is the child's status in the form of
 * waitpid(). When this process ends, the kernel kills the child, because the client can only kill this process.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs the command: it is main() under another name. */
int xtf_main(int argc, char **argv);
#define main xtf_main
#include "src/cli/main.c"
#undef main

enum { STREAMS = 3, BYTES = 1 << 18, ARGUMENTS = 1 << 14 };

static char words[BYTES];
static char *words_of[ARGUMENTS + 2];

_Noreturn static void fail(const char *failure)
{
    fprintf(stderr, "run-xtf: %s: %s\n", failure, strerror(errno));
    exit(125);
}

/* Receives a request and its descriptors. Returns the number of its bytes, 0 at the end. */
static size_t receive_request(int link, int streams[STREAMS])
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(STREAMS * sizeof(int))];
    } control;
    struct iovec piece = {.iov_base = words, .iov_len = sizeof words};
    struct msghdr message = {
        .msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t length = recvmsg(link, &message, MSG_CMSG_CLOEXEC);
    struct cmsghdr *sent = CMSG_FIRSTHDR(&message);

    if (length < 0)
        fail("recvmsg");
    if (length == 0)
        return 0;
    errno = EPROTO;
    if (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC) || !sent || sent->cmsg_len != CMSG_LEN(STREAMS * sizeof(int)) ||
        words[length - 1] != '\0')
        fail("request");
    memcpy(streams, CMSG_DATA(sent), STREAMS * sizeof(int));
    return (size_t)length;
}

/* Splits the request into arguments after the name of the program. Returns their number. */
static int split_arguments(const char *program, size_t length)
{
    int count = 0;

    words_of[count++] = (char *)program;
    for (char *word = words + strlen(words) + 1; word < words + length; word += strlen(word) + 1) {
        errno = E2BIG;
        if (count > ARGUMENTS)
            fail("request");
        words_of[count++] = word;
    }
    words_of[count] = NULL;
    return count;
}

/* Runs the command in a child, with only the descriptors that a new process would have. */
_Noreturn static void run_child(int link, const int streams[STREAMS], size_t length)
{
    int count = split_arguments("xtf", length);

    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() == 1)
        fail("prctl");
    if (chdir(words) != 0)
        fail(words);
    for (int i = 0; i < STREAMS; i++)
        if (dup2(streams[i], i) != i)
            fail("dup2");
    for (int i = 0; i < STREAMS; i++)
        if (streams[i] > STDERR_FILENO)
            close(streams[i]);
    close(link);
    exit(xtf_main(count, words_of));
}

int main(int argc, char **argv)
{
    int link = argc == 2 ? atoi(argv[1]) : -1, streams[STREAMS], status = 0;
    size_t length;

    if (link <= STDERR_FILENO)
        return 2;
    while ((length = receive_request(link, streams)) > 0) {
        pid_t child = fork();
        if (child < 0)
            fail("fork");
        if (child == 0)
            run_child(link, streams, length);
        for (int i = 0; i < STREAMS; i++)
            close(streams[i]);
        while (waitpid(child, &status, 0) != child)
            if (errno != EINTR)
                fail("waitpid");
        if (send(link, &status, sizeof status, MSG_NOSIGNAL) != sizeof status)
            break;
    }
    return 0;
}
