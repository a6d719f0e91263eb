/*
 * Imports a result of network_test. Each process becomes a location, with one row of `links` for each value measured
 * from it. A location's rows are ordered by length, receiver and statistic. The time of a row is the length of the
 * messages in bytes, so a path selects lengths the way it selects times.
 *
 * A file stores all senders of one length together, but the rows need all lengths of one sender. The import therefore
 * reads blocks: all lengths of some senders, at most BLOCK_BYTES.
 */
#include <math.h>
#include <string.h>

#include "src/import/definitions/process-numbers.h"
#include "src/import/job.h"
#include "src/network/import/importer.h"
#include "src/network/results/network.h"

enum {
    BLOCK_BYTES = 64 << 20,
    BLOCK_SENDERS_MAX = 256,
    CPU_THREAD = 1, /* index in xtf_location_types */
    PROCESS = 1,    /* index in xtf_process_types */
};

typedef struct {
    XtfImportJob *job;
    XtfNetwork *network;
    XtfDefinitions definitions;
    uint32_t first, n;                    /* the senders of the block */
    double *values[XTF_N_NETWORK_VALUES]; /* of the block, length by length; NULL: the result does not have them */
    uint32_t *clusters; /* cluster of each pair, receivers x senders, portion by portion; NULL: not clustered */
    uint64_t unmeasured, read;
} Import;

static uint32_t add_string(Import *import, const char *text)
{
    return xtf_definitions_intern_string(&import->definitions, text);
}

static void add_trace_property(Import *import, const char *name, const char *value)
{
    XtfPropertyRow row = {.name = add_string(import, name), .value = add_string(import, value)};

    xtf_definitions_add(&import->definitions, XTF_MODEL_PROPERTIES, &row);
}

static void add_number_property(Import *import, const char *name, int64_t value)
{
    g_autofree char *text = g_strdup_printf("%" PRId64, value);

    if (value >= 0)
        add_trace_property(import, name, text);
}

static void add_properties(Import *import, const char *id)
{
    const XtfNetwork *network = import->network;

    add_trace_property(import, "source", import->job->importer->name);
    add_trace_property(import, XTF_NETTEST_ID, id);
    add_trace_property(import, XTF_PROPERTY_CLOCK, XTF_CLOCK_BYTES);
    add_trace_property(import, "network.test", network->test);
    add_number_property(import, "network.processes", network->processes);
    add_number_property(import, "network.lengths", network->lengths);
    add_number_property(import, "network.begin", network->begin);
    add_number_property(import, "network.step", network->step);
    add_number_property(import, "network.end", network->end);
    add_number_property(import, "network.repeats", network->requested_repeats);
    add_number_property(import, "network.noise_length", network->noise_length);
    add_number_property(import, "network.noise_messages", network->noise_messages);
    add_number_property(import, "network.noise_processes", network->noise_processes);
    if (network->portions)
        add_number_property(import, "network.portions", network->portions->len);
}

static void add_portions(Import *import)
{
    const XtfNetwork *network = import->network;

    for (uint32_t k = 0; network->portions && k < network->portions->len; k++) {
        const XtfNetworkPortion *portion = &g_array_index(network->portions, XtfNetworkPortion, k);
        const XtfPortionRow row = {.from = (uint64_t)xtf_network_length(network, portion->begin),
                                   .to = (uint64_t)xtf_network_length(network, portion->end),
                                   .matrices = portion->end - portion->begin,
                                   .clusters = portion->clusters};
        xtf_definitions_add_part(&import->definitions, XTF_MODEL_PORTIONS, &row);
    }
}

/* Reads the cluster numbers of all pairs, for each portion of a clustered result. */
static bool read_clusters(Import *import, GError **error)
{
    XtfNetwork *network = import->network;
    size_t n_pairs = (size_t)network->processes * network->processes;
    uint32_t n = network->portions ? network->portions->len : 0;

    import->clusters = g_try_new(uint32_t, MAX(n_pairs * n, 1));
    if (!import->clusters)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE,
                        "not enough memory for the cluster numbers of all pairs of %u processes in %u portions",
                        network->processes, n);
    for (uint32_t k = 0; k < n; k++) {
        if (!xtf_network_read_clusters(network, k, import->clusters + k * n_pairs, error))
            return false;
        atomic_fetch_add(&import->job->shared->heartbeat, 1);
    }
    return true;
}

