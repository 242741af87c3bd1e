#include "app/terminal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool terminal_is_rich(FILE *file) {
    const char *kind = getenv("TERM");
    return isatty(fileno(file)) && kind && strcmp(kind, "dumb") != 0;
}

Colours terminal_colours(FILE *file) {
    const char *off = getenv("NO_COLOR");
    if (!terminal_is_rich(file) || (off && off[0]))
        return (Colours){"", "", "", "", "", ""};
    return (Colours){"\033[1m", "\033[31m", "\033[33m", "\033[32m", "\033[2m", "\033[0m"};
}

static void say(const char *colour, const char *word, const char *format, va_list arguments) {
    Colours colours = terminal_colours(stderr);
    fprintf(stderr, "sinew: %s%s%s", colour, word, colour[0] ? colours.reset : "");
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

void say_error(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(terminal_colours(stderr).red, "error: ", format, arguments);
    va_end(arguments);
}

void say_warning(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(terminal_colours(stderr).yellow, "warning: ", format, arguments);
    va_end(arguments);
}

void say_note(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say("", "", format, arguments);
    va_end(arguments);
}
