// From meshes to oriented particles: volumes and moments in closed form, graphs, skins, all that can be
// wrong with a mesh.
#include "memory_count.h"
#include "particle_kit.h"

#include "fit/ellipsoids.h"

// The distance to an ellipsoid against the nearest of many points on it.
static void distances_are_those_of_brute_force(void **state) {
    (void)state;
    Rng rng = {5};
    for (int round = 0; round < 40; ++round) {
        FitEllipsoid e = {
            vec3d(rng_vec3(&rng, 1.0)),
            quatd(rng_quat(&rng)),
            {rng_real(&rng, 0.2, 2.0), rng_real(&rng, 0.2, 2.0), rng_real(&rng, 0.2, 2.0)}};
        Vec3d x = vec3d(rng_vec3(&rng, 3.0));
        if (round < 4) // on the planes of symmetry and in the middle
            x = addd(e.centre, rotated(e.axes, (Vec3d){round * 0.1, 0.0, 0.0}));
        double least = HUGE_VAL;
        enum { STEPS = 300 };
        for (int i = 0; i < STEPS; ++i)
            for (int k = 0; k < 2 * STEPS; ++k) {
                double t = SUPPORT_PI * (i + 0.5) / STEPS, a = SUPPORT_PI * k / STEPS;
                Vec3d y = {e.radii[0] * cos(t), e.radii[1] * sin(t) * cos(a),
                           e.radii[2] * sin(t) * sin(a)};
                least = fmin(least, lengthd(subd(addd(e.centre, rotated(e.axes, y)), x)));
            }
        double distance_found = sn__fit_ellipsoid_distance(&e, x);
        assert_near(fabs(distance_found), least, 0.01);
        assert_true((distance_found < 0.0) == (sn__fit_ellipsoid_level(&e, x) < 1.0));
    }
}

// Volume, centre of mass and second moments of all particles together are those of the body: every
// particle has those of its ellipsoid about its own centre.
static void check_moments(const SnParticles *p, double volume, const double moments[3]) {
    assert_near(volume_of(p) / volume, 1.0, 0.012);
    assert_near(volume_of(p) / p->quality.volume, 1.0, 1e-5);
    double sums[3] = {0}, first[3] = {0};
    for (int i = 0; i < p->particle_count; ++i) {
        double v = (double)p->volumes[i] / volume_of(p);
        const float *x = &p->positions[i].x, *r = &p->radii[i].x;
        for (int c = 0; c < 3; ++c) {
            SnVec3 axis = {c == 0, c == 1, c == 2};
            SnVec3 own = sn_quat_rotate(sn_quat_inverse(p->rotations[i]), axis);
            const float *o = &own.x;
            first[c] += v * (double)x[c];
            sums[c] += v * (double)x[c] * (double)x[c];
            for (int k = 0; k < 3; ++k)
                sums[c] += v * (double)(o[k] * o[k] * r[k] * r[k]) / 5.0;
        }
    }
    for (int c = 0; c < 3; ++c) {
        assert_near(first[c], 0.0, 0.03 * p->quality.spacing);
        assert_near(sums[c] / moments[c], 1.0, 0.04);
    }
}

static void moments_are_those_of_the_body(void **state) {
    (void)state;
    SnMesh mesh;
    double w = 1.0 / 8.0;
    SnParticles bar = convert_model(SN_SOLID_BAR, 100, SN_FILL_SOLID, &mesh);
    check_moments(&bar, w * w, (const double[3]){1.0 / 12.0, w * w / 12.0, w * w / 12.0});
    sn_particles_destroy(&bar);
    sn_mesh_destroy(&mesh);
    double r = 0.5 * 0.4 / 1.4, big = r / 0.4;
    double across = 0.5 * big * big + 3.0 / 8.0 * r * r;
    SnParticles torus = convert_model(SN_SOLID_TORUS, 60, SN_FILL_SOLID, &mesh);
    check_moments(&torus, 2.0 * SUPPORT_PI * SUPPORT_PI * big * r * r,
                  (const double[3]){across, r * r / 4.0, across});
    sn_particles_destroy(&torus);
    sn_mesh_destroy(&mesh);
    double column_r = 1.0 / 8.0;
    SnParticles column = convert_model(SN_SOLID_COLUMN, 80, SN_FILL_SOLID, &mesh);
    check_moments(
        &column, SUPPORT_PI * column_r * column_r,
        (const double[3]){column_r * column_r / 4.0, 1.0 / 12.0, column_r * column_r / 4.0});
    sn_particles_destroy(&column);
    sn_mesh_destroy(&mesh);
}

