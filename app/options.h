// Command lines, by table: one table gives the parser, its error messages and the help.
#pragma once

#include <stdbool.h>

#include <sinew/base.h>

typedef enum OptionKind {
    OPTION_FLAG,   // bool, no value
    OPTION_TEXT,   // const char *
    OPTION_INT,    // int
    OPTION_NUMBER, // double
    OPTION_SIZE,   // int[2], as 640x360
    OPTION_ISA,    // SnIsa, one that this machine has
} OptionKind;

typedef struct Option {
    const char *name; // "video" for --video
    char letter;      // 'o' for -o, 0 for none
    OptionKind kind;
    void *value;      // where it goes; what is there before is the default
    double min, max;  // of INT, NUMBER and both parts of SIZE
    const char *hint; // stands for the value in the help
    const char *help;
} Option;

typedef struct CommandLine {
    const char *command;   // "run"
    const char *arguments; // "SCENE.json [options]"
    const char *summary;   // a line or a few
    const Option *options;
    int option_count;
    const char *examples; // lines, each with a newline
} CommandLine;

// Sets the options and moves all other words to the front of argv, whose number becomes *argc.
// False if the command is over: --help was asked for and given, or something is wrong and was said;
// *out_status is then the exit status.
bool options_parse(const CommandLine *line, int *argc, char **argv, int *out_status);

// Says what is wrong with the command line and where help is. Returns STATUS_USAGE.
int options_wrong(const CommandLine *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// "; did you mean X?" with `prefix` before X, or nothing, if no name is alike. At most 80 bytes.
void options_suggest(char *text, size_t size, const char *word, const char *prefix,
                     const char *const *names, int count);
