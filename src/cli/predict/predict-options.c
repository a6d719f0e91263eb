#include "src/cli/predict/predict-options.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "libxtf/error.h"
#include "libxtf/trace.h"
#include "libxtf/vocabulary.h"
#include "src/cli/ui/common.h"
#include "src/trace/context/name-index.h"
#include "src/trace/context/name-pattern.h"
#include "src/trace/typed/quantity.h"

#define FACTOR_MAX    1000.0
#define LATENCY_MAX   1000.0 /* seconds */
#define BANDWIDTH_MIN 1.0    /* bytes a second */

void xtf_predict_texts_finish(XtfPredictTexts *texts)
{
    char *all[] = {texts->latency,         texts->bandwidth,  texts->overhead,    texts->eager, texts->local_latency,
                   texts->local_bandwidth, texts->contention, texts->collectives, texts->map,   texts->network};

    for (gsize i = 0; i < G_N_ELEMENTS(all); i++)
        g_free(all[i]);
    g_strfreev(texts->cpu);
    g_strfreev(texts->regions);
}

/* ---- Numbers with units. */

/* Parses a time in seconds: "2us", "0". */
static bool parse_seconds(const char *option, const char *text, double *seconds, GError **error)
{
    const char *unit = xtf_quantity_number(text, seconds);
    bool is_zero = unit && !*unit && *seconds == 0;

    return is_zero || (xtf_quantity_parse(text, xtf_units_of_time, seconds) && *seconds <= LATENCY_MAX) ||
           xtf_fail(error, XTF_ERROR_INVALID, "--%s takes a time up to 1000 s, such as 2us, not '%s'", option, text);
}

/* Parses a bandwidth in bytes a second: "10G", "inf". */
static bool parse_bandwidth(const char *option, const char *text, double *bandwidth, GError **error)
{
    static const XtfUnit units[] = {{"", 1}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {NULL, 0}};

    if (g_str_equal(text, "inf")) {
        *bandwidth = INFINITY;
        return true;
    }
    return (xtf_quantity_parse(text, units, bandwidth) && *bandwidth >= BANDWIDTH_MIN) ||
           xtf_fail(error, XTF_ERROR_INVALID, "--%s takes bytes a second, such as 10G (10^10), or inf, not '%s'",
                    option, text);
}

static bool parse_factor(const char *option, const char *text, uint64_t *factor, GError **error)
{
    static const XtfUnit units[] = {{"", 1}, {NULL, 0}};
    double number;

    if (!xtf_quantity_parse(text, units, &number) || number > FACTOR_MAX)
        return xtf_fail(error, XTF_ERROR_INVALID, "--%s takes a factor from 0 to 1000, such as 0.5, not '%s'", option,
                        text);
    *factor = (uint64_t)(number * XTF_FACTOR_ONE + 0.5);
    return true;
}

/* ---- Factors. */

static bool set_region_factor(const char *text, const char **names, uint64_t n, uint32_t *factors, GError **error)
{
    const char *equals = strrchr(text, '=');
    uint64_t factor, found = 0;

    if (!equals)
        return xtf_fail(error, XTF_ERROR_INVALID, "--region takes NAME=FACTOR, such as solve=0.5, not '%s'", text);
    if (!parse_factor("region", equals + 1, &factor, error))
        return false;
    g_autofree char *name = g_strndup(text, (gsize)(equals - text));
    XtfNamePattern *pattern = xtf_name_pattern_new(name);
    for (uint64_t i = 0; pattern && i < n; i++)
        if (names[i] && xtf_name_pattern_fits(pattern, names[i])) {
            factors[i] = (uint32_t)factor;
            found++;
        }
    xtf_name_pattern_free(pattern);
    return found > 0 || xtf_fail(error, XTF_ERROR_INVALID, "no region has the name '%s' (--region)", name);
}

bool xtf_predict_region_factors(XtfTrace *trace, char **texts, uint32_t **factors, GError **error)
{
    g_autofree const char **names = NULL;
    g_autofree uint32_t *all = NULL;
    uint64_t n = 0;

    *factors = NULL;
    if (!texts)
        return true;
    if (!xtf_table_names(trace, XTF_TABLE_REGIONS, &names, &n, error))
        return false;
    n = names ? n : 0;
    all = g_new(uint32_t, n + 1);
    for (uint64_t i = 0; i < n; i++)
        all[i] = XTF_REPLAY_NO_FACTOR;
    for (char **text = texts; *text; text++)
        if (!set_region_factor(*text, names, n, all, error))
            return false;
    *factors = g_steal_pointer(&all);
    return true;
}

/* Sets the factor of the processes of a set, or of all if it is NULL. */
static bool set_process_factor(const XtfReplay *replay, const char *set, uint64_t factor, uint64_t *factors,
                               GError **error)
{
    uint32_t n = xtf_replay_n_processes(replay);
    g_autofree uint64_t *all = g_new(uint64_t, (gsize)n + 1);
    g_autoptr(XtfNumberSet) chosen = NULL;

    for (uint32_t i = 0; i < n; i++)
        all[i] = xtf_replay_process(replay, i)->proc;
    const XtfNumbers numbers = {.noun = "process", .all = all, .n = n};
    if (set && !(chosen = xtf_number_set_parse(&numbers, set, error)))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (!chosen || xtf_number_set_contains(chosen, all[i]))
            factors[i] = factor;
    return true;
}

