/* The row of network_test's results in the table of importers. Does not need libnetcdf. */
#pragma once

#include "src/import/importer.h"

#define XTF_NETTEST_ID "network.id" /* property with the identity of the imported result */

extern const XtfImporter xtf_nettest_importer;

/* Imports a result: the importer's `run`. */
bool xtf_nettest_import(XtfImportJob *job, GError **error);
