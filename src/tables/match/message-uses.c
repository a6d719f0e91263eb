/* Roles of MPI regions in messages, by their names. */
#include "libxtf/vocabulary.h"
#include "src/model/mpi-functions.h"
#include "src/tables/match/matching.h"
#include "src/trace/context/name-index.h"

static uint8_t find_use(const char *name, XtfRegionClass class)
{
    static const char *const tests[] = {"test",
                                        "testall",
                                        "testany",
                                        "testsome",
                                        "request_get_status",
                                        "request_get_status_all",
                                        "request_get_status_any",
                                        "request_get_status_some",
                                        NULL};
    static const char *const waits[] = {"wait", "waitall", "waitany", "waitsome", NULL};
    static const char *const probes[] = {"mprobe", NULL};

    if (class != XTF_CLASS_P2P && class != XTF_CLASS_WAIT)
        return 0;
    return XTF_CALL_OF_MPI | (xtf_mpi_function_find(name, tests) >= 0 ? XTF_CALL_TESTS : 0) |
           (xtf_mpi_function_find(name, waits) >= 0 ? XTF_CALL_WAITS : 0) |
           (xtf_mpi_function_find(name, probes) >= 0 ? XTF_CALL_MPROBE : 0) |
           (xtf_mpi_takes_probed(name, class) ? XTF_CALL_MATCHED : 0);
}

static bool load_uses(XtfMatching *matching, GError **error)
{
    const XtfRegionClasses *classes = xtf_trace_context_classes(matching->context, error);
    g_autofree const char **names = NULL;
    uint64_t n = 0;

    if (!classes || !xtf_table_names(matching->context->trace, XTF_TABLE_REGIONS, &names, &n, error))
        return false;
    matching->n_regions = names ? n : 0;
    matching->uses = g_malloc(matching->n_regions + 1);
    for (uint64_t i = 0; i < matching->n_regions; i++) {
        matching->uses[i] = find_use(names[i], xtf_region_classes_of(classes, i));
        matching->has_matched |= (matching->uses[i] & XTF_CALL_MATCHED) != 0;
        matching->has_mprobe |= (matching->uses[i] & XTF_CALL_MPROBE) != 0;
    }
    return true;
}

bool xtf_matching_load_uses(XtfMatching *matching, GError **error)
{
    bool good = true;

    if (g_atomic_int_get(&matching->uses_loaded))
        return true;
    g_mutex_lock(&matching->lock);
    if (!matching->uses_loaded && (good = load_uses(matching, error)))
        g_atomic_int_set(&matching->uses_loaded, 1);
    g_mutex_unlock(&matching->lock);
    return good;
}
