/*
 * xtf model TRACE: folds the calls of a run into loops and branches, and gives its time as a formula.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libxtf/error.h"
#include "src/cli/commands/commands.h"
#include "src/cli/trace/archive-cache.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/print.h"
#include "src/studies/model/report.h"
#include "src/trace/typed/quantity.h"

/* The options as they were typed. */
typedef struct {
    char **parameters, **turns, **work, **at; /* NULL: not given */
    char *path, *network, *region;
    gboolean worst, shortest, incomplete;
    double least; /* percent */
} Given;

static void given_finish(Given *given)
{
    g_strfreev(given->parameters);
    g_strfreev(given->turns);
    g_strfreev(given->work);
    g_strfreev(given->at);
    g_free(given->path);
    g_free(given->network);
    g_free(given->region);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Given, given_finish)

/* ---- Options. */

static void clear_setting(gpointer data)
{
    XtfProgramSetting *setting = data;

    g_free(setting->name);
    g_free(setting->expression);
}

/* Adds settings "NAME=EXPRESSION". A name may have a =: the last one counts. */
static bool add_settings(char **texts, GArray **settings, GError **error)
{
    *settings = g_array_new(FALSE, TRUE, sizeof(XtfProgramSetting));
    g_array_set_clear_func(*settings, clear_setting);
    for (char **text = texts; text && *text; text++) {
        const char *sign = strrchr(*text, '=');
        if (!sign || sign == *text || !sign[1])
            return xtf_fail(error, XTF_ERROR_INVALID, "\"%s\" is not NAME=EXPRESSION", *text);
        XtfProgramSetting setting = {g_strndup(*text, (gsize)(sign - *text)), g_strdup(sign + 1), false};
        g_array_append_val(*settings, setting);
    }
    return true;
}

/* Parses "LATENCY,BANDWIDTH", in seconds and bytes a second. */
static bool parse_network(const char *text, XtfProgramOptions *options, GError **error)
{
    static const XtfUnit units[] = {{"", 1}, {NULL, 0}};

    options->has_network = text != NULL;
    if (!text)
        return true;
    const char *comma = xtf_quantity_number(text, &options->latency);
    bool has_bandwidth = comma && *comma == ',' && xtf_quantity_parse(comma + 1, units, &options->bandwidth);
    return (has_bandwidth && options->bandwidth > 0) ||
           xtf_fail(error, XTF_ERROR_INVALID, "--network takes LATENCY,BANDWIDTH, in s and B/s: 2e-6,1e10");
}

