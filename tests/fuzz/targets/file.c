/*
 * Reads the input as a trace (fuzz-reader.c). Half of the mutations change fields of structures, half are libFuzzer's
 * own; after both the checksums are corrected, so that inputs pass them.
 */
#include "tests/fuzz/targets/target.h"

#include "tests/fuzz/fuzz-structure.h"

enum { SMALLEST = 512 /* bytes of a file whose structures are changed */ };

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_read(data, size);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    if (size >= SMALLEST && seed & 1)
        return fuzz_mutate(data, size, seed);
    size = LLVMFuzzerMutate(data, size, max_size);
    if (seed & 0xe) /* else checksums are wrong in most inputs */
        fuzz_correct_checksums(data, size, NULL);
    return size;
}
