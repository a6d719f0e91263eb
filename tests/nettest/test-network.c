/*
 * Reading of network_test results: files by libnetcdf in the form of the authors' programs, the authors' own files
 * if XTF_SHARED_TRACES has them, and invalid ones.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "src/network/results/network.h"
#include "tests/nettest/files.h"

enum {
    FACTOR = 1000,
    CUTS = 40,
    MANY = 20000, /* numbers of an attribute */
};

static double plain(int i, int receiver, int sender, int repeat)
{
    return receiver == sender ? 0 : i * FACTOR + receiver * 100 + sender * 10 + repeat + 1;
}

static double with_gaps(int i, int receiver, int sender, int repeat)
{
    static const double gaps[] = {NAN, -1, NC_FILL_DOUBLE};

    return receiver == 1 && sender < 3 ? gaps[sender] : plain(i, receiver, sender, repeat);
}

static double negative(int i, int receiver, int sender, int repeat)
{
    return i == 1 && receiver == 2 && sender == 0 ? -0.5 : 1;
}

static double infinite(int i, int receiver, int sender, int repeat)
{
    return i == 1 && receiver == 2 && sender == 0 ? INFINITY : 1;
}

static const ResultFile four = {.processes = 4, .lengths = 3, .begin = 100, .step = 50, .data_type = 1, .value = plain};

Test(network, joins_the_files_of_a_result)
{
    static const char *const endings[] = {"average", "median", "deviation", "min", "measurements_amount"};
    static const int types[] = {1, 2, 3, 4, 6};
    g_autofree char *folder = make_folder(), *median = g_build_filename(folder, "net_median.nc", NULL);
    g_autofree char *hosts = g_build_filename(folder, "net_hosts.txt", NULL);
    g_autofree char *all = g_build_filename(folder, "net_all.nc", NULL);
    g_autoptr(GError) error = NULL;
    double matrix[16], repeats[16];
    ResultFile file = four;

    for (unsigned i = 0; i < G_N_ELEMENTS(endings); i++) {
        g_autofree char *name = g_strdup_printf("%s/net_%s.nc", folder, endings[i]);
        file.data_type = types[i];
        file.lengths = i == 3 ? 2 : 3; /* as of an interrupted test */
        write_result(name, &file);
    }
    file.repeats = 2;
    file.lengths = 3;
    write_result(all, &file);
    cr_assert(g_file_set_contents(hosts, "n1\nn2\n n3 \nn4\n", -1, NULL));
    g_autoptr(XtfNetwork) network = xtf_network_open(median, &error);
    cr_assert_not_null(network, "%s", error ? error->message : "");
    cr_assert_eq(network->processes, 4);
    cr_assert_eq(network->lengths, 3);
    cr_assert_eq(xtf_network_length(network, 2), 200);
    cr_assert_eq(network->repeats, 2);
    cr_assert_eq(network->requested_repeats, 7);
    cr_assert_eq(network->noise_length, -1);
    cr_assert_str_eq(network->test, "one_to_one");
    cr_assert_str_eq(network->hosts[2], "n3");
    cr_assert_null(network->portions);
    for (unsigned value = 0; value < XTF_N_NETWORK_VALUES; value++)
        cr_assert_not_null(network->files[value], "%s", xtf_network_values[value]);
    cr_assert(xtf_network_read(network, XTF_NETWORK_MEDIAN, 2, matrix, &error));
    cr_assert_eq(matrix[3 * 4 + 1], 2 * FACTOR + 3 * 100 + 10 + 1, "from 1 to 3");
    cr_assert_eq(matrix[5], 0);
    cr_assert(xtf_network_read(network, XTF_NETWORK_MIN, 2, matrix, &error));
    cr_assert(isnan(matrix[1]), "the file ends before that");
    cr_assert(xtf_network_read_senders(network, XTF_NETWORK_REPEAT, 1, 2, 2, repeats, &error));
    cr_assert_eq(repeats[(2 * 2 + 1) * 2 + 1], FACTOR + 2 * 100 + 3 * 10 + 1 + 1, "from 3 to 2");
    g_autoptr(GPtrArray) files = xtf_network_files(all);
    cr_assert_eq(files->len, 7);
    remove_folder(folder);
}

