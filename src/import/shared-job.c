/*
 * The results of ranks that do an import together: counts, remarks, tags, late rows.
 */
#include "src/import/job.h"

/* ---- In a rank. */

static GVariant *pack_counts(const XtfImportJob *job)
{
    return g_variant_new_fixed_array(G_VARIANT_TYPE_UINT64, job->counts, XTF_N_RECORD_TYPES * XTF_EVENTS_MAX,
                                     sizeof(uint64_t));
}

static GVariant *pack_notes(const XtfShare *share)
{
    GVariantBuilder notes;

    g_variant_builder_init(&notes, G_VARIANT_TYPE("a(uus)"));
    for (guint i = 0; i < share->notes->len; i++) {
        const XtfShareNote *note = &g_array_index(share->notes, XtfShareNote, i);
        g_variant_builder_add(&notes, "(uus)", note->list, note->location, note->text);
    }
    return g_variant_builder_end(&notes);
}

static GVariant *pack_numbers(const GArray *numbers)
{
    return g_variant_new_fixed_array(G_VARIANT_TYPE_UINT32, numbers->data, numbers->len, sizeof(uint32_t));
}

bool xtf_import_pack_share(XtfImportJob *job, XtfDefinitions *definitions, GVariant *own, GError **error)
{
    g_autoptr(GVariant) kept = g_variant_ref_sink(own);
    g_autoptr(GArray) tags = xtf_tags_list(&definitions->tags),
                      strings = xtf_id_map_keys(&definitions->late_strings_by_id);
    g_autoptr(XtfTrace) part = xtf_trace_open(job->output->path, NULL, error);
    g_auto(GVariantBuilder) result;

    g_variant_builder_init(&result, XTF_SHARE_TYPE);
    if (!part || !xtf_share_pack_rows(job->share, definitions, part, &result, error))
        return false;
    g_variant_builder_add(&result, "{sv}", "counts", pack_counts(job));
    g_variant_builder_add(&result, "{sv}", "read", g_variant_new_uint64(job->report.read));
    g_variant_builder_add(&result, "{sv}", "locations", g_variant_new_uint64(job->report.locations));
    g_variant_builder_add(&result, "{sv}", "dealt", g_variant_new_uint64(job->share->n_locations));
    g_variant_builder_add(&result, "{sv}", "notes", pack_notes(job->share));
    g_variant_builder_add(&result, "{sv}", "unlisted", g_variant_new_uint64(job->share->n_unlisted));
    g_variant_builder_add(&result, "{sv}", "tags", pack_numbers(tags));
    g_variant_builder_add(&result, "{sv}", "more-tags", g_variant_new_boolean(definitions->tags.has_more));
    g_variant_builder_add(&result, "{sv}", "strings", pack_numbers(strings));
    g_variant_builder_add(&result, "{sv}", "own", kept);
    job->share->result = g_variant_ref_sink(g_variant_builder_end(&result));
    return true;
}

/* ---- Combining. */

static uint64_t get_number(GVariant *result, const char *name)
{
    guint64 number = 0;

    g_variant_lookup(result, name, "t", &number);
    return number;
}

static void add_event_counts(XtfImportJob *job, GVariant *result)
{
    g_autoptr(GVariant) counts = g_variant_lookup_value(result, "counts", G_VARIANT_TYPE("at"));
    gsize n = 0;
    const uint64_t *values = counts ? g_variant_get_fixed_array(counts, &n, sizeof *values) : NULL;

    for (gsize i = 0; i < MIN(n, (gsize)XTF_N_RECORD_TYPES * XTF_EVENTS_MAX); i++)
        job->counts[i / XTF_EVENTS_MAX][i % XTF_EVENTS_MAX] += values[i];
    job->report.read += get_number(result, "read");
    job->report.locations += get_number(result, "locations");
}

static void add_tags_and_strings(XtfDefinitions *definitions, GVariant *result)
{
    g_autoptr(GVariant) tags = g_variant_lookup_value(result, "tags", G_VARIANT_TYPE("au"));
    g_autoptr(GVariant) strings = g_variant_lookup_value(result, "strings", G_VARIANT_TYPE("au"));
    gsize n_tags = 0, n_strings = 0;
    const uint32_t *tag = tags ? g_variant_get_fixed_array(tags, &n_tags, sizeof *tag) : NULL;
    const uint32_t *string = strings ? g_variant_get_fixed_array(strings, &n_strings, sizeof *string) : NULL;
    gboolean has_more = FALSE;

    for (gsize i = 0; i < n_tags; i++)
        xtf_tags_add(&definitions->tags, tag[i]);
    for (gsize i = 0; i < n_strings; i++)
        xtf_definitions_string(definitions, string[i]);
    g_variant_lookup(result, "more-tags", "b", &has_more);
    definitions->tags.has_more |= has_more;
}

static int compare_notes(gconstpointer a, gconstpointer b)
{
    const XtfShareNote *x = a, *y = b;

    return (x->location > y->location) - (x->location < y->location);
}

static void add_notes(GArray *notes, GVariant *result)
{
    g_autoptr(GVariant) packed = g_variant_lookup_value(result, "notes", G_VARIANT_TYPE("a(uus)"));

    for (gsize i = 0, n = packed ? g_variant_n_children(packed) : 0; i < n; i++) {
        XtfShareNote note;
        g_variant_get_child(packed, i, "(uus)", &note.list, &note.location, &note.text);
        g_array_append_val(notes, note);
    }
}

/* Repeats the remarks of all ranks, by location. */
static void combine_notes(XtfImportJob *job)
{
    GPtrArray *const lists[] = {XTF_IMPORT_NOTE_LISTS(job)};
    g_autoptr(GArray) notes = g_array_new(FALSE, FALSE, sizeof(XtfShareNote));

    for (guint i = 0; i < job->share->results->len; i++) {
        add_notes(notes, job->share->results->pdata[i]);
        job->n_unlisted_notes += get_number(job->share->results->pdata[i], "unlisted");
    }
    g_array_sort(notes, compare_notes); /* keeps the order of the remarks on one location */
    for (guint i = 0; i < notes->len; i++) {
        XtfShareNote *note = &g_array_index(notes, XtfShareNote, i);
        if (note->list < G_N_ELEMENTS(lists))
            xtf_import_note(job, lists[note->list], "%s", note->text);
        g_free(note->text);
    }
}

bool xtf_import_combine_shares(XtfImportJob *job, XtfDefinitions *definitions, GError **error)
{
    for (guint i = 0; i < job->share->results->len; i++) {
        add_event_counts(job, job->share->results->pdata[i]);
        add_tags_and_strings(definitions, job->share->results->pdata[i]);
    }
    combine_notes(job);
    job->share->result = xtf_share_combine_rows(job->share, definitions, error);
    return job->share->result;
}

GVariant *xtf_import_share_own(const XtfImportJob *job, unsigned rank, const char *type, GError **error)
{
    g_autoptr(GVariant) own = g_variant_lookup_value(job->share->results->pdata[rank], "own", NULL);

    if (own && g_variant_is_of_type(own, G_VARIANT_TYPE(type)))
        return g_steal_pointer(&own);
    xtf_fail(error, XTF_ERROR_IO, "rank %u sent a wrong result", rank);
    return NULL;
}
