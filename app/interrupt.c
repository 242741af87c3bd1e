#include "app/interrupt.h"

#include <signal.h>
#include <string.h>

// A signal handler can reach nothing but a variable of this kind.
static volatile sig_atomic_t stop_requested;

static void request_stop(int number) {
    (void)number;
    stop_requested = 1;
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
}

void interrupt_watch(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = request_stop;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool interrupted(void) { return stop_requested != 0; }
