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

// What entries of a scene refer to. What touches is bodies, and after those colliders.
typedef struct SceneNames {
    NameTable materials, frames, bodies, touching;
    Categories categories;
} SceneNames;

void sn__read_categories(Reader *reader, const Json *json, Categories *out);
// "surface" and "filter" of a body or collider, or their defaults.
void sn__read_contact(Reader *reader, const Json *json, const Categories *categories,
                      SnSurface *surface, SnFilter *filter);
void sn__read_ignored(Reader *reader, SnScene *scene, const Json *list, const NameTable *touching);
// How many pairs two entries make: copy by copy, or one with all. 0 after a complaint.
int sn__pair_copies(Reader *reader, const Json *json, int a, int b);

// "origin" and "copies"; "position" and "rotation" are in the tables of bodies and colliders.
void sn__default_place(ScenePlace *place);
void sn__read_place(Reader *reader, const Json *json, ScenePlace *place);
void sn__read_colours(Reader *reader, const Json *json, SceneColours *out);
void sn__default_colour(Reader *reader, SceneColours *colours, SnColour colour);
// "NAME" or "KIND ENTRY"; copies are numbered after their name: "hair 12".
const char *sn__copy_name(Reader *reader, const char *kind, const char *name, int entry,
                          int copy_count, int copy);

// What places on a body are.
typedef enum BodyPart { PART_POINT, PART_ELEMENT, PART_MARK } BodyPart;

// One of them: "first", "last", or a number, negative from the end.
bool sn__read_index(Reader *reader, const Json *json, const SceneBody *body, BodyPart part,
                    int *out);

// A list's items as an array of values, so that they can be addressed by number. NULL (and count 0)
// if `list` is NULL, or not an array, which is an error.
const Json **sn__read_list(Reader *reader, const Json *list, int *out_count);
// How many items that will be, without a complaint.
size_t sn__list_length(const Json *list);

// Number 0 is the default one, then come those of the file and those that are built in; all of these
// have names, of which those of the file win. Then come those inside bodies.
void sn__read_materials(Reader *reader, SnScene *scene, const Json *root, NameTable *names);
// The name of a material, an object with what differs from `own` or from what it is "like", or NULL.
void sn__read_body_material(Reader *reader, SnScene *scene, const Json *json, SceneBody *body,
                            const NameTable *names, const SnRodMaterial *own);

// The lists of all kinds into one list of bodies.
void sn__read_bodies(Reader *reader, SnScene *scene, const Json *root, const SceneNames *names);

// What all bodies can have and the table does not read, once the shape is known. A material written
// inside the entry is added to the scene; what it leaves out, or all of it, is as in `own`, NULL for
// the default.
void sn__read_body(Reader *reader, SnScene *scene, const Json *json, SceneBody *body,
                   const SceneNames *names, const SnRodMaterial *own);
void sn__read_attachments(Reader *reader, const Json *list, SceneBody *body,
                          const NameTable *frames);
void sn__read_forces(Reader *reader, const Json *list, SceneBody *body);
void sn__read_activations(Reader *reader, const Json *list, SceneBody *body);

// "skeleton": one entry or a list. Then joints become frames, and bones colliders.
// scene_lines.c
void sn__scene_note_lines(Reader *reader, SnScene *scene);

void sn__read_skeletons(Reader *reader, SnScene *scene, const Json *json,
                        const Categories *categories);
void sn__add_joint_frames(Reader *reader, SnScene *scene, NameTable *names);
void sn__add_bones(Reader *reader, SnScene *scene);

void sn__read_colliders(Reader *reader, SnScene *scene, const Json *list, const NameTable *frames,
                        const Categories *categories);
void sn__read_hinges(Reader *reader, SnScene *scene, const Json *list, const NameTable *bodies,
                     const NameTable *frames);
void sn__read_links(Reader *reader, SnScene *scene, const Json *list, const NameTable *bodies,
                    const NameTable *frames);
void sn__read_skins(Reader *reader, SnScene *scene, const Json *list, const NameTable *bodies,
                    const NameTable *frames);
// A mesh file and where it lies, or a file alone; it is not opened yet.
bool sn__read_mesh_use(Reader *reader, SnScene *scene, const Json *json, MeshUse *use);

// All animation of the file, after everything else is read.
void sn__read_animation(Reader *reader, SnScene *scene);
