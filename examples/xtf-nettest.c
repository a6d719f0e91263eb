/*
 * How long messages take between the processors of a network: the one-to-one test of network_test (A. N. Salnikov and
 * D. Y. Andreev), in small.
 *
 * Each pair of processors is measured alone, while all others wait. Both meet first; then one sends a message, and the
 * other takes the time of its MPI_Recv. For each length there are `--num_iterations` of these, of which the average,
 * the median, the standard deviation, the least and the number are written: NAME_average.nc and so on, netCDF with a
 * matrix for each length, in seconds, a row a receiver; and NAME_hosts.txt, a host a line. `xtf mount NAME_median.nc
 * DIR` shows it, `xtf cluster` finds the pairs that are alike.
 *
 * usage: mpirun -n 4 xtf-nettest [--begin B] [--end E] [--step S] [--num_iterations N] NAME
 */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <mpi.h>
#include <netcdf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MEET = 1, /* tags */
    TEST = 2,
    MOST_BYTES = 1 << 30,
    MOST_REPEATS = 1 << 24,
};

typedef enum { AVERAGE, MEDIAN, DEVIATION, MIN, AMOUNT, N_VALUES } Value;

static const char *const value_names[N_VALUES] = {"average", "median", "deviation", "min", "measurements_amount"};
static const int data_types[N_VALUES] = {1, 2, 3, 4, 6}; /* as network_test numbers them */

typedef struct {
    int begin, end, step, repeats; /* lengths begin, begin + step, ... < end */
    const char *name;
} Options;

typedef struct {
    Options options;
    int rank, n_procs;
    char *message;
    double *times;        /* of one pair and length */
    double *rows;         /* N_VALUES x n_procs: of this receiver, at one length */
    double *matrix;       /* rank 0: of one length */
    int files[N_VALUES];  /* rank 0 */
    int data[N_VALUES];   /* variables */
    int matrices_written; /* of each file */
} Test;

