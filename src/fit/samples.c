// Points that pills are fitted to.
#include "fit/pills.h"

#define INSIDE 1500
#define OUTSIDE 2000

// Steps through all area at equal distances, with places within the triangles that spread evenly
// (the fractional parts of multiples of the plastic number's powers).
void sn__fit_sample_mesh(const FitSurface *surface, int count, Vec3d *out, Vec3d *out_normals) {
    double step = surface->area / count, passed = 0.0;
    int made = 0;
    for (int i = 0; i < surface->triangle_count && made < count; ++i) {
        const int *t = surface->triangles[i];
        Vec3d a = surface->points[t[0]], u = subd(surface->points[t[1]], a),
              v = subd(surface->points[t[2]], a);
        Vec3d normal = crossd(u, v);
        double twice = lengthd(normal);
        passed += 0.5 * twice;
        for (; made < count && (made + 0.5) * step <= passed; ++made) {
            double x = (made + 1) * 0.7548776662466927, y = (made + 1) * 0.5698402909980532;
            x -= floor(x);
            y -= floor(y);
            if (x + y > 1.0) {
                x = 1.0 - x;
                y = 1.0 - y;
            }
            out[made] = addd(a, addd(scaled(u, x), scaled(v, y)));
            if (out_normals != NULL)
                out_normals[made] = scaled(normal, 1.0 / twice);
        }
    }
    for (; made < count; ++made) { // rounding may leave the last one
        out[made] = surface->points[surface->triangles[0][0]];
        if (out_normals != NULL)
            out_normals[made] = (Vec3d){0.0, 0.0, 0.0};
    }
}

static bool is_inside(const FitCells *cells, Vec3d x) {
    double at[3] = {(x.x - cells->low.x) / cells->side + 0.5,
                    (x.y - cells->low.y) / cells->side + 0.5,
                    (x.z - cells->low.z) / cells->side + 0.5};
    for (int c = 0; c < 3; ++c)
        if (!(at[c] >= 0.0 && at[c] < cells->size[c]))
            return false;
    size_t row = (size_t)at[2] * (size_t)cells->size[1] + (size_t)at[1];
    return cells->number[row * (size_t)cells->size[0] + (size_t)at[0]] >= 0;
}

bool sn__fit_sample(FitMemory *memory, const FitSurface *surface, const FitCells *cells,
                    double thickness, int surface_count, FitSamples *out) {
    *out = (FitSamples){.surface_count = surface_count};
    out->inside_count = cells->count < INSIDE ? cells->count : INSIDE;
    size_t all = (size_t)(surface_count + out->inside_count + OUTSIDE);
    out->points = sn__fit_alloc(memory, all, sizeof *out->points);
    Vec3d *normals = sn__fit_alloc(memory, (size_t)surface_count, sizeof *normals);
    if (out->points == NULL || normals == NULL)
        return false;
    sn__fit_sample_mesh(surface, surface_count, out->points, normals);
    Vec3d *points = out->points + surface_count;
    for (int i = 0; i < out->inside_count; ++i)
        *points++ = cells->centres[(size_t)i * (size_t)cells->count / (size_t)out->inside_count];
    // Near the mesh to keep pills from swelling, and farther out to keep them from leaving.
    static const double offsets[] = {0.1, 0.2, 0.4, 0.8};
    for (int i = 0; i < OUTSIDE; ++i) {
        size_t from = (size_t)i * (size_t)surface_count / OUTSIDE;
        Vec3d x = addd(out->points[from], scaled(normals[from], offsets[i % 4] * thickness));
        if (!is_inside(cells, x)) {
            *points++ = x;
            ++out->outside_count;
        }
    }
    return true;
}
