/*
 * How long opening takes in the library: open-time [--rows] FILE...
 */
#include <string.h>

#include "bench.h"
#include "opening.h"

int main(int argc, char **argv)
{
    int first = argc > 1 && strcmp(argv[1], "--rows") == 0 ? 2 : 1;

    g_set_prgname("open-time");
    bench_check(first < argc, NULL, "usage: open-time [--rows] FILE...");
    if (first == 1)
        bench_head();
    for (int i = first; i < argc; i++)
        bench_opening(argv[i]);
    return 0;
}
