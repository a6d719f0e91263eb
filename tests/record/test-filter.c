/* Tests filters in Score-P's syntax: which rule decides, and which texts are no filter. */
#include <criterion/criterion.h>

#include "src/record/names/filter.h"

static XtfFilter *parse_filter(const char *text)
{
    g_autoptr(GError) error = NULL;
    XtfFilter *filter = xtf_filter_parse(text, "f", &error);

    cr_assert_null(error, "%s", error ? error->message : "");
    return filter;
}

static bool excludes(const char *text, const char *name, const char *mangled, const char *file)
{
    g_autoptr(XtfFilter) filter = parse_filter(text);

    return xtf_filter_excludes(filter, name, mangled, file);
}

#define NAMES(rules) "SCOREP_REGION_NAMES_BEGIN\n" rules "\nSCOREP_REGION_NAMES_END\n"
#define FILES(rules) "SCOREP_FILE_NAMES_BEGIN\n" rules "\nSCOREP_FILE_NAMES_END\n"

Test(filter, last_rule_decides)
{
    const char *text = NAMES("EXCLUDE *\nINCLUDE ma* b?r # EXCLUDE main\n\tbaz\nEXCLUDE mad");

    cr_assert_not(excludes(text, "main", "main", ""));
    cr_assert(excludes(text, "mad", "mad", ""));
    cr_assert_not(excludes(text, "bar", "bar", ""));
    cr_assert_not(excludes(text, "baz", "baz", ""));
    cr_assert(excludes(text, "baar", "baar", ""));
    cr_assert_not(excludes("", "main", "main", ""));
}

Test(filter, mangled_names)
{
    const char *text = NAMES("EXCLUDE MANGLED _Z1f*\nEXCLUDE g(int)");

    cr_assert(excludes(text, "f(int)", "_Z1fi", ""));
    cr_assert_not(excludes(text, "_Z1fi", "f", ""));
    cr_assert(excludes(text, "g(int)", "_Z1gi", ""));
    cr_assert_not(excludes(text, "g(int, int)", "_Z1gii", ""));
}

Test(filter, either_kind_of_block_excludes)
{
    const char *text = FILES("EXCLUDE */lib/*") NAMES("INCLUDE *\nEXCLUDE h");

    cr_assert(excludes(text, "f", "f", "/a/lib/f.c"));
    cr_assert(excludes(text, "h", "h", "/a/h.c"));
    cr_assert_not(excludes(text, "f", "f", "/a/f.c"));
}

Test(filter, escaped_characters)
{
    cr_assert(excludes(NAMES("EXCLUDE a\\*"), "a*", "a*", ""));
    cr_assert_not(excludes(NAMES("EXCLUDE a\\*"), "ab", "ab", ""));
    cr_assert(excludes(NAMES("EXCLUDE a\\#b"), "a#b", "a#b", ""));
    cr_assert(excludes(NAMES("EXCLUDE operator\\ new"), "operator new", "_Znwm", ""));
    cr_assert(excludes("XTF_REGION_NAMES_BEGIN EXCLUDE f XTF_REGION_NAMES_END", "f", "f", ""));
}

Test(filter, mistakes_name_their_line)
{
    static const struct {
        const char *text, *part;
    } mistakes[] = {
        {"EXCLUDE f", "f, line 1: EXCLUDE is outside of a block"},
        {"SCOREP_REGION_NAMES_BEGIN\nf\nSCOREP_REGION_NAMES_END", "f, line 2: f precedes EXCLUDE or INCLUDE"},
        {"SCOREP_REGION_NAMES_BEGIN\n\nSCOREP_FILE_NAMES_BEGIN", "line 3: SCOREP_FILE_NAMES_BEGIN begins inside"},
        {"\n\n\nSCOREP_FILE_NAMES_END", "line 4: SCOREP_FILE_NAMES_END ends a block that did not begin"},
        {"SCOREP_REGION_NAMES_BEGIN EXCLUDE f", "the last block has no end"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(mistakes); i++) {
        g_autoptr(GError) error = NULL;
        cr_assert_null(xtf_filter_parse(mistakes[i].text, "f", &error));
        cr_assert(error && strstr(error->message, mistakes[i].part), "%zu: %s", i, error ? error->message : "none");
    }
}
