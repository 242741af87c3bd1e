// Solids that are made from meshes: they stretch and bend as their material does, whatever the graph of their
// particles. `test_solid_mesh bending` measures bars and columns of more numbers of particles.
#include "contact_kit.h"
#include "math/vec.h"
#include "particle_kit.h"

#include <stdio.h>

#define YOUNG 1e6f
#define STRAIN 0.01

typedef struct Pulled {
    SnMesh mesh;
    SnParticles particles;
    float low, length; // along its axis, 0: x, 1: y
    int axis, ends;
    SnWorld *world;
    SnBodyId body;
} Pulled;

static float along(const Pulled *p, SnVec3 v) { return p->axis == 0 ? v.x : v.y; }

// How far along it is, 0 to 1.
static float part_of(const Pulled *p, int i) {
    return (along(p, p->particles.positions[i]) - p->low) / p->length;
}

static void measure(Pulled *p) {
    float high = -1e9f;
    p->low = 1e9f;
    for (int i = 0; i < p->mesh.vertex_count; ++i) {
        p->low = fminf(p->low, along(p, p->mesh.positions[i]));
        high = fmaxf(high, along(p, p->mesh.positions[i]));
    }
    p->length = high - p->low;
}

static void hold(const Pulled *p, int i) {
    for (int k = 0; k < 2; ++k) {
        SnAttachmentDef def = sn_default_attachment_def();
        def.body = p->body;
        def.index = i;
        def.kind = k == 0 ? SN_ATTACH_VERTEX : SN_ATTACH_SEGMENT;
        assert_ok(sn_attachment_create(p->world, &def, NULL));
    }
}

// A body of this shape that is held at one end.
static void make(Pulled *p, SnSolidShape shape, int axis, int count) {
    *p = (Pulled){.axis = axis};
    assert_ok(sn_solid_mesh(shape, 1.0f, 2000, NULL, &p->mesh));
    SnParticlesDef fill = mesh_def(&p->mesh, count, SN_FILL_SOLID);
    assert_ok(sn_particles_create(&fill, NULL, &p->particles));
    measure(p);
    const SnParticles *made = &p->particles;
    SnSolidDef def = sn_default_solid_def();
    def.particle_count = made->particle_count;
    def.positions = made->positions;
    def.rotations = made->rotations;
    def.radii = made->radii;
    def.volumes = made->volumes;
    def.edge_count = made->edge_count;
    def.edges = (const int(*)[2])made->edges;
    def.areas = made->areas;
    def.material.young = YOUNG;
    def.material.damping = 0.05f;
    p->world = weightless_world();
    assert_ok(sn_solid_create(p->world, &def, &p->body));
    for (int i = 0; i < made->particle_count; ++i) {
        if (part_of(p, i) < 0.12f)
            hold(p, i);
        p->ends += part_of(p, i) > 0.88f;
    }
    assert_true(p->ends > 0);
}

// The slope of displacements in its middle, as a part of STRAIN.
static double strain_of(const Pulled *p) {
    static SnVec3 x[SN_MAX_FIT_PARTICLES];
    SnBodyState state = {.positions = x};
    double n = 0.0, st = 0.0, su = 0.0, stt = 0.0, stu = 0.0;
    assert_ok(sn_body_read(p->world, p->body, &state));
    for (int i = 0; i < p->particles.particle_count; ++i) {
        double part = (double)part_of(p, i), t = part * (double)p->length;
        double u = (double)(along(p, x[i]) - along(p, p->particles.positions[i]));
        if (part < 0.2 || part > 0.8)
            continue;
        n += 1.0;
        st += t;
        su += u;
        stt += t * t;
        stu += t * u;
    }
    return (n * stu - st * su) / (n * stt - st * st) / STRAIN;
}

static void check_tension(SnSolidShape shape, int axis, int count) {
    Pulled p;
    make(&p, shape, axis, count);
    double area = p.particles.quality.volume / (double)p.length;
    float force = (float)((double)YOUNG * area * STRAIN / p.ends);
    for (int n = 0; n < 120; ++n) {
        for (int i = 0; i < p.particles.particle_count; ++i)
            if (part_of(&p, i) > 0.88f)
                assert_ok(sn_body_add_force(p.world, p.body, i,
                                            axis == 0 ? sn_vec3(force, 0.0f, 0.0f)
                                                      : sn_vec3(0.0f, force, 0.0f)));
        assert_int_equal(sn_world_step(p.world, 1.0f / 60.0f, 4, 1), 0);
    }
    assert_near(strain_of(&p), 1.0, 0.03);
    sn_world_destroy(p.world);
    sn_particles_destroy(&p.particles);
    sn_mesh_destroy(&p.mesh);
}

static double up_of(SnVec3 v, int up) { return (double)(up == 0 ? v.x : up == 1 ? v.y : v.z); }

