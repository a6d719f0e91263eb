#include "src/network/results/clustered-writer.h"

#include <string.h>

#include "src/network/results/netcdf-library.h"
#include "src/network/results/netcdf-output.h"

struct XtfClusteredWriter {
    const XtfNetwork *network;
    XtfNetworkValue value;
    XtfNetcdf file, data_file; /* id -1: not open */
    int info, length;          /* ids of the variables `info` and `length` */
    uint32_t n_portions;
    int32_t *starts; /* of one portion: where the curve of each pair begins */
    GArray *values;  /* of double: the clusters' values so far */
};

/* ---- Facts of the test, copied from the clustered file. */

/* Copies a number if the source has it, under its name or the name of the authors' program, with an `a` before it. */
static bool copy_number(XtfClusteredWriter *writer, const char *name, bool *copied, GError **error)
{
    const XtfNetcdf *source = &writer->network->files[writer->value]->netcdf;
    int variable = xtf_netcdf_variable(source, "", name), number, n_dimensions;
    nc_type type;

    *copied = false;
    if (variable < 0)
        variable = xtf_netcdf_variable(source, "a", name);
    if (variable < 0 || nc_inq_vartype(source->id, variable, &type) != NC_NOERR || type != NC_INT ||
        nc_inq_varndims(source->id, variable, &n_dimensions) != NC_NOERR || n_dimensions != 0 ||
        nc_get_var_int(source->id, variable, &number) != NC_NOERR)
        return true;
    *copied = true;
    return xtf_netcdf_put_number(&writer->file, name, number, error);
}

static bool copy_facts(XtfClusteredWriter *writer, GError **error)
{
    static const char *const names[] = {
        "begin_mes_length", "end_mes_length", "step_length",     "noise_mes_length", "num_noise_mes",
        "num_noise_proc",   "num_repeates",   "random_option_1", "random_option_2",  NULL};
    bool copied;

    if (!xtf_netcdf_put_number(&writer->file, "proc_num", (int)writer->network->processes, error) ||
        !copy_number(writer, "test_type", &copied, error) ||
        (!copied && !xtf_netcdf_put_text(&writer->file, "test_type", writer->network->test, error)) ||
        !xtf_netcdf_put_number(&writer->file, "data_type", xtf_netcdf_data_type(writer->value), error))
        return false;
    for (const char *const *name = names; *name; name++) {
        if (!copy_number(writer, *name, &copied, error))
            return false;
    }
    return true;
}

/* ---- Portions. */

static bool define_variables(XtfClusteredWriter *writer, GError **error)
{
    const XtfNetcdf *file = &writer->file;
    int dimensions[3]; /* netCDF ids of the dimensions n, x, y */

    return xtf_netcdf_written(file, nc_def_dim(file->id, "x", writer->network->processes, &dimensions[1]), error) &&
           xtf_netcdf_written(file, nc_def_dim(file->id, "y", writer->network->processes, &dimensions[2]), error) &&
           xtf_netcdf_written(file, nc_def_dim(file->id, "n", NC_UNLIMITED, &dimensions[0]), error) &&
           copy_facts(writer, error) &&
           xtf_netcdf_written(file, nc_def_var(file->id, "info", NC_INT, 3, dimensions, &writer->info), error) &&
           xtf_netcdf_written(file, nc_def_var(file->id, "length", NC_INT, 1, dimensions, &writer->length), error) &&
           xtf_netcdf_written(file, nc_enddef(file->id), error);
}

XtfClusteredWriter *xtf_clustered_writer_new(const XtfNetwork *network, XtfNetworkValue value,
                                             const XtfClusteredOutput *info, const XtfClusteredOutput *data,
                                             GError **error)
{
    g_autoptr(XtfClusteredWriter) writer = g_new0(XtfClusteredWriter, 1);

    writer->network = network;
    writer->value = value;
    writer->file.id = writer->data_file.id = -1;
    writer->starts = g_new(int32_t, (size_t)network->processes * network->processes);
    writer->values = g_array_new(FALSE, FALSE, sizeof(double));
    return xtf_netcdf_create(&writer->file, info->path, info->name, error) &&
                   (!data->path || xtf_netcdf_create(&writer->data_file, data->path, data->name, error)) &&
                   define_variables(writer, error)
               ? g_steal_pointer(&writer)
               : NULL;
}