/* Adds the processes, their locations, and the hosts in the order in which the result first names them. */
static void add_processes(Import *import)
{
    const XtfNetwork *network = import->network;
    g_autoptr(GHashTable) hosts = g_hash_table_new(g_str_hash, g_str_equal);

    for (uint32_t p = 0; p < network->processes; p++) {
        const char *host = network->hosts ? network->hosts[p] : NULL;
        g_autofree char *name = g_strdup_printf("Rank %u", p);
        XtfProcessRow process = {.id = p,
                                 .type = PROCESS,
                                 .system_tree_node = XTF_NONE32,
                                 .creator = XTF_NONE32,
                                 .name = add_string(import, name)};
        XtfLocationRow location = {.id = p, .process = p, .type = CPU_THREAD, .name = process.name};
        gpointer node;
        if (host && !g_hash_table_lookup_extended(hosts, host, NULL, &node)) {
            XtfSystemTreeRow row = {.id = g_hash_table_size(hosts),
                                    .parent = XTF_NONE32,
                                    .class_name = add_string(import, "node"),
                                    .name = add_string(import, host)};
            node = GUINT_TO_POINTER(row.id);
            g_hash_table_insert(hosts, (gpointer)host, node);
            xtf_definitions_add(&import->definitions, XTF_MODEL_SYSTEM_TREE, &row);
        }
        if (host)
            process.system_tree_node = GPOINTER_TO_UINT(node);
        xtf_definitions_add(&import->definitions, XTF_MODEL_PROCESSES, &process);
        xtf_definitions_add(&import->definitions, XTF_MODEL_LOCATIONS, &location);
    }
}

static uint32_t values_per_pair(const Import *import, unsigned value)
{
    return value == XTF_NETWORK_REPEAT ? import->network->repeats : 1;
}

/* Returns the block's values of the length with index `i`. */
static double *values_at(const Import *import, unsigned value, uint32_t i)
{
    return import->values[value] + (size_t)i * import->network->processes * import->n * values_per_pair(import, value);
}

static bool read_block(Import *import, GError **error)
{
    XtfNetwork *network = import->network;

    for (unsigned value = 0; value < XTF_N_NETWORK_VALUES; value++)
        for (uint32_t i = 0; network->files[value] && i < xtf_network_lengths(network, value); i++) {
            if (!xtf_network_read_senders(network, value, i, import->first, import->n, values_at(import, value, i),
                                          error))
                return false;
            atomic_fetch_add(&import->job->shared->heartbeat, 1);
        }
    return true;
}

/* Appends the rows of one statistic from a sender to a receiver. Skips a 0 from a process to itself: nothing was
 * measured there. Counts as unmeasured NaN, and all values of a length that only other files of the result have. */
static bool append_values(Import *import, XtfStream *stream, unsigned value, uint32_t i, uint32_t receiver)
{
    uint32_t n_values = values_per_pair(import, value), sender = stream->location;

    if (i >= xtf_network_lengths(import->network, value)) {
        import->read += n_values;
        import->unmeasured += n_values;
        return true;
    }
    const double *values =
        values_at(import, value, i) + ((size_t)receiver * import->n + sender - import->first) * n_values;

    for (uint32_t k = 0; k < n_values; k++) {
        XtfLinksRow row = {.region = XTF_NONE32, .peer = receiver, .value = values[k]};
        if (receiver == sender && values[k] == 0)
            continue;
        import->read++;
        if (isnan(values[k]))
            import->unmeasured++;
        else if (!xtf_stream_append(stream, XTF_MODEL_LINKS, value, (uint64_t)xtf_network_length(import->network, i),
                                    &row))
            return false;
    }
    return true;
}

/* Appends the clusters of a sender's pairs if a portion begins at length `i`. */
static bool append_clusters(Import *import, XtfStream *stream, uint32_t i, uint32_t *portion)
{
    const XtfNetwork *network = import->network;
    size_t n_pairs = (size_t)network->processes * network->processes;
    bool good = true;

    if (!network->portions || *portion >= network->portions->len ||
        g_array_index(network->portions, XtfNetworkPortion, *portion).begin != i)
        return true;
    const uint32_t *clusters = import->clusters + *portion * n_pairs;
    for (uint32_t receiver = 0; receiver < network->processes && good; receiver++) {
        XtfLinkClustersRow row = {.time = (uint64_t)xtf_network_length(network, i),
                                  .seq = stream->seq,
                                  .peer = receiver,
                                  .cluster = clusters[(size_t)receiver * network->processes + stream->location]};
        good = xtf_stream_append_row(stream, XTF_MODEL_LINK_CLUSTERS, &row);
    }
    ++*portion;
    return good;
}

static bool append_sender(Import *import, XtfStream *stream, uint32_t sender, GError **error)
{
    const XtfNetwork *network = import->network;
    uint32_t portion = 0;
    bool good = true;

    xtf_stream_begin(stream, sender);
    for (uint32_t i = 0; i < network->lengths && good; i++) {
        good = append_clusters(import, stream, i, &portion);
        for (uint32_t receiver = 0; receiver < network->processes && good; receiver++)
            for (unsigned value = 0; value < XTF_N_NETWORK_VALUES && good; value++)
                good = !network->files[value] || append_values(import, stream, value, i, receiver);
    }
    good = xtf_stream_end(stream, error) && good;
    atomic_fetch_add(&import->job->shared->heartbeat, 1);
    atomic_store(&import->job->shared->per_million, (uint32_t)((sender + UINT64_C(1)) * 1000000 / network->processes));
    return good;
}

