// The inside of a muscle field, and how the wide kernels read it.
#pragma once

#include "implicit/muscle_profile.h"
#include "math/vec.h"

struct SnMuscleField {
    SnAllocator allocator;
    int count; // of points
    Vec3d *points, *normals;
    double *places;       // of points along the line, 0 to 1
    double length, width; // m
    double volume, exaggeration, correction;
    SnMuscleProfile rest, active;
    double overlap, activation;
    // In place of all of that: the mean radius at every point, m, and its slope along the line.
    bool shaped;
    double *radii, *slopes;
    float eccentricity;
};

// A point of the line as the kernels read it: three records of four floats.
typedef struct MuscleNode {
    float place[4]; // m, and how far along the line
    float shape[4]; // the mean radius, m, and its slope along the line, m/m
    float side[4];  // the normal of the cross-section
} MuscleNode;

// The muscle where it is now, and as active as it is: one node per point.
void sn__muscle_field_nodes(const SnMuscleField *muscle, MuscleNode *out_nodes);
// Of all cross-sections now.
double sn__muscle_field_eccentricity(const SnMuscleField *muscle);
// The line, and what follows from it: places and length. The field is unchanged after an error.
SnResult sn__muscle_field_set_line(SnMuscleField *muscle, const SnVec3 *line);
// The part of n across the unit vector along the line at a point, with length 1.
Vec3d sn__muscle_field_across(const SnMuscleField *muscle, int point, Vec3d n);
// Between the points, by their radii and slopes.
double sn__muscle_shaped_radius(const SnMuscleField *muscle, double place);
// As sn_muscle_field_at.
double sn__muscle_field_value(const SnMuscleField *muscle, Vec3d x);
// By how much wider it is than its volume makes it: 1 at rest, its exaggeration when it is active.
double sn__muscle_field_factor(const SnMuscleField *muscle);
// From volume, length, correction and that.
void sn__muscle_field_find_width(SnMuscleField *muscle);
