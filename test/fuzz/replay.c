// replay FOLDER COUNT: a fuzz target without libFuzzer, as a short test. All files of the folder, and so
// many changed ones: a few bytes of a file are set, flipped, taken out or said twice. Every run makes the
// same ones. `make fuzz` searches for longer, and for what is new.
#include <sinew/base.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_FILES 64
#define MAX_SIZE 4096

typedef struct Input {
    size_t size;
    uint8_t bytes[MAX_SIZE];
} Input;

static Input files[MAX_FILES];
static uint64_t state = 0x9E3779B97F4A7C15u;

static size_t random_below(size_t limit) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return limit ? (size_t)(state >> 11) % limit : 0;
}

static bool read_input(const char *folder, const char *name, Input *out) {
    char path[1024];
    snprintf(path, sizeof path, "%.500s/%.255s", folder, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    out->size = fread(out->bytes, 1, MAX_SIZE, file);
    fclose(file);
    return true;
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

// In the order of their names, so that every machine makes the same changes.
static int read_folder(const char *folder) {
    static char names[MAX_FILES][256];
    int count = 0, read = 0;
    DIR *list = opendir(folder);
    for (struct dirent *entry; list && count < MAX_FILES && (entry = readdir(list));)
        if (entry->d_name[0] != '.')
            snprintf(names[count++], sizeof names[0], "%s", entry->d_name);
    if (list)
        closedir(list);
    qsort(names, (size_t)count, sizeof names[0], by_name);
    for (int i = 0; i < count; ++i)
        read += read_input(folder, names[i], &files[read]);
    return read;
}

static void change(Input *input) {
    static const uint8_t words[] = {0,   1,   127, 128, 255, '0', '9',
                                    '-', 'e', '"', '{', '[', ',', ':'};
    size_t at = random_below(input->size), length = 1 + random_below(8);
    length = length < input->size - at ? length : input->size - at;
    switch (random_below(4)) {
    case 0:
        input->bytes[at] = words[random_below(sizeof words)];
        break;
    case 1:
        input->bytes[at] ^= (uint8_t)(1u << random_below(8));
        break;
    case 2:
        memmove(input->bytes + at, input->bytes + at + length, input->size - at - length);
        input->size -= length;
        break;
    default:
        if (input->size + length <= MAX_SIZE) {
            memmove(input->bytes + at + length, input->bytes + at, input->size - at);
            input->size += length;
        }
    }
}

int main(int argc, char **argv) {
    int count = argc == 3 ? read_folder(argv[1]) : 0, runs = argc == 3 ? atoi(argv[2]) : 0;
    if (count == 0 || runs <= 0) {
        fprintf(stderr, "replay FOLDER COUNT: the folder has no files, or COUNT is not positive\n");
        return 2;
    }
    for (int i = 0; i < count; ++i)
        LLVMFuzzerTestOneInput(files[i].bytes, files[i].size);
    for (int run = 0; run < runs; ++run) {
        Input input = files[random_below((size_t)count)];
        for (size_t changes = 1 + random_below(4); changes > 0 && input.size > 0; --changes)
            change(&input);
        LLVMFuzzerTestOneInput(input.bytes, input.size);
    }
    printf("%d files, %d changed ones\n", count, runs);
    return 0;
}
