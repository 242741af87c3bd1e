// What a picture shows: rods and skins as flat arrays, what they touch, a ground, and marks that
// explain. Plain data, owned by the caller.
#pragma once

#include "view/camera.h"

#include <sinew/world.h>

// How a rod or peg looks. Colours are sRGB, 0 to 1.
typedef struct ViewLook {
    float colour[3];
    int stripes;    // lines along the rod, evenly around it: they show twist
    int rings;      // lines around the rod, evenly along its material: they show stretch
    float softness; // 0: hard plastic, 1: living tissue with a warm glow
    // Of a rod that is not round: factors on its radius along the first and second axis of its
    // frames. 0: 1.
    float section[2];
    float sheer; // 0 to 1: how much light comes through, as through a leaf; then it is not soft
    // Of a mesh: 0 to 1, how much is seen of what lies behind it, in steps of a quarter. What is clear
    // casts no shadow.
    float clear;
} ViewLook;

// Rods in the layout of SnPoses: rod i has vertices [vertex_begin[i], vertex_begin[i + 1]) and
// segments likewise. A rod with as many segments as vertices is closed.
typedef struct ViewRods {
    int count;
    const int *vertex_begin;  // count + 1
    const int *segment_begin; // count + 1
    const float *positions;   // x y z per vertex, m
    const float *radii;       // per vertex, m
    const float *frames;      // x y z w per segment; NULL: without twist
    // a b c per segment that is one vertex: the radii of an ellipsoid along the axes of its frame; 0, or NULL:
    // it is a sphere.
    const float *shapes;
    const ViewLook *looks; // one per rod; NULL: a palette
    // Two vertices per segment, counted within the rod; NULL: all rods are chains. Chains are drawn
    // as smooth tubes, all others, creatures, as one pill per segment.
    const int *edges;
    // Ends of segments that broke off their vertices, as SnPoses has them: in the order of rods, then
    // of segments. What they belong to is drawn as pills.
    const SnTornEnd *torn;
    int torn_count;
    const bool *hidden; // one per rod: under a skin; NULL: none is
    bool as_pills;      // chains, too
    bool show_frames;   // as three small axes per segment
} ViewRods;

// What bark looks like; it is painted along the mesh's coordinates.
typedef enum ViewBark {
    VIEW_NO_BARK,
    VIEW_BARK_MARKS,   // short dark lines across, as on a birch
    VIEW_BARK_FURROWS, // along, as on old trees
} ViewBark;

// A triangle mesh: a skin, or something that rods touch. An open one is seen from both sides.
typedef struct ViewMesh {
    int vertex_count, triangle_count;
    const float *positions;    // x y z per vertex, m, in the pose
    const float *normals;      // x y z per vertex; NULL: from the triangles
    const uint32_t *triangles; // three vertices per triangle, anticlockwise from outside
    uint32_t first_vertex;     // what triangles call the first vertex
    SnPose pose;
    ViewLook look;    // stripes and rings are not drawn
    const float *uvs; // of bark: once around, and metres along, per vertex; NULL: it has none
    ViewBark bark;
    // Scenery may reach as far as it likes; light and shadows are made for the rest.
    bool is_scenery;
} ViewMesh;

typedef enum ViewSolidKind {
    VIEW_SOLID_PLANE, // through the pose's origin, across its y axis
    VIEW_SOLID_PILL,  // all between two spheres
    VIEW_SOLID_BOX,
} ViewSolidKind;

// What rods touch.
typedef struct ViewSolid {
    ViewSolidKind kind;
    SnPose pose;
    SnVec3 a, b;              // pill: in the pose; a sphere where they are the same
    float radius_a, radius_b; // pill
    SnVec3 half_size;         // box
    ViewLook look;
} ViewSolid;

// A place where two surfaces press against each other, shown through everything: a disc, and an
// arrow along the normal that is the longer the larger the impulse.
typedef struct ViewContact {
    SnVec3 position, normal;
    float impulse;
} ViewContact;

// A cylinder from a to b with rounded edges; a ball where they are the same.
typedef struct ViewPeg {
    SnVec3 a, b;
    float radius;
    ViewLook look;
} ViewPeg;

typedef struct ViewScene {
    ViewRods rods;
    const ViewPeg *pegs;
    int peg_count;
    const ViewMesh *meshes;
    int mesh_count;
    const ViewSolid *solids;
    int solid_count;
    const ViewContact *contacts;
    int contact_count;
    bool has_ground;
    float ground_height; // m
    bool has_grid;       // faint lines on the ground, which show how large things are
    bool has_background;
    float background[3]; // sRGB, what is behind it all; without it, a pale studio
    // Bounds of the whole motion, so that shadows are as sharp in every frame of a video. What a
    // frame holds beyond them is still drawn; empty is fine for a single picture.
    ViewBounds bounds;
} ViewScene;

ViewScene view_default_scene(void);
// The look of rod `index` in the built-in palette, soft, without stripes or rings.
ViewLook view_palette(int index);
