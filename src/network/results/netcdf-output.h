/*
 * netCDF files that are written: with 64-bit offsets (CDF-2), and nothing filled in beforehand.
 *
 * A file begins in define mode. Errors are XTF_ERROR_IO, and name the file.
 */
#pragma once

#include "src/network/results/file.h"

/* What libnetcdf answered, as an error. Returns true if it did what it was to do. */
bool xtf_netcdf_written(const XtfNetcdf *netcdf, int status, GError **error);
/* The file `path` is replaced. Errors name the file `name`. */
bool xtf_netcdf_create(XtfNetcdf *netcdf, const char *path, const char *name, GError **error);
/* In define mode: a variable with a number or a text, of the dimension `strings`, which a file has once. */
bool xtf_netcdf_put_number(const XtfNetcdf *netcdf, const char *name, int number, GError **error);
bool xtf_netcdf_put_text(const XtfNetcdf *netcdf, const char *name, const char *text, GError **error);
/* Ends the file, which is whole then. Nothing if it is not open. */
bool xtf_netcdf_end(XtfNetcdf *netcdf, GError **error);

/* The number that files have for a kind of values. */
int xtf_netcdf_data_type(XtfNetworkValue value);
