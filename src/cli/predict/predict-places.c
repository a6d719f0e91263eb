#include "src/cli/predict/predict-places.h"

#include <inttypes.h>
#include <string.h>

#include "libxtf/error.h"
#include "src/cli/trace/archive-cache.h"
#include "src/trace/text/row-sink.h"
#include "src/tree/node/node.h"

enum { PROCESSORS_MAX = 8192 }; /* of a measured network */

/* ---- Maps. */

/* Parses two numbers and nothing else. */
static bool parse_pair(const char *line, uint64_t *first, uint64_t *second)
{
    g_auto(GStrv) words = g_strsplit_set(line, " \t", -1);
    uint64_t *numbers[] = {first, second};
    unsigned n = 0;

    for (char **word = words; *word; word++)
        if (**word && (n == 2 || !g_ascii_string_to_unsigned(*word, 10, 0, G_MAXUINT64, numbers[n++], NULL)))
            return false;
    return n == 2;
}

static bool add_line(const XtfReplay *replay, char *line, uint32_t *nodes, GError **error)
{
    uint64_t proc, node;
    char *comment = strchr(line, '#');

    if (comment)
        *comment = 0;
    if (g_strstrip(line)[0] == 0)
        return true;
    if (!parse_pair(line, &proc, &node) || node >= XTF_PREDICT_NODES_MAX)
        return xtf_fail(error, XTF_ERROR_INVALID, "a line of a map is a process and the number of its node, not '%s'",
                        line);
    uint32_t number = xtf_replay_process_number(replay, proc);
    if (number == UINT32_MAX)
        return xtf_fail(error, XTF_ERROR_INVALID, "the trace has no process %" PRIu64, proc);
    if (nodes[number] != UINT32_MAX)
        return xtf_fail(error, XTF_ERROR_INVALID, "process %" PRIu64 " has two nodes", proc);
    nodes[number] = (uint32_t)node;
    return true;
}

bool xtf_predict_read_map(const XtfPredict *predict, const char *path, uint32_t **nodes, GError **error)
{
    const XtfReplay *replay = xtf_predict_replay(predict);
    uint32_t n = xtf_replay_n_processes(replay);
    g_autofree uint32_t *all = g_new(uint32_t, (gsize)n + 1);
    g_autofree char *text = NULL;
    g_autoptr(GError) fault = NULL;

    if (!g_file_get_contents(path, &text, NULL, &fault))
        return xtf_fail(error, XTF_ERROR_IO, "%s", fault->message);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    memset(all, 0xff, n * sizeof *all);
    for (unsigned i = 0; lines[i]; i++)
        if (!add_line(replay, lines[i], all, error)) {
            g_prefix_error(error, "%s: line %u: ", path, i + 1);
            return false;
        }
    for (uint32_t i = 0; i < n; i++)
        if (all[i] == UINT32_MAX)
            return xtf_fail(error, XTF_ERROR_INVALID, "%s: process %" PRIu64 " has no node", path,
                            xtf_replay_process(replay, i)->proc);
    *nodes = g_steal_pointer(&all);
    return true;
}

/* ---- Measured networks. */

typedef struct {
    uint64_t from, to;
    double latency, per_byte; /* seconds */
} Pair;

typedef struct {
    GArray *pairs; /* Pair: measured ones, of different processors */
    uint64_t n;    /* processors */
} Fits;

static bool add_fit(const XtfRowCell *cells, void *data, GError **error)
{
    Fits *fits = data;
    const Pair pair = {.from = xtf_row_number(&cells[0]),
                       .to = xtf_row_number(&cells[1]),
                       .latency = MAX(xtf_row_real(&cells[2]), 0),
                       .per_byte = xtf_row_real(&cells[3])}; /* 0 if it is not known: bytes hardly matter */

    fits->n = MAX(fits->n, MAX(pair.from, pair.to) + 1);
    if (cells[2].type == XTF_ROW_REAL && pair.from != pair.to)
        g_array_append_val(fits->pairs, pair);
    return true;
}

static bool read_fits(const char *path, Fits *fits, GError **error)
{
    static const char *const names[] = {"sender", "receiver", "alpha_s", "beta_s_per_B"};
    XtfRowPicker picker = XTF_ROW_PICKER(names, add_fit, fits);
    const XtfRowSink sink = xtf_row_picker_sink(&picker);
    g_autoptr(XtfTree) tree = xtf_cli_open_tree(path, false, error);
    g_autoptr(XtfNode) node = tree ? xtf_cli_resolve(tree, "fit", path, error) : NULL;

    if (!node || !xtf_node_rows(node, &sink, error)) {
        g_prefix_error(error, "%s is no measured network: ", path);
        return false;
    }
    return (fits->pairs->len > 0 && fits->n <= PROCESSORS_MAX) ||
           xtf_fail(error, XTF_ERROR_INVALID, "%s has no measured pairs, or more than %u processors", path,
                    PROCESSORS_MAX);
}

static XtfLinkTimes times_of(const XtfPredict *predict, double latency, double per_byte)
{
    return (XtfLinkTimes){(uint64_t)(xtf_predict_parts(predict, latency) + 0.5), xtf_predict_parts(predict, per_byte)};
}

static void fill_network(const XtfPredict *predict, const Fits *fits, XtfPredictNetwork *network)
{
    const Pair *pairs = (const Pair *)(void *)fits->pairs->data;
    double latency = 0, per_byte = 0;
    uint32_t n = network->n = (uint32_t)fits->n;

    for (guint i = 0; i < fits->pairs->len; i++) {
        latency += pairs[i].latency / fits->pairs->len;
        per_byte += pairs[i].per_byte / fits->pairs->len;
    }
    network->mean = times_of(predict, latency, per_byte);
    network->pairs = g_new(XtfLinkTimes, (gsize)n * n);
    for (gsize i = 0; i < (gsize)n * n; i++)
        network->pairs[i] = network->mean;
    for (guint i = 0; i < fits->pairs->len; i++)
        network->pairs[pairs[i].from * n + pairs[i].to] = times_of(predict, pairs[i].latency, pairs[i].per_byte);
}

bool xtf_predict_read_network(const XtfPredict *predict, const char *path, XtfPredictNetwork *network, GError **error)
{
    Fits fits = {.pairs = g_array_new(FALSE, FALSE, sizeof(Pair))};
    bool good = read_fits(path, &fits, error);

    if (good)
        fill_network(predict, &fits, network);
    g_array_unref(fits.pairs);
    return good;
}

void xtf_predict_network_finish(XtfPredictNetwork *network)
{
    g_clear_pointer(&network->pairs, g_free);
}