// Every model, with few and many particles: the right number, one graph, ellipsoids that cover most of the
// body and no more than it, distances below a third of the spacing, weights that sum up to one.
static void all_models_are_filled(void **state) {
    (void)state;
    static const int counts[] = {12, 30, 100};
    for (int shape = 0; shape < SN_SOLID_SHAPE_COUNT; ++shape)
        for (int n = 0; n < 3; ++n) {
            if (shape == SN_SOLID_SHEET)
                continue;
            SnMesh mesh;
            SnParticles p = convert_model((SnSolidShape)shape, counts[n], SN_FILL_SOLID, &mesh);
            const SnParticlesQuality *q = &p.quality;
            print_message("%s, %d: %.2f edges per particle, %.1f %% covered, rms %.1f %% of %.3f\n",
                          sn_solid_shape_name((SnSolidShape)shape), counts[n],
                          q->edges_per_particle, 100.0 * q->covered, 100.0 * q->rms / q->spacing,
                          q->spacing);
            assert_int_equal(p.particle_count, counts[n]);
            assert_int_equal(pieces_of(&p), 1);
            assert_int_equal(q->parts, 1);
            assert_true(q->covered > 0.84 && q->covered < 1.0);
            assert_near(q->volume_ratio, 1.0, 0.02);
            assert_below(q->rms, 0.16 * q->spacing);
            assert_below(q->hausdorff, 0.8 * q->spacing);
            assert_below(q->rms, q->hausdorff);
            double smallest = HUGE_VAL, largest = 0.0;
            for (int i = 0; i < p.particle_count; ++i) {
                smallest = fmin(smallest, (double)p.volumes[i]);
                largest = fmax(largest, (double)p.volumes[i]);
            }
            assert_below(largest / smallest, 8.0);
            for (int v = 0; v < p.vertex_count; ++v) {
                float sum = 0.0f;
                for (int k = 0; k < SN_SKIN_BONES; ++k) {
                    sum += p.weights[SN_SKIN_BONES * v + k];
                    assert_in_range(p.bones[SN_SKIN_BONES * v + k], 0, p.particle_count - 1);
                    assert_true(p.weights[SN_SKIN_BONES * v + k] >= 0.0f);
                }
                assert_near(sum, 1.0, 1e-5);
            }
            sn_particles_destroy(&p);
            sn_mesh_destroy(&mesh);
        }
}

// What it says of the union is what random points in the box of a bar say.
static void quality_is_what_random_points_say(void **state) {
    (void)state;
    SnMesh mesh;
    SnParticles p = convert_model(SN_SOLID_BAR, 40, SN_FILL_SOLID, &mesh);
    Rng rng = {9};
    int inside = 0, covered = 0, all = 0;
    for (int i = 0; i < 40000; ++i) {
        SnVec3 x = {rng_float(&rng, -0.6, 0.6), rng_float(&rng, -0.1, 0.1),
                    rng_float(&rng, -0.1, 0.1)};
        bool in = fabsf(x.x) < 0.5f && fabsf(x.y) < 0.0625f && fabsf(x.z) < 0.0625f;
        bool hit = is_covered(&p, x);
        inside += in;
        covered += in && hit;
        all += hit;
    }
    assert_near((double)covered / inside, p.quality.covered, 0.02);
    assert_near((double)all / inside, p.quality.volume_ratio, 0.03);
    sn_particles_destroy(&p);
    sn_mesh_destroy(&mesh);
}

