/*
 * libnetcdf, loaded when xtf first opens or creates a netCDF file. The library needs some forty other libraries, which
 * would delay each start of xtf by ten milliseconds. Its functions are listed in netcdf-functions.txt; macros give them
 * their usual names.
 */
#pragma once

#include <glib.h>
#include <netcdf.h>
#include <stdbool.h>

#include "src/network/results/netcdf-functions.h"

/* Loads the library unless it is loaded already. Any thread may call it. Fails with XTF_ERROR_UNSUPPORTED if the
 * library cannot be loaded. */
bool xtf_netcdf_load(GError **error);