// Second moment of the section, m⁴, in the direction `up` about its centre: tetrahedra from the origin to the triangles.
static double section(const Pulled *p, int up, double *out_centre) {
    double volume = 0.0, first = 0.0, second = 0.0;
    for (int k = 0; k < p->mesh.triangle_count; ++k) {
        const uint32_t *t = &p->mesh.triangles[3 * k];
        SnVec3 a = p->mesh.positions[t[0]], b = p->mesh.positions[t[1]],
               c = p->mesh.positions[t[2]];
        double v = dotd(vec3d(a), crossd(vec3d(b), vec3d(c))) / 6.0;
        double x = up_of(a, up), y = up_of(b, up), z = up_of(c, up);
        volume += v;
        first += v * (x + y + z) / 4.0;
        second += v * (x * x + y * y + z * z + x * y + y * z + z * x) / 10.0;
    }
    *out_centre = first / volume;
    return (second - first * first / volume) / (double)p->length;
}

// Forces on the free end that grow across it and add up to a moment: f = by (y − centre) V.
static void twist_end(const Pulled *p, int up, double by, double centre) {
    for (int i = 0; i < p->particles.particle_count; ++i) {
        double y = up_of(p->particles.positions[i], up) - centre;
        float f = (float)(by * y * (double)p->particles.volumes[i]);
        if (part_of(p, i) > 0.88f)
            assert_ok(
                sn_body_add_force(p->world, p->body, i,
                                  p->axis == 0 ? sn_vec3(f, 0.0f, 0.0f) : sn_vec3(0.0f, f, 0.0f)));
    }
}

// Of the way that particles in the middle have come in the direction `up`: twice c of a + b t + c t² that fits best.
static double curvature_of(const Pulled *p, int up) {
    static SnVec3 x[SN_MAX_FIT_PARTICLES];
    SnBodyState state = {.positions = x};
    double A[3][4] = {{0}};
    assert_ok(sn_body_read(p->world, p->body, &state));
    for (int i = 0; i < p->particles.particle_count; ++i) {
        double part = (double)part_of(p, i), t = (part - 0.5) * (double)p->length;
        double row[4] = {1.0, t, t * t, up_of(x[i], up) - up_of(p->particles.positions[i], up)};
        for (int r = 0; r < 3 && part > 0.2 && part < 0.8; ++r)
            for (int c = 0; c < 4; ++c)
                A[r][c] += row[r] * row[c];
    }
    for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r) {
            double f = r == c ? 0.0 : A[r][c] / A[c][c];
            for (int k = 0; k < 4; ++k)
                A[r][k] -= f * A[c][k];
        }
    return 2.0 * A[2][3] / A[2][2];
}

// The curvature under a moment, as a part of what beam theory says; and how many particles the body is thick.
static double bend(SnSolidShape shape, int axis, int up, int count, double *out_across) {
    Pulled p;
    make(&p, shape, axis, count);
    double centre, J = section(&p, up, &centre), volume = 0.0, mean = 0.0, lever = 0.0;
    double moment = 0.1 * (double)YOUNG * J; // a radius of 10 m
    for (int pass = 0; pass < 2; ++pass, centre = mean / volume)
        for (int i = 0; i < p.particles.particle_count; ++i) {
            double v = part_of(&p, i) > 0.88f ? (double)p.particles.volumes[i] : 0.0;
            double y = up_of(p.particles.positions[i], up);
            volume += pass == 0 ? v : 0.0;
            mean += pass == 0 ? v * y : 0.0;
            lever += pass == 0 ? 0.0 : v * (y - centre) * (y - centre);
        }
    for (int n = 0; n < 240; ++n) {
        twist_end(&p, up, moment / lever, centre);
        assert_int_equal(sn_world_step(p.world, 1.0f / 60.0f, 4, 1), 0);
    }
    double part = fabs(curvature_of(&p, up)) * (double)YOUNG * J / moment;
    *out_across =
        4.0 * p.particles.quality.volume / (p.particles.quality.area * p.particles.quality.spacing);
    sn_world_destroy(p.world);
    sn_particles_destroy(&p.particles);
    sn_mesh_destroy(&p.mesh);
    return part;
}

static void test_bodies_from_meshes_bend_as_their_material(void **state) {
    (void)state;
    double across;
    assert_near(bend(SN_SOLID_BAR, 0, 1, 100, &across), 1.0, 0.1);
    assert_near(bend(SN_SOLID_BAR, 0, 2, 100, &across), 1.0, 0.1);
    assert_near(bend(SN_SOLID_COLUMN, 1, 0, 100, &across), 1.0, 0.1);
}

static void measure_bending(void) {
    static const int counts[] = {20, 30, 50, 75, 100, 150, 200, 300, 500};
    double across;
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; ++k)
        for (int n = 0; n < 3; ++n) {
            SnSolidShape shape = n < 2 ? SN_SOLID_BAR : SN_SOLID_COLUMN;
            double part = bend(shape, n < 2 ? 0 : 1, n < 2 ? n + 1 : 0, counts[k], &across);
            printf("%s of %d particles, %.2f across: bends %.3f times as far as beams do\n",
                   sn_solid_shape_name(shape), counts[k], across, part);
        }
}

static void test_bodies_from_meshes_stretch_as_their_material(void **state) {
    (void)state;
    check_tension(SN_SOLID_BAR, 0, 30);
    check_tension(SN_SOLID_BAR, 0, 100);
    check_tension(SN_SOLID_COLUMN, 1, 100);
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "bending") == 0) {
        measure_bending();
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies_from_meshes_stretch_as_their_material),
        cmocka_unit_test(test_bodies_from_meshes_bend_as_their_material),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
