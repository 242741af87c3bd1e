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

#define MOST_WORDS 4096 // bytes; what is longer is cut

static void say_words(FILE *file, const char *format, va_list arguments) {
    char words[MOST_WORDS];
    vsnprintf(words, sizeof words, format, arguments);
    for (char *at = words; *at; ++at) {
        unsigned char first = (unsigned char)at[0], second = (unsigned char)at[1];
        if ((first < ' ' && first != '\n') || first == 0x7F)
            *at = '?';
        else if (first == 0xC2 && second >= 0x80 && second < 0xA0) // those of Latin-1, in UTF-8
            at[0] = at[1] = '?';
    }
    fputs(words, file);
}

void say_to(FILE *file, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say_words(file, format, arguments);
    va_end(arguments);
}

void say_result(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say_words(stdout, format, arguments);
    va_end(arguments);
}

static void say(const char *colour, const char *word, const char *format, va_list arguments) {
    Colours colours = terminal_colours(stderr);
    fprintf(stderr, "sinew: %s%s%s", colour, word, colour[0] ? colours.reset : "");
    say_words(stderr, format, arguments);
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
