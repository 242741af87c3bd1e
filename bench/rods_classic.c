#include "bench/rods_classic.h"

#include "bench/stiff_inside.h"
#include "stiff/stiff.h"

#include <stdlib.h>

typedef struct ClassicPoint {
    Vec3d x;
    double weight; // 1/mass, 0: it is fixed
} ClassicPoint;

typedef struct ClassicEdge {
    ClassicPoint ghost; // PBER
    Quatd q;            // PaOBCR
    double weight;      // 1/mass of the quaternion, 0: it is fixed
    double length;
    double compliance[3]; // α̃ of the joint with the edge before, for strains in rad
    double lambda[3];     // of that joint
} ClassicEdge;

struct ClassicRod {
    ClassicKind kind;
    int edges;
    ClassicPoint *point; // edges + 1
    ClassicEdge *edge;
    double ghost_distance;
};

static void lump(ClassicRod *rod, const StiffRod *tree) {
    // PBER shares a segment's mass out to two particles and a ghost.
    double share = rod->kind == CLASSIC_PBER ? 1.0 / 3.0 : 0.5;
    for (int i = 0; i <= rod->edges; ++i) {
        double mass = (i > 0 ? tree->segment[i - 1].mass : 0.0) +
                      (i < rod->edges ? tree->segment[i].mass : 0.0);
        rod->point[i].weight = i < 2 ? 0.0 : 1.0 / (share * mass);
    }
    for (int j = 1; j < rod->edges; ++j) {
        rod->edge[j].ghost.weight = 1.0 / (share * tree->segment[j].mass);
        // A quaternion turns by half the angle: its mass is 4 I, with I that of turns across the rod.
        rod->edge[j].weight = 1.0 / (4.0 * tree->segment[j].inertia[0]);
    }
}

static void place(ClassicRod *rod, const StiffRod *tree, double h, Vec3d force) {
    for (int i = 0; i <= rod->edges; ++i)
        rod->point[i].x = sn__stiff_vertex(tree, i, NULL);
    for (int j = 0; j < rod->edges; ++j) {
        ClassicEdge *e = &rod->edge[j];
        e->q = sn__stiff_pose(tree, j).q;
        e->length = tree->segment[j].length;
        Vec3d side = rotated(e->q, (Vec3d){1.0, 0.0, 0.0});
        Vec3d middle = scaled(addd(rod->point[j].x, rod->point[j + 1].x), 0.5);
        e->ghost.x = addd(middle, scaled(side, rod->ghost_distance));
        double stiffness[3];
        if (j > 0)
            sn__stiff_joint_stiffness(tree, &tree->joint[j - 1], stiffness);
        for (int k = 0; j > 0 && k < 3; ++k)
            e->compliance[k] = 1.0 / (stiffness[k] * h * h);
    }
    for (int i = rod->edges - 1; i <= rod->edges; ++i) {
        ClassicPoint *p = &rod->point[i];
        p->x = addd(p->x, scaled(force, 0.5 * h * h * p->weight));
    }
}

static ClassicRod *allocate(ClassicKind kind, int edges) {
    ClassicRod *rod = calloc(1, sizeof *rod);
    if (rod == NULL)
        return NULL;
    rod->kind = kind;
    rod->edges = edges;
    rod->point = calloc((size_t)edges + 1, sizeof *rod->point);
    rod->edge = calloc((size_t)edges, sizeof *rod->edge);
    if (rod->point && rod->edge)
        return rod;
    classic_destroy(rod);
    return NULL;
}

SnResult classic_create(ClassicKind kind, const SnWorld *world, SnBodyId rod, double h,
                        SnVec3 force, ClassicRod **out) {
    const StiffRod *tree = stiff_inside(world, rod);
    *out = NULL;
    if (tree == NULL || tree->joints != tree->segments - 1 || !sn__stiff_is_fixed(tree, 0))
        return sn_error(SN_ERROR_INVALID, "the rod is no stiff chain held at its start");
    ClassicRod *classic = allocate(kind, tree->segments);
    if (classic == NULL)
        return sn_error(SN_ERROR_MEMORY, "no memory for %d segments", tree->segments);
    classic->ghost_distance = tree->segment[0].length;
    lump(classic, tree);
    place(classic, tree, h, vec3d(force));
    *out = classic;
    return sn_ok();
}

void classic_destroy(ClassicRod *rod) {
    if (rod == NULL)
        return;
    free(rod->point);
    free(rod->edge);
    free(rod);
}

// Stretch and shear of an edge of PaOBCR, (p₂ − p₁)/l − d₃. With the quaternion's four numbers as
// unknowns, d₃ changes by 2 Im(δq e₃ q̄).
static Vec3d shear_of(const ClassicRod *rod, int j) {
    const ClassicEdge *e = &rod->edge[j];
    Vec3d along = subd(rod->point[j + 1].x, rod->point[j].x);
    return subd(scaled(along, 1.0 / e->length), axis_z(e->q));
}

