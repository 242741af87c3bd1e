// sinew: the program. Finds the command and hands it the rest of the line.
#include "app/commands.h"
#include "app/options.h"
#include "app/terminal.h"

#include <stdio.h>
#include <string.h>

typedef struct CommandEntry {
    const char *name;
    int (*function)(int argc, char **argv);
    const char *help;
} CommandEntry;

static const CommandEntry commands[] = {
    {"run", run_command, "simulate a scene; write GLB, video, picture and statistics"},
    {"view", view_command, "show a scene in a window, and touch it"},
    {"check", check_command, "say what is wrong with scene files"},
    {"info", info_command, "describe a scene, a glTF file, a mesh, a motion, or this machine"},
    {"viperize", viperize_command,
     "fill the mesh of a muscle with rods; several meshes make a limb"},
    {"bonify", bonify_command, "fit a few pills to the mesh of a bone"},
    {"particles", particles_command, "fill a mesh with the particles of a soft solid"},
    {"flesh", flesh_command, "give a rigged character a skin that does not pass through itself"},
    {"figure", figure_command, "reproduce a figure of the papers and measure it"},
    {"bench", bench_command, "measure the speed of the engine"},
};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void print_help(FILE *file) {
    fprintf(file, "sinew %s: physics of things that are long, soft and alive\n\n", sn_version());
    fputs("usage: sinew COMMAND …\n\ncommands:\n", file);
    for (int i = 0; i < COMMAND_COUNT; ++i)
        fprintf(file, "  %-9s %s\n", commands[i].name, commands[i].help);
    fputs("\noptions:\n"
          "  --help     this text; sinew COMMAND --help tells more\n"
          "  --version  the version\n"
          "\nexample:\n"
          "  sinew run scenes/demo.json -o demo.glb --video demo.mp4\n"
          "\nexit status:\n"
          "  0    all went well\n"
          "  1    a check or a figure failed\n"
          "  2    the command line is wrong\n"
          "  3    an input file is missing or bad\n"
          "  4    an output could not be made\n"
          "  130  interrupted; outputs hold what was done\n",
          file);
}

static const CommandEntry *find_command(const char *name) {
    for (int i = 0; i < COMMAND_COUNT; ++i)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static int unknown_command(const char *word) {
    const char *names[COMMAND_COUNT];
    for (int i = 0; i < COMMAND_COUNT; ++i)
        names[i] = commands[i].name;
    char hint[80];
    options_suggest(hint, sizeof hint, word, "sinew ", names, COMMAND_COUNT);
    say_error("unknown command %s%s", word, hint);
    say_note("see sinew --help");
    return STATUS_USAGE;
}

int main(int argc, char **argv) {
    const char *word = argc > 1 ? argv[1] : "";
    bool wants_help = strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
    if (argc < 2 || wants_help || (strcmp(word, "help") == 0 && argc == 2)) {
        print_help(argc < 2 ? stderr : stdout);
        return argc < 2 ? STATUS_USAGE : STATUS_OK;
    }
    if (strcmp(word, "--version") == 0) {
        printf("sinew %s\n", sn_version());
        return STATUS_OK;
    }
    if (strcmp(word, "--list-commands") == 0) { // one a line, for the shell
        for (int i = 0; i < COMMAND_COUNT; ++i)
            printf("%s\n", commands[i].name);
        return STATUS_OK;
    }
    // "sinew help run" is what others call "sinew run --help".
    bool swapped = strcmp(word, "help") == 0;
    const CommandEntry *command = find_command(swapped ? argv[2] : word);
    if (command == NULL)
        return unknown_command(swapped ? argv[2] : word);
    char help[] = "--help";
    char *help_line[] = {help, NULL};
    return swapped ? command->function(1, help_line) : command->function(argc - 2, argv + 2);
}