// Two legs on one body, as near to each other as a tenth of their width or a hundredth, which is less than
// a cell: nothing joins them but the body, and no vertex of one follows the other.
static void legs_are_not_joined(void **state) {
    (void)state;
    static const float gaps[] = {0.02f, 0.002f};
    for (int g = 0; g < 2; ++g) {
        Boxes boxes = {0};
        float half = 0.5f * gaps[g];
        add_box(&boxes, sn_vec3(-0.2f - half, 0.95f, -0.1f), sn_vec3(0.2f + half, 1.2f, 0.1f),
                false);
        add_box(&boxes, sn_vec3(-0.2f - half, 0.0f, -0.1f), sn_vec3(-half, 1.0f, 0.1f), false);
        add_box(&boxes, sn_vec3(half, 0.0f, -0.1f), sn_vec3(0.2f + half, 1.0f, 0.1f), false);
        SnParticlesDef def = boxes_def(&boxes, 60, SN_FILL_SOLID);
        SnParticles p = convert(&def);
        assert_int_equal(p.quality.parts, 1);
        assert_int_equal(pieces_of(&p), 1);
        int below = 0;
        for (int e = 0; e < p.edge_count; ++e) {
            SnVec3 a = p.positions[p.edges[e][0]], b = p.positions[p.edges[e][1]];
            if (a.y > 0.9f || b.y > 0.9f)
                continue;
            ++below;
            if (a.x * b.x < 0.0f)
                fail_msg("gap %g: an edge from (%g, %g) to (%g, %g)", (double)gaps[g], (double)a.x,
                         (double)a.y, (double)b.x, (double)b.y);
        }
        assert_true(below > 30);
        for (int v = 0; v < p.vertex_count; ++v)
            for (int k = 0; k < SN_SKIN_BONES; ++k)
                if (boxes.positions[v].y < 0.5f && p.weights[SN_SKIN_BONES * v + k] > 0.0f)
                    assert_true(boxes.positions[v].x *
                                    p.positions[p.bones[SN_SKIN_BONES * v + k]].x >
                                0.0f);
        // The same for particles that are already there, as far as their ellipsoids tell legs apart.
        int *bones = calloc(SN_SKIN_BONES * (size_t)p.vertex_count, sizeof *bones);
        float *weights = calloc(SN_SKIN_BONES * (size_t)p.vertex_count, sizeof *weights);
        assert_ok(sn_particles_bind(p.particle_count, p.positions, p.rotations, p.radii,
                                    p.edge_count, (const int(*)[2])p.edges, p.vertex_count,
                                    boxes.positions, bones, weights));
        for (int v = 0; v < p.vertex_count; ++v)
            for (int k = 0; k < SN_SKIN_BONES; ++k)
                if (g == 0 && boxes.positions[v].y < 0.5f && weights[SN_SKIN_BONES * v + k] > 0.0f)
                    assert_true(boxes.positions[v].x * p.positions[bones[SN_SKIN_BONES * v + k]].x >
                                0.0f);
        free(bones);
        free(weights);
        sn_particles_destroy(&p);
    }
}

static void shells_that_do_not_touch_are_bridged(void **state) {
    (void)state;
    Boxes boxes = {0};
    add_box(&boxes, sn_vec3(0.0f, 0.0f, 0.0f), sn_vec3(1.0f, 1.0f, 1.0f), false);
    add_box(&boxes, sn_vec3(2.0f, 0.0f, 0.0f), sn_vec3(3.0f, 1.0f, 1.0f), true); // turned around
    add_box(&boxes, sn_vec3(9.0f, 0.0f, 0.0f), sn_vec3(9.1f, 0.1f, 0.1f), false);
    SnParticlesDef def = boxes_def(&boxes, 40, SN_FILL_SOLID);
    SnParticles p = convert(&def);
    assert_int_equal(p.particle_count, 40);
    assert_int_equal(p.quality.parts, 3);
    assert_int_equal(pieces_of(&p), 1);
    assert_near(p.quality.volume, 2.001, 1e-5);
    assert_true(says(&p, "2 parts do not touch: 1 edge"));
    assert_true(says(&p, "1 of its 3 parts are too small"));
    int across = 0, left = 0;
    for (int e = 0; e < p.edge_count; ++e)
        across += (p.positions[p.edges[e][0]].x < 1.5f) != (p.positions[p.edges[e][1]].x < 1.5f);
    for (int i = 0; i < p.particle_count; ++i)
        left += p.positions[i].x < 1.5f;
    assert_int_equal(across, 1);
    assert_int_equal(left, 20);
    sn_particles_destroy(&p);
    // One particle goes to one of them.
    def = boxes_def(&boxes, 1, SN_FILL_SOLID);
    p = convert(&def);
    assert_int_equal(p.particle_count, 1);
    assert_int_equal(p.edge_count, 0);
    assert_near(volume_of(&p), 2.001, 1e-4);
    sn_particles_destroy(&p);
}

