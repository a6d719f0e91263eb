#include "src/network/results/network.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "libxtf/source.h"
#include "src/network/results/file.h"
#include "src/network/results/netcdf-library.h"

enum {
    HOST_NAME_MAX_BYTES = 256,
};

static bool load_hosts(XtfNetwork *network, const char *path, GError **error)
{
    g_autofree char *hosts = xtf_network_hosts_of(path);
    g_autofree char *text = NULL;
    uint64_t size;
    size_t length;

    if (!g_file_test(hosts, G_FILE_TEST_EXISTS))
        return true;
    int fd = xtf_file_open(hosts, &size, error);
    if (fd < 0)
        return false;
    close(fd);
    if (size > (uint64_t)network->processes * HOST_NAME_MAX_BYTES)
        return xtf_damaged(error, "%s: has %" PRIu64 " bytes, too many for the names of %u hosts", hosts, size,
                           network->processes);
    if (!g_file_get_contents(hosts, &text, &length, error))
        return false;
    g_autofree char *clean = g_utf8_make_valid(text, (gssize)length);
    g_auto(GStrv) names = g_strsplit(g_strchomp(clean), "\n", -1);
    for (char **name = names; *name; name++)
        g_strstrip(*name);
    if (g_strv_length(names) != network->processes)
        return xtf_damaged(error, "%s: names %u hosts, but the test has %u processes", hosts, g_strv_length(names),
                           network->processes);
    network->hosts = g_steal_pointer(&names);
    return true;
}

/* Sets the facts of the result from its first file. */
static void set_facts(XtfNetwork *network, XtfNetworkFile *file)
{
    network->processes = file->processes;
    network->begin = file->begin;
    network->step = file->step;
    network->end = file->end;
    network->requested_repeats = file->requested_repeats;
    network->noise_length = file->noise_length;
    network->noise_messages = file->noise_messages;
    network->noise_processes = file->noise_processes;
    network->test = g_strdup(file->test);
    if (file->clustered) {
        network->portions = g_array_ref(file->clustered->portions);
        network->shifted = file->clustered->shifted;
    }
}

/* Adds a file, of which the result takes ownership. The files of a stopped test have different numbers of lengths; a
 * length that a file lacks was not measured. */
static bool add_file(XtfNetwork *network, XtfNetworkFile *new_file, GError **error)
{
    g_autoptr(XtfNetworkFile) file = new_file;
    const XtfNetworkFile *same_values = network->files[file->value];

    if (same_values)
        return xtf_damaged(error, "%s and %s: both have the %s values of the test", same_values->netcdf.path,
                           file->netcdf.path, xtf_network_values[file->value]);
    if (!network->test)
        set_facts(network, file);
    else if (file->processes != network->processes || file->begin != network->begin || file->step != network->step ||
             strcmp(file->test, network->test) != 0)
        return xtf_damaged(error,
                           "%s: is a result of another test (%s, %u processes, lengths from %" PRId64 " by %" PRId64
                           ") than the files beside it (%s, %u processes, lengths from %" PRId64 " by %" PRId64 ")",
                           file->netcdf.path, file->test, file->processes, file->begin, file->step, network->test,
                           network->processes, network->begin, network->step);
    else if (file->clustered || network->portions)
        return xtf_damaged(error, "%s: is clustered, but the other files of the result are not: rename it",
                           file->netcdf.path);
    network->lengths = MAX(network->lengths, file->lengths);
    network->repeats = MAX(network->repeats, file->repeats);
    XtfNetworkValue value = file->value; /* read before the pointer is cleared */
    network->files[value] = g_steal_pointer(&file);
    return true;
}

static bool add_siblings(XtfNetwork *network, const char *path, GError **error)
{
    for (unsigned value = 0; value < XTF_N_NETWORK_VALUES; value++) {
        g_autofree char *sibling = xtf_network_file_of(path, value);
        XtfNetworkFile *file;
        if (!sibling || strcmp(sibling, path) == 0 || !g_file_test(sibling, G_FILE_TEST_EXISTS))
            continue;
        if (!(file = xtf_network_file_open(sibling, error)) || !add_file(network, file, error))
            return false;
    }
    return true;
}

