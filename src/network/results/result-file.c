/*
 * Opens a file of a result: reads its scalar variables and finds the matrices.
 */

#include "src/network/results/file.h"
#include "src/network/results/netcdf-library.h"

enum {
    NOT_STATED = -1,
    TEXT_MAX = 4096,
};

/* Reads a variable that is a text in some files and a number in others. Returns NULL if it is not a text. The caller
 * frees the string. */
static char *read_text_variable(const XtfNetcdf *netcdf, int variable)
{
    g_autoptr(GError) error = NULL;
    uint64_t length;

    if (!xtf_netcdf_shape(netcdf, variable, NC_CHAR, 1, &length, &error) || length > TEXT_MAX)
        return NULL;
    g_autofree char *text = g_malloc0(length + 1);
    return nc_get_var_text(netcdf->id, variable, text) == NC_NOERR ? g_utf8_make_valid(text, -1) : NULL;
}

static bool get_test(XtfNetworkFile *file, const char *prefix, GError **error)
{
    /* id.h and string_id_converters.h of network_test */
    static const char *const tests[] = {
        "unknown", "one_to_one", "all_to_all", "async_one_to_one", "send_recv_and_recv_send", "noise", "noise_blocking",
        "bcast",   "put",        "get"};
    int variable = xtf_netcdf_variable(&file->netcdf, prefix, "test_type");
    int64_t number;

    if (variable >= 0 && (file->test = read_text_variable(&file->netcdf, variable)))
        return true;
    if (!xtf_netcdf_number(&file->netcdf, prefix, "test_type", 0, &number, error))
        return false;
    file->test = number >= 0 && number < (int64_t)G_N_ELEMENTS(tests) ? g_strdup(tests[number])
                                                                      : g_strdup_printf("%" PRId64, number);
    return true;
}

/* Returns the first kind of values, of average, median, deviation and min, whose name begins with `text`. Returns the
 * average if there is none. The authors' clustering program cuts the text to one letter per portion. */
static XtfNetworkValue value_of_text(const char *text)
{
    unsigned value = XTF_NETWORK_AVERAGE;

    while (value < XTF_NETWORK_AMOUNT && (*text == '\0' || !g_str_has_prefix(xtf_network_values[value], text)))
        value++;
    return value < XTF_NETWORK_AMOUNT ? value : XTF_NETWORK_AVERAGE;
}

static bool get_value(XtfNetworkFile *file, const char *prefix, GError **error)
{
    static const uint8_t values[] = {[1] = XTF_NETWORK_AVERAGE, [2] = XTF_NETWORK_MEDIAN, [3] = XTF_NETWORK_DEVIATION,
                                     [4] = XTF_NETWORK_MIN,     [5] = XTF_NETWORK_REPEAT, [6] = XTF_NETWORK_AMOUNT};
    int variable = xtf_netcdf_variable(&file->netcdf, prefix, "data_type");
    g_autofree char *text = variable >= 0 ? read_text_variable(&file->netcdf, variable) : NULL;
    int64_t number;

    if (text) {
        file->value = value_of_text(text);
        return true;
    }
    if (!xtf_netcdf_number(&file->netcdf, prefix, "data_type", 1, &number, error))
        return false;
    if (number < 1 || number >= (int64_t)G_N_ELEMENTS(values))
        return xtf_damaged(error, "%s: the variable data_type is %" PRId64 "; it must be 1 to 6", file->netcdf.path,
                           number);
    file->value = values[number];
    return true;
}

static bool get_facts(XtfNetworkFile *file, const char *prefix, GError **error)
{
    const XtfNetcdf *netcdf = &file->netcdf;

    return get_test(file, prefix, error) && get_value(file, prefix, error) &&
           xtf_netcdf_number(netcdf, prefix, "begin_mes_length", XTF_NETCDF_REQUIRED, &file->begin, error) &&
           xtf_netcdf_number(netcdf, prefix, "step_length", XTF_NETCDF_REQUIRED, &file->step, error) &&
           xtf_netcdf_number(netcdf, prefix, "end_mes_length", NOT_STATED, &file->end, error) &&
           xtf_netcdf_number(netcdf, prefix, "num_repeates", NOT_STATED, &file->requested_repeats, error) &&
           xtf_netcdf_number(netcdf, prefix, "noise_mes_length", NOT_STATED, &file->noise_length, error) &&
           xtf_netcdf_number(netcdf, prefix, "num_noise_mes", NOT_STATED, &file->noise_messages, error) &&
           xtf_netcdf_number(netcdf, prefix, "num_noise_proc", NOT_STATED, &file->noise_processes, error);
}

