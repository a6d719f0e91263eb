/* Rows of regions, by the process's region numbers. */
#include <string.h>

#include "src/model/region-class.h"
#include "src/record/collect/rows/collect.h"
#include "src/record/mpi/regions.h"

enum {
    FIRST_REGIONS = 1024,
    ROLE_ARTIFICIAL = 31, /* index in xtf_region_roles */
};

static void grow_regions(XtfCollector *collector, uint32_t number)
{
    uint32_t n = MAX(number + 1, MAX(2 * collector->n_regions, FIRST_REGIONS));

    collector->regions = g_renew(uint32_t, collector->regions, n);
    memset(collector->regions + collector->n_regions, 0xff, (n - collector->n_regions) * sizeof *collector->regions);
    collector->n_regions = n;
}

/* Returns the key of a region's row: name, file and line. The caller frees it. */
static char *region_key(const char *name, const char *file, uint32_t line)
{
    return g_strdup_printf("%s\n%s\n%" PRIu32, name, file, line);
}

static void set_region(XtfCollector *collector, uint32_t row, const char *name, const char *file, uint32_t line,
                       unsigned role, unsigned paradigm)
{
    uint32_t name_id = xtf_collect_string(&collector->tables, name);
    uint32_t file_id = xtf_collect_string(&collector->tables, file);
    XtfRegionRow *region = xtf_collect_change_row(&collector->tables, XTF_MODEL_REGIONS, row);

    region->name = region->canonical = name_id;
    region->file = file_id;
    region->line = line > 0 ? line : XTF_NONE32;
    region->role = role;
    region->paradigm = paradigm;
}

/* Returns the row with that name, file and line; adds it if it is missing. */
static uint32_t region_row(XtfCollector *collector, const char *name, const char *file, uint32_t line, unsigned role,
                           unsigned paradigm)
{
    g_autofree char *key = region_key(name, file, line);
    XtfRegionRow empty;
    void *row;

    if (g_hash_table_lookup_extended(collector->regions_by_text, key, NULL, &row))
        return GPOINTER_TO_UINT(row);
    xtf_collect_empty_row(XTF_MODEL_REGIONS, &empty);
    uint32_t number = xtf_collect_add_row(&collector->tables, XTF_MODEL_REGIONS, &empty);
    g_hash_table_insert(collector->regions_by_text, g_steal_pointer(&key), GUINT_TO_POINTER(number));
    set_region(collector, number, name, file, line, role, paradigm);
    return number;
}

/* Returns a region's name until its definition: records in another ring may use it before. The caller frees it. */
static char *provisional_name(uint32_t number)
{
    return g_strdup_printf("region %" PRIu32, number);
}

uint32_t xtf_collect_new_region(XtfCollector *collector, uint32_t number)
{
    const XtfMpiRegion *mpi = xtf_mpi_region(number);
    g_autofree char *name = mpi ? g_strdup(mpi->name) : provisional_name(number);
    uint32_t row = mpi ? region_row(collector, name, "", 0, mpi->role, XTF_COLLECT_PARADIGM_MPI)
                   : number == XTF_WIRE_REGION_CLOCKS ? region_row(collector, XTF_REGION_CLOCKS, "", 0, ROLE_ARTIFICIAL,
                                                                   XTF_COLLECT_PARADIGM_MEASUREMENT)
                                                      : region_row(collector, name, "", 0, 0, 0);

    if (number >= collector->n_regions)
        grow_regions(collector, number);
    collector->regions[number] = row;
    return row;
}

void xtf_collect_define_region(XtfCollector *collector, uint32_t number, const char *name, const char *file,
                               uint32_t line, unsigned role, unsigned paradigm)
{
    if (number >= collector->n_regions)
        grow_regions(collector, number);
    uint32_t row = collector->regions[number];
    g_autofree char *provisional = provisional_name(number), *provisional_key = region_key(provisional, "", 0);
    g_autofree char *key = region_key(name, file, line);
    void *held;
    bool is_provisional = row != XTF_NONE32 &&
                          g_hash_table_lookup_extended(collector->regions_by_text, provisional_key, NULL, &held) &&
                          GPOINTER_TO_UINT(held) == row;

    if (!is_provisional || g_hash_table_contains(collector->regions_by_text, key)) {
        /* Rows are never joined: earlier records may keep a row with a provisional name. */
        collector->regions[number] = region_row(collector, name, file, line, role, paradigm);
        return;
    }
    g_hash_table_remove(collector->regions_by_text, provisional_key);
    g_hash_table_insert(collector->regions_by_text, g_steal_pointer(&key), GUINT_TO_POINTER(row));
    set_region(collector, row, name, file, line, role, paradigm);
}

uint32_t xtf_collect_off_region(XtfCollector *collector)
{
    return region_row(collector, XTF_REGION_OFF, "", 0, ROLE_ARTIFICIAL, XTF_COLLECT_PARADIGM_MEASUREMENT);
}

void xtf_collect_exclude_region(XtfCollector *collector, uint32_t number)
{
    if (number >= collector->n_regions)
        grow_regions(collector, number);
    collector->regions[number] = XTF_COLLECT_EXCLUDED;
    if (collector->choices && number >= XTF_WIRE_REGIONS_OWN && number - XTF_WIRE_REGIONS_OWN < XTF_WIRE_CHOICES)
        atomic_store_explicit(&collector->choices[number - XTF_WIRE_REGIONS_OWN], XTF_WIRE_CHOICE_EXCLUDED,
                              memory_order_relaxed);
}