bool xtf_predict_process_factors(const XtfPredict *predict, char **texts, uint64_t **factors, GError **error)
{
    const XtfReplay *replay = xtf_predict_replay(predict);
    g_autofree uint64_t *all = g_new(uint64_t, (gsize)xtf_replay_n_processes(replay) + 1);

    *factors = NULL;
    if (!texts)
        return true;
    for (uint32_t i = 0; i < xtf_replay_n_processes(replay); i++)
        all[i] = XTF_FACTOR_ONE;
    for (char **text = texts; *text; text++) {
        const char *equals = strrchr(*text, '=');
        g_autofree char *set = equals ? g_strndup(*text, (gsize)(equals - *text)) : NULL;
        uint64_t factor;
        if (!parse_factor("cpu", equals ? equals + 1 : *text, &factor, error) ||
            !set_process_factor(replay, set, factor, all, error))
            return false;
    }
    *factors = g_steal_pointer(&all);
    return true;
}

/* ---- The machine. */

static bool set_latency(const XtfPredict *predict, const char *option, const char *text, uint64_t *parts,
                        GError **error)
{
    double seconds;

    if (!text)
        return true;
    if (!parse_seconds(option, text, &seconds, error))
        return false;
    *parts = (uint64_t)(xtf_predict_parts(predict, seconds) + 0.5);
    return true;
}

static bool set_bandwidth(const XtfPredict *predict, const char *option, const char *text, double *per_byte,
                          GError **error)
{
    double bandwidth;

    if (!text)
        return true;
    if (!parse_bandwidth(option, text, &bandwidth, error))
        return false;
    *per_byte = isinf(bandwidth) ? 0 : xtf_predict_parts(predict, 1) / bandwidth;
    return true;
}

/* Sets a flag by one of two words. */
static bool set_choice(const char *option, const char *text, const char *yes, const char *no, bool *choice,
                       GError **error)
{
    if (!text)
        return true;
    *choice = g_str_equal(text, yes);
    return *choice || g_str_equal(text, no) ||
           xtf_fail(error, XTF_ERROR_INVALID, "--%s takes %s or %s, not '%s'", option, no, yes, text);
}

static bool set_eager(const char *text, XtfMachine *machine, GError **error)
{
    if (!text) {
        if (xtf_machine_is_ideal(machine))
            machine->eager = UINT64_MAX;
        return true;
    }
    if (g_str_equal(text, "inf"))
        machine->eager = UINT64_MAX;
    else if (!xtf_cli_parse_size(text, &machine->eager))
        return xtf_fail(error, XTF_ERROR_INVALID, "--eager takes bytes, such as 64K, or inf, not '%s'", text);
    return true;
}

/* Places each process on the processor of its own number, unless there is a map. */
static bool place_on_processors(const XtfPredict *predict, XtfPredictPlaces *places, GError **error)
{
    const XtfReplay *replay = xtf_predict_replay(predict);
    uint32_t n = xtf_replay_n_processes(replay);

    if (!places->nodes) {
        places->nodes = g_new(uint32_t, (gsize)n + 1);
        for (uint32_t i = 0; i < n; i++)
            places->nodes[i] = (uint32_t)MIN(xtf_replay_process(replay, i)->proc, UINT32_MAX);
    }
    for (uint32_t i = 0; i < n; i++)
        if (places->nodes[i] >= places->network.n)
            return xtf_fail(error, XTF_ERROR_INVALID,
                            "process %" PRIu64
                            " would be on processor %u of the network, which has %u: --map places it",
                            xtf_replay_process(replay, i)->proc, places->nodes[i], places->network.n);
    return true;
}

static bool read_places(const XtfPredict *predict, const XtfPredictTexts *texts, XtfPredictPlaces *places,
                        XtfMachine *machine, GError **error)
{
    if (texts->map && !xtf_predict_read_map(predict, texts->map, &places->nodes, error))
        return false;
    if (texts->network) {
        if (texts->latency || texts->bandwidth)
            return xtf_fail(error, XTF_ERROR_INVALID, "--network states the latency and the bandwidth, too");
        if (!xtf_predict_read_network(predict, texts->network, &places->network, error) ||
            !place_on_processors(predict, places, error))
            return false;
        machine->remote = places->network.mean;
        machine->pairs = places->network.pairs;
        machine->n_pairs = places->network.n;
    }
    machine->nodes = places->nodes;
    return true;
}

void xtf_predict_places_finish(XtfPredictPlaces *places)
{
    g_clear_pointer(&places->nodes, g_free);
    xtf_predict_network_finish(&places->network);
}

bool xtf_predict_machine(const XtfPredict *predict, const XtfPredictTexts *texts, XtfPredictPlaces *places,
                         XtfMachine *machine, GError **error)
{
    if (!read_places(predict, texts, places, machine, error) ||
        !set_latency(predict, "latency", texts->latency, &machine->remote.latency, error) ||
        !set_bandwidth(predict, "bandwidth", texts->bandwidth, &machine->remote.per_byte, error) ||
        !set_latency(predict, "overhead", texts->overhead, &machine->overhead, error))
        return false;
    machine->local = machine->remote;
    return set_latency(predict, "local-latency", texts->local_latency, &machine->local.latency, error) &&
           set_bandwidth(predict, "local-bandwidth", texts->local_bandwidth, &machine->local.per_byte, error) &&
           set_choice("contention", texts->contention, "nic", "none", &machine->contention, error) &&
           set_choice("collectives", texts->collectives, "formula", "messages", &machine->formula, error) &&
           set_eager(texts->eager, machine, error);
}
