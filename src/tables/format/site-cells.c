#include "src/tables/format/site-cells.h"

#include <string.h>

#include "libxtf/vocabulary.h"

bool xtf_site_cell_find(const XtfCell *cell, XtfSiteReader *reader, uint32_t location, const XtfSchema *schema,
                        const uint8_t *row, uint32_t *site, GError **error)
{
    const XtfField *seq = xtf_schema_field_by_role(schema, XTF_ROLE_SEQ);

    if (cell->kind == XTF_CELL_CULPRIT_SITE)
        return xtf_site_reader_find_culprit(reader, location, schema, row, site, error);
    *site = XTF_NONE32;
    return !seq || xtf_site_reader_find(reader, location, xtf_field_get(seq, row), site, error);
}

bool xtf_site_cell_put(const XtfCell *cell, XtfSiteReader *reader, uint32_t location, const XtfSchema *schema,
                       XtfCellBlock *block, GError **error)
{
    const XtfPaddedNames *names = cell->names;
    const uint8_t *row = block->rows;
    uint32_t site;

    for (uint32_t i = 0; i < block->n; i++, row += block->row_size) {
        if (!xtf_site_cell_find(cell, reader, location, schema, row, &site, error))
            return false;
        if (site == XTF_NONE32)
            continue; /* the line keeps the dash of the template */
        block->lines[i][cell->from] = '?';
        if (site < names->n)
            memcpy(block->lines[i] + cell->from, names->text + (size_t)site * names->width, names->width);
    }
    return true;
}
