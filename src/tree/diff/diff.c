#include "src/tree/diff/diff.h"

#include "src/tree/diff/diff-private.h"
#include "src/tree/diff/growth.h"

static bool add_tables(const XtfDiffSide sides[2], const XtfDiffOptions *options, XtfDiffGrowth *growth, GString *out,
                       GError **error)
{
    XtfTimeScale common;

    xtf_common_scale_init(&common, sides);
    if (growth && !xtf_diff_judge_total(growth, sides, &common, options->by, error))
        return false;
    if (!xtf_diff_add_facts(sides, &common, out, error))
        return false;
    if (!sides[0].has_regions && !sides[1].has_regions)
        return true;
    g_string_append_c(out, '\n');
    if (!xtf_diff_add_classes(sides, &common, options, out, error))
        return false;
    g_string_append_c(out, '\n');
    return xtf_diff_add_regions(sides, &common, options, growth, out, error);
}

bool xtf_diff(XtfNode *a, XtfNode *b, const XtfDiffOptions *options, XtfDiffGrowth *growth, GString *out,
              GError **error)
{
    XtfNode *const directories[] = {a, b};
    XtfDiffSide sides[2] = {0};
    bool good = true;

    for (unsigned i = 0; i < 2 && good; i++) {
        good = xtf_diff_side_load(&sides[i], directories[i], error);
        if (!good)
            g_prefix_error(error, "%c: ", "ab"[i]);
    }
    good = good && add_tables(sides, options, growth, out, error);

    for (unsigned i = 0; i < 2; i++)
        xtf_diff_side_finish(&sides[i]);
    return good;
}
