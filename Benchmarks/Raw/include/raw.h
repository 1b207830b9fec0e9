#ifndef COREDATA_BENCHMARK_RAW_H
#define COREDATA_BENCHMARK_RAW_H

#include <stdint.h>

// A generated row, the same for both contenders.
/// How many ids W3b asks for in one predicate.
enum { RAW_ID_COUNT = 10000 };

typedef struct {
    char name[64];
    char email[64];
    int32_t name_length, email_length;
    int32_t age;
    double score;
    double created_at;
    int32_t is_active;
    uint8_t uuid[16];
    int64_t team;
} raw_row;

// How long the measured part of a workload took, how much of that the processor was busy for it, and what it saw; a negative time
// is an error.
typedef struct {
    double seconds, cpu_seconds;
    double checksum;
} raw_result;

// Row `index` (from 0).
void raw_generate(int64_t index, raw_row *out);

// The `k`-th pseudo-random id in 1...count.
int64_t raw_random_id(int64_t k, int64_t count);

// Makes an empty schema with 1,000 teams, or one with `count` persons.
int raw_make_empty(const char *path);
int raw_make_filled(const char *path, int64_t count);

// Runs one workload ("W1" ... "W9") on the file.
raw_result raw_run(const char *workload, const char *path, int64_t count);

// Executes a script in one transaction on any file and times it: the hand-written side of W6d.
raw_result raw_execute(const char *path, const char *sql);

#endif
