#include "src/cli/trace/align-source.h"

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "src/analysis/align/align.h"
#include "src/cli/trace/own-writer.h"
#include "src/cli/ui/interrupts.h"
#include "src/cli/ui/print.h"
#include "src/cli/ui/progress.h"

static bool find_aligned(XtfTrace *trace, bool *aligned, GError **error)
{
    XtfEarlierClocks earlier = {0};
    bool good = xtf_earlier_clocks_load(&earlier, trace, error);

    *aligned = earlier.aligned;
    xtf_earlier_clocks_finish(&earlier);
    return good;
}

static void show_step(unsigned step, uint64_t done, uint64_t total, void *progress)
{
    xtf_progress_update(progress, done, total, done);
}

/* Reports that a trace stays without alignment, if no message allows one; other errors are passed on. Owns `problem`.
 */
static bool keep_clocks(const char *source, bool quiet, GError *problem, GError **error)
{
    if (!g_error_matches(problem, XTF_ERROR, XTF_ERROR_NOT_FOUND)) {
        g_propagate_error(error, problem);
        return false;
    }
    if (!quiet)
        xtf_print_line(stderr, "xtf: %s is not aligned: %s", source, problem->message);
    g_error_free(problem);
    return true;
}

static bool store_alignment(const XtfAlignment *alignment, const char *path, GError **error)
{
    g_autoptr(XtfWriter) writer =
        xtf_cli_writer_of(alignment->trace, path, path, "xtf align -o FILE writes an aligned copy", error);

    return writer && xtf_alignment_store(alignment, writer, XTF_ALIGN_TOOL, error) &&
           xtf_writer_close(g_steal_pointer(&writer), error);
}

bool xtf_cli_align_source(const char *source, const XtfSourceOptions *source_options, GError **error)
{
    XtfSourceOptions own_options = *source_options;
    g_autofree char *path = NULL;
    XtfInterrupts interrupts;
    GError *problem = NULL;
    bool aligned;

    own_options.no_companion = true;
    own_options.companion = NULL;
    g_autoptr(XtfTrace) trace = xtf_cli_open_source(source, &own_options, &path, error);
    if (!trace || !find_aligned(trace, &aligned, error))
        return false;
    if (aligned)
        return true;
    g_autoptr(XtfProgress) progress = xtf_progress_new("aligning", "rows", source_options->quiet);
    const XtfAlignOptions options = {.tolerance = UINT64_MAX,
                                     .cancel = xtf_interrupts_catch(&interrupts),
                                     .progress = show_step,
                                     .progress_data = progress};
    g_autoptr(XtfAlignment) alignment = xtf_align(trace, &options, &problem);
    bool good = !alignment ? keep_clocks(source, source_options->quiet, problem, error)
                           : alignment->report.nothing_to_do || store_alignment(alignment, path, error);
    xtf_interrupts_release(&interrupts);
    xtf_progress_hide(progress);
    return good;
}
