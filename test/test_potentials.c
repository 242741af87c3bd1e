// The potentials of section 5: against the integrals over the disc that they are closed forms of
// (appendix A, with the errata), and their gradients as the sweep has them against finite
// differences.
#include "reference.h"

#include "rod/potentials.h"

// A piece of rod around z = 0: straight centre line, linear scale, constant Darboux vector.
typedef struct Piece {
    Vec3d slope; // ∇c
    Quatd q;     // frame at z = 0
    double s, s_slope;
    Vec3d omega; // in the frame's axes
} Piece;

// exp of the rotation vector v.
static Quatd rotation_by(Vec3d v) {
    double angle = lengthd(v), f = angle > 1e-12 ? sin(0.5 * angle) / angle : 0.5;
    return (Quatd){v.x * f, v.y * f, v.z * f, cos(0.5 * angle)};
}

// Eq. 2.
static Vec3d point(const Piece *p, double x, double y, double z) {
    Quatd q = mulqd(p->q, rotation_by(scaled(p->omega, z)));
    double s = p->s + z * p->s_slope;
    return addd(scaled(p->slope, z), rotated(q, (Vec3d){s * x, s * y, 0.0}));
}

// Columns of Rᵀ∇p by central differences.
static void deformation(const Piece *p, double x, double y, Vec3d column[3]) {
    const double e = 1e-5;
    Vec3d d[3] = {subd(point(p, x + e, y, 0.0), point(p, x - e, y, 0.0)),
                  subd(point(p, x, y + e, 0.0), point(p, x, y - e, 0.0)),
                  subd(point(p, x, y, e), point(p, x, y, -e))};
    for (int c = 0; c < 3; ++c)
        column[c] = rotated(conjugated(p->q), scaled(d[c], 0.5 / e));
}

typedef double Integrand(const Piece *now, const Piece *rest, double x, double y, const double *k);

static double strain(const Piece *now, const Piece *rest, double x, double y, const double *k) {
    Vec3d a[3], b[3];
    deformation(now, x, y, a);
    deformation(rest, x, y, b);
    double sum = 0.0;
    for (int c = 0; c < 3; ++c) {
        Vec3d d = subd(a[c], b[c]);
        sum += k[0] * d.x * d.x + k[1] * d.y * d.y + k[2] * d.z * d.z;
    }
    return sum;
}

static double volume(const Piece *now, const Piece *rest, double x, double y, const double *k) {
    Vec3d a[3], b[3];
    deformation(now, x, y, a);
    deformation(rest, x, y, b);
    double d = dotd(crossd(a[0], a[1]), a[2]) - dotd(crossd(b[0], b[1]), b[2]);
    return k[0] * d * d;
}

// Exact for the polynomials here: three Gauss points for radius², eight equal angles.
static double over_disc(Integrand *f, const Piece *now, const Piece *rest, double radius,
                        const double *k) {
    const double node[3] = {0.5 - 0.5 * 0.7745966692414834, 0.5, 0.5 + 0.5 * 0.7745966692414834};
    const double weight[3] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
    double sum = 0.0;
    for (int n = 0; n < 3; ++n)
        for (int a = 0; a < 8; ++a) {
            double r = radius * sqrt(node[n]), angle = SUPPORT_PI * a / 4.0;
            sum += weight[n] / 8.0 * f(now, rest, r * cos(angle), r * sin(angle), k);
        }
    return SUPPORT_PI * radius * radius * sum;
}

static Vec3d random_vec(Rng *rng, double size) { return vec3d(rng_vec3(rng, size)); }

static Piece random_rest(Rng *rng) {
    Piece p = {.q = quatd(rng_quat(rng)), .s = 1.0, .omega = random_vec(rng, 2.0)};
    p.q = normalisedq(p.q);
    p.slope = axis_z(p.q);
    return p;
}

static Piece random_piece(Rng *rng, bool shear) {
    Piece p = {.q = normalisedq(quatd(rng_quat(rng))), .omega = random_vec(rng, 2.0)};
    p.s = rng_real(rng, 0.6, 1.5);
    p.s_slope = rng_real(rng, -1.0, 1.0);
    p.slope = scaled(axis_z(p.q), rng_real(rng, 0.6, 1.5));
    if (shear)
        p.slope = addd(p.slope, random_vec(rng, 0.3));
    return p;
}

static double square(double a) { return a * a; }

