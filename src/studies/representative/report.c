#include "src/studies/representative/report.h"

#include "src/tables/format/table.h"
#include "src/trace/text/digits.h"
#include "src/trace/text/escape.h"
#include "src/trace/text/lines.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("alike", XTF_COLUMN_TEXT, NULL, "yes if the profile is in the largest set of profiles alike"),
    XTF_COLUMN("distance", XTF_COLUMN_REAL, NULL, "distance from the medoid, the most central profile of that set"),
    XTF_COLUMN("proc", XTF_COLUMN_NUMBER, NULL, "process"),
    XTF_COLUMN("calls", XTF_COLUMN_NUMBER, NULL, "calls of all regions"),
    XTF_COLUMN("differs_by", XTF_COLUMN_ANY, NULL, "calls less those of the medoid, of the region that differs most"),
    XTF_COLUMN("run", XTF_COLUMN_TEXT, NULL, "the run"),
    XTF_COLUMN("region", XTF_COLUMN_TEXT, NULL, "region that differs most from the medoid"),
};

const XtfTableDeclaration xtf_table_representative =
    XTF_TABLE("representative", "a line for each run, or for each process of each", columns);

enum { REAL_WIDTH = 11 };

static const char *label_of(const XtfRunProfiles *profiles, uint64_t number)
{
    return number < profiles->pairs.labels->len ? profiles->pairs.labels->pdata[number] : "?";
}

static void lay_out(const XtfRunProfiles *profiles, const char *const *names, XtfGrid *grid)
{
    size_t name = 0, label = 1;
    uint64_t calls = 0, proc = 0;

    for (unsigned i = 0; i < profiles->n; i++) {
        name = MAX(name, xtf_text_width(names[profiles->all[i].run], false, XTF_TABLE_TEXT_MAX));
        calls = MAX(calls, profiles->all[i].calls.total);
        proc = MAX(proc, profiles->all[i].proc);
    }
    for (guint i = 0; i < profiles->pairs.labels->len; i++)
        label = MAX(label, xtf_text_width(profiles->pairs.labels->pdata[i], false, XTF_TABLE_TEXT_MAX));
    xtf_grid_init(grid, &xtf_table_representative);
    xtf_grid_add(grid, "alike", 0);
    xtf_grid_add(grid, "distance", REAL_WIDTH);
    if (profiles->by_process)
        xtf_grid_add(grid, "proc", xtf_count_digits(proc));
    xtf_grid_add(grid, "calls", xtf_count_digits(calls));
    xtf_grid_add(grid, "differs_by", xtf_count_digits(calls) + 1);
    xtf_grid_add(grid, "run", name);
    xtf_grid_add(grid, "region", label);
}

static void put_profile(const XtfRunProfiles *profiles, const XtfRepresentative *judged, unsigned i,
                        const char *const *names, XtfLines *lines)
{
    const XtfFrequencies *calls = &profiles->all[i].calls, *medoid = &profiles->all[judged->medoid].calls;
    uint64_t number, counts[2];
    bool differs = xtf_frequencies_differ_most(calls, medoid, &number, counts);

    xtf_lines_word(lines, xtf_representative_has(judged, i) ? "yes" : "no");
    xtf_lines_real(lines, "%.4g", xtf_frequencies_distance(calls, medoid));
    if (profiles->by_process)
        xtf_lines_number(lines, profiles->all[i].proc);
    xtf_lines_number(lines, calls->total);
    if (differs)
        xtf_lines_signed_wide(lines, counts[0] < counts[1],
                              counts[0] < counts[1] ? counts[1] - counts[0] : counts[0] - counts[1]);
    else
        xtf_lines_none(lines);
    xtf_lines_text(lines, names[profiles->all[i].run], profiles->all[i].run);
    if (differs)
        xtf_lines_text(lines, label_of(profiles, number), number);
    else
        xtf_lines_none(lines);
}

bool xtf_representative_report(const XtfRunProfiles *profiles, const XtfRepresentative *judged,
                               const char *const *names, GString *out, GError **error)
{
    XtfGrid grid;
    XtfLines lines;

    lay_out(profiles, names, &grid);
    xtf_lines_init(&lines, &grid, NULL, out);
    xtf_lines_header(&lines);
    for (unsigned i = 0; i < profiles->n; i++)
        put_profile(profiles, judged, i, names, &lines);
    return xtf_lines_finish(&lines, error);
}

void xtf_representative_conclude(const XtfRepresentative *judged, const XtfRepresentativeRule *rule, GString *out)
{
    static const char *const answers[] = {
        [XTF_REPRESENTATIVE_NO] = "no", [XTF_REPRESENTATIVE_UNDECIDED] = "undecided", [XTF_REPRESENTATIVE_YES] = "yes"};

    g_string_append_printf(out, "# Representative: %s. The largest set of profiles less than %.4g apart has ",
                           answers[judged->verdict], rule->delta);
    if (judged->clique.size < judged->clique.most)
        g_string_append_printf(out, "%u to ", judged->clique.size);
    g_string_append_printf(out, "%u of %u; %u are needed, and %u in all.\n", judged->clique.most, judged->n,
                           judged->needed, rule->least);
}
