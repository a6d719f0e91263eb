#include "src/cli/ui/common.h"

#include <stdio.h>
#include <string.h>

#include "src/cli/ui/print.h"

static bool takes_value(char letter, const GOptionEntry *entries)
{
    for (const GOptionEntry *entry = entries; entry->long_name; entry++)
        if (entry->short_name == letter)
            return entry->arg != G_OPTION_ARG_NONE;
    return false;
}

/* Finds the value in short options ("-j4", "-qj4"). Returns "" if the value is the next argument, NULL if no option has
 * one. */
static char *find_short_value(char *argument, const GOptionEntry *entries)
{
    if (argument[0] != '-' || argument[1] == '-')
        return NULL;
    for (char *letter = argument + 1; *letter; letter++)
        if (takes_value(*letter, entries))
            return letter + 1;
    return NULL;
}

/* True if a long option takes its value from the next argument. */
static bool is_valued_long_option(const char *argument, const GOptionEntry *entries)
{
    for (const GOptionEntry *entry = entries; entry->long_name && g_str_has_prefix(argument, "--"); entry++)
        if (g_str_equal(argument + 2, entry->long_name))
            return entry->arg != G_OPTION_ARG_NONE;
    return false;
}

/* Splits arguments such as -j4 into -j and 4, since GLib reads a short option's value only from the next argument. With
 * `posix`, splits only arguments before the first one that is not an option. The new vector is never freed. */
static void split_short_options(int *argc, char ***argv, const GOptionEntry *entries, bool posix)
{
    static GPtrArray *split;
    bool options = true, is_value = false;

    split = g_ptr_array_new();
    g_ptr_array_add(split, (*argv)[0]);
    for (int i = 1; i < *argc; i++) {
        char *argument = (*argv)[i];
        options = options && (is_value || (strcmp(argument, "--") != 0 && (!posix || argument[0] == '-')));
        char *value = options && !is_value ? find_short_value(argument, entries) : NULL;
        is_value = (value && !*value) || (posix && options && !is_value && is_valued_long_option(argument, entries));
        if (value && *value) {
            g_autofree char *option = g_strndup(argument, (gsize)(value - argument));
            g_ptr_array_add(split, (char *)g_intern_string(option));
            argument = value;
        }
        g_ptr_array_add(split, argument);
    }
    *argc = (int)split->len;
    g_ptr_array_add(split, NULL);
    *argv = (char **)split->pdata;
}

bool xtf_cli_parse(int *argc, char ***argv, int n_arguments, const char *arguments, const char *summary,
                   const GOptionEntry *entries)
{
    g_autofree char *command = g_strdup((*argv)[0]);
    g_autofree char *program = g_strdup_printf("xtf %s", command);
    g_autoptr(GOptionContext) context = g_option_context_new(arguments);
    g_autoptr(GError) error = NULL;

    g_set_prgname(program); /* for the usage line */
    g_option_context_set_summary(context, summary);
    if (entries) {
        g_option_context_add_main_entries(context, entries, NULL);
        split_short_options(argc, argv, entries, n_arguments == XTF_CLI_COMMAND);
    }
    g_option_context_set_strict_posix(context, n_arguments == XTF_CLI_COMMAND);
    if (n_arguments == XTF_CLI_COMMAND)
        n_arguments = -1;
    bool parsed = g_option_context_parse(context, argc, argv, &error);
    g_set_prgname("xtf");
    if (parsed) {
        if (*argc > 1 && g_str_equal((*argv)[1], "--")) { /* GLib leaves it in */
            for (int i = 1; i < *argc; i++)
                (*argv)[i] = (*argv)[i + 1];
            (*argc)--;
        }
        if (n_arguments == XTF_CLI_ANY || (n_arguments < 0 ? *argc > -n_arguments : *argc == n_arguments + 1))
            return true;
        fprintf(stderr, "xtf: %s: %s\n", command,
                *argc <= ABS(n_arguments) ? "arguments are missing" : "too many arguments");
    } else {
        xtf_print_line(stderr, "xtf: %s: %s", command, error->message);
    }
    fprintf(stderr, "Usage: %s [OPTION...] %s (see %s --help)\n", program, arguments, program);
    return false;
}

int xtf_cli_fail(GError *error)
{
    g_warning("%s", error->message); /* to the terminal or, in a daemon, to syslog */
    g_error_free(error);
    return XTF_EXIT_FAILED;
}

XtfWorld *xtf_cli_start_world(void)
{
    GError *error = NULL;
    XtfWorld *world = xtf_world_start(&error);

    if (!world) {
        xtf_cli_fail(error);
        xtf_world_give_up();
    }
    return world;
}

bool xtf_cli_parse_size(const char *text, uint64_t *bytes)
{
    static const char units[] = "KMG";
    g_autofree char *digits = g_strdup(text);
    size_t length = strlen(text);
    unsigned shift = 0;
    guint64 value;

    if (length > 0 && strchr(units, g_ascii_toupper(text[length - 1]))) {
        shift = 10 * (unsigned)(strchr(units, g_ascii_toupper(text[length - 1])) - units + 1);
        digits[length - 1] = '\0';
    }
    if (!g_ascii_string_to_unsigned(digits, 10, 0, UINT64_MAX >> shift, &value, NULL))
        return false;
    *bytes = value << shift;
    return true;
}
