/*
 * Clustered results: for each portion of the lengths, a curve for all pairs of a cluster.
 *
 * The paper's files: `info(n, x, y)` has where the curve of a pair begins in `data(d)`, `length(n)` the message length
 * at the left border of the portion. The authors' program names all of it with an `a` in front, and `alength` is the
 * right border of the portion, excluded, counted in matrices. One version of it adds the number of the matrix from 0 on
 * instead of from the left border when it writes values, so that its curves lie that much behind `ainfo`; such a file
 * has that many values more, which is how it is known.
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

    if (clustered->at == k)
        return true;
    clustered->at = UINT32_MAX;
    if (!xtf_netcdf_done(&file->netcdf,
                         nc_get_vara_int(file->netcdf.id, clustered->info, start, count, clustered->starts), "info",
                         error))
        return false;
    clustered->at = k;
    return true;
}

/* The places where the curves of the loaded portion begin, in order. The caller frees it. */
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
                return xtf_damaged(error,
                                   "%s: info of portion %u, x %" PRIu64 ", y %" PRIu64 " says %d, but data has %" PRIu64
                                   " values, and the portion %u matrices",
                                   file->netcdf.path, k, i / file->processes, i % file->processes, clustered->starts[i],
                                   clustered->n_curves, n);
    }
    return true;
}

/* Returns the number of values in the curves of the first `n` portions. */
static uint64_t curves_of(const XtfClustered *clustered, uint32_t n)
{
    uint64_t sum = 0;

    for (uint32_t k = 0; k < n; k++) {
        const XtfNetworkPortion *portion = portion_at(clustered, k);
        sum += (uint64_t)portion->clusters * (portion->end - portion->begin);
    }
    return sum;
}

static bool bad_borders(const XtfNetworkFile *file, GError **error)
{
    return xtf_damaged(error, "%s: the borders of its portions do not rise, or are no lengths of the test",
                       file->netcdf.path);
}

/* From the exclusive right borders, counted in matrices. */
static bool borders_of_authors(XtfNetworkFile *file, const int32_t *borders, GError **error)
{
    int32_t left = 0;

    for (uint32_t k = 0; k < file->clustered->portions->len; k++) {
        if (borders[k] <= left)
            return bad_borders(file, error);
        *portion_at(file->clustered, k) = (XtfNetworkPortion){.begin = left, .end = borders[k]};
        left = borders[k];
    }
    file->lengths = left;
    return true;
}

/* The number of matrices, where the file does not say: the last portion has what is left of the curves. */
static bool guess_lengths(XtfNetworkFile *file, GError **error)
{
    XtfClustered *clustered = file->clustered;
    uint32_t last = clustered->portions->len - 1;
    const XtfNetworkPortion *portion = portion_at(clustered, last);
    uint64_t before = curves_of(clustered, last), left;

    if (__builtin_sub_overflow(clustered->n_curves, before, &left) || left == 0 || left % portion->clusters != 0 ||
        left / portion->clusters > INT32_MAX - portion->begin)
        return xtf_damaged(error,
                           "%s: data has %" PRIu64 " values, of which %" PRIu64
                           " are of all portions but the last, whose "
                           "%u clusters cannot share the others",
                           file->netcdf.path, clustered->n_curves, before, portion->clusters);
    file->lengths = portion->begin + left / portion->clusters;
    return true;
}

/* The number of matrices, from the attribute or by what is left. The left borders are known. */
static bool find_lengths(XtfNetworkFile *file, GError **error)
{
    XtfNetworkPortion *last = portion_at(file->clustered, file->clustered->portions->len - 1);
    double matrices, right_border;

    if (!xtf_netcdf_attribute(&file->netcdf, NC_GLOBAL, "matrices", NAN, &matrices, error) ||
        !xtf_netcdf_attribute(&file->netcdf, NC_GLOBAL, "right_border", NAN, &right_border, error))
        return false;
    if (isnan(matrices)) {
        if (!guess_lengths(file, error))
            return false;
    } else if (!(matrices > last->begin && matrices <= INT32_MAX) || matrices != floor(matrices))
        return bad_borders(file, error);
    else
        file->lengths = (uint32_t)matrices;
    last->end = file->lengths;
    return true;
}

