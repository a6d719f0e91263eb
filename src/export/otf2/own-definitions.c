/*
 * Writes definitions that OTF2 and its readers need but that have no row in the trace: regions of programs, locations
 * and their processes.
 */
#include <inttypes.h>
#include <string.h>

#include "src/export/otf2/definitions.h"

/* ---- Programs. */

void xtf_otf2_note_program(XtfOtf2Export *export, const GPtrArray *words)
{
    g_autoptr(GString) canonical = g_string_new(words->pdata[0]);

    if (export->names.ordered)
        return; /* the source defines its programs */
    for (guint i = 1; i < words->len; i++)
        g_string_append_printf(canonical, " %s", (const char *)words->pdata[i]);
    const char *slash = strrchr(words->pdata[0], '/');
    g_hash_table_insert(export->programs, g_strdup(canonical->str), g_strdup(slash ? slash + 1 : words->pdata[0]));
}

bool xtf_otf2_define_programs(XtfOtf2Definer *d, GError **error)
{
    GHashTableIter iterator;
    gpointer canonical, name;

    g_hash_table_iter_init(&iterator, d->export->programs);
    while (g_hash_table_iter_next(&iterator, &canonical, &name)) {
        OTF2_ErrorCode code = OTF2_SUCCESS;
        uint32_t name_id = xtf_otf2_define_own(d, name, &code), canonical_id = xtf_otf2_define_own(d, canonical, &code),
                 none = xtf_otf2_define_own(d, "", &code);
        if (code == OTF2_SUCCESS)
            code = OTF2_GlobalDefWriter_WriteRegion(d->writer, (uint32_t)d->export->names.next_region++, name_id,
                                                    canonical_id, none, OTF2_REGION_ROLE_ARTIFICIAL,
                                                    OTF2_PARADIGM_MEASUREMENT_SYSTEM, OTF2_REGION_FLAG_NONE,
                                                    OTF2_UNDEFINED_STRING, 0, 0);
        if (!xtf_otf2_done(d, code, "the region of a program", error))
            return false;
    }
    return true;
}

/* ---- Locations. */

/* The locations that have a row in `locations`, and the processes defined so far. */
typedef struct {
    GHashTable *locations, *groups; /* groups: process -> id of its location group */
    uint64_t next_group;
} Defined;

static void find_defined_locations(const XtfOtf2Names *names, Defined *defined)
{
    const XtfModelTable *locations = &names->tables[XTF_MODEL_LOCATIONS].table;
    const XtfOtf2Table *processes = &names->tables[XTF_MODEL_PROCESSES];
    uint8_t buffer[XTF_ROW_MAX];

    defined->locations = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    defined->groups = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    for (uint64_t i = 0; i < locations->n; i++) {
        const uint64_t id = ((const XtfLocationRow *)xtf_model_table_row(locations, i, buffer))->id;
        g_hash_table_add(defined->locations, g_memdup2(&id, sizeof id));
    }
    for (uint64_t i = 0; i < processes->table.n; i++) {
        const uint64_t proc = ((const XtfProcessRow *)xtf_model_table_row(&processes->table, i, buffer))->proc;
        g_hash_table_insert(defined->groups, g_memdup2(&proc, sizeof proc), GUINT_TO_POINTER(processes->ids[i]));
        defined->next_group = MAX(defined->next_group, (uint64_t)processes->ids[i] + 1);
    }
}

static uint32_t find_location_group(XtfOtf2Definer *d, Defined *defined, uint64_t proc, OTF2_ErrorCode *code)
{
    gpointer id;

    if (g_hash_table_lookup_extended(defined->groups, &proc, NULL, &id))
        return GPOINTER_TO_UINT(id);
    g_autofree char *name = g_strdup_printf("process %" PRIu64, proc);
    uint32_t text = xtf_otf2_define_own(d, name, code), group = (uint32_t)defined->next_group++;
    if (*code == OTF2_SUCCESS)
        *code = OTF2_GlobalDefWriter_WriteLocationGroup(d->writer, group, text, OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                                        OTF2_UNDEFINED_SYSTEM_TREE_NODE, OTF2_UNDEFINED_LOCATION_GROUP);
    g_hash_table_insert(defined->groups, g_memdup2(&proc, sizeof proc), GUINT_TO_POINTER(group));
    return group;
}

static OTF2_ErrorCode define_location(XtfOtf2Definer *d, Defined *defined, const XtfLocation *location)
{
    const uint64_t *n = g_hash_table_lookup(d->export->n_events, &location->id);
    g_autofree char *name = g_strdup_printf("thread %" PRIu64, location->thread);
    OTF2_ErrorCode code = OTF2_SUCCESS;
    uint32_t group = find_location_group(d, defined, location->proc, &code), text = xtf_otf2_define_own(d, name, &code);

    return code != OTF2_SUCCESS ? code
                                : OTF2_GlobalDefWriter_WriteLocation(d->writer, location->id, text,
                                                                     OTF2_LOCATION_TYPE_CPU_THREAD, n ? *n : 0, group);
}

static bool define_missing_locations(XtfOtf2Definer *d, const XtfLocations *locations, Defined *defined, GError **error)
{
    for (uint32_t i = 0; i < locations->n; i++)
        if (!g_hash_table_contains(defined->locations, &locations->all[i].id) &&
            !xtf_otf2_done(d, define_location(d, defined, &locations->all[i]), "a location", error))
            return false;
    return true;
}

bool xtf_otf2_define_locations(XtfOtf2Definer *d, GError **error)
{
    const XtfLocations *locations = xtf_trace_context_locations(&d->export->job->tree->context, error);
    Defined defined = {0};

    if (!locations)
        return false;
    find_defined_locations(&d->export->names, &defined);
    bool good = define_missing_locations(d, locations, &defined, error);
    g_hash_table_unref(defined.locations);
    g_hash_table_unref(defined.groups);
    return good;
}
