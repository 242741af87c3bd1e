// What the tests of conversions share: muscles of every shape as they come from the code that makes
// them, spoiled in the ways files are, and measured by means that conversions do not use.
#pragma once

#include "support.h"

#include <stdlib.h>

#include <sinew/fit.h>
#include <sinew/muscle_model.h>

#include "geom/pill.h"

// A mesh that a test may change.
typedef struct Soup {
    int vertex_count, triangle_count;
    SnVec3 *positions;
    uint32_t *triangles;
} Soup;

// Room for as much again.
static inline Soup soup_of(SnMuscleShape shape, float length, int triangles) {
    SnMesh mesh;
    assert_ok(sn_muscle_mesh(shape, length, triangles, NULL, &mesh));
    Soup soup = {mesh.vertex_count, mesh.triangle_count, NULL, NULL};
    soup.positions = calloc(2 * (size_t)mesh.vertex_count, sizeof *soup.positions);
    soup.triangles = calloc(6 * (size_t)mesh.triangle_count, sizeof *soup.triangles);
    assert_non_null(soup.positions);
    assert_non_null(soup.triangles);
    memcpy(soup.positions, mesh.positions, (size_t)mesh.vertex_count * sizeof *soup.positions);
    memcpy(soup.triangles, mesh.triangles,
           3 * (size_t)mesh.triangle_count * sizeof *soup.triangles);
    sn_mesh_destroy(&mesh);
    return soup;
}

static inline void soup_free(Soup *soup) {
    free(soup->positions);
    free(soup->triangles);
}

static inline SnViperizeDef viperize_def(const Soup *soup, int rods, int slices) {
    SnViperizeDef def = sn_default_viperize_def();
    def.vertex_count = soup->vertex_count;
    def.positions = soup->positions;
    def.triangle_count = soup->triangle_count;
    def.triangles = soup->triangles;
    def.rods = rods;
    def.slices = slices;
    return def;
}

static inline SnViper convert(const SnViperizeDef *def) {
    SnViper viper;
    assert_ok(sn_viperize(def, NULL, &viper));
    return viper;
}

// The distance of the surfaces beside the thickness.
static inline double share(const SnViper *viper) {
    return viper->quality.rms / viper->quality.thickness;
}

static inline bool says(const SnViper *viper, const char *part) {
    for (int i = 0; i < viper->report.message_count; ++i)
        if (strstr(viper->report.messages[i], part))
            return true;
    return false;
}

// The distance from x to the nearest of all pills of the rods.
static inline double distance_to_rods(const SnViper *viper, SnVec3 x) {
    double least = HUGE_VAL;
    for (int k = 0; k < viper->rod_count; ++k)
        for (int j = 0; j + 1 < viper->slice_count; ++j) {
            int i = k * viper->slice_count + j;
            Pill pill = {vec3d(viper->positions[i]), vec3d(viper->positions[i + 1]),
                         (double)viper->radii[i], (double)viper->radii[i + 1]};
            least = fmin(least, sn__pill_distance(&pill, vec3d(x), NULL));
        }
    return least;
}

// The volume of the union by random points in the box around it.
static inline double random_volume(const SnViper *viper, int points) {
    SnVec3 low = viper->positions[0], high = low;
    for (int i = 0; i < viper->rod_count * viper->slice_count; ++i) {
        SnVec3 x = viper->positions[i];
        float r = viper->radii[i];
        low = sn_vec3(fminf(low.x, x.x - r), fminf(low.y, x.y - r), fminf(low.z, x.z - r));
        high = sn_vec3(fmaxf(high.x, x.x + r), fmaxf(high.y, x.y + r), fmaxf(high.z, x.z + r));
    }
    Rng rng = {7};
    int hits = 0;
    for (int i = 0; i < points; ++i) {
        SnVec3 x = {rng_float(&rng, (double)low.x, (double)high.x),
                    rng_float(&rng, (double)low.y, (double)high.y),
                    rng_float(&rng, (double)low.z, (double)high.z)};
        hits += distance_to_rods(viper, x) < 0.0;
    }
    double box = (double)(high.x - low.x) * (double)(high.y - low.y) * (double)(high.z - low.z);
    return box * hits / points;
}

// The root mean square of distances at random places of the mesh; inside of the union, it is the depth
// in the pill that it is deepest in.
static inline double random_rms(const Soup *soup, const SnViper *viper, int points) {
    double *sums = calloc((size_t)soup->triangle_count + 1, sizeof *sums), sum = 0.0;
    assert_non_null(sums);
    for (int i = 0; i < soup->triangle_count; ++i) {
        const uint32_t *t = soup->triangles + 3 * i;
        SnVec3 a = soup->positions[t[0]];
        SnVec3 n = sn_vec3_cross(sn_vec3_sub(soup->positions[t[1]], a),
                                 sn_vec3_sub(soup->positions[t[2]], a));
        sums[i + 1] = sums[i] + (double)sn_vec3_length(n);
    }
    Rng rng = {3};
    for (int i = 0; i < points; ++i) {
        double at = rng_real(&rng, 0.0, sums[soup->triangle_count]);
        int low = 0, high = soup->triangle_count - 1;
        while (low < high) {
            int middle = (low + high) / 2;
            if (sums[middle + 1] < at)
                low = middle + 1;
            else
                high = middle;
        }
        const uint32_t *t = soup->triangles + 3 * low;
        float u = rng_float(&rng, 0.0, 1.0), v = rng_float(&rng, 0.0, 1.0);
        if (u + v > 1.0f) {
            u = 1.0f - u;
            v = 1.0f - v;
        }
        SnVec3 x = sn_vec3_scale(soup->positions[t[0]], 1.0f - u - v);
        x = sn_vec3_add_scaled(x, soup->positions[t[1]], u);
        x = sn_vec3_add_scaled(x, soup->positions[t[2]], v);
        double d = distance_to_rods(viper, x);
        sum += d * d / points;
    }
    free(sums);
    return sqrt(sum);
}
