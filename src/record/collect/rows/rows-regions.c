/*
 * The process's own regions: functions known by address only, the filter, and functions that the brake stopped.
 *
 * The collector looks names up in the object file, by its path, when the process defines a region. So the process may
 * have ended or unloaded the library.
 */
#include <string.h>

#include "src/record/collect/rows/collect.h"
#include "src/record/names/filter.h"
#include "src/record/names/symbols.h"

enum { ROLE_FUNCTION = 1, PARADIGM_USER = 1, PARADIGM_COMPILER = 2 };

typedef struct {
    XtfSymbols *symbols;
    uint64_t addresses[XTF_WIRE_CHOICES]; /* by index: address of the region's definition; 0: undefined */
} AddressRegions;

static void address_regions_finish(void *data)
{
    xtf_symbols_free(((AddressRegions *)data)->symbols);
}

static XtfFilter *read_filter(XtfCollector *collector)
{
    const char *path = g_getenv("XTF_RECORD_FILTER");
    g_autoptr(GError) error = NULL;
    XtfFilter *filter = path && path[0] ? xtf_filter_read(path, &error) : NULL;

    if (error)
        xtf_collect_remark(collector, "the filter was not applied: %s", error->message);
    return filter;
}

typedef struct {
    GHashTable *names; /* by region number; NULL: not initialised */
    XtfFilter *filter; /* NULL: no filter */
} NamedRegions;

static void named_regions_finish(void *data)
{
    NamedRegions *named = data;

    xtf_filter_free(named->filter);
    if (named->names)
        g_hash_table_unref(named->names);
}

static NamedRegions *named_regions(XtfCollector *collector)
{
    NamedRegions *named = xtf_collect_own(collector, "named regions", sizeof *named, named_regions_finish);

    if (!named->names) {
        named->names = g_hash_table_new_full(NULL, NULL, NULL, g_free);
        named->filter = read_filter(collector);
    }
    return named;
}

bool xtf_collect_filter_region(XtfCollector *collector, uint32_t number, const char *name, const char *mangled,
                               const char *file)
{
    NamedRegions *named = named_regions(collector);

    g_hash_table_insert(named->names, GUINT_TO_POINTER(number), g_strdup(name));
    if (!named->filter || !xtf_filter_excludes(named->filter, name, mangled, file))
        return false;
    xtf_collect_exclude_region(collector, number);
    return true;
}

/* Returns the name of a function without a symbol, the same in all processes. The caller frees it. */
static char *address_name(const char *path, uint64_t base, uint64_t address)
{
    g_autofree char *file = path[0] ? g_path_get_basename(path) : NULL;

    return file ? g_strdup_printf("0x%" PRIx64 "@%s", address - base, file) : g_strdup_printf("0x%" PRIx64, address);
}

static void define_function(XtfCollector *collector, AddressRegions *regions, uint32_t number,
                            const XtfDefineAddress *function, const char *path)
{
    XtfSymbol symbol = {.file = ""};

    if (!regions->symbols)
        regions->symbols = xtf_symbols_new();
    bool has_symbol = xtf_symbols_find(regions->symbols, path, function->base, function->address, &symbol);
    g_autofree char *address_text = has_symbol ? NULL : address_name(path, function->base, function->address);
    const char *mangled = has_symbol ? symbol.name : address_text;
    symbol.name = mangled;
    g_autofree char *name = xtf_readable_name(&symbol);
    if (!xtf_collect_filter_region(collector, number, name, mangled, symbol.file))
        xtf_collect_define_region(collector, number, name, symbol.file, symbol.line, ROLE_FUNCTION, PARADIGM_COMPILER);
}

/* Defines a function by its address. Each thread defines the regions that it uses, so most are already defined. */
static bool define_address(XtfCollectRing *ring, uint64_t id, const uint8_t *bytes, size_t size)
{
    XtfCollectData data = {.ring = ring, .data = bytes, .left = size};
    g_autofree char *path = NULL;
    XtfDefineAddress function;

    if (!xtf_collect_read(&data, &function, sizeof function) || !xtf_collect_read_text(&data, data.left, &path))
        return false;
    if (id < XTF_WIRE_REGIONS_OWN || id - XTF_WIRE_REGIONS_OWN >= XTF_WIRE_CHOICES)
        return xtf_collect_malformed(ring, "region %" PRIu64 " cannot be defined", id);
    ring->collector->counts.functions++;
    AddressRegions *regions = xtf_collect_own(ring->collector, "regions", sizeof *regions, address_regions_finish);
    uint64_t *known = &regions->addresses[id - XTF_WIRE_REGIONS_OWN];
    if (*known != function.address)
        define_function(ring->collector, regions, id, &function, path);
    *known = function.address;
    return true;
}

static bool decode_braked(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    XtfCollector *collector = ring->collector;
    const char *name = g_hash_table_lookup(named_regions(collector)->names, GUINT_TO_POINTER(head.region));

    ring->collector->counts.framing++;
    if (!name || xtf_collect_region(collector, head.region) == XTF_COLLECT_EXCLUDED)
        return true;
    xtf_collect_remark(
        collector,
        "%s is recorded no longer: it was called %" PRIu64
        " times in a row at more than a million calls a second (a filter, or XTF_RECORD_BRAKE=0, changes "
        "that)",
        name, more[0]);
    return true;
}

static const XtfCollectKind kinds[] = {{XTF_WIRE_BRAKED, decode_braked}, {0}};
static const XtfCollectDefinition definitions[] = {{XTF_DEFINE_ADDRESS, define_address}, {0}};
const XtfCollectRows xtf_collect_own_regions = {.kinds = kinds, .definitions = definitions};
