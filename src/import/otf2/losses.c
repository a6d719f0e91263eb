/*
 * Finds lost events: compares the number of events in each location's definition with the number read. A damaged byte
 * may look like the end of a file, without any error.
 */
#include <inttypes.h>

#include "src/import/otf2/import.h"

void xtf_otf2_note_events(XtfOtf2Import *import, const XtfOtf2Location *location, uint64_t read, bool damaged)
{
    const XtfOtf2Loss loss = {location->id, location->claimed, read, damaged};

    if (!damaged && read == location->claimed)
        return;
    g_mutex_lock(&import->job->lock);
    import->claims_too_little |= read > location->claimed;
    if (damaged || read < location->claimed)
        g_array_append_val(import->losses, loss);
    g_mutex_unlock(&import->job->lock);
}

static gint compare_losses(gconstpointer a, gconstpointer b)
{
    const XtfOtf2Loss *x = a, *y = b;
    return (x->location > y->location) - (x->location < y->location);
}

static void warn_of_silent_loss(XtfOtf2Import *import, const XtfOtf2Loss *loss)
{
    xtf_import_warn(
        import->job,
        "location %" PRIu64 ": %" PRIu64 " of its %" PRIu64
        " events are missing according to its definition, but reading gave no error: its file may be damaged",
        loss->location, loss->claimed - loss->read, loss->claimed);
}

void xtf_otf2_report_losses(XtfOtf2Import *import)
{
    uint64_t events = 0, locations = 0, uncounted = 0;

    g_array_sort(import->losses, compare_losses);
    for (guint i = 0; i < import->losses->len; i++) {
        const XtfOtf2Loss *loss = &g_array_index(import->losses, XtfOtf2Loss, i);
        bool counted = !import->claims_too_little && loss->claimed > loss->read;
        if (counted && !loss->damaged)
            warn_of_silent_loss(import, loss);
        events += counted ? loss->claimed - loss->read : 0;
        locations += counted;
        uncounted += !counted && loss->damaged;
    }
    g_autofree char *missing = xtf_import_quantity(events, "event");
    g_autofree char *of_locations = xtf_import_quantity(locations, "location");
    g_autofree char *damaged = xtf_import_quantity(uncounted, "location");
    if (locations > 0)
        xtf_import_note_left_out(import->job, "%s of %s, which could not be read", missing, of_locations);
    if (uncounted > 0)
        xtf_import_note_left_out(import->job,
                                 "events of %s, which could not be read: the archive does not say how many", damaged);
}
