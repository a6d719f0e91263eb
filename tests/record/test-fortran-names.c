/* Tests names of Fortran: the names of symbols of gfortran, flang and ifx, and of C symbols that resemble them. */
#include <criterion/criterion.h>
#include <glib.h>

#include "src/record/names/symbol.h"

#define UNKNOWN XTF_LANGUAGE_UNKNOWN
#define FORTRAN XTF_LANGUAGE_FORTRAN
#define OTHER   XTF_LANGUAGE_OTHER

static const struct {
    XtfLanguage language;
    const char *symbol, *source, *name; /* NULL: the linker's name */
} names[] = {
    /* gfortran */
    {UNKNOWN, "__work_MOD_fft_rows", NULL, "work::fft_rows"},
    {FORTRAN, "__work_MOD_fft_rows", "fft_rows", "work::fft_rows"},
    {UNKNOWN, "__work_MOD_fft_rows.constprop.0", NULL, "work::fft_rows.constprop.0"},
    {UNKNOWN, "__work_MOD___copy_work_Grid", NULL, "work::__copy_work_Grid"},
    {UNKNOWN, "MAIN__", NULL, NULL},
    {FORTRAN, "MAIN__", NULL, NULL},
    {FORTRAN, "MAIN__", "spectrum", "spectrum"},
    {UNKNOWN, "store_result.2", NULL, NULL},
    {FORTRAN, "store_result.2", "store_result", "store_result"},
    {UNKNOWN, "solve_", NULL, NULL},
    {FORTRAN, "solve_", "solve", "solve"},
    {FORTRAN, "solve_", NULL, "solve"},
    {FORTRAN, "To_C", "to_c", "to_c"},
    {FORTRAN, "comm_mp_init_", "comm_mp_init", "comm_mp_init"},
    /* flang */
    {UNKNOWN, "_QMworkPfft_rows", NULL, "work::fft_rows"},
    {FORTRAN, "_QMworkPfft_rows", "fft_rows", "work::fft_rows"},
    {UNKNOWN, "_QMworkSdetailsPfft_rows", NULL, "work::details::fft_rows"},
    {UNKNOWN, "_QFPstore_result", NULL, "store_result"},
    {UNKNOWN, "_QMworkFfft_rowsPtwice", NULL, "twice"},
    {UNKNOWN, "_QFsolveB2Pinner", NULL, "inner"},
    {UNKNOWN, "_QPsolve", NULL, "solve"},
    {UNKNOWN, "_QQmain", NULL, "MAIN__"},
    {FORTRAN, "_QQmain", "_QQmain", "MAIN__"},
    {FORTRAN, "_QQmain", "spectrum", "spectrum"},
    /* ifx: without debug information a symbol may be an external procedure's. */
    {UNKNOWN, "work_mp_fft_rows_", NULL, NULL},
    {FORTRAN, "work_mp_fft_rows_", "fft_rows", "work::fft_rows"},
    {FORTRAN, "work_mp_fft_rows_", "FFT_ROWS", "work::FFT_ROWS"},
    /* C and C++ */
    {OTHER, "foo.2", NULL, NULL},
    {OTHER, "foo_", NULL, NULL},
    {OTHER, "__work_MOD_fft_rows", NULL, NULL},
    {OTHER, "_QQmain", NULL, NULL},
    {UNKNOWN, "foo.constprop.0", NULL, NULL},
    {UNKNOWN, "_ZN4work8fft_rowsEv", NULL, NULL},
    /* names that begin like names of these compilers, but are none */
    {UNKNOWN, "___MOD_x", NULL, NULL},
    {UNKNOWN, "__MOD_x", NULL, NULL},
    {UNKNOWN, "__work_MOD_", NULL, NULL},
    {UNKNOWN, "work_MOD_x", NULL, NULL},
    {UNKNOWN, "_Q", NULL, NULL},
    {UNKNOWN, "_QM", NULL, NULL},
    {UNKNOWN, "_QMwork", NULL, NULL},
    {UNKNOWN, "_QMworkP", NULL, NULL},
    {UNKNOWN, "_QMworkPaB", NULL, NULL},
    {UNKNOWN, "_QXworkPa", NULL, NULL},
    {UNKNOWN, "", NULL, NULL},
    {FORTRAN, "_", NULL, NULL},
    {FORTRAN, "__", NULL, NULL},
    {FORTRAN, "", NULL, NULL},
};

Test(fortran_names, table)
{
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        XtfSymbol symbol = {
            .name = names[i].symbol, .file = "", .language = names[i].language, .source_name = names[i].source};
        g_autofree char *name = xtf_fortran_name(&symbol);
        cr_expect_str_eq(name ? name : "-", names[i].name ? names[i].name : "-", "%zu: %s: %s", i, names[i].symbol,
                         name ? name : "-");
    }
}

Test(fortran_names, are_not_demangled)
{
    cr_assert_null(xtf_demangle("__work_MOD_fft_rows"));
    cr_assert_null(xtf_demangle("foo_"));
}