// Eqs 11 to 14 with stiffness (k_x, k_y, k_z), from the engine's potentials, twice.
static double strain_form(const Piece *p, const Piece *rest, double r, const double *k) {
    double stretch = potential_stretch(p->slope, 1.0);
    double shear = potential_shear(p->slope, 1.0, axis_z(p->q));
    Vec3d bend = potential_bend(p->omega, rest->omega, p->s);
    double area = SUPPORT_PI * r * r, second = 0.25 * SUPPORT_PI * r * r * r * r;
    return area * (k[2] * stretch * stretch + (k[0] + k[1]) * shear) +
           area * (k[0] + k[1]) * square(potential_cross_section(p->s)) +
           second * (k[0] + k[1]) * square(potential_scale_gradient(p->s, p->s + p->s_slope, 1.0)) +
           second * k[2] * (bend.x * bend.x + bend.y * bend.y) +
           second * (k[0] + k[1]) * bend.z * bend.z;
}

static void strain_is_the_integral_of_appendix_a(void **state) {
    (void)state;
    Rng rng = {1};
    for (int n = 0; n < 200; ++n) {
        Piece rest = random_rest(&rng), sheared = random_piece(&rng, true),
              straight = random_piece(&rng, false);
        double r = rng_real(&rng, 0.1, 1.0);
        double k[3] = {rng_real(&rng, 1.0, 5.0), rng_real(&rng, 1.0, 5.0),
                       rng_real(&rng, 1.0, 5.0)};
        double exact = over_disc(strain, &straight, &rest, r, k);
        assert_near(strain_form(&straight, &rest, r, k), exact, 1e-6 * exact);
        double same[3] = {k[0], k[0], k[0]};
        exact = over_disc(strain, &sheared, &rest, r, same);
        assert_near(strain_form(&sheared, &rest, r, same), exact, 1e-6 * exact);
        // Where the stiffnesses differ, shear is k_x for small angles and what is not stretched.
        Piece little = rest;
        Vec3d across = rotated(rest.q, (Vec3d){1e-3, 2e-3, 0.0});
        little.slope = addd(axis_z(rest.q), across);
        double round[3] = {k[0], k[0], k[2]};
        exact = over_disc(strain, &little, &rest, r, round);
        assert_near(exact, SUPPORT_PI * r * r * k[0] * dotd(across, across), 1e-6 * exact);
        assert_near(strain_form(&little, &rest, r, round), exact, 1e-4 * exact);
    }
}

static void volume_is_the_integral_of_appendix_a(void **state) {
    (void)state;
    Rng rng = {2};
    for (int n = 0; n < 200; ++n) {
        Piece rest = random_rest(&rng), p = random_piece(&rng, false);
        double r = rng_real(&rng, 0.1, 1.0), k[1] = {rng_real(&rng, 1.0, 5.0)};
        double W = potential_volume(p.slope, 1.0, p.s);
        Vec3d bend = potential_volume_bend(p.omega, rest.omega, p.s);
        double area = SUPPORT_PI * r * r, second = 0.25 * SUPPORT_PI * r * r * r * r;
        double form = k[0] * (area * W * W + second * dotd(bend, bend));
        assert_near(form, over_disc(volume, &p, &rest, r, k), 1e-6 * form);
    }
}

// Eq. 40 is the Darboux vector to second order in the length, for either sign of a quaternion.
static void darboux_converges_to_the_curvature(void **state) {
    (void)state;
    Rng rng = {3};
    for (int n = 0; n < 50; ++n) {
        Quatd p = normalisedq(quatd(rng_quat(&rng)));
        Vec3d omega = random_vec(&rng, 3.0);
        double error[2];
        for (int half = 0; half < 2; ++half) {
            double L = half ? 0.05 : 0.1;
            Quatd q = mulqd(p, rotation_by(scaled(omega, L)));
            Vec3d found = darboux(p, q, L);
            error[half] = lengthd(subd(found, omega));
            Vec3d other = darboux(p, (Quatd){-q.x, -q.y, -q.z, -q.w}, L);
            assert_near(lengthd(subd(found, other)), 0.0, 1e-12);
        }
        assert_true(error[0] < 0.01 * lengthd(omega));
        assert_near(error[1] / error[0], 0.25, 0.01);
    }
}

