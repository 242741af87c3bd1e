#include "app/patience.h"

#include <sinew/base.h>

#include "app/commands.h"
#include "app/interrupt.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define TICK_MS 100
#define PATIENCE_MS 500.0 // of a call that goes on after Ctrl-C

// The call that goes on, for the thread that watches it. Signals belong to the whole program, and so
// does this.
static struct {
    pthread_mutex_t mutex;
    bool has_thread, going;
    double began, signalled; // ms; signalled 0: not yet
    Progress *progress;
    LeaveFunction *leave;
    void *context;
} call = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void look(void) {
    double now = sn_now_ms();
    if (interrupted() && call.signalled == 0.0)
        call.signalled = now;
    if (!call.going)
        return;
    if (call.progress)
        progress_tick(call.progress);
    double since = call.began > call.signalled ? call.began : call.signalled;
    if (call.signalled > 0.0 && now - since > PATIENCE_MS) {
        if (call.progress)
            progress_end(call.progress);
        call.leave(call.context);
        fflush(stdout);
        fflush(stderr);
        _exit(STATUS_INTERRUPTED); // the threads of the call still run: nothing may be torn down
    }
}

static void *watch(void *unused) {
    const struct timespec tick = {0, TICK_MS * 1000000};
    for (;;) {
        nanosleep(&tick, NULL);
        pthread_mutex_lock(&call.mutex);
        look();
        pthread_mutex_unlock(&call.mutex);
    }
    return unused;
}

// Without a thread there is no bar and Ctrl-C waits for the call, which is no reason to give up.
static bool start_thread(void) {
    pthread_t thread;
    return pthread_create(&thread, NULL, watch, NULL) == 0 && pthread_detach(thread) == 0;
}

void patience_begin(Progress *progress, LeaveFunction *leave, void *context) {
    pthread_mutex_lock(&call.mutex);
    if (!call.has_thread)
        call.has_thread = start_thread();
    call.going = true;
    call.began = sn_now_ms();
    call.progress = progress;
    call.leave = leave;
    call.context = context;
    pthread_mutex_unlock(&call.mutex);
}

void patience_end(void) {
    pthread_mutex_lock(&call.mutex);
    call.going = false;
    pthread_mutex_unlock(&call.mutex);
}