static void add_to_quat(Quatd *q, Quatd by, double factor) {
    *q = normalisedq((Quatd){q->x + factor * by.x, q->y + factor * by.y, q->z + factor * by.z,
                             q->w + factor * by.w});
}

static void settle_shear(ClassicRod *rod, int j) {
    ClassicEdge *e = &rod->edge[j];
    ClassicPoint *p = &rod->point[j], *r = &rod->point[j + 1];
    double l = e->length, sum = (p->weight + r->weight) / (l * l) + 4.0 * e->weight;
    if (sum <= 0.0)
        return;
    Vec3d lambda = scaled(shear_of(rod, j), -1.0 / sum);
    p->x = subd(p->x, scaled(lambda, p->weight / l));
    r->x = addd(r->x, scaled(lambda, r->weight / l));
    Quatd by = mulqd((Quatd){lambda.x, lambda.y, lambda.z, 0.0},
                     mulqd(e->q, (Quatd){0.0, 0.0, -1.0, 0.0}));
    add_to_quat(&e->q, by, -2.0 * e->weight);
}

// Bending and twist, Im(q̄₁ q₂), half of the strain in rad; λ is that of the strain.
static void settle_bend(ClassicRod *rod, int j) {
    ClassicEdge *a = &rod->edge[j - 1], *b = &rod->edge[j];
    Quatd rel = mulqd(conjugated(a->q), b->q), step = {0};
    const double strain[3] = {2.0 * rel.x, 2.0 * rel.y, 2.0 * rel.z};
    double *const to[3] = {&step.x, &step.y, &step.z};
    for (int k = 0; k < 3; ++k) {
        double left = -strain[k] - b->compliance[k] * b->lambda[k];
        double change = left / (4.0 * (a->weight + b->weight) + b->compliance[k]);
        b->lambda[k] += change;
        *to[k] = 2.0 * change;
    }
    Quatd first = a->q;
    add_to_quat(&a->q, mulqd(b->q, conjugated(step)), a->weight);
    add_to_quat(&b->q, mulqd(first, step), b->weight);
}

// The frame of an edge of PBER: its third axis along the edge, its first towards the ghost.
typedef struct EdgeFrame {
    Vec3d d[3];
    double length, aside, along; // of the edge; of the ghost from the middle, by d[0] and d[2]
} EdgeFrame;

static EdgeFrame frame_of(const ClassicRod *rod, int j) {
    Vec3d edge = subd(rod->point[j + 1].x, rod->point[j].x);
    Vec3d middle = scaled(addd(rod->point[j + 1].x, rod->point[j].x), 0.5);
    Vec3d out = subd(rod->edge[j].ghost.x, middle);
    EdgeFrame f = {.length = lengthd(edge)};
    f.d[2] = scaled(edge, 1.0 / f.length);
    f.along = dotd(out, f.d[2]);
    Vec3d aside = subd(out, scaled(f.d[2], f.along));
    f.aside = lengthd(aside);
    f.d[0] = scaled(aside, 1.0 / f.aside);
    f.d[1] = crossd(f.d[2], f.d[0]);
    return f;
}

// 2 tan(θ/2) about each axis: Umetani's discrete Darboux vector times the length.
static void darboux(const EdgeFrame *a, const EdgeFrame *b, double out[3]) {
    double trace = 1.0;
    for (int k = 0; k < 3; ++k)
        trace += dotd(a->d[k], b->d[k]);
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        out[k] = 2.0 * (dotd(a->d[j], b->d[i]) - dotd(a->d[i], b->d[j])) / trace;
    }
}

#define MOST_POINTS 5
typedef struct Row {
    int count;
    ClassicPoint *point[MOST_POINTS];
    Vec3d gradient[MOST_POINTS];
} Row;

static void add_gradient(Row *row, ClassicPoint *point, Vec3d gradient) {
    for (int i = 0; i < row->count; ++i)
        if (row->point[i] == point) {
            row->gradient[i] = addd(row->gradient[i], gradient);
            return;
        }
    row->point[row->count] = point;
    row->gradient[row->count++] = gradient;
}

// Eq. 21.
static void settle_row(Row *row, double value, double compliance, double *lambda) {
    double sum = compliance;
    for (int i = 0; i < row->count; ++i)
        sum += row->point[i]->weight * dotd(row->gradient[i], row->gradient[i]);
    if (sum <= compliance)
        return;
    double change = (-value - compliance * *lambda) / sum;
    *lambda += change;
    for (int i = 0; i < row->count; ++i) {
        ClassicPoint *p = row->point[i];
        p->x = addd(p->x, scaled(row->gradient[i], change * p->weight));
    }
}

