// A file that is written beside its path and takes its place when it is complete, so that what lies
// at the path is never half a file.
//
// The part is PATH.part, or PATH.1.part and so on where other runs write to the same path. Whoever
// writes holds a lock on it; a part without one was left by a run that was killed, and the next run to
// the same path removes it. A path that is a symbolic link stands for what it points to. A pipe or a
// device is written to directly.
#pragma once

#include <sinew/base.h>

typedef struct Part {
    char *path;  // where it goes
    char *place; // where it is written: the part, or the path itself of a pipe
    bool direct; // they are the same
    int lock;    // descriptor, −1: none
} Part;

// The part is there and empty. On an error there is nothing to end.
SnResult sn__part_begin(Part *part, const char *path);
// Puts it in its place, and ends it. 0, or errno of what failed; the part is then removed.
int sn__part_end(Part *part);
// Removes it, and ends it.
void sn__part_abandon(Part *part);
