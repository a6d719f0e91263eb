/*
 * Reader of clustered results: for each portion of the lengths, one curve for all pairs of a cluster.
 *
 * In the paper's format, `info(n, x, y)` has the place in `data(d)` where the curve of a pair begins. `length(n)` has
 * the message length at the left border of each portion.
 *
 * The authors' program puts an `a` before each name. Its `alength` is the exclusive right border of the portion,
 * counted in matrices. One version of the program has a fault: it shifts the values. It adds the number of the matrix
 * to the place from `ainfo`, instead of the matrix's distance from the left border. A shifted file is recognized by its
 * `adata`, which is longer by the left border of the last portion.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/network/results/file.h"
#include "src/network/results/netcdf-library.h"

static int compare_starts(const void *a, const void *b)
{
    int32_t left = *(const int32_t *)a, right = *(const int32_t *)b;

    return (left > right) - (left < right);
}

static uint64_t pairs_of(const XtfNetworkFile *file)
{
    return (uint64_t)file->processes * file->processes;
}

static XtfNetworkPortion *portion_at(const XtfClustered *clustered, uint32_t k)
{
    return &g_array_index(clustered->portions, XtfNetworkPortion, k);
}

static bool load_starts(XtfNetworkFile *file, uint32_t k, GError **error)
{
    XtfClustered *clustered = file->clustered;
    const size_t start[] = {k, 0, 0}, count[] = {1, file->processes, file->processes};

    if (clustered->loaded_portion == k)
        return true;
    clustered->loaded_portion = UINT32_MAX;
    if (!xtf_netcdf_succeeded(&file->netcdf,
                              nc_get_vara_int(file->netcdf.id, clustered->info, start, count, clustered->starts),
                              "info", error))
        return false;
    clustered->loaded_portion = k;
    return true;
}

/* Returns the places where the curves of the loaded portion begin: ascending, without duplicates. The caller frees the
 * array. */
static int32_t *sorted_starts(const XtfNetworkFile *file, uint32_t *n)
{
    uint64_t pairs = pairs_of(file);
    int32_t *starts = g_memdup2(file->clustered->starts, pairs * sizeof *starts);

    qsort(starts, pairs, sizeof *starts, compare_starts);
    *n = 1;
    for (uint64_t i = 1; i < pairs; i++)
        if (starts[i] != starts[i - 1])
            starts[(*n)++] = starts[i];
    return starts;
}

static bool count_clusters(XtfNetworkFile *file, GError **error)
{
    XtfClustered *clustered = file->clustered;

    for (uint32_t k = 0; k < clustered->portions->len; k++) {
        if (!load_starts(file, k, error))
            return false;
        g_autofree int32_t *starts = sorted_starts(file, &portion_at(clustered, k)->clusters);
    }
    return true;
}

/* Checks that all curves of all portions lie inside `data`. */
static bool check_starts(XtfNetworkFile *file, GError **error)
{
    XtfClustered *clustered = file->clustered;

    for (uint32_t k = 0; k < clustered->portions->len; k++) {
        const XtfNetworkPortion *portion = portion_at(clustered, k);
        uint32_t first = clustered->shifted ? portion->begin : 0, n = portion->end - portion->begin;
        if (!load_starts(file, k, error))
            return false;
        for (uint64_t i = 0; i < pairs_of(file); i++)
            if (clustered->starts[i] < 0 || (uint64_t)clustered->starts[i] + first + n > clustered->n_curves)
                return xtf_damaged(
                    error,
                    "%s: info of portion %u, receiver %" PRIu64 ", sender %" PRIu64
                    " is %d: not all values from there on, of %u matrices, are in data, which has %" PRIu64,
                    file->netcdf.path, k, i / file->processes, i % file->processes, clustered->starts[i], n,
                    clustered->n_curves);
    }
    return true;
}

/* Returns the number of values in the curves of the first `n` portions. */
static uint64_t count_values(const XtfClustered *clustered, uint32_t n)
{
    uint64_t sum = 0;

    for (uint32_t k = 0; k < n; k++) {
        const XtfNetworkPortion *portion = portion_at(clustered, k);
        sum += (uint64_t)portion->clusters * (portion->end - portion->begin);
    }
    return sum;
}

static bool refuse_borders(const XtfNetworkFile *file, GError **error)
{
    return xtf_damaged(error, "%s: the borders of its portions do not ascend, or are not message lengths of the test",
                       file->netcdf.path);
}

/* Sets the portions' borders from `alength`: exclusive right borders, counted in matrices. */
static bool set_authors_borders(XtfNetworkFile *file, const int32_t *borders, GError **error)
{
    int32_t left = 0;

    for (uint32_t k = 0; k < file->clustered->portions->len; k++) {
        if (borders[k] <= left)
            return refuse_borders(file, error);
        *portion_at(file->clustered, k) = (XtfNetworkPortion){.begin = left, .end = borders[k]};
        left = borders[k];
    }
    file->lengths = left;
    return true;
}

/* Computes the number of matrices of a file that does not state it. The last portion has the values of `data` that no
 * earlier portion has. */
