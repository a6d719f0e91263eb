#include "src/cli/ui/storage-options.h"

#include <stdio.h>

#include "src/cli/ui/common.h"

static bool report_misuse(const char *command, const char *fault)
{
    fprintf(stderr, "xtf: %s: %s\n", command, fault);
    return false;
}

bool xtf_cli_storage_options(const char *command, const XtfCliStorage *storage, XtfWriterOptions *options)
{
    uint64_t bytes = 0, level = 0;

    if (storage->codec && !g_strv_contains(xtf_writer_codecs(), storage->codec)) {
        g_autofree char *names = g_strjoinv(" or ", (char **)xtf_writer_codecs());
        g_autofree char *message = g_strdup_printf("--codec takes %s", names);
        return report_misuse(command, message);
    }
    if (storage->page_size && (!xtf_cli_parse_size(storage->page_size, &bytes) || bytes < XTF_PAGE_SIZE_MIN ||
                               bytes > XTF_PAGE_SIZE_MAX || (bytes & (bytes - 1)) != 0))
        return report_misuse(command, "--page-size takes a power of two from 4K to 1M");
    if (storage->level && !g_ascii_string_to_unsigned(storage->level, 10, 1, 9, &level, NULL))
        return report_misuse(command, "--level takes a number from 1 to 9");
    options->page_size = (uint32_t)bytes;
    options->codec = storage->codec;
    options->level = (unsigned)level;
    return true;
}

void xtf_cli_storage_finish(XtfCliStorage *storage)
{
    g_free(storage->page_size);
    g_free(storage->codec);
    g_free(storage->level);
    *storage = (XtfCliStorage){0};
}