Test(network, knows_unmeasured_values)
{
    g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "x.nc", NULL);
    g_autoptr(GError) error = NULL;
    double matrix[16];
    ResultFile file = four;

    file.value = with_gaps;
    file.test = "put";
    write_result(path, &file);
    g_autoptr(XtfNetwork) network = xtf_network_open(path, &error);
    cr_assert_not_null(network);
    cr_assert_str_eq(network->test, "put");
    cr_assert(xtf_network_read(network, XTF_NETWORK_AVERAGE, 0, matrix, &error));
    for (int sender = 0; sender < 4; sender++)
        cr_assert_eq(isnan(matrix[4 + sender]), sender < 3);
    remove_folder(folder);
}

static void expect_refusal(const char *path, XtfErrorCode code, const char *text)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(XtfNetwork) network = xtf_network_open(path, &error);

    if (network) {
        g_autofree double *matrix = g_new(double, (size_t)network->processes * network->processes);
        for (uint32_t i = 0; i < network->lengths && !error; i++)
            xtf_network_read(network, XTF_NETWORK_AVERAGE, i, matrix, &error);
    }
    cr_assert_not_null(error, "%s", text);
    cr_assert(g_error_matches(error, XTF_ERROR, code), "%s", error->message);
    cr_assert_not_null(strstr(error->message, text), "%s: %s", text, error->message);
}

Test(network, refuses_contradictions)
{
    g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "x.nc", NULL);
    static const struct {
        ResultFile file;
        XtfErrorCode code;
        const char *text;
    } wrong[] = {
        {{4, 0, 0, 2, 0, 1, 1, 0, NULL, negative}, XTF_ERROR_DAMAGED, "from 0 to 2 at 1 bytes is -0.5"},
        {{4, 0, 0, 2, 0, 1, 1, 0, NULL, infinite}, XTF_ERROR_DAMAGED, "from 0 to 2 at 1 bytes is inf"},
        {{1 << 30, 2, 2, 2, 0, 1, 1, 0, NULL, plain},
         XTF_ERROR_DAMAGED,
         "has 1073741824 processes, but matrices of 2 x 2"},
        {{4, 4, 3, 2, 0, 1, 1, 0, NULL, plain}, XTF_ERROR_DAMAGED, "4 x 3 values"},
        {{4, 0, 0, 2, 0, 0, 1, 0, NULL, plain}, XTF_ERROR_DAMAGED, "begin at 0 with a step of 0"},
        {{4, 0, 0, 2, -5, 1, 1, 0, NULL, plain}, XTF_ERROR_DAMAGED, "begin at -5"},
        {{4, 0, 0, 2, 0, 1, 9, 0, NULL, plain}, XTF_ERROR_DAMAGED, "data_type is 9"},
        {{4, 0, 0, 2, 0, 1, 5, 0, NULL, plain}, XTF_ERROR_DAMAGED, "one value for each pair"},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(wrong); i++) {
        write_result(path, &wrong[i].file);
        expect_refusal(path, wrong[i].code, wrong[i].text);
    }
    cr_assert(g_file_set_contents(path, "CDF", 3, NULL));
    expect_refusal(path, XTF_ERROR_NOT_XTF, "is not netCDF");
    cr_assert(g_file_set_contents(path, "\x89HDF\r\n\x1a\n0123456789", -1, NULL));
    expect_refusal(path, XTF_ERROR_NOT_XTF, "nccopy -k classic");
    remove_folder(folder);
}

Test(network, reads_one_process_and_no_lengths)
{
    g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "x.nc", NULL);
    g_autoptr(GError) error = NULL;
    double value;
    ResultFile file = {.processes = 1, .lengths = 1, .data_type = 1, .value = plain};

    write_result(path, &file);
    g_autoptr(XtfNetwork) one = xtf_network_open(path, &error);
    cr_assert_not_null(one, "a single length needs no step");
    cr_assert(xtf_network_read(one, XTF_NETWORK_AVERAGE, 0, &value, &error));
    cr_assert_eq(value, 0);
    file.lengths = 0;
    write_result(path, &file);
    g_autoptr(XtfNetwork) none = xtf_network_open(path, &error);
    cr_assert_not_null(none);
    cr_assert_eq(none->lengths, 0);
    remove_folder(folder);
}

