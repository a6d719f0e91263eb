/*
 * xtf: runs the command that the user names.
 *
 * mount(8) names no command. It runs xtf as /sbin/mount.xtf, or for the filesystem type fuse.xtf, with a source, a
 * directory and options. In both cases xtf acts as the mount helper.
 */
#include <errno.h>
#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/cli/commands/commands.h"
#include "src/cli/mount/mount.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/print.h"
#include "src/import/importer.h"
#include "src/trace/typed/nearest.h"

static const struct {
    const char *name;
    int (*run_command)(int argc, char **argv);
    const char *summary; /* NULL: not for users, so not in the help */
    const char *alias;   /* NULL: none */
    const char *heading; /* heading of this and the following commands; NULL: as for the one before */
} commands[] = {
    {"record", xtf_command_record, "run a program and record a trace of it", NULL, "Record and import"},
    {"import", xtf_command_import, "read a trace of another format into an .xtf file", NULL, NULL},
    {"mount", xtf_command_mount, "mount a trace as a directory", NULL, "Look"},
    {"unmount", xtf_command_unmount, "unmount a trace", "umount", NULL},
    {"ls", xtf_command_ls, "list a directory of a trace, without a mount", NULL, NULL},
    {"cat", xtf_command_cat, "print a file of a trace, without a mount", NULL, NULL},
    {"play", xtf_command_play, "show a trace as a film on a terminal", NULL, NULL},
    {"top", xtf_command_top, "show which functions take the time, on a terminal", NULL, NULL},
    {"watch", xtf_command_watch, "show what each process of a running program does, on a terminal", NULL, NULL},
    {"diff", xtf_command_diff, "compare two traces, or two parts of one", NULL, NULL},
    {"representative", xtf_command_representative, "find whether enough runs of a program are alike", NULL, NULL},
    {"model", xtf_command_model, "show what a run does as loops and branches, and its time as a formula", NULL, NULL},
    {"scale", xtf_command_scale, "model how the time of each region depends on the number of processes", NULL, NULL},
    {"info", xtf_command_info, "show what is in a trace", NULL, NULL},
    {"why", xtf_command_why, "explain why a path in a mount does not exist", NULL, NULL},
    {"help", xtf_command_help, "explain the columns of a table", NULL, NULL},
    {"analyze", xtf_command_analyze, "find who waited for whom and why, and store it in the trace", NULL, "Understand"},
    {"predict", xtf_command_predict, "predict the run on another network or machine, or with faster regions", NULL,
     NULL},
    {"deadlock", xtf_command_deadlock, "find processes of a hung run that wait for each other", NULL, NULL},
    {"align", xtf_command_align, "correct the clocks of a trace, so that no message arrives before it was sent", NULL,
     NULL},
    {"cluster", xtf_command_cluster, "find pairs of processors that communicate alike, in a measured network", NULL,
     NULL},
    {"copy", xtf_command_copy, "copy a trace and store it another way", NULL, "Keep"},
    {"merge", xtf_command_merge, "make one trace of several parts", NULL, NULL},
    {"check", xtf_command_check, "verify a whole trace", NULL, NULL},
    {"export", xtf_command_export, "write records of a trace in another format", NULL, NULL},
    {"cache", xtf_command_cache, "list or remove the imports that are kept of archives", NULL, NULL},
    {"collect", xtf_command_collect, NULL, NULL, NULL}, /* for programs that are traced */
};

/* Prints the archives that other commands import first, one a line. */
static void print_formats(void)
{
    g_auto(GStrv) formats = xtf_import_format_list();

    puts("\nAn archive can stand for a trace: the command imports it first and keeps the import. Archives are");
    for (char **format = formats; *format; format++)
        printf("  %s\n", *format);
    puts("`why`, `cache`, `copy` and `merge` do not take archives.");
}

