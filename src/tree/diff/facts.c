/*
 * The first table of a diff: windows, processes, calls, messages.
 */
#include "libxtf/trace.h"
#include "src/tree/diff/change.h"
#include "src/tree/diff/diff-private.h"

static const XtfColumn columns[] = {
    XTF_COLUMN("what", XTF_COLUMN_TEXT, NULL, "name of the total"),
    XTF_COLUMN("a", XTF_COLUMN_ANY, NULL, "value in the first trace"),
    XTF_COLUMN("b", XTF_COLUMN_ANY, NULL, "value in the second trace"),
    XTF_COLUMN("difference", XTF_COLUMN_ANY, NULL, "second minus first"),
    XTF_COLUMN("ratio", XTF_COLUMN_REAL, NULL, "second divided by first"),
    XTF_COLUMN("unit", XTF_COLUMN_TEXT, NULL, "unit of the values"),
};

const XtfTableDeclaration xtf_table_diff_facts = XTF_TABLE("diff: totals", "totals of both", columns);

enum {
    FACTS_MAX = 20,
    MEAN_WIDTH = 12, /* means have six digits */
};

typedef struct {
    const char *name, *unit;
    enum { COUNT, TIME, REAL } kind;
    bool known[2];
    XtfWide wide[2]; /* a count, or ticks of the common clock */
    double real[2];
} Fact;

typedef struct {
    unsigned n;
    Fact all[FACTS_MAX];
} Facts;

/* Adds a fact, or skips it if it is known for neither side. */
static Fact *add_fact(Facts *facts, const char *name, const char *unit, const bool known[2])
{
    Fact *fact = &facts->all[facts->n];

    g_assert(facts->n < FACTS_MAX);
    *fact = (Fact){.name = name, .unit = unit, .known = {known[0], known[1]}};
    facts->n += known[0] || known[1];
    return fact;
}

static void add_count_fact(Facts *facts, const char *name, const char *unit, const bool known[2], XtfWide a, XtfWide b)
{
    Fact *fact = add_fact(facts, name, unit, known);

    fact->wide[0] = a;
    fact->wide[1] = b;
}

static bool add_time_fact(Facts *facts, const char *name, const XtfDiffSide sides[2], const bool known[2],
                          const XtfTimeScale *common, XtfWide a, XtfWide b, GError **error)
{
    Fact *fact = add_fact(facts, name, "s", known);

    fact->kind = TIME;
    return xtf_common_ticks(common, xtf_diff_side_scale(&sides[0]), a, &fact->wide[0], error) &&
           xtf_common_ticks(common, xtf_diff_side_scale(&sides[1]), b, &fact->wide[1], error);
}

static void add_mean_fact(Facts *facts, const char *name, const bool known[2], const XtfMoved *a, const XtfMoved *b)
{
    const bool known_means[2] = {known[0] && a->rows, known[1] && b->rows};
    Fact *fact = add_fact(facts, name, "B", known_means);

    fact->kind = REAL;
    fact->real[0] = known_means[0] ? (double)a->bytes / (double)a->rows : 0;
    fact->real[1] = known_means[1] ? (double)b->bytes / (double)b->rows : 0;
}

static void add_efficiency_fact(Facts *facts, const char *name, const XtfDiffSide sides[2], XtfEfficiencyFigure figure)
{
    double part[2] = {0}, whole[2] = {0};

    for (unsigned i = 0; i < 2; i++) {
        if (sides[i].has_efficiency)
            xtf_efficiency_ratio(&sides[i].efficiency, figure, &sides[i].efficiency.useful, &part[i], &whole[i]);
    }
    const bool known[2] = {whole[0] > 0, whole[1] > 0};
    Fact *fact = add_fact(facts, name, "-", known);
    fact->kind = REAL;
    for (unsigned i = 0; i < 2; i++)
        fact->real[i] = known[i] ? part[i] / whole[i] : 0;
}

static void add_message_facts(Facts *facts, const XtfDiffSide sides[2], unsigned type, const char *rows,
                              const char *bytes, const char *mean)
{
    const XtfMoved *a = &sides[0].moved[type], *b = &sides[1].moved[type];
    bool known[2];

    for (unsigned i = 0; i < 2; i++) {
        const XtfSchema *schema = sides[i].refs[type].schema;
        known[i] = sides[i].has_messages && schema && xtf_selection_may_have(sides[i].directory->selection, schema) &&
                   xtf_trace_n_rows(sides[i].directory->tree->trace, schema->id);
    }
    add_count_fact(facts, rows, "-", known, a->rows, b->rows);
    add_count_fact(facts, bytes, "B", known, a->bytes, b->bytes);
    if (mean)
        add_mean_fact(facts, mean, known, a, b);
    else
        add_count_fact(facts, "collective_received", "B", known, a->received, b->received);
}