static void hollows_stay_and_overlaps_count_once(void **state) {
    (void)state;
    for (int inward = 0; inward < 2; ++inward) {
        Boxes boxes = {0};
        add_box(&boxes, sn_vec3(0.0f, 0.0f, 0.0f), sn_vec3(1.0f, 1.0f, 1.0f), false);
        add_box(&boxes, sn_vec3(0.3f, 0.2f, 0.25f), sn_vec3(0.8f, 0.8f, 0.7f), inward == 1);
        SnParticlesDef def = boxes_def(&boxes, 50, SN_FILL_SOLID);
        SnParticles p = convert(&def);
        double inner = 0.5 * 0.6 * 0.45;
        assert_near(volume_of(&p), inward ? 1.0 - inner : 1.0, 0.02);
        assert_true(says(&p, "overlap") == (inward == 0));
        assert_int_equal(pieces_of(&p), 1);
        sn_particles_destroy(&p);
    }
    Boxes boxes = {0};
    add_box(&boxes, sn_vec3(0.0f, 0.0f, 0.0f), sn_vec3(1.0f, 1.0f, 1.0f), false);
    add_box(&boxes, sn_vec3(0.5f, 0.0f, 0.0f), sn_vec3(1.5f, 1.0f, 1.0f), false);
    SnParticlesDef def = boxes_def(&boxes, 50, SN_FILL_SOLID);
    SnParticles p = convert(&def);
    assert_near(volume_of(&p), 1.5, 0.03);
    assert_int_equal(p.quality.parts, 1);
    sn_particles_destroy(&p);
}

static void a_sheet_is_covered(void **state) {
    (void)state;
    SnMesh mesh;
    assert_ok(sn_solid_mesh(SN_SOLID_SHEET, 2.0f, 3000, NULL, &mesh));
    SnParticlesDef def = mesh_def(&mesh, 256, SN_FILL_SHELL);
    def.thickness = 0.01f;
    SnParticles p = convert(&def);
    assert_int_equal(p.particle_count, 256);
    assert_int_equal(pieces_of(&p), 1);
    assert_near(p.quality.area, 4.0, 1e-5);
    assert_near(volume_of(&p), 0.04, 1e-6);
    assert_near(p.quality.spacing, 2.0 / 16.0, 1e-6);
    assert_true(p.quality.covered > 0.98);
    assert_true(p.quality.edges_per_particle > 1.8 && p.quality.edges_per_particle < 3.0);
    for (int i = 0; i < p.particle_count; ++i) {
        // The thin axis lies across the sheet, and the others are about a radius of its share.
        const float *r = &p.radii[i].x;
        int thin = r[0] < r[1] ? 0 : 1;
        thin = r[2] < r[thin] ? 2 : thin;
        SnVec3 axis = {thin == 0, thin == 1, thin == 2};
        assert_near(fabsf(sn_quat_rotate(p.rotations[i], axis).y), 1.0, 1e-4);
        assert_near(r[thin], 0.005, 1e-6);
        assert_near(p.positions[i].y, 0.0, 1e-6);
        for (int c = 0; c < 3; ++c)
            assert_true(c == thin || (r[c] > 0.05f && r[c] < 0.13f));
    }
    sn_particles_destroy(&p);
    // Two sheets that are nearer to each other than anything on them stay two.
    int count = mesh.vertex_count;
    SnVec3 *both = malloc(2 * (size_t)count * sizeof *both);
    uint32_t *triangles = malloc(6 * (size_t)mesh.triangle_count * sizeof *triangles);
    for (int i = 0; i < 2 * count; ++i) {
        both[i] = mesh.positions[i % count];
        both[i].y += i < count ? 0.0f : 0.001f;
    }
    for (int i = 0; i < 6 * mesh.triangle_count; ++i)
        triangles[i] = mesh.triangles[i % (3 * mesh.triangle_count)] +
                       (i < 3 * mesh.triangle_count ? 0 : (uint32_t)count);
    def.vertex_count = 2 * count;
    def.positions = both;
    def.triangle_count = 2 * mesh.triangle_count;
    def.triangles = triangles;
    p = convert(&def);
    assert_int_equal(p.quality.parts, 2);
    int across = 0;
    for (int e = 0; e < p.edge_count; ++e)
        across += fabsf(p.positions[p.edges[e][0]].y - p.positions[p.edges[e][1]].y) > 5e-4f;
    assert_int_equal(across, 1);
    for (int v = 0; v < p.vertex_count; ++v)
        for (int k = 0; k < SN_SKIN_BONES; ++k)
            if (p.weights[SN_SKIN_BONES * v + k] > 0.2f)
                assert_near(p.positions[p.bones[SN_SKIN_BONES * v + k]].y, both[v].y, 5e-4);
    sn_particles_destroy(&p);
    free(both);
    free(triangles);
    sn_mesh_destroy(&mesh);
}

