/* A generated trace of a realistic shape: 8 locations, calls with messages among them. */
#pragma once

#include <stdint.h>

/* Writes the trace. page_size 0: the default. */
void bench_write_synthetic(const char *path, uint64_t records, uint32_t page_size);
