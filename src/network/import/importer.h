/* The row of network_test's results in the table of importers. Needs no libnetcdf. */
#pragma once

#include "src/import/importer.h"

#define XTF_NETTEST_ID "network.id" /* a property of imports */

extern const XtfImporter xtf_nettest_importer;

/* The importer's `run`. */
bool xtf_nettest_import(XtfImportJob *job, GError **error);
