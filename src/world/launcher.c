#include "src/world/launcher.h"

#include <glib.h>

static bool has_any(const char *const *variables)
{
    bool has = false;

    for (; *variables; variables++)
        has |= g_getenv(*variables) != NULL;
    return has;
}

XtfLauncher xtf_launcher_find(bool *is_sure)
{
    static const char *const openmpi[] = {"OMPI_COMM_WORLD_RANK", NULL};
    static const char *const mpich[] = {"MPI_LOCALRANKID", "PALS_RANKID", "MV2_COMM_WORLD_RANK", NULL};
    static const char *const pmi[] = {"PMI_RANK", NULL}, *const pmix[] = {"PMIX_RANK", NULL};
    const char *chosen = g_getenv("XTF_MPI");

    *is_sure = true;
    if (chosen && *chosen)
        return g_str_equal(chosen, "openmpi") ? XTF_LAUNCHER_OPENMPI
               : g_str_equal(chosen, "mpich") ? XTF_LAUNCHER_MPICH
                                              : XTF_LAUNCHER_NONE;
    if (has_any(openmpi))
        return XTF_LAUNCHER_OPENMPI;
    if (has_any(mpich))
        return XTF_LAUNCHER_MPICH;
    *is_sure = false;
    return has_any(pmi) ? XTF_LAUNCHER_MPICH : has_any(pmix) ? XTF_LAUNCHER_OPENMPI : XTF_LAUNCHER_NONE;
}

unsigned xtf_launcher_n_processes(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
    guint64 n = 0;

    for (size_t i = 0; i < G_N_ELEMENTS(variables) && n == 0; i++) {
        const char *text = g_getenv(variables[i]);
        if (!text || !g_ascii_string_to_unsigned(text, 10, 1, G_MAXUINT32, &n, NULL))
            n = 0;
    }
    return (unsigned)n;
}
