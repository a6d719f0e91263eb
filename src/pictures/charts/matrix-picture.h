/*
 * matrix.svg: the table `matrix` as cells. Rows are the senders, columns the receivers. Darker cells have more bytes,
 * on a logarithmic scale. Many processes make it an image, in which very many are added up in blocks of neighbours.
 */
#pragma once

#include "src/pictures/drawing/picture-kind.h"

extern const XtfPicture xtf_picture_matrix;
