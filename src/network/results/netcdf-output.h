/*
 * Writing of netCDF files with 64-bit offsets (CDF-2), without fill values for unwritten cells.
 *
 * A new file is in define mode. Errors are XTF_ERROR_IO, and name the file.
 */
#pragma once

#include "src/network/results/file.h"

/* True if libnetcdf's `status` is success. Otherwise sets an error. */
bool xtf_netcdf_written(const XtfNetcdf *netcdf, int status, GError **error);
/* Creates the file `path`, or replaces it. Errors name it `name`. */
bool xtf_netcdf_create(XtfNetcdf *netcdf, const char *path, const char *name, GError **error);
/* Adds a scalar variable with a number. The file must be in define mode, and stays in it. */
bool xtf_netcdf_put_number(const XtfNetcdf *netcdf, const char *name, int number, GError **error);
/* Adds a text variable to a file in define mode. Defines the dimension `strings`, so a file can have only one text. */
bool xtf_netcdf_put_text(const XtfNetcdf *netcdf, const char *name, const char *text, GError **error);
/* Writes and closes the file. Does nothing if it is not open. */
bool xtf_netcdf_end(XtfNetcdf *netcdf, GError **error);

/* Returns network_test's `data_type` of a kind of values. */
int xtf_netcdf_data_type(XtfNetworkValue value);
