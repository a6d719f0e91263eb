#include "src/pictures/drawing/palette.h"

#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libxtf/base/fnv.h"

typedef struct {
    double lightness, chroma, hue; /* a colour in OKLCH; `hue` in degrees */
} Oklch;

/* ---- Conversion from OKLCH to the colours of a screen. */

static bool to_linear(const Oklch *colour, double chroma, double rgb[static 3])
{
    double a = chroma * cos(colour->hue * G_PI / 180), b = chroma * sin(colour->hue * G_PI / 180);
    double l = pow(colour->lightness + 0.3963377774 * a + 0.2158037573 * b, 3);
    double m = pow(colour->lightness - 0.1055613458 * a - 0.0638541728 * b, 3);
    double s = pow(colour->lightness - 0.0894841775 * a - 1.2914855480 * b, 3);
    bool is_in_gamut = true;

    rgb[0] = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
    rgb[1] = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
    rgb[2] = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
    for (unsigned i = 0; i < 3; i++)
        is_in_gamut = is_in_gamut && rgb[i] >= -0.0005 && rgb[i] <= 1.0005;
    return is_in_gamut;
}

static unsigned encode_channel(double linear)
{
    double clipped = CLAMP(linear, 0, 1);
    double encoded = clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * pow(clipped, 1 / 2.4) - 0.055;
    return (unsigned)lround(encoded * 255);
}

/* Converts a colour from OKLCH. Makes it paler until a screen can show it. */
static XtfColour from_oklch(Oklch colour)
{
    double rgb[3], chroma = colour.chroma;

    while (!to_linear(&colour, chroma, rgb) && chroma > 0.001)
        chroma *= 0.96;
    return encode_channel(rgb[0]) << 16 | encode_channel(rgb[1]) << 8 | encode_channel(rgb[2]);
}

/* ---- Classes. */

static const Oklch program_colours[XTF_PROGRAM_COLOURS] = {
    {.70, .10, 245}, {.80, .10, 200}, {.76, .11, 150}, {.62, .10, 225}, {.69, .10, 175}, {.83, .06, 265},
    {.72, .09, 120}, {.60, .11, 265}, {.86, .07, 180}, {.66, .10, 210}, {.82, .10, 155}, {.53, .09, 190},
};

static const Oklch class_colours[XTF_N_PAINTS] = {
    [XTF_PAINT_PROGRAM] = {.70, .10, 245},    [XTF_PAINT_IO] = {.42, .09, 75},
    [XTF_PAINT_P2P] = {.68, .17, 38},         [XTF_PAINT_ONE_SIDED] = {.58, .13, 55},
    [XTF_PAINT_COLLECTIVE] = {.50, .16, 310}, [XTF_PAINT_BARRIER] = {.55, .14, 5},
    [XTF_PAINT_LOCK] = {.76, .20, 320},       [XTF_PAINT_WAIT] = {.89, .10, 92},
    [XTF_PAINT_OTHER] = {.62, .008, 260},     [XTF_PAINT_UNMEASURED] = {.90, 0, 0},
};

static const XtfPaint paints[XTF_N_CLASSES] = {
    [XTF_CLASS_PROGRAM] = XTF_PAINT_PROGRAM,
    [XTF_CLASS_P2P] = XTF_PAINT_P2P,
    [XTF_CLASS_WAIT] = XTF_PAINT_WAIT,
    [XTF_CLASS_COLLECTIVE] = XTF_PAINT_COLLECTIVE,
    [XTF_CLASS_BARRIER] = XTF_PAINT_BARRIER,
    [XTF_CLASS_RMA] = XTF_PAINT_ONE_SIDED,
    [XTF_CLASS_MPI_IO] = XTF_PAINT_IO,
    [XTF_CLASS_MPI_INIT] = XTF_PAINT_OTHER,
    [XTF_CLASS_MPI_OTHER] = XTF_PAINT_OTHER,
    [XTF_CLASS_OMP_WORK] = XTF_PAINT_PROGRAM,
    [XTF_CLASS_OMP_SYNC] = XTF_PAINT_BARRIER,
    [XTF_CLASS_OMP_OTHER] = XTF_PAINT_OTHER,
    [XTF_CLASS_THREADS] = XTF_PAINT_LOCK,
    [XTF_CLASS_PGAS] = XTF_PAINT_ONE_SIDED,
    [XTF_CLASS_OFFLOAD] = XTF_PAINT_PROGRAM,
    [XTF_CLASS_IO] = XTF_PAINT_IO,
    [XTF_CLASS_MEASUREMENT] = XTF_PAINT_UNMEASURED,
    [XTF_CLASS_UNRECORDED] = XTF_PAINT_UNMEASURED,
};