static void curves_are_chains_and_rings(void **state) {
    (void)state;
    SnMesh mesh;
    SnParticles p = convert_model(SN_SOLID_BAR, 20, SN_FILL_CURVE, &mesh);
    assert_int_equal(p.particle_count, 20);
    assert_int_equal(p.edge_count, 19);
    assert_int_equal(pieces_of(&p), 1);
    for (int e = 0; e < p.edge_count; ++e) {
        SnVec3 a = p.positions[p.edges[e][0]], b = p.positions[p.edges[e][1]];
        assert_near(fabsf(a.x - b.x), 1.0 / 20.0, 0.006);
        assert_near(hypotf(a.y, a.z), 0.0, 0.006);
    }
    for (int i = 0; i < 20; ++i)
        assert_near(p.volumes[i] * 20.0f * 64.0f, 1.0, 0.2);
    sn_particles_destroy(&p);
    sn_mesh_destroy(&mesh);
    p = convert_model(SN_SOLID_TORUS, 12, SN_FILL_CURVE, &mesh);
    int degree[12] = {0};
    assert_int_equal(p.particle_count, 12);
    assert_int_equal(p.edge_count, 12);
    for (int e = 0; e < 12; ++e) {
        ++degree[p.edges[e][0]];
        ++degree[p.edges[e][1]];
    }
    for (int i = 0; i < 12; ++i) {
        assert_int_equal(degree[i], 2);
        assert_near(hypotf(p.positions[i].x, p.positions[i].z), 0.357, 0.02);
        assert_near(p.positions[i].y, 0.0, 0.01);
    }
    sn_particles_destroy(&p);
    sn_mesh_destroy(&mesh);
}

// In millimetres, far from the origin, and again: the same, and the very same.
static void units_and_places_do_not_matter(void **state) {
    (void)state;
    SnMesh mesh;
    SnParticles near = convert_model(SN_SOLID_RABBIT, 50, SN_FILL_SOLID, &mesh);
    SnParticlesDef def = mesh_def(&mesh, 50, SN_FILL_SOLID);
    SnParticles again = convert(&def);
    size_t size = (size_t)near.particle_count;
    assert_memory_equal(near.positions, again.positions, size * sizeof *near.positions);
    assert_memory_equal(near.rotations, again.rotations, size * sizeof *near.rotations);
    assert_memory_equal(near.edges, again.edges, (size_t)near.edge_count * sizeof *near.edges);
    sn_particles_destroy(&again);
    for (int i = 0; i < mesh.vertex_count; ++i)
        mesh.positions[i] = sn_vec3_add(sn_vec3_scale(mesh.positions[i], 1000.0f),
                                        sn_vec3(5000.0f, -3000.0f, 800.0f));
    SnParticles far = convert(&def);
    assert_int_equal(far.particle_count, near.particle_count);
    assert_near(far.quality.volume / near.quality.volume / 1e9, 1.0, 1e-4);
    assert_near(far.quality.covered, near.quality.covered, 0.02);
    assert_near(far.quality.rms / near.quality.rms / 1000.0, 1.0, 0.15);
    sn_particles_destroy(&far);
    sn_particles_destroy(&near);
    sn_mesh_destroy(&mesh);
}