Test(network, refuses_siblings_of_another_result)
{
    g_autofree char *folder = make_folder(), *average = g_build_filename(folder, "n_average.nc", NULL);
    g_autofree char *median = g_build_filename(folder, "n_median.nc", NULL);
    g_autofree char *hosts = g_build_filename(folder, "n_hosts.txt", NULL);
    ResultFile file = four;

    write_result(average, &file);
    write_result(median, &file);
    expect_refusal(median, XTF_ERROR_DAMAGED, "both have the average values");
    file.data_type = 2;
    file.step = 51;
    write_result(median, &file);
    expect_refusal(average, XTF_ERROR_DAMAGED, "is a result of another test");
    file.step = 50;
    write_result(median, &file);
    cr_assert(g_file_set_contents(hosts, "one\ntwo\n", -1, NULL));
    expect_refusal(average, XTF_ERROR_DAMAGED, "names 2 hosts, but the test has 4 processes");
    remove_folder(folder);
}

/* A file that is cut anywhere, or has any changed byte in its header, is read or refused. A cut file never has all
 * values. */
Test(network, survives_damage)
{
    g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "x.nc", NULL), *bytes = NULL;
    size_t size;
    double matrix[16];

    write_result(path, &four);
    cr_assert(g_file_get_contents(path, &bytes, &size, NULL));
    for (unsigned k = 0; k < CUTS; k++) {
        g_autoptr(GError) error = NULL;
        cr_assert(g_file_set_contents(path, bytes, (gssize)(size * k / CUTS), NULL));
        g_autoptr(XtfNetwork) network = xtf_network_open(path, &error);
        cr_assert_null(network, "cut at %zu of %zu", size * k / CUTS, size);
    }
    size_t header = size - 3 * 16 * sizeof(double);
    for (size_t at = 4; at < header; at++)
        for (unsigned change = 0; change < 3; change++) {
            g_autoptr(GError) error = NULL;
            char before = bytes[at];
            bytes[at] = (char)((const int[]){0xff, 0x7f, before + 1}[change]);
            cr_assert(g_file_set_contents(path, bytes, (gssize)size, NULL));
            g_autoptr(XtfNetwork) network = xtf_network_open(path, &error);
            for (uint32_t i = 0; network && network->processes == 4 && network->files[XTF_NETWORK_AVERAGE] &&
                                 i < network->lengths && i < 4;
                 i++)
                if (!xtf_network_read(network, XTF_NETWORK_AVERAGE, i, matrix, &error))
                    break;
            cr_assert(network || error);
            bytes[at] = before;
        }
    remove_folder(folder);
}

/* Two portions of three processes, of two matrices and of one: first two clusters, then one. */
static const int paper_info[] = {0, 2, 2, 2, 0, 2, 2, 2, 0, 4, 4, 4, 4, 4, 4, 4, 4, 4}, paper_length[] = {100, 300};
static const double paper_data[] = {0.5, 0.25, 3, 4, 7};
static const ClusteredFile paper = {.processes = 3,
                                    .portions = 2,
                                    .begin = 100,
                                    .step = 100,
                                    .values = 5,
                                    .info = paper_info,
                                    .length = paper_length,
                                    .data = paper_data,
                                    .prefix = ""};

static void expect_paper(const char *path)
{
    g_autoptr(GError) error = NULL;
    double matrix[9];
    uint32_t numbers[9];
    g_autoptr(XtfNetwork) network = xtf_network_open(path, &error);

    cr_assert_not_null(network, "%s", error ? error->message : "");
    cr_assert_eq(network->lengths, 3);
    cr_assert_eq(network->portions->len, 2);
    cr_assert_eq(g_array_index(network->portions, XtfNetworkPortion, 0).clusters, 2);
    cr_assert_eq(g_array_index(network->portions, XtfNetworkPortion, 1).begin, 2);
    cr_assert(xtf_network_read(network, XTF_NETWORK_AVERAGE, 1, matrix, &error));
    cr_assert_eq(matrix[4], 0.25);
    cr_assert_eq(matrix[5], 4);
    cr_assert(xtf_network_read(network, XTF_NETWORK_AVERAGE, 2, matrix, &error));
    cr_assert_eq(matrix[0], 7);
    cr_assert(xtf_network_read_clusters(network, 0, numbers, &error));
    cr_assert_eq(numbers[1], 1);
    cr_assert_eq(numbers[8], 0);
}

Test(network, reads_clustered_results)
{
    g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "c_info.nc", NULL);
    g_autofree char *second = g_build_filename(folder, "c_data.nc", NULL);
    ClusteredFile file = paper;

    write_clustered(path, &file);
    expect_paper(path);
    file.matrices = 3;
    write_clustered(path, &file);
    expect_paper(path);
    file.data_path = second;
    write_clustered(path, &file);
    expect_paper(path);
    expect_paper(second);
    remove_folder(folder);
}

