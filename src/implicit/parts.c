// Parts: which joints have one, who belongs to it, and which of them share vertices.
#include "implicit/implicit.h"

#include <assert.h>

#define LEAST_POINTS 16 // that a part has
#define SHARED 0.05f    // weights of two parts at one point, from which on they are blended

static int heaviest(const BoundPoint *p) {
    int best = 0;
    for (int k = 1; k < SN_MESH_JOINTS; ++k)
        best = p->weights[k] > p->weights[best] ? k : best;
    return p->joints[best];
}

// How many points follow each joint most of all.
static void count_points(const SnImplicit *skin, int *counts) {
    for (int i = 0; i < skin->surface.point_count; ++i) {
        BoundPoint p = sn__implicit_point(skin, i);
        ++counts[heaviest(&p)];
    }
}

static void add_blended(Part *part, int other) {
    for (int i = 0; i < part->blended_count; ++i)
        if (part->blended[i] == other)
            return;
    // Half of the room is left for parts that are only touched.
    if (part->blended_count < PART_OTHERS / 2)
        part->blended[part->blended_count++] = other;
}

static void blend_parts(SnImplicit *skin, const int *part_of_joint, const BoundPoint *p) {
    for (int a = 0; a < SN_MESH_JOINTS; ++a)
        for (int b = 0; b < SN_MESH_JOINTS; ++b) {
            int one = part_of_joint[p->joints[a]], other = part_of_joint[p->joints[b]];
            if (p->weights[a] > SHARED && p->weights[b] > SHARED && one >= 0 && other >= 0 &&
                one != other)
                add_blended(&skin->parts[one], other);
        }
}

// The nearest joint above that has a part.
static void find_parents(SnImplicit *skin, const int *part_of_joint) {
    for (int i = 0; i < skin->part_count; ++i) {
        Part *part = &skin->parts[i];
        int joint = skin->joints[part->joint].joint;
        part->parent = -1;
        while (part->parent < 0 && joint >= 0) {
            joint = sn_skeleton_joint(skin->skeleton, joint).parent;
            for (int k = 0; k < skin->joint_count && part->parent < 0; ++k)
                if (skin->joints[k].joint == joint)
                    part->parent = part_of_joint[k];
        }
    }
}

SnResult sn__implicit_find_parts(SnImplicit *skin, int *out_part) {
    size_t joints = (size_t)skin->joint_count;
    int *number = sn__alloc_array(&skin->allocator, joints, sizeof *number);
    skin->parts = sn__alloc_array(&skin->allocator, joints, sizeof *skin->parts);
    if (number == NULL || skin->parts == NULL) {
        sn__free(&skin->allocator, number, joints * sizeof *number);
        return sn_error(SN_ERROR_MEMORY, "implicit: no memory for %zu joints", joints);
    }
    count_points(skin, number);
    for (int k = 0; k < skin->joint_count; ++k) {
        int points = number[k];
        number[k] = points >= LEAST_POINTS ? skin->part_count++ : -1;
        if (number[k] >= 0)
            skin->parts[number[k]] = (Part){.joint = k, .points = points};
    }
    for (int i = 0; i < skin->surface.point_count; ++i) {
        BoundPoint p = sn__implicit_point(skin, i);
        out_part[i] = number[heaviest(&p)];
        blend_parts(skin, number, &p);
    }
    find_parents(skin, number);
    sn__free(&skin->allocator, number, joints * sizeof *number);
    return sn_ok();
}
