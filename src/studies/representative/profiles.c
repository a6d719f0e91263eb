#include "src/studies/representative/profiles.h"

#include "libxtf/error.h"
#include "src/studies/representative/judge.h"
#include "src/tables/alike/process-profiles.h"
#include "src/tree/paths/selection-dir.h"

/* Adds the calls of a process. Calls without a defined region keep a number of their own. */
static void add_process_calls(XtfFrequencies *sum, const XtfFrequencies *calls, const uint64_t *numbers,
                              uint64_t n_rows)
{
    for (guint i = 0; i < calls->cells->len; i++) {
        const XtfFrequency *cell = &g_array_index(calls->cells, XtfFrequency, i);
        xtf_frequencies_add(sum, cell->number < n_rows ? numbers[cell->number] : UINT64_MAX, cell->count);
    }
}

/* Adds an empty profile, and returns its calls. */
static XtfFrequencies *add_profile(XtfRunProfiles *profiles, unsigned run, uint64_t proc)
{
    profiles->all = g_renew(typeof(*profiles->all), profiles->all, profiles->n + 1);
    profiles->all[profiles->n].run = run;
    profiles->all[profiles->n].proc = proc;
    xtf_frequencies_init(&profiles->all[profiles->n].calls);
    return &profiles->all[profiles->n++].calls;
}

static bool load_run(XtfRunProfiles *profiles, XtfNode *directory, unsigned run, uint64_t n_rows, GError **error)
{
    XtfTree *tree = directory->tree;
    g_auto(XtfProcessProfiles) processes = {0};

    if (!xtf_process_profiles_load(&processes, &tree->formats, directory->selection, error))
        return false;
    if (!profiles->by_process)
        add_profile(profiles, run, 0);
    for (uint32_t i = 0; i < processes.n; i++) {
        if (profiles->n == XTF_PROFILES_MAX)
            return xtf_fail(error, XTF_ERROR_UNSUPPORTED, "the runs have more than %d profiles", XTF_PROFILES_MAX);
        if (profiles->by_process)
            add_profile(profiles, run, processes.all[i].proc);
        add_process_calls(&profiles->all[profiles->n - 1].calls, &processes.all[i].calls, profiles->pairs.numbers[run],
                          n_rows);
    }
    return true;
}

static bool pair_regions(XtfRunProfiles *profiles, XtfNode *const *directories, XtfRegionTexts *texts, unsigned n,
                         GError **error)
{
    for (unsigned i = 0; i < n; i++) {
        if (directories[i]->class != &xtf_selection_dir)
            return xtf_fail(error, XTF_ERROR_NOT_FOUND, "run %u: it is not a directory of records, such as time/1-2",
                            i + 1);
        if (!xtf_region_times_exist(&directories[i]->tree->context, directories[i]->selection))
            return xtf_fail(error, XTF_ERROR_NOT_FOUND, "run %u: it has no calls of regions", i + 1);
        if (!xtf_region_texts_load(&texts[i], directories[i]->tree->trace, error))
            return false;
    }
    xtf_region_pairs_init(&profiles->pairs, texts, n);
    return true;
}

bool xtf_run_profiles_load(XtfRunProfiles *profiles, XtfNode *const *directories, unsigned n, bool by_process,
                           GError **error)
{
    g_autofree XtfRegionTexts *texts = g_new0(XtfRegionTexts, n);
    bool good;

    *profiles = (XtfRunProfiles){.by_process = by_process};
    good = pair_regions(profiles, directories, texts, n, error);
    for (unsigned i = 0; i < n && good; i++)
        good = load_run(profiles, directories[i], i, texts[i].n, error);
    for (unsigned i = 0; i < profiles->n && good; i++)
        xtf_frequencies_sort(&profiles->all[i].calls);
    for (unsigned i = 0; i < n; i++)
        xtf_region_texts_finish(&texts[i]);
    return good;
}

void xtf_run_profiles_finish(XtfRunProfiles *profiles)
{
    for (unsigned i = 0; i < profiles->n; i++)
        xtf_frequencies_finish(&profiles->all[i].calls);
    g_clear_pointer(&profiles->all, g_free);
    xtf_region_pairs_finish(&profiles->pairs);
}
