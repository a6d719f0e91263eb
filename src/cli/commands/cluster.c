/*
 * xtf cluster: groups pairs of processors that communicate alike.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libxtf/error.h"
#include "src/cli/commands/commands.h"
#include "src/cli/ui/common.h"
#include "src/cli/ui/interrupts.h"
#include "src/cli/ui/print.h"
#include "src/cli/ui/progress.h"
#include "src/import/output.h"
#include "src/network/results/cluster-network.h"
#include "src/trace/typed/quantity.h"

#define TOOL   "xtf cluster " XTF_VERSION
#define ENDING ".nc"

typedef struct {
    const char *source;
    char *output, *data_output; /* paths of the files to write; NULL: not given */
    char *threshold, *drop, *of;
    gboolean two_files, average, force, quiet;
    int first, other;
    double precision;
    XtfClusterOptions cluster_options;
    XtfNetworkClusterOptions options;
} Cluster;

/* ---- The options. */

static const XtfUnit units_of_shares[] = {{"", 1}, {"%", 0.01}, {NULL, 0}};

static bool parse_threshold(const char *text, XtfThreshold *threshold)
{
    threshold->kind = XTF_THRESHOLD_RELATIVE;
    if (xtf_quantity_parse(text, units_of_shares, &threshold->value))
        return true;
    threshold->kind = XTF_THRESHOLD_ABSOLUTE;
    return xtf_quantity_parse(text, xtf_units_of_time, &threshold->value);
}

