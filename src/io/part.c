#include "io/part.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_RUNS 16  // at one path
#define MOST_LINKS 40 // one behind the other
#define ENDING_SIZE 16

static char *copy_text(const char *text, size_t more) {
    size_t length = strlen(text);
    char *copy = malloc(length + more + 1);
    if (copy)
        memcpy(copy, text, length + 1);
    return copy;
}

static bool is_direct(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode);
}

#ifdef _WIN32

// A file that is open cannot be removed there, which is as good as a lock.
static bool claim(const char *place, int *out_lock) {
    *out_lock = -1;
    remove(place);
    FILE *file = fopen(place, "wbx");
    if (file)
        fclose(file);
    return file != NULL;
}

static void sweep(const char *place) { remove(place); }

static void unlock(int lock) { (void)lock; }

static char *follow_links(const char *path) { return copy_text(path, 0); }

#else

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

static void unlock(int lock) {
    if (lock >= 0)
        close(lock);
}

// Between opening a part and locking it, its run may have renamed or removed it.
static bool is_at(int lock, const char *place) {
    struct stat own, there;
    return fstat(lock, &own) == 0 && stat(place, &there) == 0 && own.st_dev == there.st_dev &&
           own.st_ino == there.st_ino;
}

// Opens and locks the part at `place`; −1 with EWOULDBLOCK if another run writes it. File systems
// without locks are taken to have no other runs.
static int open_locked(const char *place, int flags) {
    for (int tries = 0; tries < MOST_RUNS; ++tries) {
        int lock = open(place, flags | O_RDWR | O_CLOEXEC, 0666);
        if (lock < 0)
            return -1;
        if (flock(lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
            close(lock);
            errno = EWOULDBLOCK;
            return -1;
        }
        if (is_at(lock, place))
            return lock;
        close(lock);
    }
    errno = EWOULDBLOCK;
    return -1;
}

static bool claim(const char *place, int *out_lock) {
    *out_lock = open_locked(place, O_CREAT);
    if (*out_lock >= 0 && ftruncate(*out_lock, 0) != 0) {
        int error = errno;
        unlock(*out_lock);
        errno = error;
        *out_lock = -1;
    }
    return *out_lock >= 0;
}

// Removes what a dead run left.
static void sweep(const char *place) {
    int lock = open_locked(place, 0);
    if (lock >= 0)
        unlink(place);
    unlock(lock);
}

// What a chain of symbolic links ends in, whether it exists or not; NULL with errno.
static char *follow_links(const char *path) {
    char *at = copy_text(path, 0), target[4096];
    for (int links = 0; at; ++links) {
        ssize_t length = readlink(at, target, sizeof target - 1);
        if (length < 0)
            return at;
        if (links == MOST_LINKS || length == (ssize_t)sizeof target - 1) {
            free(at);
            errno = ELOOP;
            return NULL;
        }
        target[length] = '\0';
        const char *slash = target[0] == '/' ? NULL : strrchr(at, '/');
        size_t folder = slash ? (size_t)(slash - at) + 1 : 0;
        char *next = malloc(folder + (size_t)length + 1);
        if (next) {
            memcpy(next, at, folder);
            memcpy(next + folder, target, (size_t)length + 1);
        }
        free(at);
        at = next;
    }
    errno = ENOMEM;
    return NULL;
}

#endif

static void name_place(Part *part, int run) {
    size_t length = strlen(part->path);
    if (run == 0)
        snprintf(part->place + length, ENDING_SIZE, ".part");
    else
        snprintf(part->place + length, ENDING_SIZE, ".%d.part", run);
}

// The first place that no living run has; those behind it that dead runs left are removed.
static bool find_place(Part *part) {
    int run = 0;
    for (;; ++run) {
        name_place(part, run);
        if (claim(part->place, &part->lock))
            break;
        if (errno != EWOULDBLOCK || run + 1 == MOST_RUNS)
            return false;
    }
    for (int other = run + 1; other < MOST_RUNS; ++other) {
        name_place(part, other);
        sweep(part->place);
    }
    name_place(part, run);
    return true;
}

static void release(Part *part) {
    unlock(part->lock);
    free(part->path);
    free(part->place);
    *part = (Part){.lock = -1};
}

SnResult sn__part_begin(Part *part, const char *path) {
    *part = (Part){.lock = -1, .direct = is_direct(path)};
    errno = ENOMEM;
    part->path = part->direct ? copy_text(path, 0) : follow_links(path);
    part->place = part->path ? copy_text(part->path, ENDING_SIZE) : NULL;
    if (part->place && (part->direct || find_place(part)))
        return sn_ok();
    int error = errno;
    release(part);
    if (error == ENOMEM)
        return sn_error(SN_ERROR_MEMORY, "%s: no memory to write it", path);
    return sn_error(SN_ERROR_FILE, "%s: cannot be written: %s", path,
                    error == EWOULDBLOCK ? "too many others write to it" : strerror(error));
}

int sn__part_end(Part *part) {
    int error = 0;
#ifdef _WIN32
    if (!part->direct)
        remove(part->path); // rename does not replace there
#endif
    if (!part->direct && rename(part->place, part->path) != 0) {
        error = errno;
        remove(part->place);
    }
    release(part);
    return error;
}

void sn__part_abandon(Part *part) {
    if (!part->direct)
        remove(part->place);
    release(part);
}
