/*
 * Cells of call sites in lines of records that have no such field. They show the site of the call around the record,
 * or for a wait that of the culprit's call.
 */
#pragma once

#include "src/tables/format/call-sites.h"
#include "src/tables/format/cells.h"

/* True if a cell is of this kind. */
static inline bool xtf_cell_is_site(const XtfCell *cell)
{
    return cell->kind == XTF_CELL_SITE || cell->kind == XTF_CELL_CULPRIT_SITE;
}

/* Finds the site that a cell shows for a row of an array of a location; XTF_NONE32: none. */
bool xtf_site_cell_find(const XtfCell *cell, XtfSiteReader *reader, uint32_t location, const XtfSchema *schema,
                        const uint8_t *row, uint32_t *site, GError **error);
/* Fills in the cell of the lines of a block. */
bool xtf_site_cell_put(const XtfCell *cell, XtfSiteReader *reader, uint32_t location, const XtfSchema *schema,
                       XtfCellBlock *block, GError **error);
