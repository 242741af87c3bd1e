// Calls that may take long: setting up a large scene, a step of one, a large picture. While one of them
// goes on, a thread keeps the progress bar alive, and Ctrl-C is obeyed within a second although the call
// cannot be stopped: the thread then finishes what was done before the call, and ends the program.
#pragma once

#include "app/progress.h"

// Finishes the files, without anything that the call may be changing, and says so.
typedef void LeaveFunction(void *context);

// `progress` is not to be touched during the call; NULL: there is none.
void patience_begin(Progress *progress, LeaveFunction *leave, void *context);
// Does not come back if the program is being left.
void patience_end(void);
