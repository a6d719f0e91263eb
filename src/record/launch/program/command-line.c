#include "src/record/launch/program/command-line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libxtf/error.h"

enum {
    FIRST_LINE = 256,     /* bytes that the kernel reads of the line */
    INTERPRETERS_MAX = 5, /* the kernel follows no more interpreters */
};

static bool names_launcher(const char *word)
{
    static const char *const exact[] = {"srun",  "orterun", "prun",      "prterun", "aprun",
                                        "jsrun", "ibrun",   "ccc_mprun", "flux",    NULL};
    g_autofree char *name = g_path_get_basename(word);

    return g_strv_contains(exact, name) || g_str_has_prefix(name, "mpirun") || g_str_has_prefix(name, "mpiexec");
}

bool xtf_is_launcher(const char *word)
{
    if (names_launcher(word))
        return true;
    g_autofree char *file = xtf_find_executable(word);
    g_autofree char *real = file ? xtf_real_path(file) : NULL;
    return real && names_launcher(real);
}

/* True if the command runs its first argument that names a program. */
static bool runs_argument(const char *word)
{
    static const char *const names[] = {"env",     "nice",    "timeout", "time",    "taskset", "stdbuf",
                                        "numactl", "setarch", "x86_64",  "linux64", "nohup",   "setsid",
                                        "ionice",  "chrt",    "prlimit", NULL};
    g_autofree char *name = g_path_get_basename(word);

    return g_strv_contains(names, name);
}

/* True if the argument is NAME=VALUE, as for env. */
static bool is_assignment(const char *word)
{
    size_t name = strcspn(word, "=/");

    return word[name] == '=';
}

int xtf_find_command(char **argv)
{
    int command = 0;

    /* The following words are options, numbers, variables, or the next command. */
    for (int i = 1; argv[i] && runs_argument(argv[command]); i++) {
        g_autofree char *file = *argv[i] == '-' || is_assignment(argv[i]) ? NULL : xtf_find_executable(argv[i]);
        command = file ? i : command;
    }
    return command;
}

/* True if the value of an option of Open MPI, Hydra or Slurm is the next argument. */
static bool takes_one_value(const char *option)
{
    static const char *const options[] = {
        /* Open MPI's */
        "-n", "-np", "--np", "-c", "--n", "-N", "-npernode", "--npernode", "-npersocket", "--npersocket", "-H", "-host",
        "--host", "-hostfile", "--hostfile", "-machinefile", "--machinefile", "-default-hostfile", "--default-hostfile",
        "-rf", "--rankfile", "-rankfile", "-x", "-wdir", "--wdir", "-wd", "-path", "--path", "-prefix", "--prefix",
        "-am", "--am", "--tune", "-tune", "-map-by", "--map-by", "-bind-to", "--bind-to", "-rank-by", "--rank-by",
        "-output-filename", "--output-filename", "-stdin", "--stdin", "-cpu-set", "--cpu-set", "--cpu-list",
        "-cpus-per-proc", "--cpus-per-proc", "-app", "--app", "-timeout", "--timeout", "--preload-files", "-report-pid",
        "--report-pid", "-report-uri", "--report-uri", "-ompi-server", "--ompi-server", "-xml-file",
        "--runtime-options", "--with-ft", "--personality", "--dvm-uri", "--pset", "--prtemca-file",
        /* Hydra's */
        "-f", "-hosts", "-ppn", "-perhost", "-envlist", "-genvlist", "-bootstrap", "--bootstrap", "-rmk", "-launcher",
        "-launcher-exec", "-iface", "-demux", "-arch", "-configfile", "-bootstrap-exec", "-usize", "-topolib",
        "-membind", "-prepend-pattern", "-outfile-pattern", "-errfile-pattern", "-ranks-per-proc", "-localhost",
        "-order-nodes", "-pmi-port", "-ckpoint-prefix", "-ckpointlib", "-ckpoint-num", "-profile",
        /* Slurm's */
        "-A", "-C", "-D", "-J", "-M", "-e", "-i", "-o", "-p", "-t", "-w", "-L", "-B", "-m", "-r", "--ntasks", "--nodes",
        "--partition", "--account", "--time", "--mpi", "--cpus-per-task", "--ntasks-per-node", "--job-name", "--output",
        "--error", "--input", "--nodelist", "--exclude", "--constraint", "--chdir", "--mem", "--gres", "--export",
        "--jobid", "--distribution", "--cpu-bind", "--qos", "--reservation", NULL};
    return g_strv_contains(options, option);
}

