/*
 * A target of a fuzzer: a program that reads any bytes, and aborts if an answer is impossible.
 *
 * With -Dfuzz=true the program is linked with libFuzzer, which makes the inputs. Otherwise replay.c reads the inputs of
 * tests/fuzz/corpus. scripts/fuzz.sh runs the targets.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* libFuzzer's own mutation. In replay.c it changes nothing. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* Aborts with the message unless the condition holds. */
static inline void target_must(bool condition, const char *fault)
{
    if (!condition)
        g_error("fuzz: %s", fault);
}

/* Returns `good`, and checks that an error with a message is set if and only if the call failed. */
static inline bool target_result(bool good, GError **error)
{
    target_must(good == !*error, "a call failed without an error, or succeeded with one");
    target_must(good || (*error)->message[0], "an error has no message");
    g_clear_error(error);
    return good;
}

/* The input that is not used yet. */
typedef struct {
    const uint8_t *at;
    size_t left;
} TargetBytes;

/* Takes a little-endian number of `n` bytes. Missing bytes are 0. */
static inline uint64_t target_take(TargetBytes *bytes, unsigned n)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < n && bytes->left > 0; i++, bytes->left--)
        value |= (uint64_t)*bytes->at++ << (8 * i);
    return value;
}

/* Makes a folder for the files of this process, which removes it at its end. Returns its path; the caller frees it. */
char *target_folder(void);
/* Removes a folder and all files in it. */
void target_remove(const char *folder);
