#include "src/trace/select/aggregate-choice.h"

#include "src/trace/select/matcher.h"

static bool has_keys(const XtfAggregateRef *ref, const char *const *keys)
{
    for (unsigned i = 0; keys[i]; i++) {
        if (i >= ref->aggregate->n_keys || !g_str_equal(xtf_aggregate_ref_key(ref, i)->name, keys[i]))
            return false;
    }
    return true;
}

static bool has_values(const XtfAggregateRef *ref, const char *const *values)
{
    for (; *values; values++) {
        unsigned cell = xtf_aggregate_ref_cell(ref, *values);
        if (!cell || xtf_aggregate_ref_value(ref, cell)->type != XTF_TYPE_U64)
            return false;
    }
    return true;
}

bool xtf_aggregate_choose(XtfAggregateRef *ref, const XtfSchema *schema, const XtfSelection *selection,
                          const XtfAggregateNeed *need)
{
    for (unsigned i = 0; i < schema->n_aggregates; i++) {
        const XtfAggregate *aggregate = &schema->aggregates[i];
        if (aggregate->kind != XTF_AGGREGATE_GROUPS || aggregate->extremes || aggregate->typed_by)
            continue;
        xtf_aggregate_ref_numbered(ref, schema, i);
        if (has_keys(ref, need->keys) && has_values(ref, need->values) && xtf_selection_fits(selection, schema, i))
            return true;
    }
    *ref = (XtfAggregateRef){0};
    return false;
}
