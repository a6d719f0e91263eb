#include "tests/nettest/files.h"

#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>

static void check_status(int status)
{
    cr_assert_eq(status, NC_NOERR, "%s", nc_strerror(status));
}

static int create_file(const char *path)
{
    int file;

    check_status(nc_create(path, NC_CLOBBER | NC_64BIT_OFFSET, &file));
    return file;
}

static int add_dimension(int file, const char *prefix, const char *name, size_t length)
{
    g_autofree char *full_name = g_strconcat(prefix, name, NULL);
    int id;

    check_status(nc_def_dim(file, full_name, length, &id));
    return id;
}

static int add_variable(int file, const char *prefix, const char *name, nc_type type, int n, const int *dimensions)
{
    g_autofree char *full_name = g_strconcat(prefix, name, NULL);
    int id;

    check_status(nc_def_var(file, full_name, type, n, dimensions, &id));
    return id;
}

typedef struct {
    const char *name;
    int number;
} Scalar;

static void put_scalars(int file, const char *prefix, const Scalar *scalars)
{
    int ids[16], n = 0;

    for (; scalars[n].name; n++)
        ids[n] = add_variable(file, prefix, scalars[n].name, NC_INT, 0, NULL);
    check_status(nc_enddef(file));
    for (int i = 0; i < n; i++)
        check_status(nc_put_var_int(file, ids[i], &scalars[i].number));
}

void write_result(const char *path, const ResultFile *result)
{
    int file = create_file(path), x = result->x ? result->x : result->processes,
        y = result->y ? result->y : result->processes;
    int z = MAX(result->repeats, 1), strings = add_dimension(file, "", "strings", 16), test = -1;
    int dimensions[] = {add_dimension(file, "", "n", NC_UNLIMITED), add_dimension(file, "", "x", x),
                        add_dimension(file, "", "y", y), add_dimension(file, "", "z", z)};
    int data = add_variable(file, "", "data", NC_DOUBLE, result->repeats ? 4 : 3, dimensions);
    Scalar scalars[] = {{"proc_num", result->processes},
                        {"data_type", result->data_type},
                        {"begin_mes_length", result->begin},
                        {"step_length", result->step},
                        {"num_repeates", 7},
                        {result->test ? NULL : "test_type", 1},
                        {NULL, 0}};

    if (result->test)
        test = add_variable(file, "", "test_type", NC_CHAR, 1, &strings);
    put_scalars(file, "", scalars);
    if (result->test) {
        size_t start = 0, count = strlen(result->test);
        check_status(nc_put_vara_text(file, test, &start, &count, result->test));
    }
    g_autofree double *values = g_new(double, (size_t)x *y *z);
    for (int i = 0; i < result->lengths; i++) {
        size_t start[] = {i, 0, 0, 0}, count[] = {1, x, y, z};
        for (int r = 0; r < x; r++)
            for (int s = 0; s < y; s++)
                for (int k = 0; k < z; k++)
                    values[(r * y + s) * z + k] = result->value(i, r, s, k);
        check_status(nc_put_vara_double(file, data, start, count, values));
    }
    check_status(nc_close(file));
}

void write_clustered(const char *path, const ClusteredFile *clustered)
{
    const char *prefix = clustered->prefix;
    int file = create_file(path), data_file = clustered->data_path ? create_file(clustered->data_path) : file;
    int dimensions[] = {add_dimension(file, prefix, "n", NC_UNLIMITED),
                        add_dimension(file, prefix, "x", clustered->processes),
                        add_dimension(file, prefix, "y", clustered->processes)};
    int values = add_dimension(data_file, prefix, "d", clustered->values);
    int info = add_variable(file, prefix, "info", NC_INT, 3, dimensions);
    int length = add_variable(file, prefix, "length", NC_INT, 1, dimensions);
    int data = add_variable(data_file, prefix, "data", NC_DOUBLE, 1, &values);
    size_t start[] = {0, 0, 0}, count[] = {clustered->portions, clustered->processes, clustered->processes};

    if (clustered->matrices) {
        int n = MAX(clustered->times, 1);
        g_autofree int *matrices = g_new(int, n);
        for (int i = 0; i < n; i++)
            matrices[i] = clustered->matrices;
        check_status(nc_put_att_int(file, NC_GLOBAL, "matrices", NC_INT, n, matrices));
    }
    put_scalars(file, prefix,
                (const Scalar[]){{"proc_num", clustered->processes},
                                 {"begin_mes_length", clustered->begin},
                                 {"step_length", clustered->step},
                                 {NULL, 0}});
    if (data_file != file)
        check_status(nc_enddef(data_file));
    check_status(nc_put_vara_int(file, info, start, count, clustered->info));
    check_status(nc_put_vara_int(file, length, start, count, clustered->length));
    check_status(nc_put_var_double(data_file, data, clustered->data));
    if (data_file != file)
        check_status(nc_close(data_file));
    check_status(nc_close(file));
}

char *make_folder(void)
{
    char *folder = g_dir_make_tmp("xtf-nettest-XXXXXX", NULL);

    cr_assert_not_null(folder);
    return folder;
}

void remove_folder(const char *folder)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name;

    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        g_unlink(path);
    }
    g_rmdir(folder);
}