static bool deduce_lengths(XtfNetworkFile *file, GError **error)
{
    XtfClustered *clustered = file->clustered;
    uint32_t last = clustered->portions->len - 1;
    const XtfNetworkPortion *portion = portion_at(clustered, last);
    uint64_t before = count_values(clustered, last), remaining;

    if (__builtin_sub_overflow(clustered->n_curves, before, &remaining) || remaining == 0 ||
        remaining % portion->clusters != 0 || remaining / portion->clusters > INT32_MAX - portion->begin)
        return xtf_damaged(error,
                           "%s: data has %" PRIu64 " values; the portions before the last need %" PRIu64
                           ", and the rest cannot fill the %u clusters of the last one evenly",
                           file->netcdf.path, clustered->n_curves, before, portion->clusters);
    file->lengths = portion->begin + remaining / portion->clusters;
    return true;
}

/* Finds the number of matrices, by the file's attribute `matrices` or by the number of values. The first matrix
 * of each portion must be set. */
static bool find_lengths(XtfNetworkFile *file, GError **error)
{
    XtfNetworkPortion *last = portion_at(file->clustered, file->clustered->portions->len - 1);
    double matrices, right_border;

    if (!xtf_netcdf_attribute(&file->netcdf, NC_GLOBAL, "matrices", NAN, &matrices, error) ||
        !xtf_netcdf_attribute(&file->netcdf, NC_GLOBAL, "right_border", NAN, &right_border, error))
        return false;
    if (isnan(matrices)) {
        if (!deduce_lengths(file, error))
            return false;
    } else if (!(matrices > last->begin && matrices <= INT32_MAX) || matrices != floor(matrices))
        return refuse_borders(file, error);
    else
        file->lengths = (uint32_t)matrices;
    last->end = file->lengths;
    return true;
}

/* Sets the portions' borders from `length`: the message lengths at the left borders. */
static bool set_paper_borders(XtfNetworkFile *file, const int32_t *borders, GError **error)
{
    XtfClustered *clustered = file->clustered;
    uint32_t n = clustered->portions->len;

    if (file->step <= 0 && n > 1)
        return refuse_borders(file, error);
    for (uint32_t k = 0; k < n; k++) {
        int64_t offset = borders[k] - file->begin, step = MAX(file->step, 1);
        uint32_t begin = offset / step;
        if (offset < 0 || offset % step != 0 || (k == 0) != (offset == 0) ||
            (k > 0 && begin <= portion_at(clustered, k - 1)->begin))
            return refuse_borders(file, error);
        *portion_at(clustered, k) = (XtfNetworkPortion){.begin = begin};
        if (k > 0)
            portion_at(clustered, k - 1)->end = begin;
    }
    return count_clusters(file, error) && find_lengths(file, error);
}

static bool load_borders(XtfNetworkFile *file, const char *prefix, GError **error)
{
    uint64_t n;
    int variable = xtf_netcdf_variable(&file->netcdf, prefix, "length");

    if (variable < 0)
        return xtf_fail(error, XTF_ERROR_NOT_XTF, "%s: has %sinfo, but no %slength", file->netcdf.path, prefix, prefix);
    if (!xtf_netcdf_shape(&file->netcdf, variable, NC_INT, 1, &n, error))
        return false;
    if (n != file->clustered->portions->len)
        return xtf_damaged(error, "%s: has %u portions, but %" PRIu64 " borders", file->netcdf.path,
                           file->clustered->portions->len, n);
    if (n == 0)
        return true;
    g_autofree int32_t *borders = g_new(int32_t, n);
    if (!xtf_netcdf_succeeded(&file->netcdf, nc_get_var_int(file->netcdf.id, variable, borders), "length", error))
        return false;
    if (*prefix)
        return set_authors_borders(file, borders, error) && count_clusters(file, error);
    return set_paper_borders(file, borders, error);
}

/* Finds the variable `data`, and the file that has it: the opened file, or its sibling NAME_data.nc. Returns -1 with an
 * error. */
static int find_curve_variable(XtfNetworkFile *file, const char *prefix, const XtfNetcdf **netcdf, GError **error)
{
    int variable = xtf_netcdf_variable(&file->netcdf, prefix, "data");
    g_autofree char *path = xtf_network_sibling(file->netcdf.path, XTF_NETWORK_INFO_ENDING, XTF_NETWORK_DATA_ENDING);

    *netcdf = &file->netcdf;
    if (variable >= 0)
        return variable;
    if (!path) {
        xtf_fail(error, XTF_ERROR_NOT_XTF,
                 "%s: has %sinfo, but no %sdata; a result in two files needs both, NAME%s and NAME%s",
                 file->netcdf.path, prefix, prefix, XTF_NETWORK_INFO_ENDING, XTF_NETWORK_DATA_ENDING);
        return -1;
    }
    if (!xtf_netcdf_open(&file->clustered->data_file, path, error))
        return -1;
    *netcdf = &file->clustered->data_file;
    variable = xtf_netcdf_variable(*netcdf, prefix, "data");
    if (variable < 0)
        xtf_fail(error, XTF_ERROR_NOT_XTF, "%s: has no %sdata", path, prefix);
    return variable;
}

