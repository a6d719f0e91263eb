/*
 * Reads the input as a trace (fuzz-reader.c). A mutation is one of four: changed fields of structures, libFuzzer's own,
 * a file with other rows, or changed bytes of packed rows. Nearly always the checksums are right afterwards.
 */
#include "tests/fuzz/targets/target.h"

#include "tests/fuzz/fuzz-structure.h"

enum { SMALLEST = 512 /* least size of a file whose structures are changed, bytes */ };

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_read(data, size);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    size_t rewritten = 0;

    if (size >= SMALLEST && seed % 4 == 0)
        return fuzz_mutate(data, size, seed);
    if (size >= SMALLEST && seed % 4 == 1) {
        fuzz_change_payload(data, size, seed);
        return size;
    }
    if (size >= SMALLEST && seed % 4 == 2)
        rewritten = fuzz_rewrite(data, size, data, max_size, seed);
    if (rewritten > 0)
        return rewritten;
    size = LLVMFuzzerMutate(data, size, max_size);
    if (seed & 0x38) /* without the correction, most inputs have wrong checksums */
        fuzz_correct_checksums(data, size, NULL);
    return size;
}