/* From the message lengths at the left borders. */
static bool borders_of_paper(XtfNetworkFile *file, const int32_t *borders, GError **error)
{
    XtfClustered *clustered = file->clustered;
    uint32_t n = clustered->portions->len;

    if (file->step <= 0 && n > 1)
        return bad_borders(file, error);
    for (uint32_t k = 0; k < n; k++) {
        int64_t offset = borders[k] - file->begin, step = MAX(file->step, 1);
        uint32_t begin = offset / step;
        if (offset < 0 || offset % step != 0 || (k == 0) != (offset == 0) ||
            (k > 0 && begin <= portion_at(clustered, k - 1)->begin))
            return bad_borders(file, error);
        *portion_at(clustered, k) = (XtfNetworkPortion){.begin = begin};
        if (k > 0)
            portion_at(clustered, k - 1)->end = begin;
    }
    return count_clusters(file, error) && find_lengths(file, error);
}

static bool get_borders(XtfNetworkFile *file, const char *prefix, GError **error)
{
    uint64_t n;
    int variable = xtf_netcdf_variable(&file->netcdf, prefix, "length");

    if (variable < 0)
        return xtf_fail(error, XTF_ERROR_NOT_XTF, "%s: has %sinfo, but no %slength", file->netcdf.path, prefix, prefix);
    if (!xtf_netcdf_shape(&file->netcdf, variable, NC_INT, 1, &n, error))
        return false;
    if (n != file->clustered->portions->len)
        return xtf_damaged(error, "%s: has %u portions, but the borders of %" PRIu64, file->netcdf.path,
                           file->clustered->portions->len, n);
    if (n == 0)
        return true;
    g_autofree int32_t *borders = g_new(int32_t, n);
    if (!xtf_netcdf_done(&file->netcdf, nc_get_var_int(file->netcdf.id, variable, borders), "length", error))
        return false;
    if (*prefix)
        return borders_of_authors(file, borders, error) && count_clusters(file, error);
    return borders_of_paper(file, borders, error);
}

/* The file that `data` is in, and the variable. */
static int find_curves(XtfNetworkFile *file, const char *prefix, const XtfNetcdf **netcdf, GError **error)
{
    int variable = xtf_netcdf_variable(&file->netcdf, prefix, "data");
    g_autofree char *path = xtf_network_sibling(file->netcdf.path, XTF_NETWORK_INFO_ENDING, XTF_NETWORK_DATA_ENDING);

    *netcdf = &file->netcdf;
    if (variable >= 0)
        return variable;
    if (!path) {
        xtf_fail(error, XTF_ERROR_NOT_XTF, "%s: has %sinfo, but no %sdata; a result in two files is NAME%s and NAME%s",
                 file->netcdf.path, prefix, prefix, XTF_NETWORK_INFO_ENDING, XTF_NETWORK_DATA_ENDING);
        return -1;
    }
    if (!xtf_netcdf_open(&file->clustered->other, path, error))
        return -1;
    *netcdf = &file->clustered->other;
    variable = xtf_netcdf_variable(*netcdf, prefix, "data");
    if (variable < 0)
        xtf_fail(error, XTF_ERROR_NOT_XTF, "%s: has no %sdata", path, prefix);
    return variable;
}

static bool load_curves(XtfNetworkFile *file, const char *prefix, GError **error)
{
    const XtfNetcdf *netcdf;
    int variable = find_curves(file, prefix, &netcdf, error);

    if (variable < 0 || !xtf_netcdf_shape(netcdf, variable, NC_DOUBLE, 1, &file->clustered->n_curves, error))
        return false;
    file->fill = xtf_netcdf_fill(netcdf, variable);
    file->clustered->curves = g_new(double, MAX(file->clustered->n_curves, 1));
    return xtf_netcdf_done(netcdf, nc_get_var_double(netcdf->id, variable, file->clustered->curves), "data", error);
}