/* Returns the first fault of the options, NULL if they are right. */
static const char *parse_options(Cluster *cluster)
{
    XtfClusterOptions *cluster_options = &cluster->cluster_options;

    cluster_options->n_start = (uint32_t)cluster->first;
    cluster_options->n_step = (uint32_t)cluster->other;
    cluster_options->average = cluster->average;
    cluster->options.choose = !cluster->threshold && cluster->precision < 0;
    if (cluster->precision >= 0)
        cluster_options->threshold = (XtfThreshold){XTF_THRESHOLD_PRECISION, cluster->precision};
    bool threshold_parsed = !cluster->threshold || parse_threshold(cluster->threshold, &cluster_options->threshold);
    bool drop_parsed =
        xtf_quantity_parse(cluster->drop ? cluster->drop : "5%", units_of_shares, &cluster_options->drop);
    const struct {
        bool wrong;
        const char *message;
    } faults[] = {
        {cluster->threshold && cluster->precision >= 0, "--threshold and --precision exclude each other"},
        {!threshold_parsed, "--threshold is a share such as 15% or 0.15, or a time such as 50ns"},
        {cluster->precision != -1 && !(cluster->precision >= 0 && isfinite(cluster->precision)),
         "--precision is a number that is not negative"},
        {cluster_options->average && cluster_options->threshold.kind == XTF_THRESHOLD_ABSOLUTE,
         "an average of many lengths has no absolute threshold"},
        {!drop_parsed || cluster_options->drop > 1, "--drop is a share such as 5% or 0.05"},
        {cluster->first < 1 || cluster->other < 1, "--first and --other are at least 1"},
        {!cluster->output && (cluster->force || cluster->two_files), "--force and --two-files need -o"},
        {cluster->two_files && cluster->output && !g_str_has_suffix(cluster->output, ENDING),
         "with --two-files, -o takes NAME.nc, for NAME_info.nc and NAME_data.nc"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(faults); i++) {
        if (faults[i].wrong)
            return faults[i].message;
    }
    return NULL;
}

/* Changes the output NAME.nc to NAME_info.nc and NAME_data.nc. */
static void name_two_files(Cluster *cluster)
{
    g_autofree char *name = g_strndup(cluster->output, strlen(cluster->output) - strlen(ENDING));

    g_free(cluster->output);
    cluster->output = g_strconcat(name, XTF_NETWORK_INFO_ENDING, NULL);
    cluster->data_output = g_strconcat(name, XTF_NETWORK_DATA_ENDING, NULL);
}

static bool choose_value(Cluster *cluster, const XtfNetwork *network, GError **error)
{
    XtfNetworkValue value = XTF_NETWORK_AVERAGE;

    if (!cluster->of) {
        cluster->options.value = xtf_network_value_of(network, cluster->source);
        return true;
    }
    while (value < XTF_NETWORK_REPEAT && !g_str_equal(cluster->of, xtf_network_values[value]))
        value++;
    cluster->options.value = value;
    return value < XTF_NETWORK_REPEAT ||
           xtf_fail(error, XTF_ERROR_INVALID, "unknown values '%s': use average, median, deviation, min or amount",
                    cluster->of);
}

/* ---- The report. */

static void print_threshold(const XtfNetworkClusterReport *report, bool chosen)
{
    double value = report->threshold.value;

    printf("%-14s ", "threshold");
    if (report->threshold.kind == XTF_THRESHOLD_RELATIVE)
        printf("%.2f %%", value * 100);
    else if (report->threshold.kind == XTF_THRESHOLD_ABSOLUTE)
        printf("%g s", value);
    else
        printf("%g of a matrix' range", value);
    if (chosen && isnan(report->noise))
        fputs(", chosen; one length does not show its noise", stdout);
    else if (chosen)
        printf(", chosen for a noise of %.2f %%", report->noise * 100);
    putchar('\n');
}

static void print_cluster_report(const Cluster *cluster, const XtfNetwork *network,
                                 const XtfNetworkClusterReport *report)
{
    const XtfClusterReport *found = &report->clusters;

    printf("%-14s %" PRIu32 ", %s values\n", "processors", network->processes,
           xtf_network_values[cluster->options.value]);
    printf("%-14s %" PRIu32, "lengths", network->lengths);
    if (network->lengths > 0)
        printf(", %" PRId64 " to %" PRId64 " B", network->begin, xtf_network_length(network, network->lengths - 1));
    putchar('\n');
    print_threshold(report, cluster->options.choose);
    printf("%-14s %" PRIu32 "\n", "portions", found->portions);
    printf("%-14s %" PRIu64 ", %" PRIu64 " values for %" PRIu64 "\n", "clusters", found->clusters, found->values,
           found->measured);
    printf("%-14s %.2f %% on average, %.2f %% at most; %.2f %% of the values are more than %g %% off\n", "error",
           found->mean_error * 100, found->greatest_error * 100,
           found->measured > 0 ? (double)found->far_off / (double)found->measured * 100 : 0, XTF_FAR_OFF * 100);
    if (found->filled > 0)
        printf("%-14s %" PRIu64 " values that were not measured have one, that of their cluster\n", "filled",
               found->filled);
    if (report->after > 0)
        printf("%-14s %" PRIu64 " bytes instead of %" PRIu64 ": %.1f times smaller\n", "size", report->after,
               report->before, (double)report->before / (double)report->after);
    else
        puts("Nothing was written: -o OUT.nc says where to.");
}

/* ---- The work. */

static void show_cluster_progress(void *data, uint64_t done, uint64_t total)
{
    xtf_progress_update(data, done, total, done);
}

/* Writes both files, or none. The file with values is renamed first, and removed again if the other one cannot be. An
 * older file of values is lost then; it would not match the other file anyway. */
static bool write_outputs(Cluster *cluster, XtfNetwork *network, XtfNetworkClusterReport *report, GError **error)
{
    XtfOutput *info = xtf_output_begin(cluster->output, cluster->source, error);
    XtfOutput *data = NULL;

    if (!info)
        return false;
    if (cluster->data_output && !(data = xtf_output_begin(cluster->data_output, cluster->source, error)))
        return xtf_output_end(info, false, error);
    cluster->options.info = (XtfClusteredOutput){info->path, info->final_path};
    if (data)
        cluster->options.data = (XtfClusteredOutput){data->path, data->final_path};
    bool good = xtf_network_cluster(network, &cluster->cluster_options, &cluster->options, report, error);
    good = good && xtf_output_sync(info, error);
    if (data)
        good = xtf_output_end(data, good, error);
    if (xtf_output_end(info, good, error))
        return true;
    if (data && good)
        unlink(cluster->data_output);
    return false;
}

static bool is_in_the_way(const Cluster *cluster, const char *path, GError **error)
{
    return path && !cluster->force && g_file_test(path, G_FILE_TEST_EXISTS) &&
           !xtf_fail(error, XTF_ERROR_INVALID, "'%s' exists already: --force replaces it", path);
}

static bool cluster_network(Cluster *cluster, GError **error)
{
    XtfNetworkClusterReport report;
    XtfInterrupts interrupts;

    if (is_in_the_way(cluster, cluster->output, error) || is_in_the_way(cluster, cluster->data_output, error))
        return false;
    g_autoptr(XtfNetwork) network = xtf_network_open(cluster->source, error);
    if (!network || !choose_value(cluster, network, error))
        return false;
    XtfProgress *progress = xtf_progress_new("clustering", "matrices", cluster->quiet);
    cluster->cluster_options.progress = show_cluster_progress;
    cluster->cluster_options.data = progress;
    cluster->cluster_options.cancel = xtf_interrupts_catch(&interrupts);
    bool good = cluster->output
                    ? write_outputs(cluster, network, &report, error)
                    : xtf_network_cluster(network, &cluster->cluster_options, &cluster->options, &report, error);
    xtf_interrupts_release(&interrupts);
    xtf_progress_finish(progress);
    if (good && !cluster->quiet)
        print_cluster_report(cluster, network, &report);
    return good;
}

static bool parse_arguments(Cluster *cluster, int *argc, char ***argv)
{
    const GOptionEntry entries[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &cluster->output, "Write the clusters to a netCDF file", "OUT.nc"},
        {"two-files", '2', 0, G_OPTION_ARG_NONE, &cluster->two_files, "Write two files, OUT_info.nc and OUT_data.nc",
         NULL},
        {"force", 'f', 0, G_OPTION_ARG_NONE, &cluster->force, "Replace OUT.nc if it exists", NULL},
        {"threshold", 't', 0, G_OPTION_ARG_STRING, &cluster->threshold,
         "Greatest distance in a cluster: 15%, 0.15, 50ns (default: by the noise)", "R"},
        {"precision", 'p', 0, G_OPTION_ARG_DOUBLE, &cluster->precision, "The same, as a share of a matrix's range",
         "P"},
        {"first", 0, 0, G_OPTION_ARG_INT, &cluster->first, "Lengths in a portion at first (default: 5)", "N"},
        {"other", 0, 0, G_OPTION_ARG_INT, &cluster->other, "Lengths added to a portion at a time (default: 4)", "N"},
        {"drop", 0, 0, G_OPTION_ARG_STRING, &cluster->drop, "Share of pairs that may leave their cluster (default: 5%)",
         "SHARE"},
        {"average", 'a', 0, G_OPTION_ARG_NONE, &cluster->average,
         "Cluster the mean of a portion's lengths, which separates closer classes", NULL},
        {"of", 0, 0, G_OPTION_ARG_STRING, &cluster->of,
         "Cluster other values: average, median, min, deviation or amount", "VALUES"},
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &cluster->quiet, "Show no progress and no summary", NULL},
        {0},
    };

    return xtf_cli_parse(
        argc, argv, 1, "NET.nc",
        "Finds the pairs of processors that communicate alike in a result of network_test, and stores one\n"
        "value for all pairs of a cluster. NET.nc is a file of the result; its values are clustered.\n"
        "Without -o, shows only a summary.\n"
        "\n"
        "  xtf cluster -o small.nc network_median.nc",
        entries);
}

int xtf_command_cluster(int argc, char **argv)
{
    Cluster cluster = {.first = 5, .other = 4, .precision = -1};
    GError *error = NULL;
    int status = XTF_EXIT_USAGE;

    cluster.options.program = TOOL;
    if (parse_arguments(&cluster, &argc, &argv)) {
        const char *fault = parse_options(&cluster);
        cluster.source = argv[1];
        if (fault) {
            fprintf(stderr, "xtf: cluster: %s (see xtf cluster --help)\n", fault);
        } else {
            if (cluster.two_files)
                name_two_files(&cluster);
            status = cluster_network(&cluster, &error) ? XTF_EXIT_DONE : xtf_cli_fail(error);
        }
    }
    g_free(cluster.output);
    g_free(cluster.data_output);
    g_free(cluster.threshold);
    g_free(cluster.drop);
    g_free(cluster.of);
    return status;
}