static void options_finish(XtfProgramOptions *options)
{
    g_clear_pointer(&options->turns, g_array_unref);
    g_clear_pointer(&options->work, g_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(XtfProgramOptions, options_finish)

static bool interpret_options(const Given *given, XtfProgramOptions *options, GError **error)
{
    options->worst = given->worst;
    options->shortest = given->shortest;
    options->region = given->region;
    options->variables = (XtfProgramVariables){.n = 1, .names = {"P"}, .values = {1}};
    for (char **text = given->parameters; text && *text; text++) {
        if (g_str_has_prefix(*text, "P="))
            return xtf_fail(error, XTF_ERROR_INVALID, "P is the number of processes, which the trace has");
        if (!xtf_program_variables_set(&options->variables, *text, true, error))
            return false;
    }
    return parse_network(given->network, options, error) && add_settings(given->turns, &options->turns, error) &&
           add_settings(given->work, &options->work, error);
}

/* Parses the sizes of --at, "P=8,N=128": a setting that is left out stays as recorded. */
static bool parse_sizes(char **texts, const XtfProgramVariables *recorded, GArray *sizes, GError **error)
{
    for (char **text = texts; text && *text; text++) {
        g_auto(GStrv) settings = g_strsplit(*text, ",", -1);
        XtfProgramVariables size = *recorded;
        for (char **setting = settings; *setting; setting++) {
            if (!xtf_program_variables_set(&size, *setting, false, error))
                return false;
        }
        if (!*settings)
            return xtf_fail(error, XTF_ERROR_INVALID, "--at takes a size, such as P=8,N=128");
        if (!(size.values[0] >= 1) || floor(size.values[0]) != size.values[0])
            return xtf_fail(error, XTF_ERROR_INVALID, "\"%s\": P is a whole number from 1 on", *text);
        g_array_append_val(sizes, size);
    }
    return true;
}

/* ---- The model. */

static bool print_model(const XtfProgramModel *model, const XtfFoldedRun *run, const Given *given, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GArray) sizes = g_array_new(FALSE, FALSE, sizeof(XtfProgramVariables));

    if (!parse_sizes(given->at, &model->options->variables, sizes, error) ||
        !xtf_program_report(model, given->least / 100, text, error))
        return false;
    if (sizes->len > 0) {
        g_string_append_c(text, '\n');
        if (!xtf_program_report_predictions(model, (XtfProgramVariables *)(void *)sizes->data, sizes->len, text, error))
            return false;
    }
    g_string_append_c(text, '\n');
    xtf_program_conclude(model, run, text);
    return xtf_print_bytes(text->str, text->len, error);
}

static bool load_run(XtfFoldedRun *run, XtfTree *tree, const char *source, const Given *given, GError **error)
{
    const char *path = given->path ? given->path : "/";
    g_autoptr(XtfNode) node = xtf_cli_resolve(tree, path, source, error);

    if (!node)
        return false;
    if (xtf_folded_run_load(run, node, error))
        return true;
    g_prefix_error(error, "%s: %s: ", source, path);
    return false;
}

static int model_run(const char *source, XtfProgramOptions *options, const Given *given)
{
    GError *error = NULL;
    g_autoptr(XtfTree) tree = xtf_cli_open_tree(source, given->incomplete, &error);
    g_auto(XtfFoldedRun) run = {0};
    g_auto(XtfProgramModel) model = {0};

    if (!tree || !load_run(&run, tree, source, given, &error) ||
        !xtf_program_model_init(&model, &run, tree, options, &error) || !print_model(&model, &run, given, &error))
        return xtf_cli_fail(error);
    return XTF_EXIT_DONE;
}

int xtf_command_model(int argc, char **argv)
{
    g_auto(Given) given = {.least = 1};
    g_auto(XtfProgramOptions) options = {0};
    g_autoptr(GError) error = NULL;
    const GOptionEntry entries[] = {
        {"parameter", 0, 0, G_OPTION_ARG_STRING_ARRAY, &given.parameters, "A size of the recorded run, for expressions",
         "NAME=NUMBER"},
        {"set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &given.turns,
         "Turns of a loop, by its label or first region: rows=N/P", "LOOP=EXPR"},
        {"work", 0, 0, G_OPTION_ARG_STRING_ARRAY, &given.work, "The own time of a region grows as EXPR: rows=N",
         "REGION=EXPR"},
        {"at", 0, 0, G_OPTION_ARG_STRING_ARRAY, &given.at, "Predict the time of another size", "P=8,N=128"},
        {"network", 0, 0, G_OPTION_ARG_STRING, &given.network,
         "Compute calls of MPI from a latency (s) and a bandwidth (B/s)", "LATENCY,BANDWIDTH"},
        {"region", 0, 0, G_OPTION_ARG_STRING, &given.region, "Model the time in a region, not that of the whole run",
         "REGION"},
        {"shortest", 0, 0, G_OPTION_ARG_NONE, &given.shortest,
         "Take of calls that make no calls the shortest time, not the mean", NULL},
        {"worst", 0, 0, G_OPTION_ARG_NONE, &given.worst, "Take the longest alternatives, and the most turns", NULL},
        {"least", 0, 0, G_OPTION_ARG_DOUBLE, &given.least, "Show calls from PERCENT of the time on (default: 1)",
         "PERCENT"},
        {"path", 'p', 0, G_OPTION_ARG_STRING, &given.path, "Model some processes, such as proc/0-3", "PATH"},
        XTF_INCOMPLETE_ENTRY(given.incomplete),
        {0},
    };

    if (!xtf_cli_parse(&argc, &argv, 1, "TRACE",
                       "Folds the calls of a run into loops and branches. Shows them, and the time of a process\n"
                       "as a formula of the number of processes P and of parameters.\n"
                       "\n"
                       "  xtf model run.xtf\n"
                       "  xtf model --parameter N=512 --work relax=N --at P=16 --at P=16,N=1024 run.xtf",
                       entries))
        return XTF_EXIT_USAGE;
    if (!(given.least >= 0 && given.least <= 100))
        g_set_error(&error, XTF_ERROR, XTF_ERROR_INVALID, "--least takes a percentage from 0 to 100");
    if (error || !interpret_options(&given, &options, &error)) {
        fprintf(stderr, "xtf: model: %s\n", error->message);
        return XTF_EXIT_USAGE;
    }
    return model_run(argv[1], &options, &given);
}
