// Colliders: what bodies touch and cannot move. They stand in the world or move with a frame.
#pragma once

#include "frame.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SnColliderKind {
    SN_COLLIDER_PLANE,  // all below the plane through the pose's origin, across its y axis
    SN_COLLIDER_SPHERE, // radius_a around the pose's origin
    SN_COLLIDER_PILL,   // spheres of radius_a at a and radius_b at b, and all between them
    SN_COLLIDER_BOX,    // half_size along the pose's axes
    SN_COLLIDER_MESH,   // the inside of a triangle mesh, through a grid of distances
} SnColliderKind;

typedef struct SnColliderDef {
    uint32_t cookie;  // set by sn_default_collider_def
    const char *name; // for error messages, may be NULL; not kept
    SnColliderKind kind;
    SnFrameId frame; // null: the world
    SnPose pose;     // in the frame
    // The pose (of a collider in the world) is relative to this point.
    double origin[3];

    float radius_a, radius_b; // m
    SnVec3 a, b;              // m, in the pose
    SnVec3 half_size;         // m

    // Mesh: in the pose; not kept. Triangles wind anticlockwise as seen from outside. An open mesh
    // is taken as a shell of `shell` metres.
    int vertex_count, triangle_count;
    const SnVec3 *vertices;
    const uint32_t *triangles; // three per triangle
    float cell;                // m, of the grid; 0: a 64th of the mesh's longest side
    float shell;               // m, 0: two cells

    SnSurface surface;
    SnFilter filter;
    void *user_data;
} SnColliderDef;

// A plane through the origin of the world.
SN_API SnColliderDef sn_default_collider_def(void);
// Copies what it needs of the definition. SN_ERROR_INVALID for what cannot be used, SN_ERROR_STALE for
// a frame that is gone, SN_ERROR_LIMIT for a mesh whose grid would be too large. out_collider may be
// NULL.
SN_API SnResult sn_collider_create(SnWorld *world, const SnColliderDef *def,
                                   SnColliderId *out_collider);
// What leaned on it wakes and falls.
SN_API SnResult sn_collider_destroy(SnWorld *world, SnColliderId collider);
SN_API bool sn_collider_is_valid(const SnWorld *world, SnColliderId collider);
// The collider created after this one in the order of their slots, or the first one after the null id;
// null behind the last one and for a stale id.
SN_API SnColliderId sn_world_next_collider(const SnWorld *world, SnColliderId collider);
// What it is and where: a definition that would make it again, but for the name and the mesh, of which
// nothing is kept but distances.
SN_API SnResult sn_collider_read(const SnWorld *world, SnColliderId collider,
                                 SnColliderDef *out_def);
SN_API void *sn_collider_user_data(const SnWorld *world, SnColliderId collider);
SN_API SnResult sn_collider_set_user_data(SnWorld *world, SnColliderId collider, void *user_data);
// Puts it there at once and without velocity; as in the definition, the pose is in its frame, or relative
// to its origin. What it overlaps then is pushed out, and everybody wakes. A collider that is to push
// what is in its way hangs on a frame, and the frame moves.
SN_API SnResult sn_collider_set_pose(SnWorld *world, SnColliderId collider, SnPose pose);
// From the next step on; everybody wakes.
SN_API SnResult sn_collider_set_surface(SnWorld *world, SnColliderId collider,
                                        const SnSurface *surface);
SN_API SnResult sn_collider_surface(const SnWorld *world, SnColliderId collider,
                                    SnSurface *out_surface);
SN_API SnResult sn_collider_set_filter(SnWorld *world, SnColliderId collider, SnFilter filter);
SN_API SnResult sn_collider_filter(const SnWorld *world, SnColliderId collider,
                                   SnFilter *out_filter);
// Where it is now, in the world.
SN_API SnResult sn_collider_pose(const SnWorld *world, SnColliderId collider, SnPose *out_pose);

#ifdef __cplusplus
}
#endif