static bool refuse_size(const Import *import, GError **error)
{
    return xtf_fail(error, XTF_ERROR_TOO_LARGE,
                    "%s: not enough memory for the values of one process: %u lengths to each of %u processes",
                    import->job->anchor, import->network->lengths, import->network->processes);
}

/* Computes the memory, in bytes, for one statistic from one sender to all receivers, for all lengths. False if the
 * number overflows. */
static bool bytes_of_sender(const Import *import, unsigned value, uint64_t *bytes)
{
    const XtfNetwork *network = import->network;
    uint64_t pairs = (uint64_t)xtf_network_lengths(network, value) * network->processes;

    return !__builtin_mul_overflow(pairs, values_per_pair(import, value) * sizeof(double), bytes);
}

/* Computes how many senders fit a block (at least one), and allocates the block's memory. */
static bool make_block(Import *import, uint32_t *senders, GError **error)
{
    const XtfNetwork *network = import->network;
    uint64_t sender_bytes = 0, bytes;

    for (unsigned value = 0; value < XTF_N_NETWORK_VALUES; value++)
        if (network->files[value] &&
            (!bytes_of_sender(import, value, &bytes) || __builtin_add_overflow(sender_bytes, bytes, &sender_bytes)))
            return refuse_size(import, error);
    *senders = (uint32_t)CLAMP(BLOCK_BYTES / MAX(sender_bytes, 1), 1, MIN(BLOCK_SENDERS_MAX, network->processes));
    for (unsigned value = 0; value < XTF_N_NETWORK_VALUES; value++) {
        if (!network->files[value] || !bytes_of_sender(import, value, &bytes))
            continue;
        import->values[value] = g_try_malloc_n(MAX(bytes, 1), *senders);
        if (!import->values[value])
            return refuse_size(import, error);
    }
    return true;
}

static bool append_senders(Import *import, GError **error)
{
    XtfStream stream;
    uint32_t senders = 1;
    bool good = true;

    if (!make_block(import, &senders, error))
        return false;
    xtf_stream_init(&stream, import->job->writer, &import->definitions, import->job->schemas);
    for (; import->first < import->network->processes && good; import->first += import->n) {
        import->n = MIN(senders, import->network->processes - import->first);
        good = read_block(import, error);
        for (uint32_t k = 0; k < import->n && good; k++)
            good = append_sender(import, &stream, import->first + k, error);
    }
    xtf_import_count(import->job, &stream, import->read, import->network->processes);
    xtf_stream_finish(&stream);
    return good;
}

/* Returns the identity of the result: the SHA-256 of its first file. The caller frees it. */
static char *identity_of(const XtfNetwork *network, GError **error)
{
    unsigned value = 0;

    while (!network->files[value])
        value++;
    g_autofree char *path = xtf_network_path(network, value);
    g_autoptr(GMappedFile) file = g_mapped_file_new(path, FALSE, error);
    return file ? g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)g_mapped_file_get_contents(file),
                                              g_mapped_file_get_length(file))
                : NULL;
}

static void note_missing_values(Import *import)
{
    const XtfNetwork *network = import->network;

    if (network->shifted)
        xtf_import_note_repair(
            import->job,
            "the values are stored after their places, as one version of the authors' clustering program does: "
            "the import read them at their shifted places");
    import->job->report.left_out_events = import->unmeasured;
    if (import->unmeasured > 0)
        xtf_import_note_left_out(import->job, "values that were not measured (NaN, -1 or nothing): %" PRIu64,
                                 import->unmeasured);
}

static bool import_result(Import *import, GError **error)
{
    XtfImportJob *job = import->job;
    g_autofree char *id = identity_of(import->network, error);

    if (!id || !xtf_import_may_replace(job, id, error))
        return false;
    add_properties(import, id);
    add_processes(import);
    add_portions(import);
    xtf_number_processes(&import->definitions);
    if (!xtf_import_create_output(job, 1, 0, error) ||
        !xtf_definitions_resolve(&import->definitions, job->writer, error) || !read_clusters(import, error) ||
        !append_senders(import, error))
        return false;
    note_missing_values(import);
    xtf_import_store_remarks(job, &import->definitions);
    return xtf_definitions_write(&import->definitions, error) && xtf_writer_close(g_steal_pointer(&job->writer), error);
}

bool xtf_nettest_import(XtfImportJob *job, GError **error)
{
    g_autoptr(XtfNetwork) network = xtf_network_open(job->anchor, error);
    Import import = {.job = job, .network = network};

    if (!network)
        return false;
    xtf_definitions_init(&import.definitions);
    bool good = import_result(&import, error);
    job->report.definitions = import.definitions.count;
    for (unsigned value = 0; value < XTF_N_NETWORK_VALUES; value++)
        g_free(import.values[value]);
    g_free(import.clusters);
    xtf_definitions_finish(&import.definitions);
    return good;
}
