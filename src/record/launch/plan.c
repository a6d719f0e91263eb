#include "src/record/launch/plan.h"

#include <string.h>
#include <unistd.h>

#include "libxtf/error.h"
#include "src/files/shell-word.h"
#include "src/record/launch/folder.h"
#include "src/record/launch/program/command-line.h"

/* Returns PROGRAM.xtf, in the working directory. */
static char *default_output(char **argv, const XtfCommand *command)
{
    g_autofree char *name = g_path_get_basename(argv[command->program]);

    return g_strconcat(name, ".xtf", NULL);
}

/* Returns the path of a folder beside the trace. */
static char *parts_beside(const char *output, const char *ending)
{
    g_autofree char *absolute = g_canonicalize_filename(output, NULL);

    return g_strconcat(absolute, ending, NULL);
}

static const char *shared_parent(const char *path)
{
    g_autofree char *parent = g_path_get_dirname(path);

    return xtf_folder_is_shared(parent);
}

/* Places the parts when this process starts the launcher. Parts are written on each host. Other hosts move theirs to a
 * folder beside the trace. */
static void place_outside(XtfRecordPlan *plan)
{
    plan->first = true;
    plan->job = xtf_job_new();
    plan->folder = xtf_folder_name(plan->job);
    g_autofree char *ending = g_strdup_printf(".%s.d", plan->job); /* another run may have left run.xtf.d */
    plan->gather = parts_beside(plan->output, ending);
    plan->host = g_strdup(g_get_host_name());
}

/* Places the parts when a launcher started this process: in a folder beside the trace, unmerged. If machines share that
 * file system, parts move there only when they are complete. */
static void place_inside(XtfRecordPlan *plan)
{
    g_autofree char *folder = parts_beside(plan->output, ".d");

    g_free(plan->output);
    plan->output = g_steal_pointer(&folder);
    plan->job = xtf_job_of_rank();
    if (shared_parent(plan->output)) {
        plan->folder = xtf_folder_name(plan->job);
        plan->gather = g_strdup(plan->output);
    } else {
        plan->folder = g_strdup(plan->output);
    }
}

static void set_variables(XtfRecordPlan *plan, char **argv, const XtfRecordOptions *options)
{
    const XtfRecordPlace place = {.job = plan->job, .folder = plan->folder, .gather = plan->gather, .host = plan->host};

    XtfRecordOptions used = *options;
    if (plan->command.mpi == XTF_MPI_NONE) /* only calls of MPI have sites */
        used.sites = "0";
    plan->variables = xtf_record_environment(&used, &place, plan->module);
    if (plan->command.has_launcher && plan->command.launcher_mpi == XTF_MPI_OPENMPI)
        xtf_record_pass_on(argv, plan->command.launcher, plan->command.program, plan->variables, &plan->passed_on,
                           &plan->own_argv);
    plan->argv = plan->own_argv ? plan->own_argv : argv;
}

bool xtf_record_plan(char **argv, const char *output, XtfMpi mpi, const XtfRecordOptions *options, XtfRecordPlan *plan,
                     GError **error)
{
    g_auto(XtfRecordPlan) result = {0};

    if (!xtf_command_examine(argv, mpi, &result.command, error))
        return false;
    result.has_mpi_option = mpi != XTF_MPI_UNKNOWN;
    result.module = xtf_mpi_module(result.command.mpi, error);
    if (!result.module)
        return false;
    result.output = output ? g_strdup(output) : default_output(argv, &result.command);
    result.inside = !result.command.has_launcher && xtf_mpi_is_rank(&result.rank);
    result.first = result.rank == 0;
    if (result.inside)
        place_inside(&result);
    else
        place_outside(&result);
    set_variables(&result, argv, options);
    *plan = result;
    result = (XtfRecordPlan){0};
    return true;
}

void xtf_record_plan_finish(XtfRecordPlan *plan)
{
    xtf_command_finish(&plan->command);
    g_clear_pointer(&plan->output, g_free);
    g_clear_pointer(&plan->module, g_free);
    g_clear_pointer(&plan->job, g_free);
    g_clear_pointer(&plan->folder, g_free);
    g_clear_pointer(&plan->gather, g_free);
    g_clear_pointer(&plan->host, g_free);
    g_clear_pointer(&plan->variables, g_strfreev);
    g_clear_pointer(&plan->passed_on, g_free);
    g_clear_pointer(&plan->own_argv, g_free);
}