static bool load_curves(XtfNetworkFile *file, const char *prefix, GError **error)
{
    const XtfNetcdf *netcdf;
    int variable = find_curve_variable(file, prefix, &netcdf, error);

    if (variable < 0 || !xtf_netcdf_shape(netcdf, variable, NC_DOUBLE, 1, &file->clustered->n_curves, error))
        return false;
    file->fill = xtf_netcdf_fill(netcdf, variable);
    file->clustered->curves = g_new(double, MAX(file->clustered->n_curves, 1));
    return xtf_netcdf_succeeded(netcdf, nc_get_var_double(netcdf->id, variable, file->clustered->curves), "data",
                                error);
}

/* True if `data` has the number of values that the portions need, and all curves are inside it. Detects shifted
 * curves. */
static bool check_curves(XtfNetworkFile *file, bool authors, GError **error)
{
    XtfClustered *clustered = file->clustered;
    uint32_t n = clustered->portions->len;

    if (n == 0)
        return true;
    uint64_t needed = count_values(clustered, n), shifted = needed + portion_at(clustered, n - 1)->begin;
    clustered->shifted = authors && clustered->n_curves != needed && clustered->n_curves == shifted;
    if (clustered->n_curves == needed || clustered->shifted)
        return check_starts(file, error);
    if (!authors)
        return xtf_damaged(error, "%s: its clusters need %" PRIu64 " values, but data has %" PRIu64, file->netcdf.path,
                           needed, clustered->n_curves);
    return xtf_damaged(error,
                       "%s: its clusters need %" PRIu64 " values (%" PRIu64
                       " if the authors' clustering program wrote them, in one of its versions), but data has %" PRIu64,
                       file->netcdf.path, needed, shifted, clustered->n_curves);
}

bool xtf_clustered_open(XtfNetworkFile *file, const char *prefix, GError **error)
{
    XtfClustered *clustered = file->clustered = g_new0(XtfClustered, 1);
    uint64_t shape[3];
    int64_t stated;

    clustered->data_file.id = -1;
    clustered->loaded_portion = UINT32_MAX;
    clustered->portions = g_array_new(FALSE, TRUE, sizeof(XtfNetworkPortion));
    clustered->info = xtf_netcdf_variable(&file->netcdf, prefix, "info");
    if (!xtf_netcdf_shape(&file->netcdf, clustered->info, NC_INT, 3, shape, error) ||
        !xtf_netcdf_number(&file->netcdf, prefix, "proc_num", (int64_t)shape[1], &stated, error) ||
        !xtf_network_file_set_processes(file, stated, shape[1], shape[2], error))
        return false;
    if (shape[0] > INT32_MAX)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE, "%s: has %" PRIu64 " portions; at most %d are supported",
                        file->netcdf.path, shape[0], INT32_MAX);
    g_array_set_size(clustered->portions, shape[0]);
    if (shape[0] > 0) /* without portions, the file's size does not bound the number of pairs */
        clustered->starts = g_new(int32_t, pairs_of(file));
    return load_curves(file, prefix, error) && load_borders(file, prefix, error) && check_curves(file, *prefix, error);
}

void xtf_clustered_free(XtfClustered *clustered)
{
    if (!clustered)
        return;
    xtf_netcdf_close(&clustered->data_file);
    g_clear_pointer(&clustered->portions, g_array_unref);
    g_free(clustered->curves);
    g_free(clustered->starts);
    g_free(clustered);
}

static uint32_t find_portion(const XtfClustered *clustered, uint32_t i)
{
    uint32_t k = 0;

    while (portion_at(clustered, k)->end <= i)
        k++;
    return k;
}

bool xtf_clustered_read(XtfNetworkFile *file, uint32_t i, uint32_t first, uint32_t n, double *values, GError **error)
{
    const XtfClustered *clustered = file->clustered;
    uint32_t k = find_portion(clustered, i), offset = i - (clustered->shifted ? 0 : portion_at(clustered, k)->begin);

    if (!load_starts(file, k, error))
        return false;
    for (uint64_t r = 0; r < file->processes; r++)
        for (uint64_t s = first; s < (uint64_t)first + n; s++) {
            uint64_t place = (uint64_t)clustered->starts[r * file->processes + s] + offset;
            if (clustered->curves[place] == file->fill)
                return xtf_damaged(error,
                                   "%s: the curve of receiver %" PRIu64 ", sender %" PRIu64
                                   " has no value for matrix %u: data[%" PRIu64 "] is the fill value",
                                   file->netcdf.path, r, s, i, place);
            values[r * n + s - first] = clustered->curves[place];
        }
    return true;
}

bool xtf_clustered_numbers(XtfNetworkFile *file, uint32_t portion, uint32_t *numbers, GError **error)
{
    uint32_t n;

    if (!load_starts(file, portion, error))
        return false;
    g_autofree int32_t *starts = sorted_starts(file, &n);
    for (uint64_t pair = 0; pair < pairs_of(file); pair++) {
        const int32_t *place = bsearch(&file->clustered->starts[pair], starts, n, sizeof *starts, compare_starts);
        numbers[pair] = place - starts;
    }
    return true;
}
