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

// Sorts; complains about a name that is there twice, at values[number].
void sn__names_sort(SnReader *reader, SnNames *names, const SnJson *const *values);
// Its number, or -1 after a complaint that suggests the nearest.
int sn__names_find(SnReader *reader, const SnNames *names, const SnJson *value, const char *what);

// A rod's "shape", "closed", "twist", "start" and "radius" into arrays of its vertices.
void sn__read_shape(SnReader *reader, const SnJson *json, SnSceneRod *rod);

// A list's items as an array of values, so that they can be addressed by number. NULL (and count 0)
// if `list` is NULL, or not an array, which is an error.
const SnJson **sn__read_list(SnReader *reader, const SnJson *list, int *out_count);

// One entry of "rods". Materials written inside it are added to the scene.
void sn__read_rod(SnReader *reader, SnScene *scene, const SnJson *json, SnSceneRod *rod,
                  const SnNames *materials, const SnNames *frames);
void sn__read_attachments(SnReader *reader, const SnJson *list, SnSceneRod *rod,
                          const SnNames *frames);
void sn__read_forces(SnReader *reader, const SnJson *list, SnSceneRod *rod);
void sn__read_activations(SnReader *reader, const SnJson *list, SnSceneRod *rod);

// All animation of the file, after everything else is read.
void sn__read_animation(SnReader *reader, SnScene *scene);
