// What the rows of a rod are made of: rest geometry, and masses and stiffnesses from the material.
#include <assert.h>

#include "rod/rods.h"
#include "rod/sections.h"

#define PI 3.14159265358979323846

// For sweeps, a segment is a rigid link of length l for the motion of its frame: beside the disc's inertia
// r²/4 (eq. 68) its frame carries this part of m l². It vanishes with refinement, and without it the
// frames of thin rods are so light that they follow the segments and carry no bending from one
// sweep to the next (docs/physics.md). What is solved directly needs no such thing.
#define LINK_INERTIA 0.25

// A round section does not stay plane when it is sheared: its centre gives way as if only this part of it
// were there (Timoshenko's coefficient, 6 (1 + ν)/(7 + 6 ν), which is 0.9 for ν = ½).
#define TRANSVERSE_OF_SHEAR 0.9f

// Ghost rows have the rest values of the rows they repeat, but for what belongs to the joint.
static void fill_ghosts(RodPack *pack, const Rod *rod) {
    for (int k = 0; k < pack->seam_count; ++k) {
        const RodSeam *seam = &pack->seams[k];
        if (seam->lane < rod->lane || seam->lane >= rod->lane + rod->pieces)
            continue;
        for (int j = 0; j < 2; ++j) {
            RodRest *to = pack->rest + seam->row + j;
            const RodRest *from = pack->rest + j;
            int a = seam->lane, b = seam->next;
            to->mass[a] = from->mass[b];
            to->scale_inertia[a] = from->scale_inertia[b];
            to->frame_inertia[a] = from->frame_inertia[b];
            to->spin_inertia[a] = from->spin_inertia[b];
            to->radius[a] = from->radius[b];
            if (j == 0)
                to->length[a] = from->length[b];
        }
    }
}

// Half of a rotation, (1 + r)/|1 + r|, of the r that turns by less than half a turn.
static Quatd half_of(Quatd r) {
    double sign = r.w < 0.0 ? -1.0 : 1.0;
    return normalisedq((Quatd){sign * r.x, sign * r.y, sign * r.z, 1.0 + sign * r.w});
}

static void fill_joint(const RodJoint *joint, const RodShape *shape) {
    RodPack *pack = joint->at.pack;
    int row = joint->at.row, lane = joint->at.lane;
    RodRest *r = pack->rest + row;
    double length = 0.5 * (shape->length[joint->p] + shape->length[joint->a]);
    assert(length > 0.0);
    Quatd b = {0.0, 0.0, 0.0, 1.0};
    if (!shape->straight)
        b = normalisedq(mulqd(conjugated(shape->frame[joint->p]), shape->frame[joint->a]));
    SnQuat turn = quatf(pack->graph ? b : half_of(b));
    r->joint_length[lane] = (float)length;
    pack->own_turn[row].x[lane] = turn.x;
    pack->own_turn[row].y[lane] = turn.y;
    pack->own_turn[row].z[lane] = turn.z;
    pack->own_turn[row].w[lane] = turn.w;
    pack->curved |= pack->graph || turn.x != 0.0f || turn.y != 0.0f || turn.z != 0.0f;
}

void sn__rod_fill_geometry(RodSystem *rods, const Rod *rod, const RodShape *shape) {
    assert(rod->segments == shape->segments && rod->vertices == shape->vertices);
    for (int j = 0; j < shape->segments; ++j) {
        RodAddress at = sn__rod_address(rods, rod, j);
        at.pack->rest[at.row].length[at.lane] = (float)shape->length[j];
        at.pack->rest[at.row].stiffer[at.lane] =
            shape->stretch_factors ? shape->stretch_factors[j] : 1.0f;
    }
    for (int i = 0; i < shape->vertices; ++i) {
        RodAddress at = sn__rod_address(rods, rod, i);
        at.pack->rest[at.row].radius[at.lane] = (float)shape->radius[i];
    }
    for (int k = 0; k < sn__rod_joint_count(rods, rod); ++k) {
        RodJoint joint = sn__rod_joint(rods, rod, k);
        fill_joint(&joint, shape);
    }
}

static double derived(float value, float otherwise) {
    return value >= 0.0f ? (double)value : (double)otherwise;
}

static void zero_vertex_masses(RodSystem *rods, const Rod *rod) {
    for (int i = 0; i < rod->vertices; ++i) {
        RodAddress at = sn__rod_address(rods, rod, i);
        at.pack->rest[at.row].mass[at.lane] = 0.0f;
        at.pack->rest[at.row].scale_inertia[at.lane] = 0.0f;
    }
}