static bool collect_facts(Facts *facts, const XtfDiffSide sides[2], const XtfTimeScale *common, GError **error)
{
    const XtfDiffSide *a = &sides[0], *b = &sides[1];
    const bool all_known[2] = {true, true}, calls[2] = {a->has_regions, b->has_regions};
    bool communicates[2];

    for (unsigned i = 0; i < 2; i++) {
        const XtfRegionClasses *classes = xtf_trace_context_classes(&sides[i].directory->tree->context, error);
        if (!classes)
            return false;
        communicates[i] = xtf_efficiency_has_communication(classes);
    }

    if (!add_time_fact(facts, "window", sides, all_known, common, a->window, b->window, error))
        return false;
    add_count_fact(facts, "processes", "-", all_known, a->n_procs, b->n_procs);
    add_count_fact(facts, "locations", "-", all_known, a->n_locations, b->n_locations);
    add_count_fact(facts, "records", "-", all_known, a->n_records, b->n_records);
    add_count_fact(facts, "calls", "-", calls, a->calls, b->calls);
    if (!add_time_fact(facts, "measured", sides, calls, common, a->regions.whole, b->regions.whole, error))
        return false;
    add_efficiency_fact(facts, "parallel_efficiency", sides, XTF_MEAN_TO_WIDTH);
    add_efficiency_fact(facts, "load_balance", sides, XTF_MEAN_TO_MAX);
    if (communicates[0] || communicates[1])
        add_efficiency_fact(facts, "communication_efficiency", sides, XTF_MAX_TO_WIDTH);
    add_message_facts(facts, sides, XTF_MOVED_SENDS, "messages_sent", "bytes_sent", "mean_sent");
    add_message_facts(facts, sides, XTF_MOVED_RECVS, "messages_received", "bytes_received", "mean_received");
    add_message_facts(facts, sides, XTF_MOVED_COLLECTIVES, "collectives", "collective_sent", NULL);
    return true;
}

static void lay_out(XtfGrid *grid, const Facts *facts, const XtfTimeScale *common)
{
    size_t name_width = 0, number = MEAN_WIDTH;

    for (const Fact *fact = facts->all; fact < facts->all + facts->n; fact++) {
        name_width = MAX(name_width, strlen(fact->name));
        for (unsigned i = 0; i < 2; i++)
            number = MAX(number,
                         fact->kind == TIME ? xtf_ticks_width(common, fact->wide[i]) : xtf_wide_width(fact->wide[i]));
    }
    xtf_grid_add(grid, "what", name_width + strlen("  "));
    xtf_grid_add(grid, "a", number);
    xtf_grid_add(grid, "b", number);
    xtf_grid_add(grid, "difference", number + 1);
    xtf_grid_add(grid, "ratio", XTF_RATIO_WIDTH);
    xtf_grid_add(grid, "unit", 0);
}

static double as_real(const Fact *fact, unsigned side)
{
    return fact->kind == REAL ? fact->real[side] : (double)fact->wide[side];
}

static void put_value(XtfLines *lines, const Fact *fact, unsigned side)
{
    if (!fact->known[side])
        xtf_lines_none(lines);
    else if (fact->kind == TIME)
        xtf_lines_ticks(lines, fact->wide[side]);
    else if (fact->kind == REAL)
        xtf_lines_real(lines, "%.6g", fact->real[side]);
    else
        xtf_lines_signed_wide(lines, false, fact->wide[side]);
}

static void put_fact(XtfLines *lines, const Fact *fact)
{
    bool both_known = fact->known[0] && fact->known[1];

    xtf_lines_word(lines, fact->name);
    put_value(lines, fact, 0);
    put_value(lines, fact, 1);
    if (!both_known)
        xtf_lines_none(lines);
    else if (fact->kind == TIME)
        xtf_lines_ticks_difference(lines, fact->wide[0], fact->wide[1]);
    else if (fact->kind == REAL)
        xtf_lines_real(lines, "%.6g", fact->real[1] - fact->real[0]);
    else
        xtf_lines_difference(lines, fact->wide[0], fact->wide[1]);
    xtf_lines_ratio(lines, both_known, as_real(fact, 0), as_real(fact, 1));
    xtf_lines_word(lines, fact->unit);
}

bool xtf_diff_add_facts(const XtfDiffSide sides[2], const XtfTimeScale *common, GString *out, GError **error)
{
    XtfGrid grid;
    Facts facts = {0};
    XtfLines lines;

    if (!collect_facts(&facts, sides, common, error))
        return false;
    xtf_grid_init(&grid, &xtf_table_diff_facts);
    lay_out(&grid, &facts, common);
    xtf_lines_init(&lines, &grid, common, out);
    xtf_lines_header(&lines);
    for (const Fact *fact = facts.all; fact < facts.all + facts.n; fact++)
        put_fact(&lines, fact);
    return xtf_lines_finish(&lines, error);
}