// Eq. 39 with its division by L: exact for a parabola on uneven segments.
static void second_difference_is_that_of_a_parabola(void **state) {
    (void)state;
    Rng rng = {4};
    for (int n = 0; n < 50; ++n) {
        double a = rng_real(&rng, -2.0, 2.0), b = rng_real(&rng, -2.0, 2.0);
        double la = rng_real(&rng, 0.1, 1.0), lb = rng_real(&rng, 0.1, 1.0);
        double prev = 1.0 - b * la + a * la * la, next = 1.0 + b * lb + a * lb * lb;
        assert_near(potential_scale_bend(prev, 1.0, next, la, lb), 2.0 * a, 1e-10);
        assert_near(potential_scale_gradient(1.0, 1.0 + b * lb, lb), b, 1e-10);
    }
}

// A frame turned by θ in world axes.
static Quatd turned(Quatd q, Vec3d theta) { return mulqd(rotation_by(theta), q); }

static const double tiny = 1e-6;

static Vec3d unit(int axis) { return (Vec3d){axis == 0, axis == 1, axis == 2}; }

// ∂W/∂x = d/|d|, ∂(|d| − w·d)/∂x = d/|d| − w and ∂/∂θ = −w × d.
static void stretch_and_shear_have_the_gradients_of_the_solver(void **state) {
    (void)state;
    Rng rng = {5};
    Quatd q = normalisedq(quatd(rng_quat(&rng)));
    Vec3d w = axis_z(q), d = addd(scaled(w, 0.2), random_vec(&rng, 0.1));
    Vec3d n = scaled(d, 1.0 / lengthd(d));
    double l = 0.13;
    for (int axis = 0; axis < 3; ++axis) {
        Vec3d t = scaled(unit(axis), tiny), back = scaled(t, -1.0);
        double by_x = 0.5 * l / tiny *
                      (potential_stretch(addd(d, t), l) - potential_stretch(addd(d, back), l));
        assert_near(by_x, dotd(n, unit(axis)), 1e-8);
        double shear = 0.5 * l / tiny *
                       (potential_shear(addd(d, t), l, w) - potential_shear(addd(d, back), l, w));
        assert_near(shear, dotd(subd(n, w), unit(axis)), 1e-8);
        double by_turn = 0.5 * l / tiny *
                         (potential_shear(d, l, axis_z(turned(q, t))) -
                          potential_shear(d, l, axis_z(turned(q, back))));
        assert_near(by_turn, -dotd(crossd(w, d), unit(axis)), 1e-8);
    }
}

// l W = s² |d| − l; ∂/∂x = s² d/|d|, ∂/∂s of one end = s |d|.
static void volume_has_the_gradient_of_the_solver(void **state) {
    (void)state;
    Rng rng = {6};
    Vec3d d = addd((Vec3d){0.0, 0.0, 0.2}, random_vec(&rng, 0.05));
    double l = 0.13, sa = 0.9, sb = 1.2, s = 0.5 * (sa + sb), W = l * potential_volume(d, l, s);
    assert_near(W, s * s * lengthd(d) - l, 1e-12);
    for (int axis = 0; axis < 3; ++axis) {
        Vec3d t = scaled(unit(axis), tiny);
        double by_x = (l * potential_volume(addd(d, t), l, s) - W) / tiny;
        assert_near(by_x, s * s * dotd(d, unit(axis)) / lengthd(d), 1e-5);
    }
    double by_scale = (l * potential_volume(d, l, 0.5 * (sa + tiny + sb)) - W) / tiny;
    assert_near(by_scale, s * lengthd(d), 1e-6);
}

