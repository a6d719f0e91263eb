#include "src/record/names/filter.h"

#include <fnmatch.h>
#include <string.h>

#include "libxtf/error.h"

typedef enum { OUTSIDE, REGION_NAMES, FILE_NAMES } Block;

typedef struct {
    Block block;
    bool exclude, mangled;
    char *pattern;
} Rule;

struct XtfFilter {
    GArray *rules;
};

static void rule_clear(void *rule)
{
    g_free(((Rule *)rule)->pattern);
}

void xtf_filter_free(XtfFilter *filter)
{
    if (!filter)
        return;
    g_array_unref(filter->rules);
    g_free(filter);
}

typedef struct {
    XtfFilter *filter;
    Block block;
    bool has_rule; /* the open block of the file has had an EXCLUDE or INCLUDE */
    Rule rule;     /* rule of the next patterns, without a pattern */
} State;

/* Returns the word without its prefix, which names the tool; NULL if it has no such prefix. */
static const char *keyword_of(const char *word)
{
    static const char *const prefixes[] = {"SCOREP_", "XTF_"};

    for (size_t i = 0; i < G_N_ELEMENTS(prefixes); i++)
        if (g_str_has_prefix(word, prefixes[i]))
            return word + strlen(prefixes[i]);
    return NULL;
}

static const struct {
    const char *word;
    Block before, after;
} block_words[] = {
    {"REGION_NAMES_BEGIN", OUTSIDE, REGION_NAMES},
    {"REGION_NAMES_END", REGION_NAMES, OUTSIDE},
    {"FILE_NAMES_BEGIN", OUTSIDE, FILE_NAMES},
    {"FILE_NAMES_END", FILE_NAMES, OUTSIDE},
};

/* True if the word is a valid begin or end of a block here. If the word may not be here, sets *fault. */
static bool parse_block_word(State *state, const char *word, const char **fault)
{
    const char *keyword = keyword_of(word);

    for (size_t i = 0; keyword && i < G_N_ELEMENTS(block_words); i++) {
        if (strcmp(keyword, block_words[i].word) != 0)
            continue;
        if (state->block != block_words[i].before) {
            *fault = block_words[i].before == OUTSIDE ? "begins inside of a block" : "ends a block that did not begin";
            return false;
        }
        state->block = block_words[i].after;
        state->has_rule = false;
        return true;
    }
    return false;
}

static bool parse_word(State *state, const char *word, const char **fault)
{
    if (parse_block_word(state, word, fault))
        return true;
    if (*fault)
        return false;
    if (state->block == OUTSIDE) {
        *fault = "is outside of a block: SCOREP_REGION_NAMES_BEGIN or SCOREP_FILE_NAMES_BEGIN is expected";
        return false;
    }
    if (strcmp(word, "EXCLUDE") == 0 || strcmp(word, "INCLUDE") == 0) {
        state->rule = (Rule){.block = state->block, .exclude = word[0] == 'E'};
        state->has_rule = true;
        return true;
    }
    if (!state->has_rule) {
        *fault = "precedes EXCLUDE or INCLUDE";
        return false;
    }
    if (strcmp(word, "MANGLED") == 0 && state->block == REGION_NAMES) {
        state->rule.mangled = true;
        return true;
    }
    Rule rule = state->rule;
    rule.pattern = g_strdup(word);
    g_array_append_val(state->filter->rules, rule);
    return true;
}

/* Returns the next word of a line and advances *at; NULL at the end. A # without \ before it begins a comment. The
 * caller frees the word. */
static char *next_word(const char **at)
{
    const char *end;

    while (**at == ' ' || **at == '\t' || **at == '\r')
        (*at)++;
    for (end = *at; *end && *end != ' ' && *end != '\t' && *end != '\r' && *end != '#'; end++)
        if (*end == '\\' && end[1])
            end++;
    char *word = end > *at ? g_strndup(*at, end - *at) : NULL;
    *at = end;
    return word;
}

static bool parse_line(State *state, const char *line, const char *path, unsigned number, GError **error)
{
    const char *fault = NULL;
    char *next;

    while ((next = next_word(&line))) {
        g_autofree char *word = next;
        if (!parse_word(state, word, &fault)) {
            g_set_error(error, XTF_ERROR, XTF_ERROR_INVALID, "%s, line %u: %s %s", path, number, word, fault);
            return false;
        }
    }
    return true;
}

XtfFilter *xtf_filter_parse(const char *text, const char *path, GError **error)
{
    g_autoptr(XtfFilter) filter = g_new0(XtfFilter, 1);
    State state = {.filter = filter};

    filter->rules = g_array_new(false, false, sizeof(Rule));
    g_array_set_clear_func(filter->rules, rule_clear);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (unsigned i = 0; lines[i]; i++)
        if (!parse_line(&state, lines[i], path, i + 1, error))
            return NULL;
    if (state.block != OUTSIDE) {
        g_set_error(error, XTF_ERROR, XTF_ERROR_INVALID, "%s: the last block has no end", path);
        return NULL;
    }
    return g_steal_pointer(&filter);
}

XtfFilter *xtf_filter_read(const char *path, GError **error)
{
    g_autofree char *text = NULL;

    if (!g_file_get_contents(path, &text, NULL, error))
        return NULL;
    return xtf_filter_parse(text, path, error);
}

static bool block_excludes(const XtfFilter *filter, Block block, const char *name, const char *mangled)
{
    for (unsigned i = filter->rules->len; i > 0; i--) {
        const Rule *rule = &g_array_index(filter->rules, Rule, i - 1);
        if (rule->block == block && fnmatch(rule->pattern, rule->mangled ? mangled : name, 0) == 0)
            return rule->exclude;
    }
    return false;
}

bool xtf_filter_excludes(const XtfFilter *filter, const char *name, const char *mangled, const char *file)
{
    return block_excludes(filter, REGION_NAMES, name, mangled) || block_excludes(filter, FILE_NAMES, file, file);
}

static bool names_region(const Rule *rule, const char *prefix)
{
    return rule->block == REGION_NAMES && g_str_has_prefix(rule->pattern, prefix);
}

bool xtf_filter_names(const XtfFilter *filter, const char *prefix, const char *name, bool *excludes)
{
    for (unsigned i = filter->rules->len; i > 0; i--) {
        const Rule *rule = &g_array_index(filter->rules, Rule, i - 1);
        if (!names_region(rule, prefix) || fnmatch(rule->pattern, name, 0) != 0)
            continue;
        *excludes = rule->exclude;
        return true;
    }
    return false;
}

const char *xtf_filter_unmatched(const XtfFilter *filter, const char *prefix, const char *const *names)
{
    for (unsigned i = 0; i < filter->rules->len; i++) {
        const Rule *rule = &g_array_index(filter->rules, Rule, i);
        const char *const *name = names;
        while (*name && fnmatch(rule->pattern, *name, 0) != 0)
            name++;
        if (names_region(rule, prefix) && !*name)
            return rule->pattern;
    }
    return NULL;
}
