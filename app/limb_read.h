// Which meshes a limb is made of, and which of them are bones.
#pragma once

#include "app/limb.h"

// Reads the meshes of a file or of all files of a folder, or makes one of "muscle:fan" and its like, and
// adds them to the limb. Says what is wrong and returns false if it cannot.
bool limb_read(Limb *limb, const char *path);

// Tells bones by a list of names with commas or, without one, by the words in their names; of a single
// mesh, that it is a muscle. False: a name of the list is that of no mesh, which is said.
bool limb_tell_bones(Limb *limb, const char *names);

// The number of the bone that a name of length `length` is that of, or −1, which is said.
int limb_find_bone(const Limb *limb, const char *option, const char *name, int length);

// Walks over a list of names with commas: the next name and its length, or NULL. *at is the list at
// first.
const char *limb_next_name(const char **at, int *out_length);
