/*
 * The header of a netCDF file in a classic format, walked before libnetcdf sees it.
 *
 * libnetcdf believes what a header says: it allocates by its counts, and reads zeros where a file was cut short. So all
 * counts are held against the file's size first, and the end of what the variables need. The layout is that of "The
 * NetCDF Classic Format Specification" (Unidata): CDF-1, CDF-2 (64-bit offset) and CDF-5.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum { XTF_NETCDF_MAGIC_SIZE = 4 };

/* Whether a file that begins so is netCDF in a classic format. */
bool xtf_netcdf_is_classic(const char magic[XTF_NETCDF_MAGIC_SIZE]);

/* Checks the file behind a descriptor, of `size` bytes. `path` is for messages. */
bool xtf_netcdf_check_header(int fd, uint64_t size, const char *path, GError **error);
