// Soft solids: graphs of ellipsoidal particles that keep their shape, each as rigidly as possible with its
// neighbours. A row of particles is a cable or a bar, a layer a sheet, a heap of them a solid.
//
// Points of the body are its particles, and so are its elements: point i and element i are both particle
// i, whose frame are the axes of its ellipsoid. A point that is attached to a frame keeps its place, an
// element that is attached keeps its direction.
//
// The rest shape is that of the definition. Forces follow from Young's modulus, whatever the number of
// particles (docs/physics.md#solids).
#pragma once

#include "body.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SN_MAX_SOLID_PARTICLES 16384
#define SN_MAX_SOLID_EDGES 131072

typedef struct SnSolidMaterial {
    float density; // kg/m³, in [0.1, 1e6]
    float young;   // Pa, in [0, 1e13]
    float damping; // s, in [0, 1e6]: relaxation time of the internal (Kelvin-Voigt) damping
    // Pa, in [0, 1e13], with which the body as a whole keeps its volume, and 0 if it does not: edges alone let it be
    // squeezed away, as they know no Poisson's effect. For bodies that are several particles thick: rows and sheets cannot
    // get thicker, and would only be stiffer along.
    float volume;
    float drag; // 1/s, in [0, 1e6]: rate at which all velocities decay, as in a viscous medium
    // The stress along an edge beyond which it stays stretched or short, and beyond which it breaks, Pa;
    // 0: never.
    float yield, strength;
} SnSolidMaterial;

typedef struct SnSolidDef {
    uint32_t cookie;  // set by sn_default_solid_def
    const char *name; // for messages and sn_world_find_body, may be NULL; copied

    // The particles at rest. All arrays are copied.
    int particle_count;      // in [1, SN_MAX_SOLID_PARTICLES]
    const SnVec3 *positions; // m, no two at the same place if an edge joins them
    const SnQuat *rotations; // from the axes of each ellipsoid; NULL: none is turned
    const SnVec3 *radii;     // m, along those axes, each in [1e-5, 1e4]
    // m³ of the body that each particle stands for, which decides on mass and stiffness; the ellipsoids
    // themselves only touch others. NULL: that of the ellipsoid.
    const float *volumes;
    // Which particles hold on to each other. A body without enough edges falls apart.
    int edge_count;
    const int (*edges)[2];
    const float *stiffness; // factor on Young's modulus per edge, in [0, 1e6]; NULL: 1
    // m² of the body across each edge, in [0, 1e8]: the face between the pieces that its particles stand for. 0 and
    // NULL: as the volumes and the directions of all edges have it, which is right for rows and grids.
    const float *areas;
    SnSolidMaterial material;

    SnVec3 velocity;         // m/s, within SN_MAX_SPEED per component
    SnVec3 angular_velocity; // rad/s, about the centre of mass, in the world's axes
    // Positions are relative to this point, m. Far from the origin of the world, a body keeps its accuracy
    // if it is placed with this.
    double origin[3];

    SnSurface surface;
    SnFilter filter;   // mask 0: touches nothing, and costs nothing
    bool self_collide; // particles that no edge joins touch each other
    float gravity_scale;
    void *user_data;
} SnSolidDef;

// 1 MPa and the density of water, without particles: those must be given.
SN_API SnSolidMaterial sn_default_solid_material(void);
SN_API SnSolidDef sn_default_solid_def(void);
// SN_ERROR_INVALID for what cannot be used, SN_ERROR_LIMIT for more particles or edges than the limits
// above, or for graphs that would take more than about 1 GB to solve. out_body may be NULL.
SN_API SnResult sn_solid_create(SnWorld *world, const SnSolidDef *def, SnBodyId *out_body);

// Replaces the material; the rest shape and the state stay.
SN_API SnResult sn_solid_set_material(SnWorld *world, SnBodyId body,
                                      const SnSolidMaterial *material);
// The principal radii of every particle, m, along the axes of its frame. SN_ERROR_INVALID if it is no
// solid.
SN_API SnResult sn_solid_material(const SnWorld *world, SnBodyId body,
                                  SnSolidMaterial *out_material);
SN_API SnResult sn_solid_radii(const SnWorld *world, SnBodyId body, SnVec3 *out_radii);
SN_API int sn_solid_edge_count(const SnWorld *world, SnBodyId body); // 0 if it is no solid
// The edges as they were given, and how far each is stretched, its length over that at rest less 1, or −1
// where it broke: sn_solid_edge_count of both. Either may be NULL.
SN_API SnResult sn_solid_edges(const SnWorld *world, SnBodyId body, int (*out_edges)[2],
                               float *out_strains);
// m³ of its pieces as they are deformed now, and as they were at rest; 0 if it is no solid. out_rest may be NULL.
SN_API double sn_solid_volume(const SnWorld *world, SnBodyId body, double *out_rest);
// The elastic energy, J; 0 if it is no solid.
SN_API double sn_solid_energy(const SnWorld *world, SnBodyId body);

#define SN_MARK_PARTICLES 4
#define SN_MAX_SOLID_MARKS 4096

// A point of the body, in or on it, that follows its particles as a vertex of a skin does. Its position can be
// attached (SN_ATTACH_MARK), and so can its direction (SN_ATTACH_DIRECTION), which leaves it free to turn about it;
// three marks at one place whose directions are attached hold all of its rotation. Both are springs: any number of
// marks may be held, near to each other or not, and pull at the body together.
typedef struct SnSolidMark {
    uint32_t cookie;  // set by sn_default_solid_mark
    SnVec3 position;  // of the body at rest, m, as the positions of its definition
    SnVec3 direction; // at rest, of any length but 0
    // The particles that it follows, and weights in [0, 1] that sum up to 1, as those of a skin. All weights 0 (the
    // default): four particles around it, out of the nearest one, its neighbours and theirs.
    int particles[SN_MARK_PARTICLES];
    float weights[SN_MARK_PARTICLES];
    // N/m, in [0, 1e15], with which it is held; 0: a hundred times what the edges at it have. More than a
    // million times that counts as a million. Its direction is held with this times the square of the mean length of all
    // edges, N·m.
    float stiffness;
} SnSolidMark;

// At the origin, along y; the position must be given.
SN_API SnSolidMark sn_default_solid_mark(void);
// Adds a mark to a body; its number, from 0 up in the order of these calls, is the index of attachments.
// SN_ERROR_INVALID for what cannot be used, SN_ERROR_LIMIT for more than SN_MAX_SOLID_MARKS, or if the body would take
// more than about 1 GB to solve. Marks stay as long as the body. out_mark may be NULL.
SN_API SnResult sn_solid_add_mark(SnWorld *world, SnBodyId body, const SnSolidMark *mark,
                                  int *out_mark);
SN_API int sn_solid_mark_count(const SnWorld *world, SnBodyId body); // 0 if it is no solid
// Where a mark is now, in the world, m, and which way it faces. Either may be NULL.
SN_API SnResult sn_solid_mark(const SnWorld *world, SnBodyId body, int mark, SnVec3 *out_position,
                              SnVec3 *out_direction);

#ifdef __cplusplus
}
#endif