// L W = 2 s b − L Ω̄: in the frames' axes ∂/∂θ_q = s (b₀ + [b]×), ∂/∂θ_p = −s (b₀ − [b]×), ∂/∂s = 2 b;
// of eqs 19 and 20, s² times the turns and 6 s² b.
static void bend_has_the_gradient_of_the_sweep(void **state) {
    (void)state;
    Rng rng = {7};
    for (int n = 0; n < 20; ++n) {
        Quatd p = normalisedq(quatd(rng_quat(&rng)));
        Quatd q = mulqd(p, rotation_by(random_vec(&rng, 1.0)));
        Vec3d rest = random_vec(&rng, 1.0);
        double L = 0.2, s = rng_real(&rng, 0.7, 1.4);
        Quatd c = mulqd(conjugated(p), q);
        Vec3d b = {c.x, c.y, c.z};
        Vec3d W = potential_bend(darboux(p, q, L), rest, s);
        Vec3d V = potential_volume_bend(darboux(p, q, L), rest, s);
        for (int axis = 0; axis < 3; ++axis) {
            Quatd by = rotation_by(scaled(unit(axis), tiny));
            Vec3d by_q =
                scaled(subd(potential_bend(darboux(p, mulqd(q, by), L), rest, s), W), L / tiny);
            Vec3d expect = scaled(addd(scaled(unit(axis), c.w), crossd(b, unit(axis))), s);
            assert_near(lengthd(subd(by_q, expect)), 0.0, 1e-5);
            Vec3d by_p =
                scaled(subd(potential_bend(darboux(mulqd(p, by), q, L), rest, s), W), L / tiny);
            expect = scaled(subd(crossd(b, unit(axis)), scaled(unit(axis), c.w)), s);
            assert_near(lengthd(subd(by_p, expect)), 0.0, 1e-5);
            Vec3d volume_q = potential_volume_bend(darboux(p, mulqd(q, by), L), rest, s);
            volume_q = scaled(subd(volume_q, V), L / tiny);
            assert_near(volume_q.x, s * s * by_q.x, 1e-5);
            assert_near(volume_q.y, s * s * by_q.y, 1e-5);
        }
        Vec3d by_s = scaled(subd(potential_bend(darboux(p, q, L), rest, s + tiny), W), L / tiny);
        assert_near(lengthd(subd(by_s, scaled(b, 2.0))), 0.0, 1e-5);
        Vec3d volume_s = potential_volume_bend(darboux(p, q, L), rest, s + tiny);
        volume_s = scaled(subd(volume_s, V), L / tiny);
        assert_near(volume_s.x, 6.0 * s * s * b.x, 1e-4);
    }
}

// What the engine measures is what the independent model has, with the material's stiffnesses.
static void measured_energies_are_those_of_the_reference(void **state) {
    (void)state;
    static RefRod ref;
    for (int variant = 0; variant < 8; ++variant) {
        Rng rng = {(uint64_t)(60 + variant)};
        int count = variant % 4 < 2 ? 8 : 120;
        SnVec3 x[120];
        float radii[120];
        circle_of_points(x, count, 0.02 * count);
        for (int i = 0; i < count; ++i) {
            x[i].y += rng_float(&rng, -0.02, 0.02);
            radii[i] = rng_float(&rng, 0.01, 0.03);
        }
        SnRodDef def = sn_default_rod_def();
        def.vertex_count = count;
        def.positions = x;
        def.radii = radii;
        def.closed = variant % 2 == 1;
        def.material.volume_bend = 1e5f;
        if (variant >= 4) { // what the joints have, without the much larger rest
            def.material.young = def.material.shear = def.material.volume = 0.0f;
            def.material.bend = def.material.twist = 1e6f;
            def.material.scale_bend = 50.0f;
        }
        SnWorld *world = weightless_world();
        SnBodyId rod;
        assert_ok(sn_rod_create(world, &def, &rod));
        RodCopy copy;
        copy_rod(world, rod, &copy);
        ref_create(&ref, &def, &copy, 1.0);
        for (int i = 0; i < copy.vertices; ++i) {
            copy.x[i].x += rng_float(&rng, -0.02, 0.02);
            copy.s[i] += rng_float(&rng, -0.2, 0.2);
        }
        for (int j = 0; j < copy.segments; ++j)
            copy.q[j] = quatf(turned(quatd(copy.q[j]), random_vec(&rng, 0.2)));
        SnBodyState written = copy_arrays(&copy);
        assert_ok(sn_body_write(world, rod, &written));
        copy_rod(world, rod, &copy);
        ref.predicted = ref_state(&copy);
        SnMeasures m;
        assert_ok(sn_body_measure(world, rod, &m));
        double sum = m.energy_elastic;
        double expected = ref_objective(&ref, &ref.predicted);
        assert_true(expected > 0.0);
        assert_near(sum, expected, 1e-4 * expected);
        double mass = 0.0;
        for (int i = 0; i < count; ++i)
            mass += ref.mass[i];
        assert_near(m.mass, mass, 1e-5 * mass);
        sn_world_destroy(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strain_is_the_integral_of_appendix_a),
        cmocka_unit_test(volume_is_the_integral_of_appendix_a),
        cmocka_unit_test(darboux_converges_to_the_curvature),
        cmocka_unit_test(second_difference_is_that_of_a_parabola),
        cmocka_unit_test(stretch_and_shear_have_the_gradients_of_the_solver),
        cmocka_unit_test(volume_has_the_gradient_of_the_solver),
        cmocka_unit_test(bend_has_the_gradient_of_the_sweep),
        cmocka_unit_test(measured_energies_are_those_of_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
