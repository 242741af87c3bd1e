// The commands of the program. Each takes what follows its name and returns an exit status.
#pragma once

typedef enum Status {
    STATUS_OK = 0,
    STATUS_FAILED = 1,        // a check or a figure failed
    STATUS_USAGE = 2,         // the command line is wrong
    STATUS_INPUT = 3,         // an input file is missing or bad
    STATUS_OUTPUT = 4,        // an output could not be made
    STATUS_INTERRUPTED = 130, // by Ctrl-C or SIGTERM; outputs hold what was done
} Status;

int run_command(int argc, char **argv);
int view_command(int argc, char **argv);
int check_command(int argc, char **argv);
int info_command(int argc, char **argv);
int figure_command(int argc, char **argv);
int bench_command(int argc, char **argv);
int viperize_command(int argc, char **argv);
int bonify_command(int argc, char **argv);
int particles_command(int argc, char **argv);
int flesh_command(int argc, char **argv);