/* Whether `data` has as many values as the portions need, and whether they lie too far behind. */
static bool check_curves(XtfNetworkFile *file, bool authors, GError **error)
{
    XtfClustered *clustered = file->clustered;
    uint32_t n = clustered->portions->len;

    if (n == 0)
        return true;
    uint64_t needed = curves_of(clustered, n), shifted = needed + portion_at(clustered, n - 1)->begin;
    clustered->shifted = authors && clustered->n_curves != needed && clustered->n_curves == shifted;
    if (clustered->n_curves == needed || clustered->shifted)
        return check_starts(file, error);
    if (!authors)
        return xtf_damaged(error, "%s: its clusters have %" PRIu64 " values, but data has %" PRIu64, file->netcdf.path,
                           needed, clustered->n_curves);
    return xtf_damaged(error,
                       "%s: its clusters have %" PRIu64 " values, %" PRIu64
                       " as a version of the authors' program writes "
                       "them, but data has %" PRIu64,
                       file->netcdf.path, needed, shifted, clustered->n_curves);
}

bool xtf_clustered_open(XtfNetworkFile *file, const char *prefix, GError **error)
{
    XtfClustered *clustered = file->clustered = g_new0(XtfClustered, 1);
    uint64_t shape[3];
    int64_t stated;

    clustered->other.id = -1;
    clustered->at = UINT32_MAX;
    clustered->portions = g_array_new(FALSE, TRUE, sizeof(XtfNetworkPortion));
    clustered->info = xtf_netcdf_variable(&file->netcdf, prefix, "info");
    if (!xtf_netcdf_shape(&file->netcdf, clustered->info, NC_INT, 3, shape, error) ||
        !xtf_netcdf_number(&file->netcdf, prefix, "proc_num", (int64_t)shape[1], &stated, error) ||
        !xtf_network_file_set_processes(file, stated, shape[1], shape[2], error))
        return false;
    if (shape[0] > INT32_MAX)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE, "%s: has %" PRIu64 " portions", file->netcdf.path, shape[0]);
    g_array_set_size(clustered->portions, shape[0]);
    if (shape[0] > 0) /* else the header claims no room for them */
        clustered->starts = g_new(int32_t, pairs_of(file));
    return load_curves(file, prefix, error) && get_borders(file, prefix, error) && check_curves(file, *prefix, error);
}

void xtf_clustered_free(XtfClustered *clustered)
{
    if (!clustered)
        return;
    xtf_netcdf_close(&clustered->other);
    g_clear_pointer(&clustered->portions, g_array_unref);
    g_free(clustered->curves);
    g_free(clustered->starts);
    g_free(clustered);
}

static uint32_t portion_of(const XtfClustered *clustered, uint32_t i)
{
    uint32_t k = 0;

    while (portion_at(clustered, k)->end <= i)
        k++;
    return k;
}

bool xtf_clustered_read(XtfNetworkFile *file, uint32_t i, uint32_t first, uint32_t n, double *values, GError **error)
{
    const XtfClustered *clustered = file->clustered;
    uint32_t k = portion_of(clustered, i), offset = i - (clustered->shifted ? 0 : portion_at(clustered, k)->begin);

    if (!load_starts(file, k, error))
        return false;
    for (uint64_t r = 0; r < file->processes; r++)
        for (uint64_t s = first; s < (uint64_t)first + n; s++) {
            uint64_t at = (uint64_t)clustered->starts[r * file->processes + s] + offset;
            if (clustered->curves[at] == file->fill)
                return xtf_damaged(
                    error, "%s: the curve of x %" PRIu64 ", y %" PRIu64 " has nothing at matrix %u (data %" PRIu64 ")",
                    file->netcdf.path, r, s, i, at);
            values[r * n + s - first] = clustered->curves[at];
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
        const int32_t *found = bsearch(&file->clustered->starts[pair], starts, n, sizeof *starts, compare_starts);
        numbers[pair] = found - starts;
    }
    return true;
}
