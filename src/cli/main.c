/*
 * xtf: dispatch to the commands.
 *
 * mount(8) knows no commands: as /sbin/mount.xtf, and as the filesystem type fuse.xtf, it runs us with a source, a
 * directory and options: then we are its mount helper.
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
#include "src/cli/mount/unmounter.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/print.h"
#include "src/import/importer.h"
#include "src/trace/text/nearest.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary; /* NULL: nobody types it */
    const char *alias;   /* NULL: none */
} commands[] = {
    {"record", xtf_command_record, "run a program, and record a trace of it", NULL},
    {"import", xtf_command_import, "read a trace of another format into an .xtf file", NULL},
    {"mount", xtf_command_mount, "mount a trace as a directory", NULL},
    {"unmount", xtf_command_unmount, "unmount it", "umount"},
    {"ls", xtf_command_ls, "list a directory of a trace's tree, without a mount", NULL},
    {"cat", xtf_command_cat, "print a file of a trace's tree, without a mount", NULL},
    {"why", xtf_command_why, "say why a path in a mount is not there", NULL},
    {"diff", xtf_command_diff, "compare two traces, or two parts of one", NULL},
    {"info", xtf_command_info, "say what is in a trace", NULL},
    {"check", xtf_command_check, "verify all of a trace", NULL},
    {"copy", xtf_command_copy, "copy a trace, to store it another way", NULL},
    {"cache", xtf_command_cache, "list the imports that are kept of archives, or clear them", NULL},
    {"play", xtf_command_play, "show a trace as a film, on a terminal", NULL},
    {"top", xtf_command_top, "show which functions take the time, on a terminal", NULL},
    {"export", xtf_command_export, "write records of a trace in another format", NULL},
    {"analyze", xtf_command_analyze, "find who waited for whom, and store it in the trace", NULL},
    {"align", xtf_command_align, "correct clocks, so that no message comes before it was sent", NULL},
    {"cluster", xtf_command_cluster, "find processors that communicate alike, in a measured network", NULL},
    {"merge", xtf_command_merge, "make one trace of several that were written apart", NULL},
    {"help", xtf_command_help, "say what the columns of a table mean", NULL},
    {"collect", xtf_command_collect, NULL, NULL}, /* for programs that are traced */
};

static void print_help(void)
{
    puts("Usage: xtf COMMAND [ARGUMENT...]\n"
         "       xtf SOURCE DIR [-o OPTIONS]   as mount(8) calls it\n"
         "\n"
         "Traces of parallel programs, as files and directories.\n"
         "\n"
         "Commands:");
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
        if (commands[i].summary)
            printf("  %-10s %s\n", commands[i].name, commands[i].summary);
    g_autofree char *formats = xtf_import_formats();
    printf("\nAll but `record`, `why`, `cache`, `copy`, `merge` and `help` take %s, too.\n", formats);
    puts("\n"
         "`xtf COMMAND --help` says more; so does xtf(1). A tour:\n"
         "  xtf mount TRACE /mnt/t && cat /mnt/t/README");
}

static int no_such_command(const char *word)
{
    g_auto(XtfNearest) nearest;

    xtf_nearest_init(&nearest, word);
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
        xtf_nearest_offer(&nearest, commands[i].name);
    if (nearest.name)
        xtf_print_line(stderr, "xtf: there is no command '%s': did you mean '%s'?", word, nearest.name);
    else
        xtf_print_line(stderr, "xtf: there is no command '%s': see xtf --help", word);
    return XTF_EXIT_USAGE;
}

/* mount(8) gives the source as it was typed; a word that is no path can only be a command. */
static bool is_source(const char *word)
{
    return word[0] != '-' && (strchr(word, '/') || g_file_test(word, G_FILE_TEST_EXISTS));
}

static int run(int argc, char **argv)
{
    static const char *const helps[] = {"--help", "-h", NULL};
    static const char *const versions[] = {"--version", "-V", "version", NULL};
    const char *first = argc > 1 ? argv[1] : "";
    g_autofree char *program = g_path_get_basename(argv[0]);

    if (g_str_equal(program, XTF_UNMOUNTER))
        return xtf_unmounter_main(argc, argv);
    if (g_str_has_prefix(program, "mount."))
        return xtf_mount_helper(argc, argv);
    if (argc == 2 && g_str_equal(first, "help")) {
        print_help();
        return XTF_EXIT_DONE;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
        if (g_str_equal(first, commands[i].name) || g_strcmp0(first, commands[i].alias) == 0)
            return commands[i].run(argc - 1, argv + 1);
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
 * Decoded pages take half a megabyte each, and the page cache bounds their number. By default glibc returns each to the
 * kernel when it is freed, and faulting in the next one, page by page, costs as much as decoding it. And it keeps a
 * heap for each thread, with free memory that the other threads cannot use.
 */
static void keep_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20); /* the most that glibc takes */
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
    mallopt(M_ARENA_MAX, 2);
#endif
}

/* Turns success into failure where the standard output took not all: on a full disk. GLib ends the process by itself
 * behind --help, so this is done when it ends. */
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
    signal(SIGXFSZ, SIG_IGN); /* a limit of file sizes is an error of writing */
    setlocale(LC_ALL, "");
    setlocale(LC_NUMERIC, "C"); /* tables and pictures are read by programs */
    g_log_set_default_handler(xtf_print_log, NULL);
    on_exit(check_output, NULL);
    return run(argc, argv);
}
