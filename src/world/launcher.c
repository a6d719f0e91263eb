#include "src/world/launcher.h"

#include <glib.h>

static bool has_any(const char *const *variables)
{
    bool has = false;

    for (; *variables; variables++)
        has |= g_getenv(*variables) != NULL;
    return has;
}

/* Finds the launcher that XTF_MPI names. False if it names none. */
static bool find_by_name(const char *name, XtfLauncher *launcher)
{
    static const char *const names[] = {
        [XTF_LAUNCHER_NONE] = "none", [XTF_LAUNCHER_OPENMPI] = "openmpi", [XTF_LAUNCHER_MPICH] = "mpich"};

    for (XtfLauncher i = 0; i < XTF_N_LAUNCHERS; i++)
        if (g_str_equal(name, names[i])) {
            *launcher = i;
            return true;
        }
    return false;
}

bool xtf_launcher_find(XtfLauncher *launcher, bool *is_sure)
{
    static const char *const openmpi[] = {"OMPI_COMM_WORLD_RANK", NULL};
    static const char *const mpich[] = {"MPI_LOCALRANKID", "PALS_RANKID", "MV2_COMM_WORLD_RANK", NULL};
    static const char *const pmi[] = {"PMI_RANK", NULL}, *const pmix[] = {"PMIX_RANK", NULL};
    const char *chosen = g_getenv("XTF_MPI");

    *is_sure = true;
    if (chosen && *chosen)
        return find_by_name(chosen, launcher);
    *is_sure = has_any(openmpi) || has_any(mpich);
    if (*is_sure)
        *launcher = has_any(openmpi) ? XTF_LAUNCHER_OPENMPI : XTF_LAUNCHER_MPICH;
    else
        *launcher = has_any(pmi) ? XTF_LAUNCHER_MPICH : has_any(pmix) ? XTF_LAUNCHER_OPENMPI : XTF_LAUNCHER_NONE;
    return true;
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