bool xtf_record_may_write(const XtfRecordPlan *plan, bool replace, GError **error)
{
    if (g_file_test(plan->output, G_FILE_TEST_IS_DIR))
        return xtf_fail(error, XTF_ERROR_INVALID, "%s: it is a folder", plan->output);
    if (!replace && g_file_test(plan->output, G_FILE_TEST_EXISTS))
        return xtf_fail(error, XTF_ERROR_INVALID, "'%s' exists already: --force replaces it", plan->output);
    return true;
}

bool xtf_record_prepare(const XtfRecordPlan *plan, bool replace, GError **error)
{
    g_autofree char *parent = g_path_get_dirname(plan->output);

    if (!g_file_test(parent, G_FILE_TEST_IS_DIR))
        return xtf_fail(error, XTF_ERROR_IO, "%s: there is no such folder", parent);
    if (plan->inside)
        return xtf_folder_join(plan->output, plan->job, replace, error) &&
               xtf_folder_count_in(plan->output, plan->rank, error) &&
               (!plan->gather || xtf_folder_make(plan->folder, error));
    if (!xtf_record_may_write(plan, replace, error))
        return false;
    if (access(parent, W_OK) != 0)
        return xtf_fail(error, XTF_ERROR_IO, "%s: files cannot be created there", parent);
    g_autofree char *output = parts_beside(plan->output, "");
    if (!xtf_folder_make(plan->folder, error))
        return false;
    xtf_folder_set_output(plan->folder, output);
    return true;
}

char **xtf_record_plan_environment(const XtfRecordPlan *plan)
{
    char **environment = g_get_environ();

    for (char **variable = plan->variables; *variable; variable++) {
        char *value = strchr(*variable, '=');
        g_autofree char *name = g_strndup(*variable, (gsize)(value - *variable));
        environment = g_environ_setenv(environment, name, value + 1, TRUE);
    }
    if (plan->passed_on) {
        char *value = strchr(plan->passed_on, '=');
        g_autofree char *name = g_strndup(plan->passed_on, (gsize)(value - plan->passed_on));
        environment = g_environ_setenv(environment, name, value + 1, TRUE);
    }
    return environment;
}

static void add_export(GString *text, const char *variable)
{
    g_autofree char *name = g_strndup(variable, strcspn(variable, "="));
    g_autofree char *value = xtf_shell_word(variable + strlen(name) + 1);

    g_string_append_printf(text, "export %s=%s\n", name, value);
}

char *xtf_record_plan_text(const XtfRecordPlan *plan)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_autofree char *output = xtf_shell_word(plan->output), *folder = xtf_shell_word(plan->folder);

    g_string_append_printf(text, "# %s: %s\n", xtf_mpi_name(plan->command.mpi), plan->command.reason);
    for (char **variable = plan->variables; *variable; variable++)
        add_export(text, *variable);
    if (plan->passed_on)
        add_export(text, plan->passed_on);
    g_string_append_printf(text, "mkdir -p %s\n", folder);
    for (char **word = plan->argv; *word; word++) {
        g_autofree char *quoted = xtf_shell_word(*word);
        g_string_append_printf(text, "%s%s", word == plan->argv ? plan->inside ? "exec " : "" : " ", quoted);
    }
    g_string_append_c(text, '\n');
    if (!plan->inside)
        g_string_append_printf(text, "xtf merge -o %s %s\n", output, folder);
    return g_string_free(g_steal_pointer(&text), FALSE);
}

char **xtf_record_plan_warnings(const XtfRecordPlan *plan)
{
    const XtfCommand *command = &plan->command;
    GPtrArray *lines = g_ptr_array_new();
    const char *shared = shared_parent(plan->folder);

    if (shared)
        g_ptr_array_add(lines, g_strdup_printf("%s: the parts of the trace go to %s, a file system of many machines: "
                                               "XTF_TMPDIR=DIR names a folder of this one",
                                               plan->folder, shared));
    if (command->has_launcher && command->launcher_mpi != XTF_MPI_UNKNOWN && command->mpi != XTF_MPI_NONE &&
        command->mpi != command->launcher_mpi)
        g_ptr_array_add(lines,
                        g_strdup_printf("%s is a launcher of %s, but the program uses %s (%s): its processes may "
                                        "not find one another",
                                        plan->argv[command->launcher], xtf_mpi_name(command->launcher_mpi),
                                        xtf_mpi_name(command->mpi), command->reason));
    if (command->mpi == XTF_MPI_NONE && command->runs_others && !plan->has_mpi_option)
        g_ptr_array_add(lines,
                        g_strdup_printf("%s is taken for a program without MPI: if it starts programs of MPI, or "
                                        "loads MPI when it runs, --mpi=openmpi or --mpi=mpich is needed",
                                        plan->argv[command->program]));
    g_ptr_array_add(lines, NULL);
    return (char **)g_ptr_array_free(lines, FALSE);
}
