/*
 * Imports of one archive by several ranks: which locations are a rank's, and faults that all ranks have found.
 */
#include "src/import/otf2/import.h"

enum {
    FILE_WEIGHT = 4096, /* work of opening a location's files, as bytes of events */
};

#define OWN_TYPE "(a(tttt)ta(tttb)b)" /* mishaps, unused definitions, losses, claims_too_little */

void xtf_otf2_take_share(XtfOtf2Import *import)
{
    XtfShare *share = import->job->share;
    guint n = import->locations->len, kept = 0;
    g_autofree uint64_t *weights = g_new(uint64_t, n);

    for (guint i = 0; i < n; i++)
        weights[i] = g_array_index(import->locations, XtfOtf2Location, i).bytes + FILE_WEIGHT;
    g_autofree bool *own = xtf_share_deal(share, weights, n);
    g_array_set_size(import->losses, 0); /* the process that combines the results finds missing files, too */
    import->bytes = 0;
    for (guint i = 0; i < n; i++) {
        XtfOtf2Location location = g_array_index(import->locations, XtfOtf2Location, i);
        if (!own[i])
            continue;
        location.index = i;
        share->location = i;
        if (xtf_otf2_skip_location(import, &location))
            continue;
        import->bytes += location.bytes;
        g_array_index(import->locations, XtfOtf2Location, kept++) = location;
    }
    share->location = XTF_NONE32;
    share->n_locations = kept;
    g_array_set_size(import->locations, kept);
}

GVariant *xtf_otf2_pack_share(const XtfOtf2Import *import)
{
    GVariantBuilder mishaps, losses;

    g_variant_builder_init(&mishaps, G_VARIANT_TYPE("a(tttt)"));
    g_variant_builder_init(&losses, G_VARIANT_TYPE("a(tttb)"));
    for (unsigned i = 0; i < XTF_OTF2_N_MISHAPS; i++) {
        const XtfOtf2Mishap *mishap = &import->mishaps[i];
        g_variant_builder_add(&mishaps, "(tttt)", mishap->count, mishap->locations, mishap->location, mishap->event);
    }
    for (guint i = 0; i < import->losses->len; i++) {
        const XtfOtf2Loss *loss = &g_array_index(import->losses, XtfOtf2Loss, i);
        g_variant_builder_add(&losses, "(tttb)", loss->location, loss->claimed, loss->read, loss->damaged);
    }
    return g_variant_new(OWN_TYPE, &mishaps, import->own_definitions, &losses, import->claims_too_little);
}

static void add_mishap(XtfOtf2Mishap *to, const XtfOtf2Mishap *mishap)
{
    if (mishap->locations == 0)
        return;
    if (to->locations == 0 || mishap->location < to->location) {
        to->location = mishap->location;
        to->event = mishap->event;
    }
    to->count += mishap->count;
    to->locations += mishap->locations;
}

static void add_own(XtfOtf2Import *import, GVariant *own)
{
    g_autoptr(GVariantIter) mishaps = NULL, losses = NULL;
    uint64_t own_definitions;
    gboolean claims_too_little, damaged;
    XtfOtf2Mishap mishap;
    XtfOtf2Loss loss;

    g_variant_get(own, OWN_TYPE, &mishaps, &own_definitions, &losses, &claims_too_little);
    for (unsigned i = 0;
         i < XTF_OTF2_N_MISHAPS &&
         g_variant_iter_next(mishaps, "(tttt)", &mishap.count, &mishap.locations, &mishap.location, &mishap.event);
         i++)
        add_mishap(&import->mishaps[i], &mishap);
    while (g_variant_iter_next(losses, "(tttb)", &loss.location, &loss.claimed, &loss.read, &damaged)) {
        loss.damaged = damaged;
        g_array_append_val(import->losses, loss);
    }
    import->own_definitions += own_definitions;
    import->claims_too_little |= claims_too_little;
}

bool xtf_otf2_combine_shares(XtfOtf2Import *import, GError **error)
{
    for (guint rank = 0; rank < import->job->share->results->len; rank++) {
        g_autoptr(GVariant) own = xtf_import_share_own(import->job, rank, OWN_TYPE, error);
        if (!own)
            return false;
        add_own(import, own);
    }
    return xtf_import_combine_shares(import->job, &import->source.definitions, error);
}
