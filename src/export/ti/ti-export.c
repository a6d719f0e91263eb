#include "src/export/ti/ti-export.h"

#include "libxtf/trace.h"
#include "src/model/mpi-functions.h"
#include "src/trace/context/name-index.h"

enum { TAGS_MAX = INT32_MAX };

/* Finds the functions of MPI, and the ones that buffer their sends. */
static bool find_regions(XtfTiExport *export, GError **error)
{
    static const char *const buffered[] = {"bsend", "ibsend", NULL};
    XtfTraceContext *context = &export->job->tree->context;
    const XtfRegionClasses *classes = xtf_trace_context_classes(context, error);
    g_autofree const char **names = NULL;

    if (!classes || !xtf_table_names(context->trace, XTF_TABLE_REGIONS, &names, &export->n_regions, error))
        return false;
    export->n_regions = names ? export->n_regions : 0;
    export->buffers = g_new0(bool, export->n_regions + 1);
    export->in_mpi = g_new0(bool, export->n_regions + 1);
    for (uint64_t i = 0; i < export->n_regions; i++) {
        export->buffers[i] = names[i] && xtf_mpi_function_find(names[i], buffered) >= 0;
        export->in_mpi[i] = xtf_mpi_call(names[i], xtf_region_classes_of(classes, i)) != XTF_MPI_CALL_NONE;
    }
    return true;
}

static void beat_for_replay(uint64_t done, uint64_t total, void *job)
{
    atomic_fetch_add(&((XtfExportJob *)job)->shared->heartbeat, 1);
}

bool xtf_ti_export_init(XtfTiExport *export, XtfExportJob *job, GError **error)
{
    const XtfSelection *selection = job->selection;
    const XtfRunWindow window = {.from = selection->time_from, .to = selection->endless ? 0 : selection->time_to};

    *export = (XtfTiExport){.job = job, .ranks = xtf_trace_context_ranks(&job->tree->context, error)};

    if (!export->ranks || !find_regions(export, error) ||
        !xtf_ti_kept_find(&export->kept, job->tree->trace, window, beat_for_replay, job, error))
        return false;
    export->n_comms = export->ranks->comms ? export->ranks->comms->n_rows : 0;
    export->worlds = g_new0(uint8_t, export->n_comms + 1);
    export->tags = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    return true;
}

void xtf_ti_export_finish(XtfTiExport *export)
{
    xtf_ti_kept_finish(&export->kept);
    g_clear_pointer(&export->worlds, g_free);
    g_clear_pointer(&export->buffers, g_free);
    g_clear_pointer(&export->in_mpi, g_free);
    g_clear_pointer(&export->tags, g_hash_table_unref);
}

uint32_t xtf_ti_tag(XtfTiExport *export, uint32_t comm, uint32_t tag)
{
    const int64_t key = (int64_t)((uint64_t)comm << 32 | tag);
    gpointer number;

    if (g_hash_table_lookup_extended(export->tags, &key, NULL, &number))
        return GPOINTER_TO_UINT(number);
    guint next = g_hash_table_size(export->tags);
    g_hash_table_insert(export->tags, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(next));
    return next;
}

uint32_t xtf_ti_tag_of_operations(const XtfTiExport *export, uint32_t comm)
{
    return TAGS_MAX - comm;
}
