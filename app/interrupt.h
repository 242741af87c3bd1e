// Ctrl-C and SIGTERM as a flag, so that loops can stop and finish their files.
#pragma once

#include <stdbool.h>

// From here on the first signal sets the flag; a second one ends the program at once.
void interrupt_watch(void);
bool interrupted(void);