static void *allocate(size_t n, size_t size)
{
    void *memory = calloc(n > 0 ? n : 1, size);

    if (!memory) {
        fprintf(stderr, "xtf-nettest: not enough memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

/* ---- Options. */

static bool parse_number(const char *text, int least, int most, int *number)
{
    char *end;
    long value;

    errno = 0;
    value = strtol(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0' || value < least || value > most)
        return false;
    *number = (int)value;
    return true;
}

static bool parse_options(int argc, char **argv, Options *options)
{
    static const struct option names[] = {{"begin", required_argument, NULL, 'b'},
                                          {"end", required_argument, NULL, 'e'},
                                          {"step", required_argument, NULL, 's'},
                                          {"num_iterations", required_argument, NULL, 'n'},
                                          {0}};
    bool good = true;
    int option;

    *options = (Options){.begin = 100, .end = 1000, .step = 100, .repeats = 100};
    while (good && (option = getopt_long(argc, argv, "b:e:s:n:", names, NULL)) != -1) {
        good = option == 'b'   ? parse_number(optarg, 0, MOST_BYTES, &options->begin)
               : option == 'e' ? parse_number(optarg, 0, MOST_BYTES, &options->end)
               : option == 's' ? parse_number(optarg, 1, MOST_BYTES, &options->step)
               : option == 'n' ? parse_number(optarg, 1, MOST_REPEATS, &options->repeats)
                               : false;
    }
    options->name = optind < argc ? argv[optind] : NULL;
    return good && optind == argc - 1 && options->begin < options->end;
}

/* ---- Measuring. */

/* One message, with both sides ready for it. */
static double receive_once(Test *test, int sender, int length)
{
    MPI_Sendrecv(NULL, 0, MPI_BYTE, sender, MEET, NULL, 0, MPI_BYTE, sender, MEET, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    double begin = MPI_Wtime();
    MPI_Recv(test->message, length, MPI_BYTE, sender, TEST, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return MPI_Wtime() - begin;
}

static void send_once(Test *test, int receiver, int length)
{
    MPI_Sendrecv(NULL, 0, MPI_BYTE, receiver, MEET, NULL, 0, MPI_BYTE, receiver, MEET, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Send(test->message, length, MPI_BYTE, receiver, TEST, MPI_COMM_WORLD);
}

static int compare_times(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static void summarise(Test *test, int sender)
{
    int n = test->options.repeats;
    double sum = 0, squares = 0, average;

    qsort(test->times, (size_t)n, sizeof *test->times, compare_times);
    for (int i = 0; i < n; i++)
        sum += test->times[i];
    average = sum / n;
    for (int i = 0; i < n; i++)
        squares += (test->times[i] - average) * (test->times[i] - average);
    double *cell = &test->rows[sender];
    cell[AVERAGE * test->n_procs] = average;
    cell[MEDIAN * test->n_procs] = (test->times[(n - 1) / 2] + test->times[n / 2]) / 2;
    cell[DEVIATION * test->n_procs] = sqrt(squares / n);
    cell[MIN * test->n_procs] = test->times[0];
    cell[AMOUNT * test->n_procs] = n;
}

/* One pair; all others wait at the barrier, so that nothing else is on the network. */
static void measure_pair(Test *test, int sender, int receiver, int length)
{
    for (int i = 0; test->rank == sender && i < test->options.repeats; i++)
        send_once(test, receiver, length);
    for (int i = 0; test->rank == receiver && i < test->options.repeats; i++)
        test->times[i] = receive_once(test, sender, length);
    if (test->rank == receiver)
        summarise(test, sender);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void measure_length(Test *test, int length)
{
    memset(test->rows, 0, sizeof(double) * N_VALUES * (size_t)test->n_procs); /* nothing goes to oneself */
    for (int sender = 0; sender < test->n_procs; sender++) {
        for (int receiver = 0; receiver < test->n_procs; receiver++) {
            if (sender != receiver)
                measure_pair(test, sender, receiver, length);
        }
    }
}

/* ---- Writing. */

static void check(int status, const char *name)
{
    if (status != NC_NOERR) {
        fprintf(stderr, "xtf-nettest: %s: %s\n", name, nc_strerror(status));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void put_number(int file, const char *name, int number)
{
    int variable;

    check(nc_redef(file), name);
    check(nc_def_var(file, name, NC_INT, 0, NULL, &variable), name);
    check(nc_enddef(file), name);
    check(nc_put_var_int(file, variable, &number), name);
}

static void create_file(Test *test, Value value)
{
    const Options *options = &test->options;
    char path[4096];
    int dimensions[3]; /* n, x, y */

    if (snprintf(path, sizeof path, "%s_%s.nc", options->name, value_names[value]) >= (int)sizeof path)
        check(NC_EMAXNAME, options->name);
    check(nc_create(path, NC_CLOBBER | NC_64BIT_OFFSET, &test->files[value]), path);
    int file = test->files[value];
    check(nc_def_dim(file, "x", (size_t)test->n_procs, &dimensions[1]), path);
    check(nc_def_dim(file, "y", (size_t)test->n_procs, &dimensions[2]), path);
    check(nc_def_dim(file, "n", NC_UNLIMITED, &dimensions[0]), path);
    check(nc_def_var(file, "data", NC_DOUBLE, 3, dimensions, &test->data[value]), path);
    check(nc_enddef(file), path);
    put_number(file, "proc_num", test->n_procs);
    put_number(file, "test_type", 1); /* one_to_one */
    put_number(file, "data_type", data_types[value]);
    put_number(file, "begin_mes_length", options->begin);
    put_number(file, "end_mes_length", options->end);
    put_number(file, "step_length", options->step);
    put_number(file, "noise_mes_length", 0);
    put_number(file, "num_noise_mes", 0);
    put_number(file, "num_noise_proc", 0);
    put_number(file, "num_repeates", options->repeats);
}

/* A receiver's row is what it measured, so the rows in the order of ranks are the matrix. */
static void write_length(Test *test)
{
    const size_t n = (size_t)test->n_procs, first[] = {(size_t)test->matrices_written, 0, 0}, count[] = {1, n, n};

    for (int value = 0; value < N_VALUES; value++) {
        MPI_Gather(&test->rows[value * test->n_procs], test->n_procs, MPI_DOUBLE, test->matrix, test->n_procs,
                   MPI_DOUBLE, 0, MPI_COMM_WORLD);
        if (test->rank == 0)
            check(nc_put_vara_double(test->files[value], test->data[value], first, count, test->matrix),
                  value_names[value]);
    }
    test->matrices_written++;
}

static void write_hosts(Test *test)
{
    char host[MPI_MAX_PROCESSOR_NAME] = "", path[4096];
    int length;
    char *all = allocate(test->rank == 0 ? (size_t)test->n_procs : 0, sizeof host);

    MPI_Get_processor_name(host, &length);
    MPI_Gather(host, sizeof host, MPI_CHAR, all, sizeof host, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (test->rank == 0) {
        snprintf(path, sizeof path, "%s_hosts.txt", test->options.name);
        FILE *file = fopen(path, "w");
        for (int i = 0; file && i < test->n_procs; i++)
            fprintf(file, "%s\n", &all[(size_t)i * sizeof host]);
        bool good = file && !ferror(file); /* a buffer that was flushed in between may have failed */
        if (file && fclose(file) != 0)
            good = false;
        if (!good) {
            fprintf(stderr, "xtf-nettest: %s: %s\n", path, strerror(errno));
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    free(all);
}

static void run(Test *test)
{
    const Options *options = &test->options;
    size_t n = (size_t)test->n_procs;

    test->message = allocate((size_t)options->end, 1);
    test->times = allocate((size_t)options->repeats, sizeof(double));
    test->rows = allocate(N_VALUES * n, sizeof(double));
    test->matrix = allocate(test->rank == 0 ? n * n : 0, sizeof(double));
    for (int value = 0; test->rank == 0 && value < N_VALUES; value++)
        create_file(test, value);
    for (int length = options->begin; length < options->end; length += options->step) {
        measure_length(test, length);
        write_length(test);
        if (options->step > options->end - length) /* the next one is behind the end, and may be no number */
            break;
    }
    for (int value = 0; test->rank == 0 && value < N_VALUES; value++)
        check(nc_close(test->files[value]), value_names[value]);
    write_hosts(test);
    free(test->matrix);
    free(test->rows);
    free(test->times);
    free(test->message);
}

int main(int argc, char **argv)
{
    Test test = {0};

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &test.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &test.n_procs);
    opterr = test.rank == 0;
    bool good = parse_options(argc, argv, &test.options);
    if (good)
        run(&test);
    else if (test.rank == 0)
        fprintf(stderr, "usage: mpirun -n 4 xtf-nettest [--begin B] [--end E] [--step S] [--num_iterations N] NAME\n"
                        "Lengths are bytes: B, B + S, ... below E.\n");
    MPI_Finalize();
    return good ? 0 : 2;
}
