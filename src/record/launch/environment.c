#include "src/record/launch/environment.h"

#include <string.h>

#include "src/record/launch/program/command-line.h"

#define ENV_LIST "OMPI_MCA_mca_base_env_list"

static void set_variable(GPtrArray *variables, const char *name, const char *value)
{
    if (value)
        g_ptr_array_add(variables, g_strdup_printf("%s=%s", name, value));
}

static void set_number(GPtrArray *variables, const char *name, guint64 value)
{
    if (value > 0)
        g_ptr_array_add(variables, g_strdup_printf("%s=%" G_GUINT64_FORMAT, name, value));
}

static void set_milliseconds(GPtrArray *variables, const char *name, guint64 value)
{
    if (value > 0)
        g_ptr_array_add(variables, g_strdup_printf("%s=%" G_GUINT64_FORMAT "ms", name, value));
}

/* Appends the module to LD_PRELOAD: sanitizers insist on being first. With `stack`, prepends the module, since tools
 * called below the recorder must follow it. */
static void set_preload(GPtrArray *variables, const char *module, bool stack)
{
    const char *preloaded = g_getenv("LD_PRELOAD");

    if (!preloaded || !*preloaded)
        set_variable(variables, "LD_PRELOAD", module);
    else
        g_ptr_array_add(variables,
                        g_strdup_printf("LD_PRELOAD=%s:%s", stack ? module : preloaded, stack ? preloaded : module));
}

char **xtf_record_environment(const XtfRecordOptions *options, const XtfRecordPlace *place, const char *module)
{
    GPtrArray *variables = g_ptr_array_new();
    g_autofree char *self = xtf_real_path("/proc/self/exe");

    set_preload(variables, module, options->stack);
    set_variable(variables, "XTF_RECORD_FOLDER", place->folder);
    set_variable(variables, "XTF_RECORD_JOB", place->job);
    set_variable(variables, "XTF_RECORD_XTF", self);
    set_variable(variables, "XTF_RECORD_GATHER", place->gather);
    set_variable(variables, "XTF_RECORD_HOST", place->host);
    set_number(variables, "XTF_RECORD_BUFFER", options->ring_size);
    set_variable(variables, "XTF_RECORD_WHEN_FULL", options->when_full);
    set_number(variables, "XTF_RECORD_ALL_CALLS", options->all_calls);
    set_variable(variables, "XTF_RECORD_FILTER", options->filter);
    set_variable(variables, "XTF_RECORD_CALLS", options->calls);
    set_number(variables, "XTF_RECORD_DRAIN", options->drain);
    set_variable(variables, "XTF_RECORD_CLOCK", options->clock);
    set_variable(variables, "XTF_RECORD_CLOCK_SYNC", options->clock_sync);
    set_milliseconds(variables, "XTF_RECORD_SYNC_EVERY", options->sync_every_ms);
    set_number(variables, "XTF_RECORD_STACK", options->stack);
    set_number(variables, "XTF_RECORD_LOCKS", options->locks);
    set_variable(variables, "XTF_RECORD_FSYNC", options->fsync);
    set_number(variables, "XTF_RECORD_ROTATE", options->rotate);
    set_number(variables, "XTF_RECORD_KEEP", options->keep);
    set_variable(variables, "XTF_RECORD_BRAKE", options->brake);
    set_variable(variables, "XTF_RECORD_SITES", options->sites);
    set_variable(variables, "XTF_RECORD_START", options->start_off ? "off" : NULL);
    set_milliseconds(variables, "XTF_RECORD_FROM", options->from_ms);
    set_milliseconds(variables, "XTF_RECORD_FOR", options->for_ms);
    set_variable(variables, "XTF_RECORD_RANKS", options->ranks);
    g_ptr_array_add(variables, NULL);
    return (char **)g_ptr_array_free(variables, FALSE);
}

/* True if the launcher's options, before the program, include -x. */
static bool has_x(char **command, int launcher, int program)
{
    for (int i = launcher + 1; command[i] && (program == launcher || i < program); i++)
        if (g_str_equal(command[i], "-x"))
            return true;
    return false;
}

void xtf_record_pass_on(char **command, int launcher, int program, char **variables, char **variable, char ***argv)
{
    const char *before = g_getenv(ENV_LIST);
    g_autoptr(GString) list = g_string_new(ENV_LIST "=");
    GPtrArray *words = g_ptr_array_new();

    if (before && *before)
        g_string_append_printf(list, "%s;", before);
    for (int i = 0; i <= launcher; i++)
        g_ptr_array_add(words, command[i]);
    for (char **each = variables; *each; each++) {
        g_autofree char *name = g_strndup(*each, strcspn(*each, "="));
        g_string_append_printf(list, "%s%s", each == variables ? "" : ";", name);
        g_ptr_array_add(words, (char *)"-x");
        g_ptr_array_add(words, (char *)g_intern_string(name));
    }
    for (char **word = command + launcher + 1; *word; word++)
        g_ptr_array_add(words, *word);
    g_ptr_array_add(words, NULL);
    if (has_x(command, launcher, program)) {
        *argv = (char **)g_ptr_array_free(words, FALSE);
        *variable = NULL;
    } else {
        g_ptr_array_free(words, TRUE);
        *argv = NULL;
        *variable = g_string_free(g_steal_pointer(&list), FALSE);
    }
}
