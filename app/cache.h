// A point cache (.pc2, as Blender and Houdini read it): the vertices of all meshes of a scene's skeletons,
// frame after frame.
#pragma once

#include "app/actors.h"

typedef struct Cache Cache;

// SN_ERROR_INVALID if there is no mesh.
SnResult cache_open(const char *path, const Actors *actors, Cache **out_cache);
// The meshes where they were placed last.
void cache_add(Cache *cache, const Actors *actors);
// Closes the file, whatever happened before, and says whether all of it was written.
SnResult cache_close(Cache *cache);
