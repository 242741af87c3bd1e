// Words to the person at the terminal. Colours only where one will see them, never with NO_COLOR.
#pragma once

#include <stdbool.h>
#include <stdio.h>

// A terminal that understands more than plain lines.
bool terminal_is_rich(FILE *file);

// Escape sequences, or empty strings where `file` shows no colours.
typedef struct Colours {
    const char *bold, *red, *yellow, *green, *dim, *reset;
} Colours;

Colours terminal_colours(FILE *file);

// As fprintf, for words that may come from a file: control characters other than the end of a line could
// steer the terminal, and become question marks.
void say_to(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
// The same on stdout.
void say_result(const char *format, ...) __attribute__((format(printf, 1, 2)));

// One line on stderr, "sinew: error: …" or "sinew: warning: …"; a note has no word in front.
void say_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void say_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
void say_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
