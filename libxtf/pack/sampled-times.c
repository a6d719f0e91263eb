#include "libxtf/pack/sampled-times.h"

#include "libxtf/base/block-memory.h"

uint8_t *xtf_sampled_times_unpack(const uint8_t *packed, uint32_t length, uint32_t count, uint32_t before,
                                  uint32_t *size, const char **fault)
{
    XtfPackReader reader = {.at = packed, .end = packed + length};
    uint32_t n_samples = (count + XTF_TIMES_STEP - 1) / XTF_TIMES_STEP;
    XtfNumberReader numbers;
    size_t n_tails;

    if (!xtf_read_numbers(&reader, count, &numbers, &n_tails)) {
        xtf_scratch_done();
        *fault = reader.fault;
        return NULL;
    }
    size_t heads_at = before + sizeof(XtfSampledTimes) + n_samples * sizeof(XtfTimeSample), tails_at = heads_at + count,
           bytes = tails_at + n_tails + XTF_TAIL_MAX;
    XTF_AUTO_BLOCK uint8_t *memory = xtf_block_memory_new(bytes);
    XtfSampledTimes *times = (XtfSampledTimes *)(void *)(memory + before);
    XtfTimeSample *samples = (XtfTimeSample *)(void *)(times + 1);

    *times =
        (XtfSampledTimes){.count = count, .samples = samples, .heads = memory + heads_at, .tails = memory + tails_at};
    memcpy(memory + heads_at, numbers.head, count);
    memcpy(memory + tails_at, numbers.tail, n_tails + XTF_TAIL_MAX);
    bool rises = xtf_sample_times(numbers, count, samples);
    xtf_scratch_done();
    if (!rises) {
        *fault = "its times go backwards";
        return NULL;
    }
    *size = (uint32_t)bytes;
    return g_steal_pointer(&memory);
}

/* Returns a reader of the numbers after the row of sample i. */
static XtfNumberReader read_after_sample(const XtfSampledTimes *times, uint32_t i)
{
    return (XtfNumberReader){.heads = xtf_heads(),
                             .head = times->heads + (size_t)i * XTF_TIMES_STEP + 1,
                             .tail = times->tails + times->samples[i].tail};
}

uint64_t xtf_sampled_times_at(const XtfSampledTimes *times, uint32_t i)
{
    uint64_t time = times->samples[i / XTF_TIMES_STEP].time;
    XtfNumberReader numbers = read_after_sample(times, i / XTF_TIMES_STEP);

    for (uint32_t n = i % XTF_TIMES_STEP; n > 0; n--)
        time += xtf_next_number(&numbers);
    return time;
}

uint32_t xtf_sampled_times_rank(const XtfSampledTimes *times, uint64_t t, uint64_t *comparisons)
{
    uint32_t low = 0, high = (times->count + XTF_TIMES_STEP - 1) / XTF_TIMES_STEP;

    while (low < high) { /* find the first sample that is not before t */
        uint32_t middle = low + (high - low) / 2;
        ++*comparisons;
        if (times->samples[middle].time < t)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return 0;
    XtfNumberReader numbers = read_after_sample(times, low - 1);
    uint64_t time = times->samples[low - 1].time;
    uint32_t n = (low - 1) * XTF_TIMES_STEP + 1, end = MIN(times->count, low * XTF_TIMES_STEP);
    for (; n < end; n++) {
        ++*comparisons;
        time += xtf_next_number(&numbers);
        if (time >= t)
            break;
    }
    return n;
}
