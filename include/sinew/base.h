// Results, memory, tasks, a clock and instruction sets: what every other header builds on.
//
// Pointers must not be NULL unless it says that they may. Functions that return SnResult answer a NULL
// with SN_ERROR_INVALID and a message that names the argument; all others do nothing and return 0, in
// all of its fields, or NULL, and stop at an assert in builds without NDEBUG. What destroys a whole
// object takes NULL as free does, and ids that a call gives out need no place to go to: out_rod,
// out_frame, out_hit and their like may be NULL where something is created or asked.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SN_VERSION_MAJOR 0
#define SN_VERSION_MINOR 3
#define SN_VERSION_PATCH 0

#if defined(_WIN32) && defined(SN_SHARED)
#ifdef SN_BUILDING
#define SN_API __declspec(dllexport)
#else
#define SN_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define SN_API __attribute__((visibility("default")))
#else
#define SN_API
#endif

// For compilers that check calls as those of printf: which argument is the format, and which is the
// first that goes into it.
#ifdef __MINGW32__
#define SN_PRINTF(string, first) __attribute__((format(gnu_printf, string, first)))
#elif defined(__GNUC__)
#define SN_PRINTF(string, first) __attribute__((format(printf, string, first)))
#else
#define SN_PRINTF(string, first)
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SnCode {
    SN_OK = 0,
    SN_ERROR_INVALID, // an argument or a field of a definition cannot be used
    SN_ERROR_STALE,   // an id names something that was destroyed or never existed
    SN_ERROR_MEMORY,  // the allocator returned nothing
    SN_ERROR_LIMIT,   // a documented limit (SN_MAX_…) was exceeded
    SN_ERROR_FORMAT,  // a file or buffer is not what it should be
    SN_ERROR_FILE,    // a file could not be opened, read or written
} SnCode;

// What a call that can fail returns. The message names the object, the field, its value and what
// would be valid; it is empty on success.
typedef struct SnResult {
    SnCode code;
    char message[252];
} SnResult;

// Results of your own, for functions that fail as those of Sinew do. The message is formatted as
// printf does; one of more than 251 bytes is cut between two UTF-8 characters. Neither can fail.
SN_API SnResult sn_ok(void);
SN_API SnResult sn_error(SnCode code, const char *format, ...) SN_PRINTF(2, 3);

// Memory. Both functions may be called from the thread that calls Sinew only, never in a steady
// step. `align` is a power of two of at most 64.
typedef struct SnAllocator {
    void *(*allocate)(size_t size, size_t align, void *context);
    void (*release)(void *memory, size_t size, void *context);
    void *context;
} SnAllocator;

// Parallel loops. A task is called with ranges [begin, end) that together cover [0, count) once,
// and with the number of the worker it runs on, 0 ≤ worker < worker_count. `parallel_for` returns
// when all of it is done. Results never depend on how the range is cut or who runs it.
typedef void SnTask(int begin, int end, int worker, void *task_context);

typedef struct SnTaskSystem {
    int worker_count;
    void (*parallel_for)(int count, int grain, SnTask *task, void *task_context, void *context);
    void *context;
} SnTaskSystem;

// Instruction sets. All give the same bits; SN_ISA_BEST takes the widest the machine has.
typedef enum SnIsa {
    SN_ISA_BEST = 0,
    SN_ISA_SCALAR,
    SN_ISA_128, // SSE2, NEON or WASM SIMD
    SN_ISA_AVX2,
    SN_ISA_AVX512,
} SnIsa;

// Milliseconds since some fixed moment, the clock of SnStepTimes. It never goes back, any thread may
// ask, and nothing that is simulated depends on it.
SN_API double sn_now_ms(void);

// "0.3.0".
SN_API const char *sn_version(void);
SN_API const char *sn_isa_name(SnIsa isa); // "scalar", "128", "avx2", "avx512"
SN_API bool sn_isa_available(SnIsa isa);

#ifdef __cplusplus
}
#endif
