#include "src/record/names/symbols.h"

#include <glib.h>
#include <stdlib.h>

#include "src/record/names/call-place.h"
#include "src/record/names/dw-library.h"
#include "src/record/names/subprograms.h"

/* A function. The functions are sorted here, since libdwfl searches all symbols for each address. */
typedef struct {
    uint64_t begin, end; /* addresses in the process; without a size, `end` is `begin` */
    const char *name;
    bool global;
} Function;

/* An object file loaded at `base`. */
typedef struct {
    char *path;
    uint64_t base;
    Dwfl *dwfl;
    Dwfl_Module *module;
    XtfSubprograms *subprograms; /* NULL: reading the file failed */
    GArray *functions;           /* NULL: not read yet */
} Object;

struct XtfSymbols {
    GPtrArray *objects;
    GStringChunk *paths;
    Dwfl_Callbacks callbacks; /* valid if libdw is loaded */
};

static void object_free(void *data)
{
    Object *object = data;

    g_free(object->path);
    xtf_subprograms_free(object->subprograms);
    if (object->dwfl)
        dwfl_end(object->dwfl);
    if (object->functions)
        g_array_unref(object->functions);
    g_free(object);
}

bool xtf_symbols_load(GError **error)
{
    return xtf_dw_load(error);
}

XtfSymbols *xtf_symbols_new(void)
{
    XtfSymbols *symbols = g_new0(XtfSymbols, 1);

    /* Keeps libdw from asking servers of debug information, which would delay the trace. */
    g_unsetenv("DEBUGINFOD_URLS");
    symbols->objects = g_ptr_array_new_with_free_func(object_free);
    symbols->paths = g_string_chunk_new(4096);
    return symbols;
}

void xtf_symbols_free(XtfSymbols *symbols)
{
    if (!symbols)
        return;
    g_ptr_array_unref(symbols->objects);
    g_string_chunk_free(symbols->paths);
    g_free(symbols);
}

/* Compares by address. Among functions at one address the last is the best: global, then the longest. */
static int compare_functions(const void *left, const void *right)
{
    const Function *a = left, *b = right;

    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    if (a->global != b->global)
        return a->global ? 1 : -1;
    return (a->end > b->end) - (a->end < b->end);
}

static void read_functions(Object *object)
{
    int n = object->module ? dwfl_module_getsymtab(object->module) : 0;

    object->functions = g_array_new(false, false, sizeof(Function));
    for (int i = 1; i < n; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        GElf_Word section;
        const char *name = dwfl_module_getsym_info(object->module, i, &symbol, &address, &section, NULL, NULL);
        int type = GELF_ST_TYPE(symbol.st_info);
        if (!name || !name[0] || symbol.st_shndx == SHN_UNDEF || (type != STT_FUNC && type != STT_GNU_IFUNC))
            continue;
        Function function = {.begin = address,
                             .end = address + symbol.st_size,
                             .name = name,
                             .global = GELF_ST_BIND(symbol.st_info) == STB_GLOBAL};
        g_array_append_val(object->functions, function);
    }
    g_array_sort(object->functions, compare_functions);
}

static void read_object(XtfSymbols *symbols, Object *object)
{
    static char *no_path;

    if (!xtf_dw_load(NULL))
        return;
    symbols->callbacks = (Dwfl_Callbacks){
        .find_elf = dwfl_build_id_find_elf, .find_debuginfo = dwfl_standard_find_debuginfo, .debuginfo_path = &no_path};
    object->dwfl = dwfl_begin(&symbols->callbacks);
    if (!object->dwfl)
        return;
    dwfl_report_begin(object->dwfl);
    object->module = dwfl_report_elf(object->dwfl, object->path, object->path, -1, object->base, true);
    dwfl_report_end(object->dwfl, NULL, NULL);
    if (!object->module)
        return;
    object->subprograms = xtf_subprograms_new(object->module);
}

static Object *find_object(XtfSymbols *symbols, const char *path, uint64_t base)
{
    for (unsigned i = 0; i < symbols->objects->len; i++) {
        Object *object = symbols->objects->pdata[i];
        if (object->base == base && g_str_equal(object->path, path))
            return object;
    }
    Object *object = g_new0(Object, 1);
    object->path = g_strdup(path);
    object->base = base;
    g_ptr_array_add(symbols->objects, object);
    read_object(symbols, object);
    return object;
}

/* Returns the last function that begins at or before the address, if it contains the address; else NULL. */
static const Function *find_function(Object *object, uint64_t address)
{
    if (!object->functions)
        read_functions(object);
    unsigned low = 0, high = object->functions->len;

    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (g_array_index(object->functions, Function, middle).begin <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    const Function *function = &g_array_index(object->functions, Function, low - 1);
    return address == function->begin || address < function->end ? function : NULL;
}

bool xtf_symbols_find(XtfSymbols *symbols, const char *path, uint64_t base, uint64_t address, XtfSymbol *symbol)
{
    Object *object = find_object(symbols, path, base);
    const Function *function = find_function(object, address);
    int number = 0;

    if (!function)
        return false;
    g_autofree char *file = xtf_source_line(object->module, function->begin, &number);
    *symbol = (XtfSymbol){.name = function->name,
                          .file = g_string_chunk_insert_const(symbols->paths, file),
                          .line = number > 0 ? number : 0};
    xtf_subprograms_find(object->subprograms, function->begin, symbol);
    return true;
}

void xtf_symbols_find_call(XtfSymbols *symbols, const char *path, uint64_t base, uint64_t address, XtfCallPlace *place)
{
    Object *object = find_object(symbols, path, base);
    uint64_t call = address - 1; /* an address inside the instruction that calls */
    XtfSymbol symbol = {.file = ""};

    *place = (XtfCallPlace){0};
    if (object->module)
        xtf_call_place_find(object->module, call, place);
    const Function *function = place->function ? NULL : find_function(object, call);
    if (function) {
        symbol.name = function->name;
        place->function = xtf_readable_name(&symbol);
        place->offset = address - function->begin;
    }
    place->function = place->function ? place->function : g_strdup("");
    place->inlined_into = place->inlined_into ? place->inlined_into : g_strdup("");
    place->file = place->file ? place->file : g_strdup("");
}
