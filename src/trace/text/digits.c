#include "src/trace/text/digits.h"

/* Tens and hundreds of elements, each a string literal that fills its element without a NUL. */
#define TEN(BEGIN) \
    BEGIN "0", BEGIN "1", BEGIN "2", BEGIN "3", BEGIN "4", BEGIN "5", BEGIN "6", BEGIN "7", BEGIN "8", BEGIN "9",
#define NINETY(H)  TEN(H "1") TEN(H "2") TEN(H "3") TEN(H "4") TEN(H "5") TEN(H "6") TEN(H "7") TEN(H "8") TEN(H "9")
#define HUNDRED(H) TEN(H "0") NINETY(H)
#define NINE_HUNDRED \
    HUNDRED("01")    \
    HUNDRED("02") HUNDRED("03") HUNDRED("04") HUNDRED("05") HUNDRED("06") HUNDRED("07") HUNDRED("08") HUNDRED("09")

const char xtf_triples[1000][4] = {HUNDRED("00") NINE_HUNDRED};

const char xtf_blank_triples[1000][4] = {
    "    ", "   1", "   2", "   3", "   4", "   5", "   6", "   7", "   8", "   9", NINETY("  ") NINE_HUNDRED};
