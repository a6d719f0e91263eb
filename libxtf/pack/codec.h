/*
 * How a leaf holds its rows.
 */
#pragma once

typedef enum {
    XTF_CODEC_PLAIN = 0,   /* side by side */
    XTF_CODEC_COMPACT = 1, /* packed: a tenth to a thirtieth of the bytes */
} XtfCodec;

enum {
    XTF_LEAF_ROWS_MAX = 16384, /* rows that a compact leaf holds at most */
};