static void print_help(void)
{
    puts("Usage: xtf COMMAND [ARGUMENT...]\n"
         "       xtf SOURCE DIR [-o OPTIONS]   as mount(8) calls it\n"
         "\n"
         "Reads traces of parallel programs as files and directories. The first steps:\n"
         "  xtf record -o run.xtf mpirun -n 4 ./app\n"
         "  xtf mount run.xtf DIR && cat DIR/findings DIR/README");
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
        if (commands[i].heading)
            printf("\n%s:\n", commands[i].heading);
        if (commands[i].summary)
            printf("  %-14s %s\n", commands[i].name, commands[i].summary);
    }
    print_formats();
    puts("\n`xtf COMMAND --help` and xtf(1) explain a command and its options.");
}

static int no_such_command(const char *word)
{
    g_auto(XtfNearest) nearest;

    xtf_nearest_init(&nearest, word);
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
        xtf_nearest_offer(&nearest, commands[i].name);
    if (nearest.name)
        xtf_print_line(stderr, "xtf: unknown command '%s': did you mean '%s'?", word, nearest.name);
    else
        xtf_print_line(stderr, "xtf: unknown command '%s': see xtf --help", word);
    return XTF_EXIT_USAGE;
}

/* True if the word can be a source that mount(8) passes on. A word that is not a path can only be a command. */
static bool is_source(const char *word)
{
    return word[0] != '-' && (strchr(word, '/') || g_file_test(word, G_FILE_TEST_EXISTS));
}

static int run_command(int argc, char **argv)
{
    static const char *const helps[] = {"--help", "-h", NULL};
    static const char *const versions[] = {"--version", "-V", "version", NULL};
    const char *first = argc > 1 ? argv[1] : "";
    g_autofree char *program = g_path_get_basename(argv[0]);

    if (g_str_has_prefix(program, "mount."))
        return xtf_mount_helper(argc, argv);
    if (argc == 2 && g_str_equal(first, "help")) {
        print_help();
        return XTF_EXIT_DONE;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
        if (g_str_equal(first, commands[i].name) || g_strcmp0(first, commands[i].alias) == 0)
            return commands[i].run_command(argc - 1, argv + 1);
    if (g_strv_contains(helps, first)) {
        print_help();
        return XTF_EXIT_DONE;
    }
    if (g_strv_contains(versions, first)) {
        puts("xtf " XTF_VERSION);
        return XTF_EXIT_DONE;
    }
    if (argc > 2 && is_source(first))
        return xtf_mount_helper(argc, argv);
    if (first[0] && first[0] != '-')
        return no_such_command(first);
    fputs("Usage: xtf COMMAND [ARGUMENT...] (see xtf --help)\n", stderr);
    return XTF_EXIT_USAGE;
}

/*
 * Keeps freed memory in the process. A decoded page takes half a megabyte, and the page cache bounds the number of
 * pages. By default glibc returns a freed page to the kernel. Faulting in the next one costs as much as decoding it.
 * glibc also keeps a heap for each thread, whose free memory the other threads cannot use.
 */
static void keep_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20); /* the largest value that glibc accepts */
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
    mallopt(M_ARENA_MAX, 2);
#endif
}

/* Fails at exit if stdout could not be written, as on a full disk. It runs at exit, since GLib exits by itself after
 * --help. */
static void check_output(int status, void *unused)
{
    if ((fflush(stdout) == 0 && !ferror(stdout)) || status != XTF_EXIT_DONE)
        return;
    fprintf(stderr, "xtf: cannot write: %s\n", g_strerror(errno));
    _exit(XTF_EXIT_FAILED);
}

int main(int argc, char **argv)
{
    keep_memory();
    signal(SIGXFSZ, SIG_IGN); /* exceeding the limit of file sizes then is a write error */
    setlocale(LC_CTYPE, "");  /* not LC_NUMERIC: programs read tables and pictures */
    setlocale(LC_MESSAGES, "");
    g_log_set_default_handler(xtf_print_log, NULL);
    on_exit(check_output, NULL);
    return run_command(argc, argv);
}
