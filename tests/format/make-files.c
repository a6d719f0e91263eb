/*
 * Writes the test files of the format, and their rows as JSON: make-files FOLDER
 *
 * make-files high FOLDER writes `high` alone, which is too large to be stored.
 */
#include <stdio.h>
#include <string.h>

#include "tests/format/truth.h"

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "high") == 0) {
        test_files_set_folder(argv[2]);
        make_high_file();
        return 0;
    }
    if (argc != 2) {
        fprintf(stderr, "usage: make-files [high] FOLDER\n");
        return 2;
    }
    test_files_set_folder(argv[1]);
    make_plain_files();
    make_packed_files();
    make_totals_files();
    make_volumes();
    make_runs();
    return 0;
}
