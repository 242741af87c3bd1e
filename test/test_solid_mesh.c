// Solids that are made from meshes: they stretch as their material does, whatever the graph of their particles.
#include "contact_kit.h"
#include "particle_kit.h"

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

static void test_bodies_from_meshes_stretch_as_their_material(void **state) {
    (void)state;
    check_tension(SN_SOLID_BAR, 0, 30);
    check_tension(SN_SOLID_BAR, 0, 100);
    check_tension(SN_SOLID_COLUMN, 1, 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies_from_meshes_stretch_as_their_material),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
