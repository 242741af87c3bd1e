// Numbers as text, the same in every locale.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Enough for any number that sn__number_format_… writes.
#define NUMBER_SIZE 32

// The value of a number in JSON's grammar, correctly rounded; it is infinite where double cannot
// hold it. Returns how many characters it has, 0 if `text` does not start with a number.
size_t sn__number_parse(const char *text, size_t size, double *out_value);

// The shortest text that reads back as the same value; what is not finite becomes 0, because JSON
// has no word for it.
void sn__number_format_float(char text[NUMBER_SIZE], float value);
void sn__number_format_double(char text[NUMBER_SIZE], double value);
