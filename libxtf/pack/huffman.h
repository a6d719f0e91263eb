/*
 * Huffman codes, as deflate has them: canonical, of limited lengths.
 */
#pragma once

#include <stdint.h>

enum { XTF_HUFFMAN_SYMBOLS_MAX = 288, XTF_HUFFMAN_BITS_MAX = 15 };

/* The lengths of codes, in bits, for these frequencies, whose sum is below 65536; 0 where a symbol has no code. At
 * least two symbols have one, used or not. No length is above `most`, with which all symbols can have codes. */
void xtf_huffman_lengths(const uint16_t *frequencies, unsigned n, unsigned most, uint8_t *lengths);
/* The codes of these lengths, the first bit lowest. */
void xtf_huffman_codes(const uint8_t *lengths, unsigned n, uint16_t *codes);
