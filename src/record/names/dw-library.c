#include "src/record/names/dw-library.h"

#include <dlfcn.h>

#include "libxtf/error.h"

/* dlsym() needs the library's own names. */
#undef dwarf_attr_integrate
#undef dwarf_diename
#undef dwarf_formstring
#undef dwarf_getfuncs
#undef dwarf_getscopes
#undef dwarf_getscopes_die
#undef dwarf_haspc
#undef dwarf_ranges
#undef dwarf_srclang
#undef dwarf_tag
#undef dwfl_begin
#undef dwfl_build_id_find_elf
#undef dwfl_end
#undef dwfl_line_comp_dir
#undef dwfl_lineinfo
#undef dwfl_module_addrdie
#undef dwfl_module_getsrc
#undef dwfl_module_getsym_info
#undef dwfl_module_getsymtab
#undef dwfl_module_nextcu
#undef dwfl_report_begin
#undef dwfl_report_elf
#undef dwfl_report_end
#undef dwfl_standard_find_debuginfo

XtfDwCalls xtf_dw_calls;

/* Loads the library and finds its functions. Returns NULL, or the reason of a failure, which is never freed. */
static const char *load_functions(void)
{
    void *library = dlopen(XTF_DW_SONAME, RTLD_NOW | RTLD_LOCAL);

    if (!library)
        return g_strdup(dlerror());
#define X(name)                                                       \
    if (!(xtf_dw_calls.name = (typeof(name) *)dlsym(library, #name))) \
        return g_strdup(dlerror());
    XTF_DW_FUNCTIONS(X)
#undef X
    return NULL;
}

bool xtf_dw_load(GError **error)
{
    static gsize once;
    static const char *failure;

    if (g_once_init_enter(&once)) {
        failure = load_functions();
        g_once_init_leave(&once, 1);
    }
    return !failure || xtf_fail(error, XTF_ERROR_UNSUPPORTED, "cannot load libdw: %s", failure);
}
