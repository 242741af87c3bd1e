// The steps of reading a scene, one per file.
#pragma once

#include "io/reader.h"
#include "io/scene_data.h"

// Names of materials or frames, sorted, for lookups and for suggestions.
typedef struct SnNames {
    const char **names;
    int *numbers;
    int count;
} SnNames;

// Room for `count` names.
void sn__names_reserve(SnReader *reader, SnNames *names, int count);
void sn__names_add(SnNames *names, const char *name, int number); // unless it is ""
// Sorts; complains about a name that is there twice, at values[number], unless values is NULL.
void sn__names_sort(SnReader *reader, SnNames *names, const SnJson *const *values);
// Its number, or -1 after a complaint that suggests the nearest.
int sn__names_find(SnReader *reader, const SnNames *names, const SnJson *value, const char *what);
// The same for a value that may be anything.
int sn__read_name(SnReader *reader, const SnNames *names, const SnJson *value, const char *what);

// Names of bits that filters are made of; the first is "default".
typedef struct SnCategories {
    const char *names[SN_MAX_SCENE_CATEGORIES + 1];
    int count;
} SnCategories;

// What entries of a scene refer to. Bodies are rods, then colliders.
typedef struct SnSceneNames {
    SnNames materials, frames, rods, bodies;
    SnCategories categories;
} SnSceneNames;

void sn__read_categories(SnReader *reader, const SnJson *json, SnCategories *out);
// "surface" and "filter" of a rod or collider, or their defaults.
void sn__read_contact(SnReader *reader, const SnJson *json, const SnCategories *categories,
                      SnSurface *surface, SnFilter *filter);
void sn__read_ignored(SnReader *reader, SnScene *scene, const SnJson *list, const SnNames *bodies);
// How many pairs two entries make: copy by copy, or one with all. 0 after a complaint.
int sn__pair_copies(SnReader *reader, const SnJson *json, int a, int b);

// "origin" and "copies"; "position" and "rotation" are in the tables of rods and colliders.
void sn__default_place(SnScenePlace *place);
void sn__read_place(SnReader *reader, const SnJson *json, SnScenePlace *place);
void sn__read_colours(SnReader *reader, const SnJson *json, SnSceneColours *out);
void sn__default_colour(SnReader *reader, SnSceneColours *colours, SnColour colour);
// "NAME" or "KIND ENTRY"; copies are numbered after their name: "hair 12".
const char *sn__copy_name(SnReader *reader, const char *kind, const char *name, int entry,
                          int copy_count, int copy);

// Vertices of a shape that was read, with what else comes with it.
typedef struct SnPoints {
    SnVec3 *positions;
    int count;
    bool circle; // closes by itself
    bool graph;  // neighbours in the list need not be neighbours in the rod
    float *radii;
    SnQuat *frames;
    int *edges;
    int edge_count;
    const SnSceneTree *tree;
    SnSegmentDef *segments;
} SnPoints;

// Shapes made by code.
bool sn__read_octopus(SnReader *reader, const SnJson *json, SnPoints *out);
bool sn__read_tree(SnReader *reader, const SnJson *json, SnPoints *out);
bool sn__read_net(SnReader *reader, const SnJson *json, SnPoints *out);
// What a tree is if its entry does not say: made of wood, held at its base, touching nothing.
SnRodMaterial sn__tree_material(void);
void sn__tree_defaults(SnReader *reader, const SnJson *json, SnSceneRod *rod);
// "segments" of a stiff rod, once its shape is known.
void sn__read_stiff(SnReader *reader, const SnJson *json, SnSceneRod *rod);

// A rod's "shape", "edges", "closed", "twist", "start" and "radius" into arrays of its vertices.
void sn__read_shape(SnReader *reader, const SnJson *json, SnSceneRod *rod);
// Frames at rest, for a rod that has none. Leaves a closed one alone.
void sn__make_frames(SnReader *reader, SnSceneRod *rod);
void sn__read_radius(SnReader *reader, const SnJson *json, SnSceneRod *rod);
// One number for all vertices, or an array with one for each.
float *sn__read_per_vertex(SnReader *reader, const SnJson *json, SnRange range, int vertices);
// A vertex or segment: "first", "last", or a number, negative from the end.
bool sn__read_index(SnReader *reader, const SnJson *json, const char *what, int count, int *out);

// A list's items as an array of values, so that they can be addressed by number. NULL (and count 0)
// if `list` is NULL, or not an array, which is an error.
const SnJson **sn__read_list(SnReader *reader, const SnJson *list, int *out_count);

// One entry of "rods". Materials written inside it are added to the scene.
void sn__read_rod(SnReader *reader, SnScene *scene, const SnJson *json, SnSceneRod *rod,
                  const SnSceneNames *names);
void sn__read_attachments(SnReader *reader, const SnJson *list, SnSceneRod *rod,
                          const SnNames *frames);
void sn__read_forces(SnReader *reader, const SnJson *list, SnSceneRod *rod);
void sn__read_activations(SnReader *reader, const SnJson *list, SnSceneRod *rod);

void sn__read_colliders(SnReader *reader, SnScene *scene, const SnJson *list, const SnNames *frames,
                        const SnCategories *categories);
void sn__read_links(SnReader *reader, SnScene *scene, const SnJson *list, const SnNames *rods,
                    const SnNames *frames);
void sn__read_skins(SnReader *reader, SnScene *scene, const SnJson *list, const SnNames *rods);
// A mesh file and where it lies; the file is not opened yet.
bool sn__read_mesh_use(SnReader *reader, SnScene *scene, const SnJson *json, SnMeshUse *use);

// All animation of the file, after everything else is read.
void sn__read_animation(SnReader *reader, SnScene *scene);