bool xtf_clustered_writer_add(XtfClusteredWriter *writer, const XtfPortion *portion, GError **error)
{
    const XtfNetwork *network = writer->network;
    const size_t k = writer->n_portions, first[] = {k, 0, 0}, count[] = {1, network->processes, network->processes};
    size_t n_pairs = (size_t)network->processes * network->processes;
    uint64_t n_before = writer->values->len, n_steps = portion->right - portion->left,
             n_added = portion->n_clusters * n_steps;
    int64_t length = xtf_network_length(network, portion->left);

    if (length > INT_MAX)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE,
                        "%s: a portion begins at %" PRId64 " bytes; the format stores borders up to %d",
                        writer->file.path, length, INT_MAX);
    int border = (int)length;
    if (n_before + n_added > INT32_MAX)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE,
                        "%s: the clusters of the first %" PRIu32 " matrices have %" PRIu64
                        " values; at most 2147483647 can be written",
                        writer->file.path, portion->right, n_before + n_added);
    for (size_t pair = 0; pair < n_pairs; pair++)
        writer->starts[pair] = (int32_t)(n_before + portion->clusters[pair] * n_steps);
    g_array_append_vals(writer->values, portion->values, (guint)n_added);
    writer->n_portions++;
    return xtf_netcdf_written(&writer->file,
                              nc_put_vara_int(writer->file.id, writer->info, first, count, writer->starts), error) &&
           xtf_netcdf_written(&writer->file, nc_put_var1_int(writer->file.id, writer->length, &k, &border), error);
}

/* ---- The end. */

static bool put_attribute(const XtfNetcdf *file, const char *name, double value, GError **error)
{
    return xtf_netcdf_written(file, nc_put_att_double(file->id, NC_GLOBAL, name, NC_DOUBLE, 1, &value), error);
}

static bool put_facts(const XtfClusteredWriter *writer, const XtfClusteredFacts *facts, GError **error)
{
    static const char *const kinds[] = {[XTF_THRESHOLD_RELATIVE] = "relative",
                                        [XTF_THRESHOLD_ABSOLUTE] = "absolute",
                                        [XTF_THRESHOLD_PRECISION] = "precision"};
    const XtfNetcdf *file = &writer->file;
    const char *kind = kinds[facts->threshold.kind];
    int matrices = (int)writer->network->lengths;
    double right_border = (double)xtf_network_length(writer->network, writer->network->lengths);
    nc_type border_type = right_border <= INT_MAX ? NC_INT : NC_DOUBLE;

    return xtf_netcdf_written(file, nc_put_att_int(file->id, NC_GLOBAL, "matrices", NC_INT, 1, &matrices), error) &&
           xtf_netcdf_written(
               file, nc_put_att_double(file->id, NC_GLOBAL, "right_border", border_type, 1, &right_border), error) &&
           xtf_netcdf_written(
               file, nc_put_att_text(file->id, NC_GLOBAL, "method", strlen(facts->method), facts->method), error) &&
           xtf_netcdf_written(file, nc_put_att_text(file->id, NC_GLOBAL, "threshold_kind", strlen(kind), kind),
                              error) &&
           put_attribute(file, "threshold", facts->threshold.value, error) &&
           put_attribute(file, "mean_error", facts->report.mean_error, error) &&
           put_attribute(file, "greatest_error", facts->report.greatest_error, error) &&
           put_attribute(file, "greatest_difference", facts->report.greatest_difference, error);
}

/* Writes the clusters' values. If they have their own file, the paper's format gives them the unlimited dimension. */
static bool put_values(XtfClusteredWriter *writer, const XtfNetcdf *file, const char *dimension, size_t length,
                       GError **error)
{
    const size_t first = 0, count = writer->values->len;
    int dimension_id, variable;

    return xtf_netcdf_written(file, nc_def_dim(file->id, dimension, length, &dimension_id), error) &&
           xtf_netcdf_written(file, nc_def_var(file->id, "data", NC_DOUBLE, 1, &dimension_id, &variable), error) &&
           xtf_netcdf_written(file, nc_enddef(file->id), error) &&
           (count == 0 || xtf_netcdf_written(file,
                                             nc_put_vara_double(file->id, variable, &first, &count,
                                                                (const double *)(const void *)writer->values->data),
                                             error));
}

bool xtf_clustered_writer_end(XtfClusteredWriter *writer, const XtfClusteredFacts *facts, GError **error)
{
    bool two = writer->data_file.id >= 0;

    return xtf_netcdf_written(&writer->file, nc_redef(writer->file.id), error) && put_facts(writer, facts, error) &&
           (two ? put_values(writer, &writer->data_file, "n", NC_UNLIMITED, error)
                : put_values(writer, &writer->file, "d", MAX(writer->values->len, 1), error)) &&
           xtf_netcdf_end(&writer->file, error) && xtf_netcdf_end(&writer->data_file, error);
}

void xtf_clustered_writer_free(XtfClusteredWriter *writer)
{
    if (!writer)
        return;
    xtf_netcdf_end(&writer->file, NULL);
    xtf_netcdf_end(&writer->data_file, NULL);
    g_free(writer->file.path);
    g_free(writer->data_file.path);
    g_free(writer->starts);
    g_clear_pointer(&writer->values, g_array_unref);
    g_free(writer);
}
