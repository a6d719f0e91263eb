/*
 * matrix.svg: the table `matrix` as cells, rows the senders and columns the receivers, darker the more bytes, on a
 * scale of logarithms. Of many processes it is an image; of very many, blocks of neighbours are added up.
 */
#pragma once

#include "src/pictures/drawing/picture-kind.h"

extern const XtfPicture xtf_picture_matrix;
