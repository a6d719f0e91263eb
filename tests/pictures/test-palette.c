/* The colours of classes are distinct for full colour vision and for each colour blindness. */
#include <criterion/criterion.h>
#include <math.h>

#include "src/pictures/drawing/palette.h"

typedef struct {
    double r, g, b; /* linear */
} Rgb;

/* Colours as seen without one kind of cone: G. Machado, M. Oliveira, L. Fernandes, "A physiologically-based model
 * for simulation of color vision deficiency", 2009; full severity. */
static const struct {
    const char *name;
    double m[3][3];
    double least; /* least distance between classes */
} eyes[] = {
    {"all colours", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 11},
    {"protanopia",
     {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
     9},
    {"deuteranopia",
     {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
     6.5},
    {"tritanopia",
     {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
     8.5},
};

/* A function of each class with its middle lightness. One-sided operations are excluded: few programs have them, and
 * without blue cones their colour is near that of barriers. */
static const struct {
    XtfRegionClass class;
    const char *name;
} classes[] = {
    {XTF_CLASS_IO, "open"},
    {XTF_CLASS_P2P, "MPI_Send"},
    {XTF_CLASS_COLLECTIVE, "MPI_Allreduce"},
    {XTF_CLASS_BARRIER, "MPI_Barrier"},
    {XTF_CLASS_WAIT, "MPI_Wait"},
    {XTF_CLASS_THREADS, "pthread_mutex_lock"},
    {XTF_CLASS_MPI_INIT, "MPI_Init"},
};

static double linear(unsigned value)
{
    double v = value / 255.0;
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static Rgb rgb_of(XtfColour colour)
{
    return (Rgb){linear(colour >> 16 & 255), linear(colour >> 8 & 255), linear(colour & 255)};
}

static Rgb seen(Rgb c, const double m[3][3])
{
    const double in[3] = {c.r, c.g, c.b};
    double out[3];

    for (unsigned i = 0; i < 3; i++)
        out[i] = fmin(fmax(m[i][0] * in[0] + m[i][1] * in[1] + m[i][2] * in[2], 0), 1);
    return (Rgb){out[0], out[1], out[2]};
}

/* Converts a colour to OKLab (B. Ottosson, 2020). */
static void to_lab(Rgb c, double lab[3])
{
    double l = cbrt(0.4122214708 * c.r + 0.5363325363 * c.g + 0.0514459929 * c.b);
    double m = cbrt(0.2119034982 * c.r + 0.6806995451 * c.g + 0.1073969566 * c.b);
    double s = cbrt(0.0883024619 * c.r + 0.2817188376 * c.g + 0.6299787005 * c.b);

    lab[0] = 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s;
    lab[1] = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s;
    lab[2] = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s;
}

/* Returns a hundred times the distance in OKLab. */
static double distance(XtfColour a, XtfColour b, const double m[3][3])
{
    double x[3], y[3];

    to_lab(seen(rgb_of(a), m), x);
    to_lab(seen(rgb_of(b), m), y);
    return 100 * sqrt(pow(x[0] - y[0], 2) + pow(x[1] - y[1], 2) + pow(x[2] - y[2], 2));
}

Test(palette, classes_differ)
{
    enum { N = sizeof classes / sizeof *classes };

    for (unsigned e = 0; e < sizeof eyes / sizeof *eyes; e++) {
        for (unsigned i = 0; i < N; i++) {
            XtfColour a = xtf_class_colour(classes[i].class, classes[i].name);
            for (unsigned j = 0; j < i; j++) {
                double d = distance(a, xtf_class_colour(classes[j].class, classes[j].name), eyes[e].m);
                cr_expect(d >= eyes[e].least, "%s: %s and %s are %.1f apart", eyes[e].name, classes[i].name,
                          classes[j].name, d);
            }
        }
    }
}

/* Taking a lock, releasing it, and waiting for a thread or a message have distinct colours. */
Test(palette, locks_differ)
{
    static const char *const names[] = {"pthread_mutex_lock", "pthread_mutex_unlock", "pthread_join"};
    const XtfColour wait = xtf_class_colour(XTF_CLASS_WAIT, "MPI_Wait");

    for (unsigned e = 0; e < sizeof eyes / sizeof *eyes; e++) {
        for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
            XtfColour colour = xtf_class_colour(XTF_CLASS_THREADS, names[i]);
            cr_expect(distance(colour, wait, eyes[e].m) >= eyes[e].least, "%s: %s is like MPI_Wait", eyes[e].name,
                      names[i]);
            for (unsigned j = 0; j < i; j++) {
                double d = distance(colour, xtf_class_colour(XTF_CLASS_THREADS, names[j]), eyes[e].m);
                cr_expect(d >= 5, "%s: %s and %s are %.1f apart", eyes[e].name, names[i], names[j], d);
            }
        }
    }
}

/* No colour of the program is near one of MPI. */
Test(palette, program_differs_from_classes)
{
    for (unsigned e = 0; e < sizeof eyes / sizeof *eyes; e++) {
        for (unsigned slot = 0; slot < XTF_PROGRAM_COLOURS; slot++) {
            for (unsigned i = 0; i < sizeof classes / sizeof *classes; i++) {
                double d =
                    distance(xtf_program_colour(slot), xtf_class_colour(classes[i].class, classes[i].name), eyes[e].m);
                cr_expect(d >= 4.8, "%s: colour %u of the program and %s are %.1f apart", eyes[e].name, slot,
                          classes[i].name, d);
            }
        }
    }
}

static double luminance(XtfColour colour)
{
    Rgb c = rgb_of(colour);
    return 0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b;
}

/* Names on bars are legible: WCAG 2.1, 1.4.3. */
Test(palette, names_are_legible)
{
    for (unsigned i = 0; i < 1 << 15; i++) {
        XtfColour colour = (i >> 10) << 19 | (i >> 5 & 31) << 11 | (i & 31) << 3;
        double l = luminance(colour), contrast = xtf_colour_is_dark(colour) ? 1.05 / (l + 0.05) : (l + 0.05) / 0.05;
        cr_assert(contrast >= 4.5, "a name on #%06x has a contrast of %.2f", colour, contrast);
    }
}

/* Larger amounts are always darker. */
Test(palette, ramp_is_even)
{
    for (unsigned i = 1; i < 16; i++)
        cr_assert(luminance(xtf_ramp_colour(i / 15.0)) < luminance(xtf_ramp_colour((i - 1) / 15.0)));
}
