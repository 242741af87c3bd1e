// Where slices are placed along a muscle. Rods are combed through many slices first; of these, the ones
// are taken between which straight, tapered rods are nearest to the combed ones, so that there are more
// where a muscle bends, twists or changes its thickness.
#include "fit/comb.h"

#define PI 3.14159265358979323846

// Slices to choose from, and how many of them there are at least for each that is chosen.
#define FINE 49
#define FINER 3

// What counts beside the squared distances of rods from straight pieces: the squared difference of
// radii, and the squared length of a piece beside an even one, times the mean square of the radius. The
// latter makes slices even where nothing bends.
#define TAPER 2.0
#define EVEN 0.03

// Rods that were combed through all slices: point j of rod k is number k · FINE + j.
typedef struct Strands {
    int rods;
    const Vec3d *points;
    double radii[FINE];
} Strands;

typedef double Costs[FINE][FINE]; // of pieces from one slice to another

static double cost_of_piece(const Strands *s, int a, int b) {
    double sum = 0.0;
    for (int k = 0; k < s->rods; ++k) {
        const Vec3d *rod = s->points + k * FINE;
        Vec3d chord = subd(rod[b], rod[a]);
        double length2 = fmax(dotd(chord, chord), 1e-300);
        for (int i = a + 1; i < b; ++i) {
            Vec3d d = subd(rod[i], rod[a]);
            double t = fmin(fmax(dotd(d, chord) / length2, 0.0), 1.0);
            d = subd(d, scaled(chord, t));
            sum += dotd(d, d) / s->rods;
        }
    }
    for (int i = a + 1; i < b; ++i) {
        double part = (double)(i - a) / (b - a);
        double r = s->radii[i] - s->radii[a] * (1.0 - part) - s->radii[b] * part;
        sum += TAPER * r * r;
    }
    return sum / FINE;
}

static void make_costs(const Strands *s, int slices, Costs costs) {
    double square = 0.0, even = (FINE - 1.0) / (slices - 1.0);
    for (int i = 0; i < FINE; ++i)
        square += s->radii[i] * s->radii[i] / FINE;
    for (int a = 0; a < FINE; ++a)
        for (int b = a + 1; b < FINE; ++b) {
            double part = (b - a) / even;
            costs[a][b] = cost_of_piece(s, a, b) + EVEN * square * part * part / (slices - 1.0);
        }
}

// Dynamic programming: best[j][b] is the least that j pieces up to slice b cost, and from[j][b] where
// the last of them begins.
static void choose(Costs costs, int slices, double *out_places) {
    double best[FINE][FINE];
    int from[FINE][FINE] = {0};
    for (int j = 0; j < slices; ++j)
        for (int b = 0; b < FINE; ++b) {
            best[j][b] = j == 0 && b == 0 ? 0.0 : HUGE_VAL;
            for (int a = j > 0 ? j - 1 : b; a < b; ++a)
                if (best[j - 1][a] + costs[a][b] < best[j][b]) {
                    best[j][b] = best[j - 1][a] + costs[a][b];
                    from[j][b] = a;
                }
        }
    for (int j = slices - 1, at = FINE - 1; j > 0; at = from[j][at], --j)
        out_places[j] = (double)at / (FINE - 1);
}

static bool comb_finely(FitMemory *memory, const FitSlices *fine, int rods, Strands *out) {
    size_t count = (size_t)rods * FINE;
    Vec3d *points = sn__fit_alloc(memory, count, sizeof *points);
    int *parts = sn__fit_alloc(memory, count, sizeof *parts);
    if (points == NULL || parts == NULL || !sn__fit_comb(memory, fine, rods, points, parts))
        return false;
    *out = (Strands){.rods = rods, .points = points};
    for (int j = 0; j < FINE; ++j) {
        double area = 0.0;
        for (int i = fine->begin[j]; i < fine->begin[j + 1]; ++i)
            area += fine->areas[i];
        out->radii[j] = sqrt(area / (PI * rods));
    }
    return true;
}

bool sn__fit_find_places(FitMemory *memory, const FitCells *cells, const FitEnds *ends,
                         const double *field, int rods, int slices, double *out_places) {
    for (int j = 0; j < slices; ++j)
        out_places[j] = (double)j / (slices - 1);
    if (slices < 3 || slices * FINER > FINE) // there is nothing to choose, or little
        return true;
    FitBlock *mark = memory->last;
    FitSlices fine;
    Strands strands;
    SnResult result = sn__fit_slice(memory, cells, ends, field, rods, FINE, NULL, &fine);
    bool good = result.code != SN_ERROR_MEMORY;
    if (result.code == SN_OK) { // or even slices will have to do
        good = comb_finely(memory, &fine, rods, &strands);
        if (good) {
            Costs costs;
            make_costs(&strands, slices, costs);
            choose(costs, slices, out_places);
        }
    }
    sn__fit_release(memory, mark);
    return good;
}
