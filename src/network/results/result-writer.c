#include "src/network/results/result-writer.h"

#include "src/network/results/netcdf-library.h"
#include "src/network/results/netcdf-output.h"

struct XtfResultWriter {
    XtfNetcdf file;
    uint32_t processes, lengths; /* lengths: added so far */
    int data;                    /* id of the variable `data` */
};

/* Adds a number, which netCDF stores as an int. Fails if it does not fit. */
static bool put_number(const XtfNetcdf *file, const char *name, int64_t number, GError **error)
{
    if (number < INT_MIN || number > INT_MAX)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE,
                        "%s: its %s would be %" PRId64 "; the format stores numbers up to %d", file->path, name, number,
                        INT_MAX);
    return xtf_netcdf_put_number(file, name, (int)number, error);
}

static bool define_variables(XtfResultWriter *writer, const XtfResultFacts *facts, GError **error)
{
    const XtfNetcdf *file = &writer->file;
    int dimensions[3]; /* n, x, y */

    return xtf_netcdf_written(file, nc_def_dim(file->id, "x", facts->processes, &dimensions[1]), error) &&
           xtf_netcdf_written(file, nc_def_dim(file->id, "y", facts->processes, &dimensions[2]), error) &&
           xtf_netcdf_written(file, nc_def_dim(file->id, "n", NC_UNLIMITED, &dimensions[0]), error) &&
           put_number(file, "proc_num", facts->processes, error) &&
           xtf_netcdf_put_text(file, "test_type", facts->test, error) &&
           xtf_netcdf_put_number(file, "data_type", xtf_netcdf_data_type(facts->value), error) &&
           put_number(file, "begin_mes_length", facts->begin, error) &&
           put_number(file, "end_mes_length", facts->end, error) &&
           put_number(file, "step_length", facts->step, error) &&
           (facts->repeats < 0 || put_number(file, "num_repeates", facts->repeats, error)) &&
           xtf_netcdf_written(file, nc_def_var(file->id, "data", NC_DOUBLE, 3, dimensions, &writer->data), error) &&
           xtf_netcdf_written(file, nc_enddef(file->id), error);
}

XtfResultWriter *xtf_result_writer_new(const XtfResultFacts *facts, const char *path, const char *name, GError **error)
{
    g_autoptr(XtfResultWriter) writer = g_new0(XtfResultWriter, 1);

    writer->processes = facts->processes;
    return xtf_netcdf_create(&writer->file, path, name, error) && define_variables(writer, facts, error)
               ? g_steal_pointer(&writer)
               : NULL;
}

bool xtf_result_writer_add(XtfResultWriter *writer, const double *matrix, GError **error)
{
    const size_t first[] = {writer->lengths++, 0, 0}, count[] = {1, writer->processes, writer->processes};

    return xtf_netcdf_written(&writer->file, nc_put_vara_double(writer->file.id, writer->data, first, count, matrix),
                              error);
}

bool xtf_result_writer_end(XtfResultWriter *writer, GError **error)
{
    return xtf_netcdf_end(&writer->file, error);
}

void xtf_result_writer_free(XtfResultWriter *writer)
{
    if (!writer)
        return;
    xtf_netcdf_end(&writer->file, NULL);
    g_free(writer->file.path);
    g_free(writer);
}
