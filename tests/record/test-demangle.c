/* Tests which C++ names are demangled: short names may have very long demangled ones. */
#include <criterion/criterion.h>
#include <glib.h>
#include <stdlib.h>

#include "src/record/names/symbol.h"

/* Returns a mangled f(pair<...>) of nested pairs: each level doubles the demangled name. */
static GString *nest_pairs(unsigned levels)
{
    GString *name = g_string_new("_Z1f1PIiiE");

    for (unsigned i = 0; i < levels; i++)
        g_string_append_printf(name, "S_IS%x_S%x_E", i, i);
    return name;
}

Test(demangle, ordinary_names)
{
    char *name = xtf_demangle("_ZN7solvers4stepERKSt6vectorIdSaIdEE");

    cr_assert_str_eq(name, "solvers::step(std::vector<double, std::allocator<double> > const&)");
    cr_assert_null(xtf_demangle("main"));
    free(name);
}

Test(demangle, names_that_would_be_too_long)
{
    for (unsigned levels = 9; levels < 4096; levels *= 3) {
        GString *name = nest_pairs(levels);
        char *demangled = xtf_demangle(name->str);
        cr_assert(!demangled || strlen(demangled) <= 4096, "%u levels: %zu bytes", levels, strlen(demangled));
        free(demangled);
        g_string_free(name, TRUE);
    }
}
