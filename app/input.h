// Reading scenes, and the machine, for several commands.
#pragma once

#include <sinew/scene.h>
#include <stdio.h>

// Prints all that is wrong, one error a line; false then.
bool load_scene(const char *path, FILE *errors_to, SnScene **out_scene);

// How many of its bodies are rigid, copies included; the others are rods.
int rigid_count(const SnScene *scene);
int solid_count(const SnScene *scene);
int rod_count(const SnScene *scene); // all others

int core_count(void); // at most what a world takes
