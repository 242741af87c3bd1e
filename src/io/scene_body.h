// What every body of a scene can have, whatever its kind. Each kind has a structure of its own that
// begins with this one (scene_kind.h).
#pragma once

#include "io/scene_place.h"

#include <sinew/tree_model.h>

typedef struct SceneAttachment {
    int entry; // its place in the file's list
    SnAttachmentKind kind;
    int index;
    int frame;  // -1: the world
    bool given; // the place below was given, or is animated; else it is where the element starts
    SnVec3 position;
    SnQuat rotation;
    float value;
    double release; // s, when it lets go
    bool animated;
} SceneAttachment;

typedef struct SceneActivation {
    int first, count; // elements
    float length_scale;
    bool animated;
} SceneActivation;

typedef enum LoadKind { LOAD_FORCE, LOAD_TORQUE, LOAD_RADIAL } LoadKind;

typedef struct SceneForce {
    LoadKind kind;
    int index; // of the point or element
    SnVec3 force, torque;
    float radial;
    double from, to; // s
} SceneForce;

typedef struct SceneBurst {
    SnVec3 centre;
    float speed; // m/s
} SceneBurst;

// A tree made by code, with the skin that it comes with.
typedef struct SceneTree {
    SnTreeDef def;
    int sides; // of the bark, 0: no skin
    float leaf_young, leaf_shear, leaf_density, leaf_thickness;
    SceneColours leaf_colours;
} SceneTree;

// A mesh that a body was made from and comes with as a skin: SN_SKIN_BONES points and weights per vertex.
typedef struct SceneFlesh {
    int vertex_count, triangle_count;
    const SnVec3 *positions, *normals; // no normals: NULL
    const uint32_t *triangles;
    const int *bones;
    const float *weights;
} SceneFlesh;

// One entry of a list of bodies, which stands for as many bodies as it has copies.
typedef struct SceneBody {
    const struct SceneKind *kind;
    const char *list; // the list of the file that it is in, and its place there
    int entry;
    const char *name; // "" if it has none
    int first;        // the number of its first copy among all bodies
    int copy_count;

    // Its shape at rest: points, and elements that join two of them. They are what places refer to:
    // attachments, activations, forces, links and skins. Files call them vertices and segments.
    int point_count, element_count;
    int mark_count; // places on it beside those
    SnVec3 *positions;
    float *radii; // at rest, per point, also where the file gives none
    int *edges;   // two points per element; NULL: each joins a point to the next one
    bool rooted;  // it has edges, and an end all the same: the first point
    // How messages call it if its points have no scale, such as "stiff rod"; NULL: they have one.
    const char *scaleless;
    // How wide its elements are along the axes of their frames, over their radius and on the mean.
    // Both 0 for what is round.
    float section[2];
    const SceneTree *own_skin; // bark and leaves that it comes with; NULL: none
    const SceneFlesh *flesh;   // NULL: none

    ScenePlace place;
    // All copies have the same rest shape, that of the file, and are turned at the start only: skins
    // over them then share all that does not move.
    bool common_rest;
    SnVec3 velocity, angular_velocity;
    SceneBurst burst;
    float gravity_scale;
    bool animated; // its gravity scale
    int material;
    SceneColours colours;
    SnSurface surface;
    SnFilter filter;
    bool collide, self_collide;

    SceneAttachment *attachments;
    SceneActivation *activations;
    SceneForce *forces;
    int attachment_count, activation_count, force_count;
    SnAttachmentId *attachment_ids; // attachment_count per copy
} SceneBody;

// The two points of an element.
void sn__body_element(const SceneBody *body, int element, int out_ends[2]);
// The velocity of a copy at the start: its own, and away from the centre of its burst.
SnVec3 sn__body_velocity(const SceneBody *body, const Placement *placement);
// Its filter, which lets nothing through if it does not collide.
SnFilter sn__body_filter(const SceneBody *body);
