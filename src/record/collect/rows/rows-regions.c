/*
 * The process's own regions: functions that it knows by address only, the filter, and regions that it stopped
 * recording.
 *
 * Names are looked up when a region is defined, from the object file's path: neither the process nor the library need
 * be there any more.
 */
#include <stdlib.h>
#include <string.h>

#include "src/record/collect/rows/collect.h"
#include "src/record/names/filter.h"
#include "src/record/names/symbols.h"

enum { ROLE_FUNCTION = 1, PARADIGM_USER = 1, PARADIGM_COMPILER = 2 };

typedef struct {
    XtfSymbols *symbols;
    uint64_t addresses[XTF_WIRE_CHOICES]; /* by index: what a region was defined with; 0: it was not */
} Own;

static void own_finish(void *data)
{
    xtf_symbols_free(((Own *)data)->symbols);
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

/* The regions that have names. */
typedef struct {
    GHashTable *names; /* by number; NULL: nothing is set up */
    XtfFilter *filter; /* NULL: none */
} Named;

static void named_finish(void *data)
{
    Named *named = data;

    xtf_filter_free(named->filter);
    if (named->names)
        g_hash_table_unref(named->names);
}

static Named *named_of(XtfCollector *collector)
{
    Named *named = xtf_collect_own(collector, "named regions", sizeof *named, named_finish);

    if (!named->names) {
        named->names = g_hash_table_new_full(NULL, NULL, NULL, g_free);
        named->filter = read_filter(collector);
    }
    return named;
}

bool xtf_collect_filter_region(XtfCollector *collector, uint32_t number, const char *name, const char *mangled,
                               const char *file)
{
    Named *named = named_of(collector);

    g_hash_table_insert(named->names, GUINT_TO_POINTER(number), g_strdup(name));
    if (!named->filter || !xtf_filter_excludes(named->filter, name, mangled, file))
        return false;
    xtf_collect_exclude_region(collector, number);
    return true;
}

/* What a function is called of which no name is known: the same in all processes. */
static char *name_of_unknown(const char *path, uint64_t base, uint64_t address)
{
    g_autofree char *file = path[0] ? g_path_get_basename(path) : NULL;

    return file ? g_strdup_printf("0x%" PRIx64 "@%s", address - base, file) : g_strdup_printf("0x%" PRIx64, address);
}

static void define_function(XtfCollector *collector, Own *own, uint32_t number, const XtfDefineAddress *function,
                            const char *path)
{
    XtfSymbol symbol = {.file = ""};

    if (!own->symbols)
        own->symbols = xtf_symbols_new();
    bool found = xtf_symbols_find(own->symbols, path, function->base, function->address, &symbol);
    g_autofree char *unknown = found ? NULL : name_of_unknown(path, function->base, function->address);
    const char *mangled = found ? symbol.name : unknown;
    g_autofree char *fortran = found ? xtf_fortran_name(&symbol) : NULL;
    char *demangled = xtf_demangle(mangled);
    const char *name = fortran ? fortran : demangled ? demangled : mangled;
    if (!xtf_collect_filter_region(collector, number, name, mangled, symbol.file))
        xtf_collect_define_region(collector, number, name, symbol.file, symbol.line, ROLE_FUNCTION, PARADIGM_COMPILER);
    free(demangled);
}

/* Each thread defines the regions that it uses: most are known. */
static bool define_address(XtfCollectRing *ring, uint64_t id, const uint8_t *bytes, size_t size)
{
    XtfCollectData data = {.ring = ring, .data = bytes, .left = size};
    g_autofree char *path = NULL;
    XtfDefineAddress function;

    if (!xtf_collect_take(&data, &function, sizeof function) || !xtf_collect_take_text(&data, data.left, &path))
        return false;
    if (id < XTF_WIRE_REGIONS_OWN || id - XTF_WIRE_REGIONS_OWN >= XTF_WIRE_CHOICES)
        return xtf_collect_malformed(ring, "region %" PRIu64 " cannot be defined", id);
    ring->collector->counts.functions++;
    Own *own = xtf_collect_own(ring->collector, "regions", sizeof *own, own_finish);
    uint64_t *known = &own->addresses[id - XTF_WIRE_REGIONS_OWN];
    if (*known != function.address)
        define_function(ring->collector, own, id, &function, path);
    *known = function.address;
    return true;
}

static bool decode_braked(XtfCollectRing *ring, uint64_t time, XtfWireHead head, const uint64_t *more)
{
    XtfCollector *collector = ring->collector;
    const char *name = g_hash_table_lookup(named_of(collector)->names, GUINT_TO_POINTER(head.region));

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
