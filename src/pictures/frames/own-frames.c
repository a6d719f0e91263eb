#include "src/pictures/frames/own-frames.h"

#include "libxtf/trace.h"
#include "src/model/schemas.h"

bool xtf_own_frames_find(XtfTraceContext *context, XtfArray *slices, bool *found, GError **error)
{
    const XtfSchema *schema = xtf_trace_find_schema(context->trace, xtf_model_schema(XTF_MODEL_SLICES)->name);

    *found = false;
    if (!schema || !xtf_schema_field(schema, "frame") || !xtf_trace_n_rows(context->trace, schema->id))
        return true;
    const XtfLocations *locations = xtf_trace_context_locations(context, error);
    if (!locations)
        return false;
    /* The first process writes all slices, so the loop ends at once. */
    for (uint32_t i = 0; i < locations->n && !*found; i++) {
        if (!xtf_trace_find_array(context->trace, locations->all[i].id, schema->id, slices, found, error))
            return false;
    }
    return true;
}

bool xtf_own_frames_window(const XtfArray *slices, const XtfTimeScale *scale, uint64_t k, uint64_t *from, uint64_t *to,
                           GError **error)
{
    *to = MAX(scale->end, slices->last);
    return xtf_array_time(slices, k, from, error) &&
           (k + 1 >= slices->n_rows || xtf_array_time(slices, k + 1, to, error));
}