static bool check_lengths(const XtfNetworkFile *file, GError **error)
{
    if (file->begin < 0 || (file->lengths > 1 && file->step <= 0))
        return xtf_damaged(error,
                           "%s: its message lengths begin at %" PRId64 " with a step of %" PRId64
                           ": they must ascend from 0 or more",
                           file->netcdf.path, file->begin, file->step);
    return true;
}

/* Reads the shape of `data(n, x, y)`, or of `data(n, x, y, z)` with all measurements. */
static bool open_matrices(XtfNetworkFile *file, GError **error)
{
    const XtfNetcdf *netcdf = &file->netcdf;
    uint64_t shape[4] = {0};
    int64_t stated;
    int n_dimensions = 0;

    if (!xtf_netcdf_succeeded(netcdf, nc_inq_varndims(netcdf->id, file->data, &n_dimensions), "data", error) ||
        !xtf_netcdf_shape(netcdf, file->data, NC_DOUBLE, n_dimensions == 4 ? 4 : 3, shape, error) ||
        !xtf_netcdf_number(netcdf, "", "proc_num", XTF_NETCDF_REQUIRED, &stated, error) ||
        !xtf_network_file_set_processes(file, stated, shape[1], shape[2], error))
        return false;
    if (shape[0] > UINT32_MAX || shape[3] > UINT32_MAX)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE,
                        "%s: has %" PRIu64 " lengths, and %" PRIu64 " values for each pair; at most %u are supported",
                        netcdf->path, shape[0], MAX(shape[3], 1), UINT32_MAX);
    file->lengths = shape[0];
    if (n_dimensions == 4) {
        file->value = XTF_NETWORK_REPEAT;
        file->repeats = shape[3];
    } else if (file->value == XTF_NETWORK_REPEAT)
        return xtf_damaged(error, "%s: its data_type 5 means each measurement, but it has one value for each pair",
                           netcdf->path);
    return check_lengths(file, error);
}

static const char *clustered_prefix(const XtfNetcdf *netcdf)
{
    if (xtf_netcdf_variable(netcdf, "a", "info") >= 0)
        return "a";
    return xtf_netcdf_variable(netcdf, "", "info") >= 0 ? "" : NULL;
}

static bool open_kind(XtfNetworkFile *file, GError **error)
{
    const char *prefix = clustered_prefix(&file->netcdf);

    if (prefix)
        return get_facts(file, prefix, error) && xtf_clustered_open(file, prefix, error) && check_lengths(file, error);
    file->data = xtf_netcdf_variable(&file->netcdf, "", "data");
    if (file->data < 0)
        return xtf_fail(error, XTF_ERROR_NOT_XTF,
                        "%s: is netCDF, but no result of network_test: it has neither data nor info",
                        file->netcdf.path);
    file->fill = xtf_netcdf_fill(&file->netcdf, file->data);
    return get_facts(file, "", error) && open_matrices(file, error);
}

XtfNetworkFile *xtf_network_file_open(const char *path, GError **error)
{
    g_autoptr(XtfNetworkFile) file = g_new0(XtfNetworkFile, 1);
    g_autofree char *info = xtf_network_sibling(path, XTF_NETWORK_DATA_ENDING, XTF_NETWORK_INFO_ENDING);

    if (info && !g_file_test(info, G_FILE_TEST_EXISTS))
        g_clear_pointer(&info, g_free);
    if (!xtf_netcdf_open(&file->netcdf, info ? info : path, error) || !open_kind(file, error))
        return NULL;
    return g_steal_pointer(&file);
}

void xtf_network_file_free(XtfNetworkFile *file)
{
    if (!file)
        return;
    xtf_netcdf_close(&file->netcdf);
    xtf_clustered_free(file->clustered);
    g_free(file->test);
    g_free(file);
}