// What keeps an edge and its ghost in shape, all three in m: length, the ghost before the middle,
// distance of the ghost from it.
static Row shape_row(const ClassicRod *rod, int j, int which, double *out_value) {
    ClassicPoint *p = &rod->point[j], *r = &rod->point[j + 1], *g = &rod->edge[j].ghost;
    Vec3d edge = subd(r->x, p->x), out = subd(g->x, scaled(addd(p->x, r->x), 0.5));
    double l = rod->edge[j].length;
    Row row = {0};
    if (which == 0) {
        double length = lengthd(edge);
        *out_value = length - l;
        add_gradient(&row, p, scaled(edge, -1.0 / length));
        add_gradient(&row, r, scaled(edge, 1.0 / length));
    } else if (which == 1) {
        *out_value = dotd(out, edge) / l;
        add_gradient(&row, g, scaled(edge, 1.0 / l));
        add_gradient(&row, p, scaled(addd(out, scaled(edge, 0.5)), -1.0 / l));
        add_gradient(&row, r, scaled(subd(out, scaled(edge, 0.5)), 1.0 / l));
    } else {
        double distance = lengthd(out);
        *out_value = distance - rod->ghost_distance;
        add_gradient(&row, g, scaled(out, 1.0 / distance));
        add_gradient(&row, p, scaled(out, -0.5 / distance));
        add_gradient(&row, r, scaled(out, -0.5 / distance));
    }
    return row;
}

// How c·θ depends on the points of an edge, θ the turn of its frame:
// θ = −(δd₃·d₂) d₁ + (δd₃·d₁) d₂ + (δd₁·d₂) d₃.
static void add_turn(Row *row, ClassicRod *rod, int j, const EdgeFrame *f, Vec3d c, double sign) {
    Vec3d tilt = scaled(subd(scaled(f->d[0], dotd(c, f->d[1])), scaled(f->d[1], dotd(c, f->d[0]))),
                        1.0 / f->length);
    Vec3d spin = scaled(f->d[1], dotd(c, f->d[2]) / f->aside);
    double slant = f->along / f->length;
    add_gradient(row, &rod->edge[j].ghost, scaled(spin, sign));
    add_gradient(row, &rod->point[j + 1], scaled(subd(tilt, scaled(spin, 0.5 + slant)), sign));
    add_gradient(row, &rod->point[j], scaled(addd(tilt, scaled(spin, 0.5 - slant)), -sign));
}

static void settle_darboux(ClassicRod *rod, int j, int k) {
    EdgeFrame a = frame_of(rod, j - 1), b = frame_of(rod, j);
    double value[3];
    darboux(&a, &b, value);
    // Per turn of b against a, seen in a: 1 − [t]× + t tᵀ, t half of the value.
    const double t[3] = {0.5 * value[0], 0.5 * value[1], 0.5 * value[2]};
    int i = (k + 1) % 3, m = (k + 2) % 3;
    double along[3];
    along[k] = 1.0 + t[k] * t[k];
    along[i] = t[m] + t[k] * t[i];
    along[m] = -t[i] + t[k] * t[m];
    Vec3d c =
        addd(scaled(a.d[0], along[0]), addd(scaled(a.d[1], along[1]), scaled(a.d[2], along[2])));
    Row row = {0};
    add_turn(&row, rod, j - 1, &a, c, -1.0);
    add_turn(&row, rod, j, &b, c, 1.0);
    settle_row(&row, value[k], rod->edge[j].compliance[k], &rod->edge[j].lambda[k]);
}

void classic_sweep(ClassicRod *rod) {
    for (int j = 1; j < rod->edges; ++j) {
        if (rod->kind == CLASSIC_PAOBCR) {
            settle_bend(rod, j);
            settle_shear(rod, j);
            continue;
        }
        for (int k = 0; k < 3; ++k)
            settle_darboux(rod, j, k);
        for (int which = 0; which < 3; ++which) {
            double value, rigid = 0.0;
            Row row = shape_row(rod, j, which, &value);
            settle_row(&row, value, 0.0, &rigid);
        }
    }
}

static double edge_residual(const ClassicRod *rod, int j) {
    double most = 0.0;
    if (rod->kind == CLASSIC_PAOBCR) {
        Vec3d shear = scaled(shear_of(rod, j), rod->edge[j].length);
        return fmax(fabs(shear.x), fmax(fabs(shear.y), fabs(shear.z)));
    }
    for (int which = 0; which < 3; ++which) {
        double value;
        shape_row(rod, j, which, &value);
        most = fmax(most, fabs(value));
    }
    return most;
}

static double joint_residual(const ClassicRod *rod, int j) {
    const ClassicEdge *a = &rod->edge[j - 1], *b = &rod->edge[j];
    double strain[3], most = 0.0;
    if (rod->kind == CLASSIC_PAOBCR) {
        Quatd rel = mulqd(conjugated(a->q), b->q);
        strain[0] = 2.0 * rel.x;
        strain[1] = 2.0 * rel.y;
        strain[2] = 2.0 * rel.z;
    } else {
        EdgeFrame before = frame_of(rod, j - 1), after = frame_of(rod, j);
        darboux(&before, &after, strain);
    }
    for (int k = 0; k < 3; ++k)
        most = fmax(most, fabs(strain[k] + b->compliance[k] * b->lambda[k]));
    return most;
}

double classic_residual(const ClassicRod *rod) {
    double most = 0.0;
    for (int j = 1; j < rod->edges; ++j)
        most = fmax(most, fmax(edge_residual(rod, j), joint_residual(rod, j)));
    return most;
}