XtfNetwork *xtf_network_open(const char *path, GError **error)
{
    g_autoptr(XtfNetwork) network = g_new0(XtfNetwork, 1);
    XtfNetworkFile *file = xtf_network_file_open(path, error);

    if (!file || !add_file(network, file, error))
        return NULL;
    if (!network->portions && !add_siblings(network, path, error))
        return NULL;
    return load_hosts(network, path, error) ? g_steal_pointer(&network) : NULL;
}

char *xtf_network_path(const XtfNetwork *network, XtfNetworkValue value)
{
    return network->files[value] ? g_strdup(network->files[value]->netcdf.path) : NULL;
}

uint32_t xtf_network_lengths(const XtfNetwork *network, XtfNetworkValue value)
{
    return network->files[value]->lengths;
}

void xtf_network_free(XtfNetwork *network)
{
    if (!network)
        return;
    for (unsigned value = 0; value < XTF_N_NETWORK_VALUES; value++)
        xtf_network_file_free(network->files[value]);
    g_clear_pointer(&network->portions, g_array_unref);
    g_strfreev(network->hosts);
    g_free(network->test);
    g_free(network);
}

/* A part of a matrix: the values of senders `first` to `first + n - 1`. */
typedef struct {
    uint32_t i, first, n, n_values; /* n_values: for each pair */
} Part;

/* Replaces values that were not measured by NaN. Fails on other negative or infinite values. */
static bool check_values(const XtfNetworkFile *file, const Part *part, double *values, GError **error)
{
    uint64_t n = (uint64_t)file->processes * part->n * part->n_values;

    for (uint64_t k = 0; k < n; k++) {
        if (isnan(values[k]) || values[k] == -1 || values[k] == file->fill)
            values[k] = NAN;
        else if (values[k] < 0 || isinf(values[k])) {
            uint64_t pair = k / part->n_values;
            return xtf_damaged(error,
                               "%s: the %s value from %" PRIu64 " to %" PRIu64 " at %" PRId64
                               " bytes is %g: times must be finite and not negative",
                               file->netcdf.path, xtf_network_values[file->value], part->first + pair % part->n,
                               pair / part->n, file->begin + part->i * file->step, values[k]);
        }
    }
    return true;
}

static bool read_senders(XtfNetworkFile *file, const Part *part, double *values, GError **error)
{
    const size_t start[] = {part->i, 0, part->first, 0}, count[] = {1, file->processes, part->n, part->n_values};

    if (file->clustered)
        return xtf_clustered_read(file, part->i, part->first, part->n, values, error);
    return xtf_netcdf_succeeded(&file->netcdf, nc_get_vara_double(file->netcdf.id, file->data, start, count, values),
                                "data", error);
}

bool xtf_network_read_senders(XtfNetwork *network, XtfNetworkValue value, uint32_t i, uint32_t first, uint32_t n,
                              double *values, GError **error)
{
    XtfNetworkFile *file = network->files[value];
    const Part part = {i, first, n, value == XTF_NETWORK_REPEAT ? network->repeats : 1};

    if (i < file->lengths && part.n_values > 0)
        return read_senders(file, &part, values, error) && check_values(file, &part, values, error);
    for (uint64_t k = 0; k < (uint64_t)network->processes * n * part.n_values; k++)
        values[k] = NAN;
    return true;
}

bool xtf_network_read(XtfNetwork *network, XtfNetworkValue value, uint32_t i, double *matrix, GError **error)
{
    return xtf_network_read_senders(network, value, i, 0, network->processes, matrix, error);
}

bool xtf_network_read_clusters(XtfNetwork *network, uint32_t portion, uint32_t *numbers, GError **error)
{
    for (unsigned value = 0; value < XTF_N_NETWORK_VALUES; value++)
        if (network->files[value])
            return xtf_clustered_numbers(network->files[value], portion, numbers, error);
    return xtf_fail(error, XTF_ERROR_INVALID, "the result is not clustered");
}
