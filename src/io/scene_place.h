// Where entries of a scene are, how many copies they stand for, and how those are coloured.
#pragma once

#include <sinew/scene.h>

#include "math/vec.h"

// What one entry of the file is multiplied by: a grid, with a ring at each of its places.
typedef struct SceneCopies {
    int grid[3];
    SnVec3 spacing;
    int ring; // 1: none
    float ring_radius, ring_step;
    SnVec3 ring_axis;
    SnVec3 jitter_position;
    float jitter_rotation, jitter_turn; // degrees, about any axis and about y
    float jitter_colour;
    int seed;
    int count; // of all
} SceneCopies;

// Where the shape of an entry lies, and its copies.
typedef struct ScenePlace {
    SnVec3 position;
    SnQuat rotation;
    double origin[3];
    SceneCopies copies;
} ScenePlace;

// The place of one copy: points of the shape are turned, moved, and lie relative to the origin.
typedef struct Placement {
    double origin[3];
    Quatd rotation;
    Vec3d position;
} Placement;

Placement sn__place_copy(const ScenePlace *place, int copy);
// The same without the rotation.
Placement sn__place_upright(const Placement *placement);
SnVec3 sn__place_point(const Placement *placement, SnVec3 point);
SnVec3 sn__place_direction(const Placement *placement, SnVec3 direction);

// Colours that copies take in turn.
typedef struct SceneColours {
    SnColour *items;
    int count;
} SceneColours;

SnColour sn__copy_colour(const SceneColours *colours, const SceneCopies *copies, int copy);
