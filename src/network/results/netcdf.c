/*
 * Calls of libnetcdf that report failures as GError.
 */
#include <unistd.h>

#include "libxtf/source.h"
#include "src/network/results/file.h"
#include "src/network/results/header.h"
#include "src/network/results/netcdf-library.h"

enum {
    NAME_LENGTH = 64,
};

bool xtf_netcdf_succeeded(const XtfNetcdf *netcdf, int status, const char *action, GError **error)
{
    return status == NC_NOERR || xtf_damaged(error, "%s: %s: %s", netcdf->path, action, nc_strerror(status));
}

/* Gives libnetcdf the /proc path of an open descriptor. libnetcdf would interpret some paths, for example as URLs. */
bool xtf_netcdf_open(XtfNetcdf *netcdf, const char *path, GError **error)
{
    uint64_t size;
    int fd = xtf_file_open(path, &size, error);

    *netcdf = (XtfNetcdf){.path = g_strdup(path), .id = -1};
    if (fd < 0)
        return false;
    if (!xtf_netcdf_load(error)) {
        close(fd);
        return false;
    }
    g_autofree char *name = g_strdup_printf("/proc/self/fd/%d", fd);
    bool good =
        xtf_netcdf_check_header(fd, size, path, error) &&
        xtf_netcdf_succeeded(netcdf, nc_open(name, NC_NOWRITE, &netcdf->id), "cannot be opened as netCDF", error);
    close(fd);
    return good;
}

void xtf_netcdf_close(XtfNetcdf *netcdf)
{
    if (netcdf->path && netcdf->id >= 0)
        nc_close(netcdf->id);
    g_clear_pointer(&netcdf->path, g_free);
}

int xtf_netcdf_variable(const XtfNetcdf *netcdf, const char *prefix, const char *name)
{
    char full_name[NAME_LENGTH];
    int variable;

    g_snprintf(full_name, sizeof full_name, "%s%s", prefix, name);
    return nc_inq_varid(netcdf->id, full_name, &variable) == NC_NOERR ? variable : -1;
}

bool xtf_netcdf_shape(const XtfNetcdf *netcdf, int variable, int type, unsigned n, uint64_t *lengths, GError **error)
{
    char name[NC_MAX_NAME + 1] = "?";
    int dimensions[NC_MAX_VAR_DIMS], n_dimensions = -1;
    nc_type variable_type = NC_NAT;

    if (!xtf_netcdf_succeeded(netcdf,
                              nc_inq_var(netcdf->id, variable, name, &variable_type, &n_dimensions, dimensions, NULL),
                              "a variable cannot be read", error))
        return false;
    if (variable_type != type || n_dimensions != (int)n)
        return xtf_fail(error, XTF_ERROR_NOT_XTF,
                        "%s: is netCDF, but no result of network_test: its variable %s has another shape or type",
                        netcdf->path, name);
    for (unsigned i = 0; i < n; i++) {
        size_t length = 0;
        if (!xtf_netcdf_succeeded(netcdf, nc_inq_dimlen(netcdf->id, dimensions[i], &length),
                                  "a dimension cannot be read", error))
            return false;
        lengths[i] = length;
    }
    return true;
}

bool xtf_netcdf_number(const XtfNetcdf *netcdf, const char *prefix, const char *name, int64_t missing, int64_t *number,
                       GError **error)
{
    int variable = xtf_netcdf_variable(netcdf, prefix, name), value = 0;

    *number = missing;
    if (variable < 0)
        return missing != XTF_NETCDF_REQUIRED ||
               xtf_fail(error, XTF_ERROR_NOT_XTF,
                        "%s: is netCDF, but no result of network_test: it has no variable %s%s", netcdf->path, prefix,
                        name);
    if (!xtf_netcdf_shape(netcdf, variable, NC_INT, 0, NULL, error) ||
        !xtf_netcdf_succeeded(netcdf, nc_get_var_int(netcdf->id, variable, &value), name, error))
        return false;
    *number = value;
    return true;
}

/* Asks for the length first, because libnetcdf stores all numbers of the attribute, without a limit. */
bool xtf_netcdf_attribute(const XtfNetcdf *netcdf, int variable, const char *name, double missing, double *number,
                          GError **error)
{
    nc_type type = NC_NAT;
    size_t length = 0;
    double value;

    *number = missing;
    if (nc_inq_att(netcdf->id, variable, name, &type, &length) != NC_NOERR)
        return true;
    if (type == NC_CHAR || length != 1)
        return xtf_damaged(error, "%s: its attribute %s is not one number", netcdf->path, name);
    if (!xtf_netcdf_succeeded(netcdf, nc_get_att_double(netcdf->id, variable, name, &value), name, error))
        return false;
    *number = value;
    return true;
}

double xtf_netcdf_fill(const XtfNetcdf *netcdf, int variable)
{
    double fill;

    xtf_netcdf_attribute(netcdf, variable, "_FillValue", NC_FILL_DOUBLE, &fill, NULL);
    return fill;
}

bool xtf_network_file_set_processes(XtfNetworkFile *file, int64_t stated, uint64_t x, uint64_t y, GError **error)
{
    if (x != y || stated != (int64_t)x)
        return xtf_damaged(error, "%s: has %" PRId64 " processes, but matrices of %" PRIu64 " x %" PRIu64 " values",
                           file->netcdf.path, stated, x, y);
    if (x < 1 || x > XTF_NETWORK_PROCESSES_MAX)
        return xtf_fail(error, XTF_ERROR_TOO_LARGE, "%s: has %" PRIu64 " processes; 1 to %u are supported",
                        file->netcdf.path, x, XTF_NETWORK_PROCESSES_MAX);
    file->processes = x;
    return true;
}
