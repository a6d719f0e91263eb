/*
 * Measures whole processes: spawn-times PROGRAM < ARGUMENTS > SECONDS
 *
 * Runs PROGRAM once for each line of its input, with that line as its only argument, and discards its output. Prints
 * the seconds from its start until it has ended.
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

extern char **environ;

static double run_program(const char *program, char *argument, const posix_spawn_file_actions_t *actions)
{
    char *argv[] = {(char *)program, argument, NULL};
    double before = bench_now();
    int status;
    pid_t pid;

    bench_check(posix_spawnp(&pid, program, actions, NULL, argv, environ) == 0, NULL, "%s: cannot be run", program);
    bench_check(waitpid(pid, &status, 0) == pid && status == 0, NULL, "%s %s: failed", program, argument);
    return bench_now() - before;
}

int main(int argc, char **argv)
{
    posix_spawn_file_actions_t actions;
    char *line = NULL;
    size_t room = 0;

    g_set_prgname("spawn-times");
    bench_check(argc == 2, NULL, "usage: spawn-times PROGRAM < ARGUMENTS");
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    while (getline(&line, &room, stdin) > 0) {
        line[strcspn(line, "\n")] = '\0';
        printf("%.9f\n", run_program(argv[1], line, &actions));
    }
    posix_spawn_file_actions_destroy(&actions);
    return 0;
}
