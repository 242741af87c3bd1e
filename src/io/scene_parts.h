// The steps of reading a scene, one per file.
#pragma once

#include "io/reader.h"
#include "io/scene_data.h"

// Names of materials or frames, sorted, for lookups and for suggestions.
typedef struct NameTable {
    const char **names;
    int *numbers;
    int count;
} NameTable;

// Room for `count` names.
void sn__names_reserve(Reader *reader, NameTable *names, int count);
void sn__names_add(NameTable *names, const char *name, int number); // unless it is ""
// Sorts; complains about a name that is there twice, at values[number], unless values is NULL.
void sn__names_sort(Reader *reader, NameTable *names, const Json *const *values);
// Its number, or -1 after a complaint that suggests the nearest.
int sn__names_find(Reader *reader, const NameTable *names, const Json *value, const char *what);
// The same for a value that may be anything.
int sn__read_name(Reader *reader, const NameTable *names, const Json *value, const char *what);

// Names of bits that filters are made of; the first is "default".
typedef struct Categories {
    const char *names[SN_MAX_SCENE_CATEGORIES + 1];
    int count;
} Categories;

// What entries of a scene refer to. Bodies are rods, then colliders.
typedef struct SceneNames {
    NameTable materials, frames, rods, bodies;
    Categories categories;
} SceneNames;

void sn__read_categories(Reader *reader, const Json *json, Categories *out);
// "surface" and "filter" of a rod or collider, or their defaults.
void sn__read_contact(Reader *reader, const Json *json, const Categories *categories,
                      SnSurface *surface, SnFilter *filter);
void sn__read_ignored(Reader *reader, SnScene *scene, const Json *list, const NameTable *bodies);
// How many pairs two entries make: copy by copy, or one with all. 0 after a complaint.
int sn__pair_copies(Reader *reader, const Json *json, int a, int b);

// "origin" and "copies"; "position" and "rotation" are in the tables of rods and colliders.
void sn__default_place(ScenePlace *place);
void sn__read_place(Reader *reader, const Json *json, ScenePlace *place);
void sn__read_colours(Reader *reader, const Json *json, SceneColours *out);
void sn__default_colour(Reader *reader, SceneColours *colours, SnColour colour);
// "NAME" or "KIND ENTRY"; copies are numbered after their name: "hair 12".
const char *sn__copy_name(Reader *reader, const char *kind, const char *name, int entry,
                          int copy_count, int copy);

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
// One number for all vertices, or an array with one for each.
float *sn__read_per_vertex(Reader *reader, const Json *json, Range range, int vertices);
// A vertex or segment: "first", "last", or a number, negative from the end.
bool sn__read_index(Reader *reader, const Json *json, const char *what, int count, int *out);

// A list's items as an array of values, so that they can be addressed by number. NULL (and count 0)
// if `list` is NULL, or not an array, which is an error.
const Json **sn__read_list(Reader *reader, const Json *list, int *out_count);

// One entry of "rods". Materials written inside it are added to the scene.
void sn__read_rod(Reader *reader, SnScene *scene, const Json *json, SceneRod *rod,
                  const SceneNames *names);
void sn__read_attachments(Reader *reader, const Json *list, SceneRod *rod, const NameTable *frames);
void sn__read_forces(Reader *reader, const Json *list, SceneRod *rod);
void sn__read_activations(Reader *reader, const Json *list, SceneRod *rod);

void sn__read_colliders(Reader *reader, SnScene *scene, const Json *list, const NameTable *frames,
                        const Categories *categories);
void sn__read_links(Reader *reader, SnScene *scene, const Json *list, const NameTable *rods,
                    const NameTable *frames);
void sn__read_skins(Reader *reader, SnScene *scene, const Json *list, const NameTable *rods);
// A mesh file and where it lies; the file is not opened yet.
bool sn__read_mesh_use(Reader *reader, SnScene *scene, const Json *json, MeshUse *use);

// All animation of the file, after everything else is read.
void sn__read_animation(Reader *reader, SnScene *scene);