// Mass and stiffness of every element, by the midpoint rule (eq. 9); every vertex has half of the
// elements beside it. But the cross-section is integrated over the segment, whose scale goes linearly from s_a to s_b:
// ∫ (s − 1)² dz = l (s − 1)² + l (s_b − s_a)²/12, s in the middle on the right. At the middle alone, scales that are too
// large and too small in turn would cost next to nothing, and whips of soft, thin rods would drive them to their bounds.
static void apply_to_segments(RodSystem *rods, const Rod *rod, const SnRodMaterial *m) {
    for (int j = 0; j < rod->segments; ++j) {
        int edge[2];
        sn__rod_edge(rods, rod, j, edge);
        RodAddress at = sn__rod_address(rods, rod, j);
        RodAddress a = sn__rod_address(rods, rod, edge[0]), b = sn__rod_address(rods, rod, edge[1]);
        RodRest *g = at.pack->rest + at.row;
        RodRest *ra = a.pack->rest + a.row, *rb = b.pack->rest + b.row;
        double l = (double)g->length[at.lane];
        double r = 0.5 * ((double)ra->radius[a.lane] + (double)rb->radius[b.lane]);
        assert(l > 0.0 && r > 0.0);
        double area = PI * r * r, second = 0.25 * PI * r * r * r * r;
        double mass = (double)m->density * area * l;
        ra->mass[a.lane] += (float)(0.5 * mass);
        rb->mass[b.lane] += (float)(0.5 * mass);
        ra->scale_inertia[a.lane] += (float)(0.25 * mass * r * r);
        rb->scale_inertia[b.lane] += (float)(0.25 * mass * r * r);
        double link = at.pack->aim ? 0.0 : LINK_INERTIA;
        g->frame_inertia[at.lane] = (float)(mass * (0.25 * r * r + link * l * l));
        g->spin_inertia[at.lane] = (float)(0.5 * mass * r * r);
        g->stretch[at.lane] =
            (float)(area * l * (double)g->stiffer[at.lane] * derived(m->stretch, m->young));
        g->transverse[at.lane] =
            (float)(area * l * derived(m->transverse, TRANSVERSE_OF_SHEAR * m->shear));
        g->volume[at.lane] = (float)(area * l * (double)m->volume);
        double cross = 2.0 * area * l * derived(m->cross_section, m->shear);
        double gradient = 2.0 * second * l * derived(m->scale_gradient, m->shear);
        g->cross_section[at.lane] = (float)cross;
        g->scale_gradient[at.lane] = (float)(gradient + cross * l * l / 12.0);
    }
}

// A joint of a rod whose radius there is r, and whose section is shared by so many.
static void apply_to_joint(RodAddress at, double r, int sharers, const SnRodMaterial *m) {
    RodRest *rest = at.pack->rest + at.row;
    double l = (double)rest->joint_length[at.lane];
    double second = 0.25 * PI * r * r * r * r / sharers;
    rest->bend[at.lane] = (float)(second * l * derived(m->bend, m->young));
    rest->twist[at.lane] = (float)(2.0 * second * l * derived(m->twist, m->shear));
    rest->volume_bend[at.lane] = (float)(second * l * derived(m->volume_bend, 0.0f));
}

static void apply_to_joints(RodSystem *rods, const Rod *rod, const SnRodMaterial *m) {
    for (int k = 0; k < sn__rod_joint_count(rods, rod); ++k) {
        RodJoint joint = sn__rod_joint(rods, rod, k);
        RodAddress at = joint.at, vertex = sn__rod_address(rods, rod, joint.vertex);
        assert(joint.branches >= 2);
        RodRest *rest = at.pack->rest + at.row;
        double l = (double)rest->joint_length[at.lane];
        double r = (double)vertex.pack->rest[vertex.row].radius[vertex.lane];
        double polar = 0.5 * PI * r * r * r * r / (joint.branches - 1);
        double surface =
            m->scale_bend >= 0.0f ? (double)m->scale_bend : (double)m->shear * r * r / 16.0;
        apply_to_joint(at, r, joint.branches - 1, m);
        rest->scale_bend[at.lane] = (float)(polar * l * surface);
    }
}

// The joints with walls are always there; whether there is a wall, prepare.c knows.
static void apply_to_walls(RodSystem *rods, const Rod *rod, const SnRodMaterial *m) {
    if (rods->packs[rod->pack]->graph || rod->closed)
        return;
    for (int end = 0; end < 2; ++end) {
        RodAddress segment = sn__rod_address(rods, rod, end == 0 ? 0 : rod->segments - 1);
        RodAddress at = sn__rod_address(rods, rod, end == 0 ? 0 : rod->vertices - 1);
        RodRest *rest = at.pack->rest + at.row;
        rest->joint_length[at.lane] = 0.5f * at.pack->rest[segment.row].length[at.lane];
        apply_to_joint(at, (double)rest->radius[at.lane], 1, m);
    }
}

void sn__rod_apply_material(RodSystem *rods, Rod *rod, const SnRodMaterial *material) {
    RodPack *pack = rods->packs[rod->pack];
    rod->material = sn_rod_material_derived(*material);
    zero_vertex_masses(rods, rod);
    apply_to_segments(rods, rod, &rod->material);
    apply_to_joints(rods, rod, &rod->material);
    apply_to_walls(rods, rod, &rod->material);
    fill_ghosts(pack, rod);
    sn__sections_weigh(pack, rod->lane);
    for (int p = 0; p < rod->pieces; ++p) {
        pack->damping[rod->lane + p] = material->damping;
        pack->drag[rod->lane + p] = material->drag;
        pack->density[rod->lane + p] = material->density;
    }
    pack->dirty = true;
}
