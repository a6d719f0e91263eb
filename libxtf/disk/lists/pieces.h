/*
 * The pieces of a joined array, which follow the totals in its right edge (XtfDiskPieces). A piece has consecutive rows
 * of the array: all rows of another array, or rows of its own.
 */
#pragma once

#include "libxtf/disk/node.h"

/* A piece, as its bytes say. Borrows the bytes. */
typedef struct {
    uint64_t first_n, end; /* its rows */
    XtfPieceKind kind;
    const XtfDiskArray *array; /* XTF_PIECE_ARRAY: the other array */
    const uint8_t *shifts;     /* XtfDiskShift each */
    uint32_t n_shifts;
    const uint8_t *rows; /* XTF_PIECE_ROWS: the rows, side by side */
} XtfPiece;

/* Finds the piece of row n of an array with n_rows rows. Returns what is wrong with the piece; NULL if nothing is. All
 * bytes of the piece are within `bytes`, its shifts name integer fields. */
const char *xtf_pieces_find(const uint8_t *bytes, uint32_t length, const XtfArray *array, uint64_t n, XtfPiece *piece);

/* True if the bodies of the pieces follow one another and fill all bytes, with zeros up to multiples of 8. */
bool xtf_pieces_fill(const uint8_t *bytes, uint32_t length);

/* Adds the numbers of a piece to fields of rows. Leaves "none". */
void xtf_shifts_apply(const uint8_t *shifts, uint32_t n_shifts, const XtfSchema *schema, uint8_t *rows, uint32_t count);
/* Returns a number that identifies shifts; 0 for none. */
uint64_t xtf_shifts_hash(const uint8_t *shifts, uint32_t n_shifts);

/* An encoder of pieces. */
typedef struct {
    GByteArray *heads, *bodies; /* offsets in the heads count from the beginning of the bodies */
} XtfPiecesEncoder;

void xtf_pieces_encoder_init(XtfPiecesEncoder *encoder);
void xtf_pieces_encoder_finish(XtfPiecesEncoder *encoder);
/* Adds a piece that begins with row first_n: all rows of an array. `shifts`: XtfDiskShift each. */
void xtf_pieces_add_array(XtfPiecesEncoder *encoder, uint64_t first_n, const XtfArray *array, const GArray *shifts);
/* Adds a piece of `length` bytes of rows. */
void xtf_pieces_add_rows(XtfPiecesEncoder *encoder, uint64_t first_n, const uint8_t *rows, uint32_t length);
/* Appends all pieces to an edge. */
void xtf_pieces_encode(const XtfPiecesEncoder *encoder, GByteArray *edge);
