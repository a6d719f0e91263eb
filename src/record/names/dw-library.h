/*
 * libdw, loaded when xtf first looks for the name of a function. The library needs three other libraries, which would
 * delay each start of xtf. Macros give its functions their usual names.
 */
#pragma once

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <glib.h>
#include <stdbool.h>

#define XTF_DW_FUNCTIONS(X)    \
    X(dwarf_attr_integrate)    \
    X(dwarf_diename)           \
    X(dwarf_formstring)        \
    X(dwarf_getfuncs)          \
    X(dwarf_getscopes)         \
    X(dwarf_getscopes_die)     \
    X(dwarf_haspc)             \
    X(dwarf_ranges)            \
    X(dwarf_srclang)           \
    X(dwarf_tag)               \
    X(dwfl_begin)              \
    X(dwfl_build_id_find_elf)  \
    X(dwfl_end)                \
    X(dwfl_line_comp_dir)      \
    X(dwfl_lineinfo)           \
    X(dwfl_module_addrdie)     \
    X(dwfl_module_getsrc)      \
    X(dwfl_module_getsym_info) \
    X(dwfl_module_getsymtab)   \
    X(dwfl_module_nextcu)      \
    X(dwfl_report_begin)       \
    X(dwfl_report_elf)         \
    X(dwfl_report_end)         \
    X(dwfl_standard_find_debuginfo)

typedef struct {
#define X(name) typeof(name) *name;
    XTF_DW_FUNCTIONS(X)
#undef X
} XtfDwCalls;

extern XtfDwCalls xtf_dw_calls; /* set by xtf_dw_load() */

/* Loads the library unless it is loaded already. Any thread may call it. Fails with XTF_ERROR_UNSUPPORTED if the
 * library cannot be loaded. */
bool xtf_dw_load(GError **error);

#define dwarf_attr_integrate         (*xtf_dw_calls.dwarf_attr_integrate)
#define dwarf_diename                (*xtf_dw_calls.dwarf_diename)
#define dwarf_formstring             (*xtf_dw_calls.dwarf_formstring)
#define dwarf_getfuncs               (*xtf_dw_calls.dwarf_getfuncs)
#define dwarf_getscopes              (*xtf_dw_calls.dwarf_getscopes)
#define dwarf_getscopes_die          (*xtf_dw_calls.dwarf_getscopes_die)
#define dwarf_haspc                  (*xtf_dw_calls.dwarf_haspc)
#define dwarf_ranges                 (*xtf_dw_calls.dwarf_ranges)
#define dwarf_srclang                (*xtf_dw_calls.dwarf_srclang)
#define dwarf_tag                    (*xtf_dw_calls.dwarf_tag)
#define dwfl_begin                   (*xtf_dw_calls.dwfl_begin)
#define dwfl_build_id_find_elf       (*xtf_dw_calls.dwfl_build_id_find_elf)
#define dwfl_end                     (*xtf_dw_calls.dwfl_end)
#define dwfl_line_comp_dir           (*xtf_dw_calls.dwfl_line_comp_dir)
#define dwfl_lineinfo                (*xtf_dw_calls.dwfl_lineinfo)
#define dwfl_module_addrdie          (*xtf_dw_calls.dwfl_module_addrdie)
#define dwfl_module_getsrc           (*xtf_dw_calls.dwfl_module_getsrc)
#define dwfl_module_getsym_info      (*xtf_dw_calls.dwfl_module_getsym_info)
#define dwfl_module_getsymtab        (*xtf_dw_calls.dwfl_module_getsymtab)
#define dwfl_module_nextcu           (*xtf_dw_calls.dwfl_module_nextcu)
#define dwfl_report_begin            (*xtf_dw_calls.dwfl_report_begin)
#define dwfl_report_elf              (*xtf_dw_calls.dwfl_report_elf)
#define dwfl_report_end              (*xtf_dw_calls.dwfl_report_end)
#define dwfl_standard_find_debuginfo (*xtf_dw_calls.dwfl_standard_find_debuginfo)