static void wrong_meshes_are_refused(void **state) {
    (void)state;
    Boxes boxes = {0};
    SnParticles p;
    add_box(&boxes, sn_vec3(0.0f, 0.0f, 0.0f), sn_vec3(1.0f, 1.0f, 1.0f), false);
    SnParticlesDef def = boxes_def(&boxes, 10, SN_FILL_SOLID), bad = {0};
    assert_error(sn_particles_create(NULL, NULL, &p), SN_ERROR_INVALID, "def");
    assert_error(sn_particles_create(&def, NULL, NULL), SN_ERROR_INVALID, "out_particles");
    assert_error(sn_particles_create(&bad, NULL, &p), SN_ERROR_INVALID, "sn_default_particles_def");
    bad = def;
    bad.particles = 0;
    assert_error(sn_particles_create(&bad, NULL, &p), SN_ERROR_INVALID, "0 is not in [1, 4096]");
    bad = def;
    bad.fill = (SnFill)7;
    assert_error(sn_particles_create(&bad, NULL, &p), SN_ERROR_INVALID, "fill");
    bad = def;
    bad.thickness = NAN;
    assert_error(sn_particles_create(&bad, NULL, &p), SN_ERROR_INVALID, "thickness");
    bad = def;
    bad.positions = NULL;
    assert_error(sn_particles_create(&bad, NULL, &p), SN_ERROR_INVALID, "positions");
    for (int fill = 0; fill < SN_FILL_COUNT; ++fill) {
        bad = boxes_def(&boxes, 10, (SnFill)fill);
        bad.triangle_count = 0;
        assert_error(sn_particles_create(&bad, NULL, &p), SN_ERROR_INVALID, "mesh: it is empty");
        bad.triangle_count = 1;
        if (fill != SN_FILL_SHELL)
            assert_error(sn_particles_create(&bad, NULL, &p), SN_ERROR_INVALID, "mesh: ");
        Boxes spoiled = boxes;
        bad = boxes_def(&spoiled, 10, (SnFill)fill);
        spoiled.positions[5].y = NAN;
        assert_error(sn_particles_create(&bad, NULL, &p), SN_ERROR_INVALID, "vertex 5");
        spoiled = boxes;
        spoiled.triangles[7] = 99;
        assert_error(sn_particles_create(&bad, NULL, &p), SN_ERROR_INVALID, "triangle 2");
        spoiled = (Boxes){.count = 1};
        assert_error(sn_particles_create(&bad, NULL, &p), SN_ERROR_INVALID, "at one place");
    }
    Boxes flat = {0};
    add_box(&flat, sn_vec3(0.0f, 0.0f, 0.0f), sn_vec3(1.0f, 0.0f, 1.0f), false);
    bad = boxes_def(&flat, 10, SN_FILL_SOLID);
    assert_error(sn_particles_create(&bad, NULL, &p), SN_ERROR_INVALID, "mesh: ");
}

