/*
 * Checks of a netCDF header in a classic format, before libnetcdf reads the file.
 *
 * libnetcdf trusts a header: it allocates memory by the header's counts, and reads zeros where a file was cut short.
 * Therefore the checks compare all counts, and the end of the variables, with the file's size. "The NetCDF Classic
 * Format Specification" (Unidata) defines the layout of CDF-1, CDF-2 (64-bit offsets) and CDF-5.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum { XTF_NETCDF_MAGIC_SIZE = 4 };

/* True if a file with these first bytes is netCDF in a classic format. */
bool xtf_netcdf_is_classic(const char magic[XTF_NETCDF_MAGIC_SIZE]);

/* Checks the header of the file with `size` bytes at descriptor `fd`. `path` is for error messages. */
bool xtf_netcdf_check_header(int fd, uint64_t size, const char *path, GError **error);
