#include "src/record/launch/command.h"

#include <string.h>

#include "libxtf/error.h"
#include "src/record/launch/program/command-line.h"
#include "src/record/launch/program/program.h"

bool xtf_mpi_is_rank(guint32 *rank)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "PMI_ID"};

    for (size_t i = 0; i < G_N_ELEMENTS(variables); i++) {
        const char *value = g_getenv(variables[i]);
        guint64 number;
        if (!value)
            continue;
        *rank =
            g_ascii_string_to_unsigned(value, 10, 0, G_MAXUINT32 - 1, &number, NULL) ? (guint32)number : G_MAXUINT32;
        return true;
    }
    return false;
}

/* Returns the MPI whose launcher sets variables that this process has. Slurm's variables are the same for every MPI. */
static XtfMpi mpi_of_environment(void)
{
    if (g_getenv("OMPI_COMM_WORLD_RANK"))
        return XTF_MPI_OPENMPI;
    if (g_getenv("PMI_RANK") && !g_getenv("SLURM_PROCID"))
        return XTF_MPI_MPICH;
    return XTF_MPI_UNKNOWN;
}

/* Finds the MPI by the output of `LAUNCHER --version`. */
static XtfMpi mpi_of_version(const char *launcher)
{
    char *argv[] = {(char *)launcher, (char *)"--version", NULL};
    g_autofree char *text = NULL;

    if (!g_spawn_sync(NULL, argv, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &text, NULL, NULL, NULL) || !text)
        return XTF_MPI_UNKNOWN;
    if (strstr(text, "Open MPI") || strstr(text, "OpenRTE") || strstr(text, "PRRTE"))
        return XTF_MPI_OPENMPI;
    if (strstr(text, "HYDRA") || strstr(text, "Hydra") || strstr(text, "Intel(R) MPI") || strstr(text, "MPICH"))
        return XTF_MPI_MPICH;
    return XTF_MPI_UNKNOWN;
}

/* Finds a launcher's MPI by the name of the file behind all links, else by its version. */
static XtfMpi mpi_of_launcher(const char *word)
{
    g_autofree char *file = xtf_find_executable(word);
    g_autofree char *real = file ? xtf_real_path(file) : NULL;
    g_autofree char *name = g_path_get_basename(real ? real : word);

    if (g_str_equal(name, "orterun") || g_str_equal(name, "prterun") || strstr(name, "openmpi"))
        return XTF_MPI_OPENMPI;
    if (strstr(name, "hydra") || strstr(name, "mpich"))
        return XTF_MPI_MPICH;
    if (!file || !(g_str_has_prefix(name, "mpirun") || g_str_has_prefix(name, "mpiexec")))
        return XTF_MPI_UNKNOWN; /* srun and others start programs of any MPI */
    return mpi_of_version(file);
}

/* Finds the MPI by launcher and environment, if the program's libraries include no MPI: a script, or a program that
 * loads MPI at run time. */
static bool find_mpi_outside(XtfCommand *command, char **argv, GError **error)
{
    guint32 rank;

    command->mpi = command->launcher_mpi;
    if (command->mpi != XTF_MPI_UNKNOWN) {
        command->reason =
            g_strdup_printf("%s is a launcher of %s", argv[command->launcher], xtf_mpi_name(command->mpi));
        return true;
    }
    command->mpi = command->has_launcher ? XTF_MPI_UNKNOWN : mpi_of_environment();
    if (command->mpi != XTF_MPI_UNKNOWN) {
        command->reason = g_strdup_printf("the environment is that of a process of %s", xtf_mpi_name(command->mpi));
        return true;
    }
    if (command->has_launcher || xtf_mpi_is_rank(&rank))
        return xtf_fail(error, XTF_ERROR_INVALID,
                        "neither the program nor its launcher says which MPI it uses: give --mpi=openmpi, "
                        "--mpi=mpich or --mpi=none");
    command->mpi = XTF_MPI_NONE;
    command->reason = g_strdup_printf("neither %s nor its libraries need an MPI", argv[command->program]);
    return true;
}

static bool look_at_program(XtfCommand *command, XtfMpi wanted, char **argv, GError **error)
{
    g_auto(XtfProgram) program = {0};

    if (!xtf_program_examine(command->file, &program, error))
        return false;
    command->runs_others = xtf_runs_others(command->file);
    if (wanted != XTF_MPI_UNKNOWN && wanted != XTF_MPI_NONE && program.mpi != XTF_MPI_UNKNOWN && program.mpi != wanted)
        return xtf_fail(error, XTF_ERROR_INVALID, "%s needs %s, which is %s, not %s: omit --mpi", command->file,
                        program.library, xtf_mpi_name(program.mpi), xtf_mpi_name(wanted));
    if (wanted != XTF_MPI_UNKNOWN) {
        command->mpi = wanted;
        command->reason = g_strdup("--mpi says so");
        return true;
    }
    if (program.mpi != XTF_MPI_UNKNOWN) {
        command->mpi = program.mpi;
        command->reason = g_strdup_printf("%s needs %s", command->file, program.library);
        return true;
    }
    if (program.defines_init)
        return xtf_fail(error, XTF_ERROR_UNSUPPORTED,
                        "%s: its MPI is linked into it, so its calls cannot be seen: link it against a shared MPI "
                        "library (or use --mpi=none to record all but MPI)",
                        command->file);
    return find_mpi_outside(command, argv, error);
}

/* Finds the file that a word of the command names. The caller frees it. */
static char *find_file(const char *word, GError **error)
{
    char *file = xtf_find_executable(word);

    if (!file && strchr(word, '/') && g_file_test(word, G_FILE_TEST_EXISTS))
        xtf_fail(error, XTF_ERROR_INVALID, "%s: it is not an executable file", word);
    else if (!file)
        xtf_fail(error, XTF_ERROR_NOT_FOUND, "program '%s' not found", word);
    return file;
}

bool xtf_command_examine(char **argv, XtfMpi mpi, XtfCommand *command, GError **error)
{
    g_auto(XtfCommand) result = {.mpi = mpi, .launcher_mpi = XTF_MPI_UNKNOWN};
    g_autofree char *first = find_file(argv[0], error);

    if (!first)
        return false;
    result.program = xtf_find_command(argv);
    result.has_launcher = xtf_is_launcher(argv[result.program]);
    if (result.has_launcher) {
        result.launcher = result.program;
        result.launcher_mpi = mpi_of_launcher(argv[result.launcher]);
        result.program += xtf_find_program(argv + result.launcher);
        if (result.program > result.launcher)
            result.program += xtf_find_command(argv + result.program);
    }
    if (!result.has_launcher || result.program > result.launcher) {
        result.file = find_file(argv[result.program], error);
        if (!result.file)
            return false;
        if (!look_at_program(&result, mpi, argv, error))
            return false;
    } else if (mpi == XTF_MPI_UNKNOWN) {
        if (!find_mpi_outside(&result, argv, error))
            return false;
    } else {
        result.reason = g_strdup("--mpi says so");
    }
    *command = result;
    result = (XtfCommand){0};
    return true;
}

void xtf_command_finish(XtfCommand *command)
{
    g_clear_pointer(&command->file, g_free);
    g_clear_pointer(&command->reason, g_free);
}
