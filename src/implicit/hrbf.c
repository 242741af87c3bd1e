#include "implicit/hrbf.h"

#include <assert.h>

// With r = x − c and l = |r|, the function l³ has the gradient 3 l r and the second derivatives
// 3 (l I + r rᵀ / l). The last ones vanish at r = 0.
typedef struct Cubic {
    double value;
    Vec3d gradient;
    double second[3][3];
} Cubic;

static Cubic cubic_at(Vec3d r) {
    double l = lengthd(r), over = l > 0.0 ? 1.0 / l : 0.0;
    const double e[3] = {r.x, r.y, r.z};
    Cubic c = {l * l * l, scaled(r, 3.0 * l), {{0.0}}};
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            c.second[i][k] = 3.0 * ((i == k ? l : 0.0) + e[i] * e[k] * over);
    return c;
}

// The four equations of centre j in the unknowns λ_i, β_i of all centres.
static void fill_rows(const Hrbf *h, int j, double *matrix) {
    size_t n = 4 * (size_t)h->count;
    double *row = matrix + 4 * (size_t)j * n;
    for (int i = 0; i < h->count; ++i, row += 4) {
        Cubic c = cubic_at(subd(h->centres[j], h->centres[i]));
        const double g[3] = {c.gradient.x, c.gradient.y, c.gradient.z};
        row[0] = c.value;
        for (int k = 0; k < 3; ++k) {
            row[1 + k] = g[k];
            row[(size_t)(1 + k) * n] = g[k];
            for (int m = 0; m < 3; ++m)
                row[(size_t)(1 + k) * n + 1 + (size_t)m] = c.second[k][m];
        }
    }
}

// Elimination with row pivots; the right side becomes the solution. False: it is singular.
static bool solve(double *a, double *b, size_t n) {
    for (size_t k = 0; k < n; ++k) {
        size_t best = k;
        for (size_t i = k + 1; i < n; ++i)
            if (fabs(a[i * n + k]) > fabs(a[best * n + k]))
                best = i;
        double *pivot = a + k * n, *other = a + best * n;
        if (!(fabs(other[k]) > 1e-12))
            return false;
        for (size_t c = k; c < n && best != k; ++c) {
            double swap = pivot[c];
            pivot[c] = other[c];
            other[c] = swap;
        }
        double swap = b[k], over = 1.0 / pivot[k];
        b[k] = b[best];
        b[best] = swap;
        for (size_t i = k + 1; i < n; ++i) {
            double *row = a + i * n, factor = row[k] * over;
            if (factor == 0.0)
                continue;
            for (size_t c = k + 1; c < n; ++c)
                row[c] -= factor * pivot[c];
            b[i] -= factor * b[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t c = k + 1; c < n; ++c)
            b[k] -= a[k * n + c] * b[c];
        b[k] /= a[k * n + k];
    }
    return true;
}

// The middle of all centres, and how far they reach from it.
static void normalise(const Vec3d *centres, Hrbf *h) {
    Vec3d sum = {0.0, 0.0, 0.0};
    for (int i = 0; i < h->count; ++i)
        sum = addd(sum, centres[i]);
    h->middle = scaled(sum, 1.0 / h->count);
    for (int i = 0; i < h->count; ++i)
        h->size = fmax(h->size, lengthd(subd(centres[i], h->middle)));
    for (int i = 0; i < h->count && h->size > 0.0; ++i)
        h->centres[i] = scaled(subd(centres[i], h->middle), 1.0 / h->size);
}

static double mean_spacing(const Hrbf *h) {
    double sum = 0.0;
    for (int i = 0; i < h->count; ++i) {
        double nearest = 1e300;
        for (int k = 0; k < h->count; ++k)
            if (k != i)
                nearest = fmin(nearest, lengthd(subd(h->centres[i], h->centres[k])));
        sum += nearest;
    }
    return sum / h->count;
}

SnResult sn__hrbf_fit(const SnAllocator *allocator, const Vec3d *centres, const Vec3d *normals,
                      int count, Hrbf *out) {
    assert(count > 0 && count <= HRBF_MOST_CENTRES);
    size_t n = 4 * (size_t)count;
    *out = (Hrbf){.count = count};
    normalise(centres, out);
    double *matrix = sn__alloc_raw(allocator, n * n * sizeof *matrix);
    double side[4 * HRBF_MOST_CENTRES] = {0};
    if (matrix == NULL)
        return sn_error(SN_ERROR_MEMORY, "implicit: no memory for %d centres", count);
    for (int j = 0; j < count; ++j) {
        fill_rows(out, j, matrix);
        side[4 * j + 1] = normals[j].x;
        side[4 * j + 2] = normals[j].y;
        side[4 * j + 3] = normals[j].z;
    }
    bool solved = out->size > 0.0 && solve(matrix, side, n);
    sn__free(allocator, matrix, n * n * sizeof *matrix);
    if (!solved)
        return sn_error(SN_ERROR_INVALID, "implicit: %d centres do not make a surface", count);
    for (int i = 0; i < count; ++i) {
        out->lambda[i] = side[4 * i];
        out->normals[i] = normals[i];
        out->beta[i] = (Vec3d){side[4 * i + 1], side[4 * i + 2], side[4 * i + 3]};
    }
    out->spacing = mean_spacing(out);
    return sn_ok();
}

double sn__hrbf_at(const Hrbf *h, Vec3d x, Vec3d *out_gradient) {
    Vec3d at = scaled(subd(x, h->middle), 1.0 / h->size), gradient = {0.0, 0.0, 0.0};
    double value = 0.0;
    for (int i = 0; i < h->count; ++i) {
        Vec3d r = subd(at, h->centres[i]);
        double square = dotd(r, r), l = sqrt(square), over = l > 0.0 ? 1.0 / l : 0.0;
        double along = dotd(h->beta[i], r);
        value += (h->lambda[i] * square + 3.0 * along) * l;
        // 3 λ l r + 3 (l β + (β·r) r / l)
        double by_r = 3.0 * (h->lambda[i] * l + along * over);
        gradient = addd(gradient, addd(scaled(r, by_r), scaled(h->beta[i], 3.0 * l)));
    }
    *out_gradient = gradient;
    return value * h->size;
}

#define TRUSTED 0.5 // of the distance that the nearest centre tells

double sn__hrbf_bounded(const Hrbf *h, Vec3d x, Vec3d *out_gradient) {
    double value = sn__hrbf_at(h, x, out_gradient), least = 1e300;
    Vec3d at = scaled(subd(x, h->middle), 1.0 / h->size);
    int nearest = 0;
    for (int i = 0; i < h->count; ++i) {
        double square = dotd(subd(at, h->centres[i]), subd(at, h->centres[i]));
        nearest = square < least ? i : nearest;
        least = fmin(least, square);
    }
    Vec3d normal = h->normals[nearest];
    double height = dotd(subd(at, h->centres[nearest]), normal);
    double bound = TRUSTED * (height - h->spacing) * h->size;
    if (!(value < bound))
        return value;
    *out_gradient = scaled(normal, TRUSTED);
    return bound;
}
