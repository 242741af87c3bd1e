// Skins that split where their solid breaks: cells of a cut mesh are closed and fill it, and so do the pieces of
// bodies that are torn.
#include "contact_kit.h"
#include "particle_kit.h"

#include <stdlib.h>

#include <sinew/skin.h>

#include "skin/split.h"

typedef struct Filled {
    SnMesh mesh;
    SnParticles particles;
} Filled;

static Filled filled(SnSolidShape shape, int triangles, int count) {
    Filled f;
    assert_ok(sn_solid_mesh(shape, 1.0f, triangles, NULL, &f.mesh));
    SnParticlesDef def =
        mesh_def(&f.mesh, count, shape == SN_SOLID_SHEET ? SN_FILL_SHELL : SN_FILL_SOLID);
    assert_ok(sn_particles_create(&def, NULL, &f.particles));
    return f;
}

static void release(Filled *f) {
    sn_particles_destroy(&f->particles);
    sn_mesh_destroy(&f->mesh);
}

static double volume_by(const uint32_t *t, int triangles, const float *x) {
    double sum = 0.0;
    for (int i = 0; i < triangles; ++i, t += 3) {
        Vec3d c[3];
        for (int k = 0; k < 3; ++k)
            c[k] = (Vec3d){(double)x[3 * t[k]], (double)x[3 * t[k] + 1], (double)x[3 * t[k] + 2]};
        sum += dotd(c[0], crossd(c[1], c[2])) / 6.0;
    }
    return sum;
}

// A directed edge between places, in a cell.
typedef struct Side {
    float a[3], b[3];
    int cell, sign;
} Side;

static int by_side(const void *p, const void *q) {
    const Side *a = p, *b = q;
    int at = memcmp(a->a, b->a, sizeof a->a + sizeof a->b);
    return at ? at : (a->cell > b->cell) - (a->cell < b->cell);
}

// How many edges are not passed as often one way as the other. What has no size is left out.
static int open_edges(const uint32_t *t, int triangles, const float *x, const int *cells) {
    Side *sides = calloc(3 * (size_t)triangles, sizeof *sides);
    int count = 0, open = 0;
    for (int i = 0; i < 3 * triangles; ++i) {
        const float *a = x + 3 * t[i], *b = x + 3 * t[i - i % 3 + (i + 1) % 3];
        int order = memcmp(a, b, 3 * sizeof *a);
        if (order == 0)
            continue;
        Side *side = &sides[count++];
        memcpy(side->a, order < 0 ? a : b, sizeof side->a);
        memcpy(side->b, order < 0 ? b : a, sizeof side->b);
        side->cell = cells ? cells[t[i]] : 0;
        side->sign = order < 0 ? 1 : -1;
    }
    qsort(sides, (size_t)count, sizeof *sides, by_side);
    for (int i = 0; i < count;) {
        int end = i, sum = 0;
        for (; end < count && by_side(&sides[i], &sides[end]) == 0; ++end)
            sum += sides[end].sign;
        open += abs(sum);
        i = end;
    }
    free(sides);
    return open;
}

static SkinSplit *cut(const Filled *f, SkinSurface *surface) {
    const SnAllocator a = sn__default_allocator();
    const SnMesh *m = &f->mesh;
    const SnParticles *p = &f->particles;
    assert_true(sn__skin_surface_create(&a, m->positions, m->vertex_count, m->triangles,
                                        m->triangle_count, surface));
    SplitMesh mesh = {.surface = surface,
                      .vertex_count = m->vertex_count,
                      .triangle_count = m->triangle_count,
                      .positions = m->positions,
                      .normals = m->normals,
                      .triangles = m->triangles,
                      .bones = p->bones,
                      .weights = p->weights,
                      .particle_count = p->particle_count,
                      .edge_count = p->edge_count,
                      .particles = p->positions,
                      .edges = (const int(*)[2])p->edges};
    SkinSplit *split = sn__skin_split_create(&a, &mesh);
    assert_non_null(split);
    return split;
}

static void cells_are_closed_and_fill_the_mesh(void **state) {
    (void)state;
    static const struct {
        SnSolidShape shape;
        int triangles, particles;
    } cases[] = {{SN_SOLID_BAR, 2000, 60},     {SN_SOLID_BAR, 200, 1},
                 {SN_SOLID_BAR, 200, 2},       {SN_SOLID_COLUMN, 1000, 200},
                 {SN_SOLID_TORUS, 3000, 40},   {SN_SOLID_DINOSAUR, 6000, 100},
                 {SN_SOLID_RABBIT, 4000, 100}, {SN_SOLID_FIGURE, 4000, 80}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        Filled f = filled(cases[c].shape, cases[c].triangles, cases[c].particles);
        SkinSurface surface;
        SkinSplit *s = cut(&f, &surface);
        float *x = calloc((size_t)s->vertex_count, 3 * sizeof *x);
        int *cells = calloc((size_t)s->vertex_count, sizeof *cells);
        for (int i = 0; i < s->vertex_count; ++i) {
            memcpy(x + 3 * i, &s->vertices[i].position, 3 * sizeof *x);
            cells[i] = s->vertices[i].cell;
        }
        assert_true(s->triangle_count > s->surface_triangles || cases[c].particles == 1);
        assert_int_equal(open_edges(s->triangles[0], s->triangle_count, x, cells), 0);
        double whole = volume_by(f.mesh.triangles, f.mesh.triangle_count,
                                 (const float *)f.mesh.positions);
        double *volumes = calloc((size_t)s->cell_count, sizeof *volumes), sum = 0.0;
        for (int t = 0; t < s->triangle_count; ++t)
            volumes[cells[s->triangles[t][0]]] += volume_by(s->triangles[t], 1, x);
        for (int i = 0; i < s->cell_count; ++i) {
            assert_true(volumes[i] > -1e-9);
            sum += volumes[i];
        }
        assert_true(fabs(sum - whole) < 1e-5 * whole);
        free(volumes);
        free(x);
        free(cells);
        sn__skin_split_destroy(s);
        sn__skin_surface_destroy(&surface);
        release(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_closed_and_fill_the_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
