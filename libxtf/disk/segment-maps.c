#include "libxtf/disk/segment-maps.h"

#include "libxtf/error.h"

void xtf_segment_maps_encode(const XtfCatalog *catalog, GByteArray *bytes)
{
    for (uint32_t i = 0; i < catalog->n_segments; i++) {
        const XtfSegmentMap *map = &catalog->segment_maps[i];
        XtfDiskSegmentMap disk = {0};
        xtf_write32(&disk.strings, map->strings);
        xtf_write32(&disk.strings_length, map->strings_length);
        xtf_write32(&disk.n_tables, map->n_tables);
        g_byte_array_append(bytes, (const guint8 *)&disk, sizeof disk);
        for (uint32_t t = 0; t < map->n_tables; t++) {
            XtfDiskTableMap table = {0};
            xtf_write32(&table.schema, map->tables[t].schema);
            xtf_ref_write(&table.rows, map->tables[t].rows);
            g_byte_array_append(bytes, (const guint8 *)&table, sizeof table);
        }
    }
}

static bool decode_segment_map(XtfSegmentMap *map, XtfBytesReader *reader, GError **error)
{
    XtfDiskSegmentMap disk;

    xtf_bytes_read(reader, &disk, sizeof disk);
    uint32_t n_tables = xtf_read32(disk.n_tables);
    if (reader->failed || n_tables > reader->left / sizeof(XtfDiskTableMap))
        return xtf_damaged(error, "catalog: the segment maps are cut short");
    *map = (XtfSegmentMap){
        .strings = xtf_read32(disk.strings),
        .strings_length = xtf_read32(disk.strings_length),
        .tables = g_new0(XtfTableMap, n_tables),
        .n_tables = n_tables,
    };
    for (uint32_t t = 0; t < n_tables; t++) {
        XtfDiskTableMap table;
        xtf_bytes_read(reader, &table, sizeof table);
        map->tables[t] = (XtfTableMap){.schema = xtf_read32(table.schema), .rows = xtf_ref_read(&table.rows)};
        if (map->tables[t].rows.length % sizeof(XtfLe32) != 0)
            return xtf_damaged(error, "catalog: the length of a segment map is not a multiple of 4");
        if (t > 0 && map->tables[t].schema <= map->tables[t - 1].schema)
            return xtf_damaged(error, "catalog: the tables of a segment map are out of order");
    }
    return true;
}

bool xtf_segment_maps_decode(XtfCatalog *catalog, XtfBytesReader *reader, GError **error)
{
    catalog->segment_maps = g_new0(XtfSegmentMap, catalog->n_segments);
    for (uint32_t i = 0; i < catalog->n_segments; i++)
        if (!decode_segment_map(&catalog->segment_maps[i], reader, error))
            return false;
    return reader->left == 0 || xtf_damaged(error, "catalog: there are more segment maps than segments");
}

void xtf_segment_maps_finish(XtfCatalog *catalog)
{
    for (uint32_t i = 0; catalog->segment_maps && i < catalog->n_segments; i++)
        g_free(catalog->segment_maps[i].tables);
    g_free(catalog->segment_maps);
    catalog->segment_maps = NULL;
}
