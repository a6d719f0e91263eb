/*
 * libnetcdf, loaded when xtf first opens or creates a netCDF file. The library needs some forty other libraries, which
 * would delay each start of xtf by ten milliseconds. Macros give its functions their usual names.
 */
#pragma once

#include <glib.h>
#include <netcdf.h>
#include <stdbool.h>

#define XTF_NETCDF_FUNCTIONS(X) \
    X(nc_close)                 \
    X(nc_create)                \
    X(nc_def_dim)               \
    X(nc_def_var)               \
    X(nc_enddef)                \
    X(nc_get_att_double)        \
    X(nc_get_var_double)        \
    X(nc_get_var_int)           \
    X(nc_get_var_text)          \
    X(nc_get_vara_double)       \
    X(nc_get_vara_int)          \
    X(nc_inq_att)               \
    X(nc_inq_dimlen)            \
    X(nc_inq_var)               \
    X(nc_inq_varid)             \
    X(nc_inq_varndims)          \
    X(nc_inq_vartype)           \
    X(nc_open)                  \
    X(nc_put_att_double)        \
    X(nc_put_att_int)           \
    X(nc_put_att_text)          \
    X(nc_put_var1_int)          \
    X(nc_put_var_int)           \
    X(nc_put_var_text)          \
    X(nc_put_vara_double)       \
    X(nc_put_vara_int)          \
    X(nc_redef)                 \
    X(nc_set_fill)              \
    X(nc_strerror)              \
    X(nc_sync)

typedef struct {
#define X(name) typeof(name) *name;
    XTF_NETCDF_FUNCTIONS(X)
#undef X
} XtfNetcdfCalls;

extern XtfNetcdfCalls xtf_netcdf_calls; /* set by xtf_netcdf_load() */

/* Loads the library unless it is loaded already. Any thread may call it. Fails with XTF_ERROR_UNSUPPORTED if the
 * library cannot be loaded. */
bool xtf_netcdf_load(GError **error);

#define nc_close           (*xtf_netcdf_calls.nc_close)
#define nc_create          (*xtf_netcdf_calls.nc_create)
#define nc_def_dim         (*xtf_netcdf_calls.nc_def_dim)
#define nc_def_var         (*xtf_netcdf_calls.nc_def_var)
#define nc_enddef          (*xtf_netcdf_calls.nc_enddef)
#define nc_get_att_double  (*xtf_netcdf_calls.nc_get_att_double)
#define nc_get_var_double  (*xtf_netcdf_calls.nc_get_var_double)
#define nc_get_var_int     (*xtf_netcdf_calls.nc_get_var_int)
#define nc_get_var_text    (*xtf_netcdf_calls.nc_get_var_text)
#define nc_get_vara_double (*xtf_netcdf_calls.nc_get_vara_double)
#define nc_get_vara_int    (*xtf_netcdf_calls.nc_get_vara_int)
#define nc_inq_att         (*xtf_netcdf_calls.nc_inq_att)
#define nc_inq_dimlen      (*xtf_netcdf_calls.nc_inq_dimlen)
#define nc_inq_var         (*xtf_netcdf_calls.nc_inq_var)
#define nc_inq_varid       (*xtf_netcdf_calls.nc_inq_varid)
#define nc_inq_varndims    (*xtf_netcdf_calls.nc_inq_varndims)
#define nc_inq_vartype     (*xtf_netcdf_calls.nc_inq_vartype)
#define nc_open            (*xtf_netcdf_calls.nc_open)
#define nc_put_att_double  (*xtf_netcdf_calls.nc_put_att_double)
#define nc_put_att_int     (*xtf_netcdf_calls.nc_put_att_int)
#define nc_put_att_text    (*xtf_netcdf_calls.nc_put_att_text)
#define nc_put_var1_int    (*xtf_netcdf_calls.nc_put_var1_int)
#define nc_put_var_int     (*xtf_netcdf_calls.nc_put_var_int)
#define nc_put_var_text    (*xtf_netcdf_calls.nc_put_var_text)
#define nc_put_vara_double (*xtf_netcdf_calls.nc_put_vara_double)
#define nc_put_vara_int    (*xtf_netcdf_calls.nc_put_vara_int)
#define nc_redef           (*xtf_netcdf_calls.nc_redef)
#define nc_set_fill        (*xtf_netcdf_calls.nc_set_fill)
#define nc_strerror        (*xtf_netcdf_calls.nc_strerror)
#define nc_sync            (*xtf_netcdf_calls.nc_sync)