XtfPaint xtf_paint_of(XtfRegionClass class)
{
    return paints[class];
}

/* ---- Names. */

/* Returns a hash of a name. Mixes FNV's result again, as its low bits are uneven for short names. */
static uint32_t hash_name(const char *name)
{
    uint32_t hash = xtf_fnv32(XTF_FNV32, name);

    hash ^= hash >> 16;
    hash *= 0x45d9f3bu;
    return hash ^ hash >> 16;
}

unsigned xtf_program_slot(const char *name)
{
    return hash_name(name) % XTF_PROGRAM_COLOURS;
}

XtfColour xtf_program_colour(unsigned slot)
{
    return from_oklch(program_colours[slot % XTF_PROGRAM_COLOURS]);
}

XtfColour xtf_root_colour(void)
{
    return from_oklch((Oklch){.82, .05, 250});
}

XtfColour xtf_ramp_colour(double amount)
{
    return from_oklch((Oklch){.lightness = .88 - .55 * CLAMP(amount, 0, 1), .chroma = .05 + .08 * amount, .hue = 260});
}

/* Steps of lightness for the functions that programs use most. */
static const struct {
    const char *name;
    double step;
} steps[] = {
    {"MPI_Send", 0},
    {"MPI_Recv", -.07},
    {"MPI_Isend", -.05},
    {"MPI_Irecv", .11},
    {"MPI_Sendrecv", -.12},
    {"MPI_Allreduce", 0},
    {"MPI_Bcast", .08},
    {"MPI_Reduce", -.06},
    {"MPI_Alltoall", .13},
    {"MPI_Allgather", .18},
    {"MPI_Wait", 0},
    {"MPI_Waitall", -.055},
    {"MPI_Waitany", -.025},
    {"MPI_Test", .02},
    {"MPI_Testall", .02},
    {"MPI_Testany", .02},
    {"MPI_Testsome", .02},
    {"MPI_Iprobe", -.10},
    {"MPI_Probe", -.10},
    {"MPI_Barrier", 0},
    {"pthread_mutex_lock", 0},
    {"pthread_mutex_unlock", .06},
    {"pthread_join", -.09},
    {"pthread_create", .12},
    {"pthread_cond_wait", -.04},
};

/* Returns the step of a function: from the table, or one of five by its name. */
static double step_of(const char *name)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(steps); i++) {
        if (g_str_equal(steps[i].name, name))
            return steps[i].step;
    }
    return ((double)(hash_name(name) % 5) - 2) * .03;
}

XtfColour xtf_class_colour(XtfRegionClass class, const char *name)
{
    Oklch colour = class_colours[xtf_paint_of(class)];

    if (xtf_paint_of(class) < XTF_PAINT_OTHER)
        colour.lightness = CLAMP(colour.lightness + step_of(name), 0.2, 0.95);
    return from_oklch(colour);
}

/* ---- Colours as text. */

void xtf_colour_print(XtfColour colour, char text[static XTF_COLOUR_TEXT])
{
    snprintf(text, XTF_COLOUR_TEXT, "#%06x", colour & 0xffffff);
}

static double linear_of(unsigned encoded)
{
    double value = encoded / 255.0;
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

bool xtf_colour_is_dark(XtfColour colour)
{
    double luminance = 0.2126 * linear_of(colour >> 16 & 255) + 0.7152 * linear_of(colour >> 8 & 255) +
                       0.0722 * linear_of(colour & 255);
    /* Contrast with black is (L + .05) / .05, with white 1.05 / (L + .05). */
    return (luminance + 0.05) * (luminance + 0.05) < 0.05 * 1.05;
}