Test(network, refuses_clusters_without_values)
{
    static const int beyond[] = {0, 2, 2, 2, 0, 2, 2, 2, 0, 5, 5, 5, 5, 5, 5, 5, 5, 5};
    static const int below[] = {0, -2, -2, -2, 0, -2, -2, -2, 0, 4, 4, 4, 4, 4, 4, 4, 4, 4};
    static const int falling[] = {100, 100}, between[] = {100, 350};
    g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "c.nc", NULL);
    double holes[] = {0.5, 0.25, 3, NC_FILL_DOUBLE, 7};
    ClusteredFile file = paper;

    file.info = beyond;
    write_clustered(path, &file);
    expect_refusal(path, XTF_ERROR_DAMAGED,
                   "info of portion 1, receiver 0, sender 0 is 5: not all values from there on");
    file.info = below;
    write_clustered(path, &file);
    expect_refusal(path, XTF_ERROR_DAMAGED, "is -2");
    file = paper;
    file.length = falling;
    write_clustered(path, &file);
    expect_refusal(path, XTF_ERROR_DAMAGED, "borders");
    file.length = between;
    write_clustered(path, &file);
    expect_refusal(path, XTF_ERROR_DAMAGED, "borders");
    file = paper;
    file.matrices = 4;
    write_clustered(path, &file);
    expect_refusal(path, XTF_ERROR_DAMAGED, "its clusters need 6 values, but data has 5");
    file.matrices = 3;
    file.times = MANY;
    write_clustered(path, &file);
    expect_refusal(path, XTF_ERROR_DAMAGED, "its attribute matrices is not one number");
    file = paper;
    file.data = holes;
    write_clustered(path, &file);
    expect_refusal(path, XTF_ERROR_DAMAGED, "has no value for matrix 1");
    remove_folder(folder);
}

/* The authors' program counts borders in matrices, and one of its versions writes values after their place. */
Test(network, reads_clusters_of_the_authors_program)
{
    static const int borders[] = {2, 3};
    static const double shifted[] = {0.5, 0.25, 3, 4, NC_FILL_DOUBLE, NC_FILL_DOUBLE, 7};
    g_autofree char *folder = make_folder(), *path = g_build_filename(folder, "c.nc", NULL);
    ClusteredFile file = paper;

    file.prefix = "a";
    file.length = borders;
    write_clustered(path, &file);
    expect_paper(path);
    file.values = 7;
    file.data = shifted;
    write_clustered(path, &file);
    expect_paper(path);
    file.values = 6;
    write_clustered(path, &file);
    expect_refusal(
        path, XTF_ERROR_DAMAGED,
        "5 values (7 if the authors' clustering program wrote them, in one of its versions), but data has 6");
    remove_folder(folder);
}

/* The file has 100 matrices. It has no values from a process to itself, except that the last portion has one cluster
 * for everything. */
Test(network, reads_the_authors_own_file)
{
    const char *traces = g_getenv("XTF_SHARED_TRACES");
    g_autofree char *path = g_build_filename(traces ? traces : "", "network-4x4", "clustered-output.nc", NULL);
    g_autoptr(GError) error = NULL;
    double matrix[16];

    if (!traces || !g_file_test(path, G_FILE_TEST_EXISTS))
        cr_skip_test("no files of the authors here");
    g_autoptr(XtfNetwork) network = xtf_network_open(path, &error);
    cr_assert_not_null(network, "%s", error ? error->message : "");
    cr_assert(network->shifted);
    cr_assert_eq(network->lengths, 100);
    cr_assert_eq(network->portions->len, 12);
    cr_assert_not_null(network->files[XTF_NETWORK_AVERAGE]);
    for (uint32_t i = 0; i < 100; i++) {
        cr_assert(xtf_network_read(network, XTF_NETWORK_AVERAGE, i, matrix, &error), "%s", error ? error->message : "");
        for (unsigned pair = 0; pair < 16; pair++) {
            cr_assert_lt(matrix[pair], 1);
            cr_assert_eq(matrix[pair] == 0, pair % 5 == 0 && i < 99, "matrix %u, pair %u: %g", i, pair, matrix[pair]);
        }
    }
}
