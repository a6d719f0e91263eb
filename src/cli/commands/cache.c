/*
 * xtf cache: lists or removes the imports of archives that other commands keep.
 */
#include <inttypes.h>
#include <stdio.h>

#include "src/cli/commands/commands.h"
#include "src/cli/trace/cache-folder.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/print.h"

static void print_entry(const XtfCacheEntry *entry)
{
    g_autoptr(GDateTime) imported = g_date_time_new_from_unix_local(entry->imported / G_TIME_SPAN_SECOND);
    g_autofree char *time = imported ? g_date_time_format(imported, "%Y-%m-%d %H:%M") : g_strdup("-");
    bool archive_missing = entry->archive && !g_file_test(entry->archive, G_FILE_TEST_EXISTS);

    xtf_print_line(stdout, "%14" PRIu64 " %-16s %s%s", entry->bytes, time,
                   entry->archive ? entry->archive : entry->path, archive_missing ? " (no longer exists)" : "");
}

/* True if the entry is of one of the archives, or none is named. */
static bool is_selected(const XtfCacheEntry *entry, char **archives)
{
    for (char **archive = archives; *archive; archive++) {
        g_autofree char *whole = g_canonicalize_filename(*archive, NULL);
        g_autofree char *folder = entry->archive ? g_path_get_dirname(entry->archive) : NULL;
        if (g_strcmp0(entry->archive, whole) == 0 || g_strcmp0(folder, whole) == 0 || g_str_equal(entry->path, whole))
            return true;
    }
    return !*archives;
}

static int show_entries(const char *folder, GArray *entries, char **archives, bool clear)
{
    GError *error = NULL;
    uint64_t bytes = 0;
    guint n = 0;

    if (!clear)
        xtf_print_line(stdout, "# %12s %-16s archive", "bytes", "imported");
    for (guint i = 0; i < entries->len; i++) {
        const XtfCacheEntry *entry = &g_array_index(entries, XtfCacheEntry, i);
        if (!is_selected(entry, archives))
            continue;
        if (clear && !xtf_cache_remove(folder, entry, &error))
            return xtf_cli_fail(error);
        if (!clear)
            print_entry(entry);
        bytes += entry->bytes;
        n++;
    }
    if (clear)
        xtf_cache_tidy(folder);
    xtf_print_line(stdout, "%s%s: %u import%s, %" PRIu64 " bytes", clear ? "removed from " : "# ", folder, n,
                   n == 1 ? "" : "s", bytes);
    if (n > 0 || !*archives)
        return XTF_EXIT_DONE;
    xtf_print_line(stderr, "xtf: cache: there is no import of %s", archives[1] ? "these archives" : *archives);
    return XTF_EXIT_FAILED;
}

int xtf_command_cache(int argc, char **argv)
{
    g_autofree char *given = NULL;
    gboolean clear = FALSE;
    const GOptionEntry entries[] = {
        {"clear", 'c', 0, G_OPTION_ARG_NONE, &clear, "Remove the imports; mounted traces stay mounted", NULL},
        {"dir", 'd', 0, G_OPTION_ARG_FILENAME, &given, "Use this cache folder (default: that of `xtf mount`)", "DIR"},
        {0},
    };
    GError *error = NULL;

    if (!xtf_cli_parse(
            &argc, &argv, XTF_CLI_ANY, "[ARCHIVE...]",
            "Lists the imports in the cache folder, of all archives or of those named. `mount`, `ls`, `cat` and\n"
            "other commands import an archive once and use the import until the archive changes.\n"
            "\n"
            "  xtf cache        list them\n"
            "  xtf cache -c     remove them",
            entries))
        return XTF_EXIT_USAGE;
    g_autofree char *folder = xtf_cache_folder(given, &error);
    g_autoptr(GArray) all = folder ? xtf_cache_entries(folder, &error) : NULL;
    if (!all)
        return xtf_cli_fail(error);
    return show_entries(folder, all, argv + 1, clear);
}
