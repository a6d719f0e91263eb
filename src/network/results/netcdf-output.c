#include "src/network/results/netcdf-output.h"
#include "src/network/results/netcdf-library.h"

#include <string.h>

bool xtf_netcdf_written(const XtfNetcdf *netcdf, int status, GError **error)
{
    return status == NC_NOERR ||
           xtf_fail(error, XTF_ERROR_IO, "%s: cannot be written: %s", netcdf->path, nc_strerror(status));
}

bool xtf_netcdf_create(XtfNetcdf *netcdf, const char *path, const char *name, GError **error)
{
    int unused;

    *netcdf = (XtfNetcdf){.path = g_strdup(name), .id = -1};
    return xtf_netcdf_load(error) &&
           xtf_netcdf_written(netcdf, nc_create(path, NC_CLOBBER | NC_64BIT_OFFSET, &netcdf->id), error) &&
           xtf_netcdf_written(netcdf, nc_set_fill(netcdf->id, NC_NOFILL, &unused), error);
}

bool xtf_netcdf_put_number(const XtfNetcdf *netcdf, const char *name, int number, GError **error)
{
    int variable;

    return xtf_netcdf_written(netcdf, nc_def_var(netcdf->id, name, NC_INT, 0, NULL, &variable), error) &&
           xtf_netcdf_written(netcdf, nc_enddef(netcdf->id), error) &&
           xtf_netcdf_written(netcdf, nc_put_var_int(netcdf->id, variable, &number), error) &&
           xtf_netcdf_written(netcdf, nc_redef(netcdf->id), error);
}

bool xtf_netcdf_put_text(const XtfNetcdf *netcdf, const char *name, const char *text, GError **error)
{
    int dimension, variable;

    return xtf_netcdf_written(netcdf, nc_def_dim(netcdf->id, "strings", strlen(text) + 1, &dimension), error) &&
           xtf_netcdf_written(netcdf, nc_def_var(netcdf->id, name, NC_CHAR, 1, &dimension, &variable), error) &&
           xtf_netcdf_written(netcdf, nc_enddef(netcdf->id), error) &&
           xtf_netcdf_written(netcdf, nc_put_var_text(netcdf->id, variable, text), error) &&
           xtf_netcdf_written(netcdf, nc_redef(netcdf->id), error);
}

bool xtf_netcdf_end(XtfNetcdf *netcdf, GError **error)
{
    int id = netcdf->id;

    netcdf->id = -1;
    if (!netcdf->path || id < 0)
        return true;
    /* nc_close() writes buffered data, but does not report a failure to write it. */
    int status = nc_enddef(id);
    status = status == NC_NOERR || status == NC_ENOTINDEFINE ? nc_sync(id) : status;
    bool written = xtf_netcdf_written(netcdf, status, error);
    return xtf_netcdf_written(netcdf, nc_close(id), written ? error : NULL) && written;
}

int xtf_netcdf_data_type(XtfNetworkValue value)
{
    static const int types[XTF_N_NETWORK_VALUES] = {
        [XTF_NETWORK_AVERAGE] = 1, [XTF_NETWORK_MEDIAN] = 2, [XTF_NETWORK_DEVIATION] = 3,
        [XTF_NETWORK_MIN] = 4,     [XTF_NETWORK_REPEAT] = 5, [XTF_NETWORK_AMOUNT] = 6};

    return types[value];
}
