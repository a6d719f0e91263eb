/*
 * How long opening takes, in the library.
 */
#pragma once

/* Prints the figures for a file: cold and warm, alone and with a first count. */
void bench_opening(const char *path);
