#include "libxtf/write/volume-list.h"

void xtf_writer_volumes_free(GArray *volumes)
{
    for (guint i = 0; volumes && i < volumes->len; i++)
        g_free(g_array_index(volumes, XtfPartFile, i).name);
    g_clear_pointer(&volumes, g_array_unref);
}

void xtf_writer_volumes_name(const XtfWriter *writer, XtfCatalog *catalog)
{
    if (!writer->volumes)
        return;
    catalog->files = (XtfPartFile *)(void *)writer->volumes->data;
    catalog->n_files = writer->volumes->len;
}

void xtf_writer_volumes_resume(XtfWriter *writer, const XtfCatalog *catalog, uint64_t own_first)
{
    if (own_first == 0)
        return;
    writer->own_first = own_first;
    writer->volumes = g_array_new(FALSE, FALSE, sizeof(XtfPartFile));
    writer->volume_ends = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    writer->kept_from = writer->kept_before = xtf_catalog_n_removed(catalog) > 0 ? catalog->clock.first : 0;
    for (uint32_t i = 0; i < catalog->n_files; i++) {
        XtfPartFile volume = catalog->files[i];
        volume.name = g_strdup(volume.name);
        g_array_append_val(writer->volumes, volume);
        g_array_append_val(writer->volume_ends, catalog->clock.last); /* not known; not later than this */
    }
}
