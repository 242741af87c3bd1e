#include "app/options.h"

#include "app/commands.h"
#include "app/terminal.h"
#include "io/keys.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_OPTIONS 32

static const char *isa_names(char *text, size_t size) {
    text[0] = '\0';
    for (int isa = SN_ISA_SCALAR; isa <= SN_ISA_AVX512; ++isa)
        if (sn_isa_available((SnIsa)isa)) {
            size_t used = strlen(text);
            snprintf(text + used, size - used, "%s%s", used ? ", " : "", sn_isa_name((SnIsa)isa));
        }
    return text;
}

static void print_help(const CommandLine *line) {
    printf("usage: sinew %s %s\n\n%s\n\noptions:\n", line->command, line->arguments, line->summary);
    for (int i = 0; i < line->option_count; ++i) {
        const Option *option = &line->options[i];
        char left[64];
        int used = option->letter ? snprintf(left, sizeof left, "-%c, ", option->letter) : 0;
        snprintf(left + used, sizeof left - (size_t)used, "--%s %s", option->name,
                 option->hint ? option->hint : "");
        printf("  %-24s %s\n", left, option->help);
    }
    printf("  %-24s %s\n\nexample:\n%s", "-h, --help", "this text", line->examples);
}

// One a line, for the shell.
static void list_options(const CommandLine *line) {
    for (int i = 0; i < line->option_count; ++i)
        printf("--%s\n", line->options[i].name);
    printf("--help\n");
}

int options_wrong(const CommandLine *line, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    say_error("%s", text);
    say_note("see sinew %s --help", line->command);
    return STATUS_USAGE;
}

void options_suggest(char *text, size_t size, const char *word, const char *prefix,
                     const char *const *names, int count) {
    const char *nearest = sn__nearest_name(word, names, count);
    text[0] = '\0';
    if (nearest)
        snprintf(text, size, "; did you mean %s%s?", prefix, nearest);
}

// The option that a word such as --name, --name=value or -o names; NULL if it names none.
static const Option *find_option(const CommandLine *line, const char *word, size_t length) {
    for (int i = 0; i < line->option_count; ++i) {
        const Option *option = &line->options[i];
        bool by_letter = option->letter && length == 2 && word[1] == option->letter;
        bool by_name = length > 2 && strncmp(word, "--", 2) == 0 &&
                       strlen(option->name) == length - 2 &&
                       strncmp(option->name, word + 2, length - 2) == 0;
        if (by_letter || by_name)
            return option;
    }
    return NULL;
}

static int unknown_option(const CommandLine *line, const char *word, size_t length) {
    const char *names[MAX_OPTIONS + 1] = {"help"};
    int count = 1;
    for (int i = 0; i < line->option_count && count <= MAX_OPTIONS; ++i)
        names[count++] = line->options[i].name;
    char name[64], hint[80];
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    options_suggest(hint, sizeof hint, name + strspn(name, "-"), "--", names, count);
    return options_wrong(line, "unknown option %s%s", name, hint);
}

// A finite number and nothing behind it.
static bool read_number(const char *text, double *out) {
    char *end;
    *out = strtod(text, &end);
    return end != text && *end == '\0' && !isspace((unsigned char)text[0]) && isfinite(*out);
}

static bool in_range(const Option *option, double value) {
    return value >= option->min && value <= option->max;
}

static bool read_size(const Option *option, const char *text) {
    int *size = option->value, width, height, end = 0;
    if (sscanf(text, "%6dx%6d%n", &width, &height, &end) != 2 || text[end] != '\0' ||
        !in_range(option, width) || !in_range(option, height))
        return false;
    size[0] = width;
    size[1] = height;
    return true;
}

static bool read_isa(const Option *option, const char *text) {
    for (int isa = SN_ISA_BEST; isa <= SN_ISA_AVX512; ++isa)
        if (strcmp(text, sn_isa_name((SnIsa)isa)) == 0 && sn_isa_available((SnIsa)isa)) {
            *(SnIsa *)option->value = (SnIsa)isa;
            return true;
        }
    return false;
}

static bool read_value(const Option *option, const char *text) {
    double number = 0.0;
    switch (option->kind) {
    case OPTION_FLAG:
        return false;
    case OPTION_TEXT:
        *(const char **)option->value = text;
        return text[0] != '\0';
    case OPTION_INT:
        if (!read_number(text, &number) || !in_range(option, number) || number != floor(number))
            return false;
        *(int *)option->value = (int)number;
        return true;
    case OPTION_NUMBER:
        if (!read_number(text, &number) || !in_range(option, number))
            return false;
        *(double *)option->value = number;
        return true;
    case OPTION_SIZE:
        return read_size(option, text);
    case OPTION_ISA:
        return read_isa(option, text);
    }
    return false;
}

static int wrong_value(const CommandLine *line, const Option *option, const char *text) {
    char names[64];
    switch (option->kind) {
    case OPTION_FLAG:
        return options_wrong(line, "--%s takes no value", option->name);
    case OPTION_TEXT:
        return options_wrong(line, "--%s: the value is empty", option->name);
    case OPTION_INT:
        return options_wrong(line, "--%s: %s is not a whole number in [%g, %g]", option->name, text,
                             option->min, option->max);
    case OPTION_NUMBER:
        return options_wrong(line, "--%s: %s is not a number in [%g, %g], as 2 or 0.5",
                             option->name, text, option->min, option->max);
    case OPTION_SIZE:
        return options_wrong(line, "--%s: %s is not WIDTHxHEIGHT, each in [%g, %g], as 1280x720",
                             option->name, text, option->min, option->max);
    case OPTION_ISA:
        return options_wrong(line, "--%s: %s is not one of best, %s", option->name, text,
                             isa_names(names, sizeof names));
    }
    return STATUS_USAGE;
}

// Takes the option at argv[*at] and its value; *at moves to the last word it used.
static bool take_option(const CommandLine *line, int argc, char **argv, int *at, int *out_status) {
    const char *word = argv[*at];
    const char *equals = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    const Option *option = find_option(line, word, length);
    if (option == NULL) {
        *out_status = unknown_option(line, word, length);
        return false;
    }
    if (option->kind == OPTION_FLAG && equals == NULL) {
        *(bool *)option->value = true;
        return true;
    }
    if (equals == NULL && *at + 1 >= argc) {
        *out_status = options_wrong(line, "--%s needs a value: --%s %s", option->name, option->name,
                                    option->hint);
        return false;
    }
    const char *text = equals ? equals + 1 : argv[++*at];
    if (!read_value(option, text)) {
        *out_status = wrong_value(line, option, text);
        return false;
    }
    return true;
}

bool options_parse(const CommandLine *line, int *argc, char **argv, int *out_status) {
    int kept = 0;
    bool plain = false; // after "--", words are no options
    for (int i = 0; i < *argc; ++i) {
        const char *word = argv[i];
        if (!plain && strcmp(word, "--") == 0) {
            plain = true;
        } else if (!plain && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
            print_help(line);
            *out_status = STATUS_OK;
            return false;
        } else if (!plain && strcmp(word, "--list-options") == 0) {
            list_options(line);
            *out_status = STATUS_OK;
            return false;
        } else if (!plain && word[0] == '-' && word[1] != '\0') {
            if (!take_option(line, *argc, argv, &i, out_status))
                return false;
        } else {
            argv[kept++] = argv[i];
        }
    }
    *argc = kept;
    return true;
}
