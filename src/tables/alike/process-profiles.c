#include "src/tables/alike/process-profiles.h"

/* Adds a location of a process. The sum of its exclusive times is at most `ticks`, unless the trace is damaged. */
static void add_location(XtfProcessProfile *profile, const XtfRegionTimes *times, const XtfRegionClasses *classes,
                         uint64_t ticks)
{
    const XtfRegions *regions = &times->regions;
    uint64_t spent = 0;

    for (uint32_t i = 0; i < xtf_group_totals_n(times->groups); i++) {
        uint64_t line = xtf_region_line(regions, *xtf_group_totals_key(times->groups, i));
        const uint64_t *cells = xtf_group_totals_cells(times->groups, i);
        if (!xtf_region_is_listed(regions, line))
            continue;
        xtf_frequencies_add(&profile->calls, line, cells[XTF_FRAMES_BEGUN]);
        xtf_frequencies_add(&profile->ticks, line, cells[XTF_FRAMES_EXCLUSIVE]);
        spent += cells[XTF_FRAMES_EXCLUSIVE];
    }
    if (!regions->only && ticks > spent)
        xtf_frequencies_add(&profile->ticks, xtf_regions_n_lines(regions), ticks - spent);
    XtfClassTimes by_class = {0};
    xtf_class_times_add(&by_class, times, classes, ticks);
    profile->program += (uint64_t)xtf_class_times_program(&by_class);
    profile->communication += (uint64_t)xtf_class_times_of(&by_class, XTF_CLASSES_COMMUNICATION);
}

static bool load_process(XtfProcessProfile *profile, XtfRegionTimes *times, const XtfSelectedLocations *selected,
                         const XtfSelectedProcess *process, const XtfRegionClasses *classes, GError **error)
{
    uint64_t ticks;

    profile->proc = process->proc;
    xtf_frequencies_init(&profile->calls);
    xtf_frequencies_init(&profile->ticks);
    for (uint32_t i = process->first; i < process->first + process->n; i++) {
        const XtfLocation *location = xtf_selected_location(selected, i);
        if (!location->is_cpu_thread)
            continue;
        if (!xtf_region_times_measure(times, location, &ticks, error))
            return false;
        add_location(profile, times, classes, ticks);
    }
    xtf_frequencies_sort(&profile->calls);
    xtf_frequencies_sort(&profile->ticks);
    return true;
}

bool xtf_process_profiles_load(XtfProcessProfiles *profiles, XtfFormats *formats, const XtfSelection *selection,
                               GError **error)
{
    const XtfRegionClasses *classes = xtf_trace_context_classes(formats->context, error);
    g_auto(XtfRegionTimes) times = {0};
    g_auto(XtfSelectedLocations) selected = {0};

    if (!classes || !xtf_region_times_init(&times, formats, selection, error) ||
        !xtf_selected_locations_init(&selected, formats->context, selection, error))
        return false;
    profiles->all = g_new0(XtfProcessProfile, selected.n_procs);
    profiles->n = selected.n_procs;
    for (uint32_t i = 0; i < profiles->n; i++) {
        if (!load_process(&profiles->all[i], &times, &selected, &selected.procs[i], classes, error))
            return false;
    }
    return true;
}

void xtf_process_profiles_finish(XtfProcessProfiles *profiles)
{
    for (uint32_t i = 0; i < profiles->n; i++) {
        xtf_frequencies_finish(&profiles->all[i].calls);
        xtf_frequencies_finish(&profiles->all[i].ticks);
    }
    g_clear_pointer(&profiles->all, g_free);
}
