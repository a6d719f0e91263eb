/*
 * xtf diff A B [PATH [PATH_B]]: compares two traces, or two parts of one; with --fail-above, exits with 1 if it got
 * slower.
 */
#include "src/tree/diff/diff.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "src/cli/commands/commands.h"
#include "src/cli/trace/archive-cache.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/print.h"
#include "src/trace/typed/quantity.h"

enum { DEFAULT_NOISE = 10000 }; /* millionths: 1 % */

static bool print_diff(XtfTree *const trees[2], char **sources, const char *const paths[2],
                       const XtfDiffOptions *options, XtfDiffGrowth *growth, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(XtfNode) a = xtf_cli_resolve(trees[0], paths[0], paths[0], error);
    g_autoptr(XtfNode) b = a ? xtf_cli_resolve(trees[1], paths[1], paths[1], error) : NULL;

    if (!b || !xtf_diff(a, b, options, growth, text, error))
        return false;
    xtf_print_line(stdout, "# a: %s %s", sources[0], paths[0]);
    xtf_print_line(stdout, "# b: %s %s", sources[1], paths[1]);
    return xtf_print_bytes(text->str, text->len, error);
}

/* Prints on stderr which values grew too much. Returns the exit status. */
static int report_growth(const XtfDiffGrowth *growth, const char *limit)
{
    for (guint i = 0; i < growth->failures->len; i++)
        xtf_print_line(stderr, "xtf: diff: %s", (const char *)growth->failures->pdata[i]);
    if (growth->failures->len == 0)
        return XTF_EXIT_DONE;
    xtf_print_line(stderr, "xtf: diff: %u of %" PRIu64 " rows grew by more than %s", growth->failures->len,
                   growth->n_judged, limit);
    return XTF_EXIT_FAILED;
}

static bool parse_order(const char *text, XtfDiffOrder *by)
{
    const char *name;

    for (unsigned i = 0; (name = xtf_diff_order_name(i)); i++) {
        if (g_strcmp0(text, name) == 0) {
            *by = (XtfDiffOrder)i;
            return true;
        }
    }
    return !text;
}

/* Parses "5%" into millionths. A number without its % could be meant either way, and is refused. */
static bool parse_percentage(const char *text, uint64_t *millionths)
{
    enum { MOST = 100000 };
    static const XtfUnit units[] = {{"%", 1}, {NULL, 0}};
    double value;

    if (!xtf_quantity_parse(text, units, &value) || value > MOST)
        return false;
    *millionths = (uint64_t)(value * 1e4 + 0.5);
    return true;
}

/* The options as they were typed. */
typedef struct {
    char *by, *fail_above, *ignore_below; /* NULL: not given */
    gint64 top;
} Given;

static void given_finish(Given *given)
{
    g_free(given->by);
    g_free(given->fail_above);
    g_free(given->ignore_below);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Given, given_finish)

/* Returns what is wrong with the options, or NULL. */
static const char *interpret_options(const Given *given, XtfDiffOptions *options, XtfDiffGrowth *growth)
{
    if (given->top < 0)
        return "--top takes a number from 1 on (0: all)";
    if (!parse_order(given->by, &options->by))
        return "--by takes exclusive, inclusive or calls";
    if (given->ignore_below && !given->fail_above)
        return "--ignore-below goes with --fail-above";
    if (given->fail_above && !parse_percentage(given->fail_above, &growth->limit))
        return "--fail-above takes a percentage, such as 5%";
    if (given->ignore_below && !parse_percentage(given->ignore_below, &growth->noise))
        return "--ignore-below takes a percentage, such as 1%";
    options->top = (uint64_t)given->top;
    return NULL;
}

/* Opens both traces and prints their comparison. Returns the exit status. */
static int compare_traces(char **arguments, int n, bool incomplete, const XtfDiffOptions *options,
                          XtfDiffGrowth *growth)
{
    const char *paths[] = {n > 2 ? arguments[2] : "/", n > 3 ? arguments[3] : n > 2 ? arguments[2] : "/"};
    GError *error = NULL;
    g_autoptr(XtfTree) a = xtf_cli_open_tree(arguments[0], incomplete, &error);
    g_autoptr(XtfTree) b = a ? xtf_cli_open_tree(arguments[1], incomplete, &error) : NULL;

    return b && print_diff((XtfTree *[]){a, b}, arguments, paths, options, growth, &error) ? XTF_EXIT_DONE
                                                                                           : xtf_cli_fail(error);
}

int xtf_command_diff(int argc, char **argv)
{
    g_auto(Given) given = {0};
    gboolean incomplete = FALSE;
    const GOptionEntry entries[] = {
        {"fail-above", 0, 0, G_OPTION_ARG_STRING, &given.fail_above,
         "Exit with 1 if the time in a region grew by more than PERCENT", "PERCENT"},
        {"ignore-below", 0, 0, G_OPTION_ARG_STRING, &given.ignore_below,
         "Let growth pass up to PERCENT of the total of A (default: 1%)", "PERCENT"},
        {"by", 'b', 0, G_OPTION_ARG_STRING, &given.by, "Compare exclusive (default) or inclusive time, or calls",
         "WHAT"},
        {"top", 'n', 0, G_OPTION_ARG_INT64, &given.top, "Show the N regions that changed most (default: all)", "N"},
        XTF_INCOMPLETE_ENTRY(incomplete),
        {0},
    };
    g_autoptr(GPtrArray) failures = g_ptr_array_new_with_free_func(g_free);
    XtfDiffOptions options = {0};
    XtfDiffGrowth growth = {.noise = DEFAULT_NOISE, .failures = failures};

    if (!xtf_cli_parse(&argc, &argv, -2, "A B [PATH [PATH_B]]",
                       "Compares two traces, or two parts of one: totals, classes and regions, the greatest change\n"
                       "first. PATH is a directory of their trees, such as time/40%-60% or proc/0.\n\n"
                       "  xtf diff before.xtf after.xtf                      two runs\n"
                       "  xtf diff T T time/0%-50% time/50%-100%             two halves of one run\n"
                       "  xtf diff --fail-above 5% before.xtf after.xtf      exits with 1 if the run got slower",
                       entries))
        return XTF_EXIT_USAGE;
    const char *fault = argc > 5 ? "too many arguments" : interpret_options(&given, &options, &growth);
    if (fault) {
        fprintf(stderr, "xtf: diff: %s\n", fault);
        return XTF_EXIT_USAGE;
    }
    int status = compare_traces(argv + 1, argc - 1, incomplete, &options, given.fail_above ? &growth : NULL);
    return status == XTF_EXIT_DONE && given.fail_above ? report_growth(&growth, given.fail_above) : status;
}
