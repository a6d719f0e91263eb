/* Writing of clustered results in cases that test_cluster.py cannot produce. */
#include <criterion/criterion.h>
#include <string.h>

#include "src/network/results/clustered-writer.h"
#include "tests/nettest/files.h"

static double zero_value(int i, int receiver, int sender, int repeat)
{
    return 0;
}

/* A file has at most 2^31 - 1 values. The writer checks their number before it reads an array. */
Test(writer, more_values_than_places)
{
    const ResultFile result = {
        .processes = 1, .lengths = 3, .begin = 100, .step = 100, .data_type = 2, .value = zero_value};
    g_autofree char *folder = make_folder();
    g_autofree char *source = g_build_filename(folder, "net.nc", NULL), *out = g_build_filename(folder, "out.nc", NULL);
    g_autoptr(GError) error = NULL;
    const uint32_t cluster = 0;
    const double values[] = {0, 0, 0};
    const XtfPortion small = {0, 3, 1, &cluster, values}, large = {3, 3 + (1 << 11), 1 << 20, &cluster, values};
    const XtfClusteredOutput info = {out, "its name"}, none = {0};

    write_result(source, &result);
    g_autoptr(XtfNetwork) network = xtf_network_open(source, &error);
    cr_assert(network, "%s", error ? error->message : "");
    g_autoptr(XtfClusteredWriter) writer = xtf_clustered_writer_new(network, XTF_NETWORK_MEDIAN, &info, &none, &error);
    cr_assert(writer, "%s", error ? error->message : "");
    cr_assert(xtf_clustered_writer_add(writer, &small, NULL));
    cr_assert_not(xtf_clustered_writer_add(writer, &large, &error));
    cr_expect(g_error_matches(error, XTF_ERROR, XTF_ERROR_TOO_LARGE));
    cr_expect(strstr(error->message, "2147483651 values; at most 2147483647 can be written"), "%s", error->message);
    cr_expect(g_str_has_prefix(error->message, "its name: "), "%s", error->message);
    g_clear_pointer(&writer, xtf_clustered_writer_free);
    remove_folder(folder);
}

/* Lengths at borders have 31 bits, too. */
Test(writer, a_border_beyond_31_bits)
{
    const ResultFile result = {
        .processes = 1, .lengths = 3, .begin = 2000000000, .step = 100000000, .data_type = 2, .value = zero_value};
    g_autofree char *folder = make_folder();
    g_autofree char *source = g_build_filename(folder, "net.nc", NULL), *out = g_build_filename(folder, "out.nc", NULL);
    g_autoptr(GError) error = NULL;
    const uint32_t cluster = 0;
    const double values[] = {0, 0};
    const XtfPortion first = {0, 2, 1, &cluster, values}, second = {2, 3, 1, &cluster, values};
    const XtfClusteredOutput info = {out, "its name"}, none = {0};

    write_result(source, &result);
    g_autoptr(XtfNetwork) network = xtf_network_open(source, &error);
    cr_assert(network, "%s", error ? error->message : "");
    g_autoptr(XtfClusteredWriter) writer = xtf_clustered_writer_new(network, XTF_NETWORK_MEDIAN, &info, &none, &error);
    cr_assert(writer, "%s", error ? error->message : "");
    cr_assert(xtf_clustered_writer_add(writer, &first, NULL));
    cr_assert_not(xtf_clustered_writer_add(writer, &second, &error));
    cr_expect(g_error_matches(error, XTF_ERROR, XTF_ERROR_TOO_LARGE));
    cr_expect(strstr(error->message, "begins at 2200000000 bytes"), "%s", error->message);
    g_clear_pointer(&writer, xtf_clustered_writer_free);
    remove_folder(folder);
}
