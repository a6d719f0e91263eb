/* The helper that mount(8) runs as: mount.xtf SOURCE DIR [-sfnv] [-N NAMESPACE] [-t TYPE] [-o OPTIONS]. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/cli/mount/mount.h"
#include "src/cli/ui/common.h"

static void print_usage(FILE *out)
{
    fputs("Usage: mount.xtf SOURCE DIR [-fnsv] [-o OPTIONS] (see mount.xtf(8))\n", out);
}

int xtf_mount_helper(int argc, char **argv)
{
    g_auto(XtfMountOptions) options = {0};
    g_autoptr(GString) list = g_string_new(NULL);
    const XtfMountManner manner = {.quiet = !isatty(STDERR_FILENO)};
    bool sloppy = false, fake = false;
    GError *error = NULL;
    int option;

    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        print_usage(stdout);
        return XTF_EXIT_DONE;
    }
    while ((option = getopt(argc, argv, "fhnsvN:o:t:")) != -1) {
        switch (option) {
        case 'f':
            fake = true;
            break;
        case 's':
            sloppy = true;
            break;
        case 'o':
            g_string_append_printf(list, ",%s", optarg);
            break;
        case 'h':
            print_usage(stdout);
            return XTF_EXIT_DONE;
        case 'n':
        case 'v':
        case 'N':
        case 't': /* accepted and ignored */
            break;
        default:
            print_usage(stderr);
            return XTF_EXIT_USAGE;
        }
    }
    if (argc - optind != 2) {
        print_usage(stderr);
        return XTF_EXIT_USAGE;
    }
    xtf_mount_options_init(&options);
    if (!xtf_mount_options_parse(&options, list->str, sloppy, &error)) {
        xtf_cli_fail(error);
        return XTF_EXIT_USAGE;
    }
    return fake ? XTF_EXIT_DONE : xtf_mount(argv[optind], argv[optind + 1], &options, &manner);
}