static bool takes_two_values(const char *option)
{
    static const char *const options[] = {"-mca",   "--mca",     "-gmca",      "--gmca", "-pmca", "--pmca", "--prtemca",
                                          "--omca", "--pmixmca", "--gpmixmca", "-env",   "-genv", NULL};
    return g_strv_contains(options, option);
}

int xtf_find_program(char **argv)
{
    for (int i = 1; argv[i]; i++) {
        if (argv[i][0] == '-') {
            for (int skip = takes_two_values(argv[i]) ? 2 : takes_one_value(argv[i]); skip > 0 && argv[i + 1]; skip--)
                i++;
            continue;
        }
        g_autofree char *file = xtf_find_executable(argv[i]);
        if (file)
            return i;
    }
    return 0;
}

char *xtf_find_executable(const char *name)
{
    const char *path = g_getenv("PATH");

    if (!*name)
        return NULL;
    g_auto(GStrv) folders = g_strsplit(strchr(name, '/') ? "" : path ? path : "/bin:/usr/bin", ":", -1);
    if (strchr(name, '/'))
        return g_file_test(name, G_FILE_TEST_IS_REGULAR) && access(name, X_OK) == 0 ? g_strdup(name) : NULL;
    for (char **folder = folders; *folder; folder++) {
        g_autofree char *file = g_build_filename(**folder ? *folder : ".", name, NULL);
        if (g_file_test(file, G_FILE_TEST_IS_REGULAR) && access(file, X_OK) == 0)
            return g_steal_pointer(&file);
    }
    return NULL;
}

/* Returns the words after "#!" in a file's first line; NULL if it is no script. */
static char **read_interpreter(const char *file)
{
    char line[FIRST_LINE + 1] = "";
    FILE *script = fopen(file, "re");
    size_t n = script ? fread(line, 1, FIRST_LINE, script) : 0;

    if (script)
        fclose(script);
    if (n < 3 || line[0] != '#' || line[1] != '!')
        return NULL;
    line[n] = '\0';
    line[strcspn(line, "\n")] = '\0';
    return g_strsplit_set(g_strstrip(line + 2), " \t", -1);
}

/* Returns the program that env(1) runs: its first argument that is neither an option nor a variable. */
static const char *program_of_env(char **words)
{
    g_autofree char *name = g_path_get_basename(words[0]);

    if (!g_str_equal(name, "env"))
        return words[0];
    for (char **word = words + 1; *word; word++)
        if (**word && **word != '-' && !strchr(*word, '='))
            return *word;
    return words[0];
}

char *xtf_find_interpreter(const char *file, bool *is_script, GError **error)
{
    g_autofree char *current = g_strdup(file);
    bool script = false;

    for (int i = 0; i < INTERPRETERS_MAX; i++) {
        g_auto(GStrv) words = read_interpreter(current);
        if (!words || !words[0] || !*words[0])
            break;
        char *next = xtf_find_executable(program_of_env(words));
        if (!next) {
            xtf_fail(error, XTF_ERROR_NOT_FOUND, "%s: its interpreter, '%s', cannot be run", current,
                     program_of_env(words));
            return NULL;
        }
        script = true;
        g_free(current);
        current = next;
    }
    *is_script = script;
    return g_steal_pointer(&current);
}

bool xtf_runs_others(const char *file)
{
    static const char *const names[] = {"sh",   "bash", "dash",    "zsh",  "ksh",   "csh",
                                        "tcsh", "fish", "busybox", "make", "xargs", NULL};
    g_auto(GStrv) words = read_interpreter(file);
    g_autofree char *name = g_path_get_basename(file);

    return words || g_strv_contains(names, name) || g_str_has_prefix(name, "python") || g_str_has_prefix(name, "perl");
}

char *xtf_real_path(const char *path)
{
    char *real = realpath(path, NULL);
    char *copy = g_strdup(real); /* to be freed by g_free() */

    free(real);
    return copy;
}
