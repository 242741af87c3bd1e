// Reading what makes the shape of a rod, one step per file.
#pragma once

#include "io/scene_parts.h"
#include "io/scene_rod.h"

// Vertices of a shape that was read, with what else comes with it.
typedef struct PointList {
    SnVec3 *positions;
    int count;
    bool circle; // closes by itself
    bool graph;  // neighbours in the list need not be neighbours in the rod
    float *radii;
    SnQuat *frames;
    int *edges;
    int edge_count;
    const SceneTree *tree;
    SnSegmentDef *segments;
    int *bone_segments;
} PointList;

// Shapes made by code.
bool sn__read_octopus(Reader *reader, const Json *json, PointList *out);
bool sn__read_tree(Reader *reader, const Json *json, PointList *out);
bool sn__read_net(Reader *reader, const Json *json, PointList *out);
// What a tree is if its entry does not say: made of wood, held at its base, touching nothing.
SnRodMaterial sn__tree_material(void);
void sn__tree_defaults(Reader *reader, const Json *json, SceneRod *rod);
// "segments" of a stiff rod, once its shape is known.
void sn__read_stiff(Reader *reader, const Json *json, SceneRod *rod);

// A rod's "shape", "edges", "closed", "twist", "start" and "radius" into arrays of its vertices.
void sn__read_shape(Reader *reader, const Json *json, SceneRod *rod);
// Frames at rest, for a rod that has none. Leaves a closed one alone.
void sn__make_frames(Reader *reader, SceneRod *rod);
void sn__read_radius(Reader *reader, const Json *json, SceneRod *rod);
void sn__use_default_radius(Reader *reader, SceneRod *rod);
// One number for all vertices, or an array with one for each.
float *sn__read_per_vertex(Reader *reader, const Json *json, Range range, int vertices);