static void odd_numbers_are_served(void **state) {
    (void)state;
    Boxes boxes = {0};
    add_box(&boxes, sn_vec3(0.0f, 0.0f, 0.0f), sn_vec3(1.0f, 1.0f, 1.0f), false);
    for (int fill = 0; fill < SN_FILL_COUNT; ++fill) {
        SnParticlesDef def = boxes_def(&boxes, 1, (SnFill)fill);
        SnParticles p = convert(&def);
        assert_int_equal(p.particle_count, 1);
        assert_int_equal(p.edge_count, 0);
        for (int v = 0; v < p.vertex_count; ++v)
            assert_true(p.bones[SN_SKIN_BONES * v] == 0 && p.weights[SN_SKIN_BONES * v] == 1.0f);
        sn_particles_destroy(&p);
    }
    // More than there is room for: a slice cannot be thinner than cells.
    Boxes bar = {0};
    add_box(&bar, sn_vec3(0.0f, 0.0f, 0.0f), sn_vec3(4.0f, 1.0f, 1.0f), false);
    SnParticlesDef def = boxes_def(&bar, 500, SN_FILL_CURVE);
    SnParticles p = convert(&def);
    assert_true(p.particle_count < 100 && p.particle_count > 8);
    assert_true(says(&p, "there is room for"));
    assert_int_equal(pieces_of(&p), 1);
    sn_particles_destroy(&p);
    // One triangle is a shell.
    def = boxes_def(&boxes, 30, SN_FILL_SHELL);
    def.triangle_count = 1;
    p = convert(&def);
    assert_int_equal(p.particle_count, 30);
    assert_near(p.quality.area, 0.5, 1e-6);
    assert_int_equal(pieces_of(&p), 1);
    sn_particles_destroy(&p);
}

static void no_memory_is_told(void **state) {
    (void)state;
    Boxes boxes = {0};
    add_box(&boxes, sn_vec3(0.0f, 0.0f, 0.0f), sn_vec3(1.0f, 1.0f, 1.0f), false);
    for (int fill = 0; fill < SN_FILL_COUNT; ++fill) {
        SnParticlesDef def = boxes_def(&boxes, 3, (SnFill)fill);
        Counter counter = {0};
        SnAllocator allocator = {count_allocate, count_release, &counter};
        SnParticles p;
        assert_ok(sn_particles_create(&def, &allocator, &p));
        sn_particles_destroy(&p);
        long calls = counter.calls;
        for (long fail = 1; fail <= calls; fail += fill == SN_FILL_CURVE ? 5 : 3) {
            counter = (Counter){.fail_at = fail};
            assert_error(sn_particles_create(&def, &allocator, &p), SN_ERROR_MEMORY, "no memory");
            assert_int_equal(counter.live, 0);
        }
    }
}

static void bind_refuses_nonsense(void **state) {
    (void)state;
    SnVec3 x = {0.0f, 0.0f, 0.0f}, r = {1.0f, 1.0f, 1.0f}, flat = {1.0f, 0.0f, 1.0f};
    int bones[SN_SKIN_BONES];
    float weights[SN_SKIN_BONES];
    const int edge[1][2] = {{0, 1}};
    assert_ok(sn_particles_bind(1, &x, NULL, &r, 0, NULL, 1, &x, bones, weights));
    assert_near(weights[0], 1.0, 0.0);
    assert_error(sn_particles_bind(0, &x, NULL, &r, 0, NULL, 1, &x, bones, weights),
                 SN_ERROR_INVALID, "0 particles");
    assert_error(sn_particles_bind(1, &x, NULL, &flat, 0, NULL, 1, &x, bones, weights),
                 SN_ERROR_INVALID, "particle 0");
    assert_error(sn_particles_bind(1, &x, NULL, &r, 1, edge, 1, &x, bones, weights),
                 SN_ERROR_INVALID, "edge 0");
    assert_error(sn_particles_bind(1, NULL, NULL, &r, 0, NULL, 1, &x, bones, weights),
                 SN_ERROR_INVALID, "positions");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_those_of_brute_force),
        cmocka_unit_test(moments_are_those_of_the_body),
        cmocka_unit_test(all_models_are_filled),
        cmocka_unit_test(quality_is_what_random_points_say),
        cmocka_unit_test(legs_are_not_joined),
        cmocka_unit_test(shells_that_do_not_touch_are_bridged),
        cmocka_unit_test(hollows_stay_and_overlaps_count_once),
        cmocka_unit_test(a_sheet_is_covered),
        cmocka_unit_test(curves_are_chains_and_rings),
        cmocka_unit_test(units_and_places_do_not_matter),
        cmocka_unit_test(wrong_meshes_are_refused),
        cmocka_unit_test(odd_numbers_are_served),
        cmocka_unit_test(no_memory_is_told),
        cmocka_unit_test(bind_refuses_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
