// Bodies that are torn away from where they were laid before anything has moved.
#pragma once

#include <sinew/sinew.h>

// Whether an element of a body begins at more than twice its length, and a line that says so of the worst.
bool starts_stretched(SnWorld *world, char *out_line, size_t size);
