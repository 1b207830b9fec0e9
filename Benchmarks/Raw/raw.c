// The zero line of the benchmarks: the raw SQLite C API on the same rows. Every fetched row is decoded into a struct that owns
// copies of its text and bytes; all are kept, then every field is read. One prepared statement a kind of work, one transaction
// where an object library would save once.
#include "raw.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *ddl =
    "CREATE TABLE team(id INTEGER PRIMARY KEY, name TEXT NOT NULL);"
    "CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, age INTEGER NOT NULL,"
    " score REAL NOT NULL, createdAt REAL NOT NULL, isActive INTEGER NOT NULL, uuid BLOB NOT NULL,"
    " teamId INTEGER NOT NULL);"
    "CREATE INDEX person_age ON person(age);"
    "CREATE INDEX person_team ON person(teamId);";

#define COLUMNS "id,name,email,age,score,createdAt,isActive,uuid,teamId"

static void check(sqlite3 *db, int code, const char *what) {
    if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
    fprintf(stderr, "raw SQLite: %s: %s\n", what, sqlite3_errmsg(db));
    exit(1);
}

static void execute(sqlite3 *db, const char *sql) { check(db, sqlite3_exec(db, sql, 0, 0, 0), sql); }

static sqlite3_stmt *prepare(sqlite3 *db, const char *sql) {
    sqlite3_stmt *statement = 0;
    check(db, sqlite3_prepare_v2(db, sql, -1, &statement, 0), sql);
    return statement;
}

static sqlite3 *open_file(const char *path) {
    sqlite3 *db = 0;
    check(db, sqlite3_open(path, &db), path);
    execute(db, "PRAGMA journal_mode=WAL");
    execute(db, "PRAGMA synchronous=NORMAL");
    return db;
}

static double seconds_of(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

typedef struct {
    double wall, cpu;
} moment;

static moment now(void) {
    return (moment){seconds_of(CLOCK_MONOTONIC), seconds_of(CLOCK_PROCESS_CPUTIME_ID)};
}

static void stop(raw_result *result, moment start) {
    moment end = now();
    result->seconds = end.wall - start.wall;
    result->cpu_seconds = end.cpu - start.cpu;
}

// Generator

static uint64_t mix(uint64_t x) {
    x += 0x9E3779B97F4A7C15ull;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

static const char *first_names[] = {"Anna",     "Bogdan",   "Charlotte", "Dmitri",  "Eleonora", "Francesco",
                                    "Gudrun",   "Hiroshi",  "Isabella",  "Johannes", "Katarina", "Leopold",
                                    "Margaret", "Nikolai",  "Ophelia",   "Patrick"};
static const char *last_names[] = {"Andersson", "Baker",     "Carpenter", "Delacroix", "Eriksson", "Fitzgerald",
                                   "Gonzalez",  "Hoffmann",  "Ivanov",    "Johnson",   "Kowalski", "Lindqvist",
                                   "Moreau",    "Nakamura",  "O'Brien",   "Petrov"};

void raw_generate(int64_t index, raw_row *out) {
    uint64_t a = mix((uint64_t)index * 4 + 1), b = mix((uint64_t)index * 4 + 2);
    uint64_t c = mix((uint64_t)index * 4 + 3), d = mix((uint64_t)index * 4 + 4);
    out->name_length = snprintf(out->name, 64, "%s %s %06d", first_names[a & 15], last_names[(a >> 4) & 15],
                                (int)((a >> 8) % 1000000));
    out->email_length = snprintf(out->email, 64, "user%lld@example.com", (long long)index);
    out->age = (int32_t)(b % 100);
    out->score = (double)(b >> 11) / 9007199254740992.0 * 1000.0;
    out->created_at = 600000000.0 + (double)((c >> 20) % 200000000);
    out->is_active = (int)(c & 1);
    memcpy(out->uuid, &c, 8);
    memcpy(out->uuid + 8, &d, 8);
    out->team = 1 + (int64_t)((d >> 7) % 1000);
}

int64_t raw_random_id(int64_t k, int64_t count) { return 1 + (int64_t)(mix((uint64_t)k + 777777) % (uint64_t)count); }

// Objects

typedef struct {
    int64_t id, team;
    double score, created_at;
    int32_t age, is_active, name_length, email_length;
    uint8_t uuid[16];
    char *name, *email;
    char text[];
} person;

static person *make_person(int name_length, const char *name, int email_length, const char *email) {
    person *p = malloc(sizeof(person) + (size_t)name_length + (size_t)email_length + 2);
    p->name_length = name_length;
    p->email_length = email_length;
    p->name = p->text;
    p->email = p->text + name_length + 1;
    memcpy(p->name, name, (size_t)name_length);
    p->name[name_length] = 0;
    memcpy(p->email, email, (size_t)email_length);
    p->email[email_length] = 0;
    return p;
}

static person *decode(sqlite3_stmt *s) {
    person *p = make_person(sqlite3_column_bytes(s, 1), (const char *)sqlite3_column_text(s, 1),
                            sqlite3_column_bytes(s, 2), (const char *)sqlite3_column_text(s, 2));
    p->id = sqlite3_column_int64(s, 0);
    p->age = sqlite3_column_int(s, 3);
    p->score = sqlite3_column_double(s, 4);
    p->created_at = sqlite3_column_double(s, 5);
    p->is_active = sqlite3_column_int(s, 6);
    memcpy(p->uuid, sqlite3_column_blob(s, 7), 16);
    p->team = sqlite3_column_int64(s, 8);
    return p;
}

static person *generated(int64_t index) {
    raw_row row;
    raw_generate(index, &row);
    person *p = make_person(row.name_length, row.name, row.email_length, row.email);
    p->age = row.age;
    p->score = row.score;
    p->created_at = row.created_at;
    p->is_active = row.is_active;
    memcpy(p->uuid, row.uuid, 16);
    p->team = row.team;
    return p;
}

static double checksum(const person *p) {
    return (double)p->name_length + p->name[p->name_length - 1] + p->email_length + p->email[p->email_length - 1] + p->age
        + p->score + p->created_at / 1e6 + p->is_active + p->uuid[0] + p->uuid[15] + (p->team != 0);
}

typedef struct {
    person **items;
    size_t count, capacity;
} person_list;

static person_list fetch_all(sqlite3 *db, sqlite3_stmt *s) {
    person_list list = {0};
    int code;
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        if (list.count == list.capacity) {
            list.capacity = list.capacity ? list.capacity * 2 : 64;
            list.items = realloc(list.items, list.capacity * sizeof(person *));
        }
        list.items[list.count++] = decode(s);
    }
    check(db, code, "fetch");
    sqlite3_reset(s);
    return list;
}

static void free_all(person_list *list) {
    for (size_t i = 0; i < list->count; i++) free(list->items[i]);
    free(list->items);
}

static void insert(sqlite3 *db, person **items, int64_t count) {
    execute(db, "BEGIN");
    sqlite3_stmt *s = prepare(
        db, "INSERT INTO person(name,email,age,score,createdAt,isActive,uuid,teamId) VALUES(?,?,?,?,?,?,?,?)");
    for (int64_t i = 0; i < count; i++) {
        person *p = items[i];
        sqlite3_bind_text(s, 1, p->name, p->name_length, SQLITE_STATIC);
        sqlite3_bind_text(s, 2, p->email, p->email_length, SQLITE_STATIC);
        sqlite3_bind_int(s, 3, p->age);
        sqlite3_bind_double(s, 4, p->score);
        sqlite3_bind_double(s, 5, p->created_at);
        sqlite3_bind_int(s, 6, p->is_active);
        sqlite3_bind_blob(s, 7, p->uuid, 16, SQLITE_STATIC);
        sqlite3_bind_int64(s, 8, p->team);
        check(db, sqlite3_step(s), "insert");
        sqlite3_reset(s);
        p->id = sqlite3_last_insert_rowid(db);
    }
    sqlite3_finalize(s);
    execute(db, "COMMIT");
}

int raw_make_empty(const char *path) { return raw_make_filled(path, 0); }

int raw_make_filled(const char *path, int64_t count) {
    sqlite3 *db = open_file(path);
    execute(db, "BEGIN");
    execute(db, ddl);
    execute(db, "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 1000)"
                " INSERT INTO team SELECT i, 'Team ' || i FROM c");
    execute(db, "COMMIT");
    if (count > 0) {
        person **items = malloc((size_t)count * sizeof(person *));
        for (int64_t i = 0; i < count; i++) items[i] = generated(i);
        insert(db, items, count);
        for (int64_t i = 0; i < count; i++) free(items[i]);
        free(items);
    }
    execute(db, "PRAGMA wal_checkpoint(TRUNCATE)");
    sqlite3_close(db);
    return 0;
}

// Workloads

static double insert_all(sqlite3 *db, int64_t count, moment *start) {
    raw_row *rows = malloc((size_t)count * sizeof(raw_row));
    for (int64_t i = 0; i < count; i++) raw_generate(i, &rows[i]);
    *start = now();
    person **items = malloc((size_t)count * sizeof(person *));
    for (int64_t i = 0; i < count; i++) {
        raw_row *row = &rows[i];
        person *p = make_person(row->name_length, row->name, row->email_length, row->email);
        p->age = row->age;
        p->score = row->score;
        p->created_at = row->created_at;
        p->is_active = row->is_active;
        memcpy(p->uuid, row->uuid, 16);
        p->team = row->team;
        items[i] = p;
    }
    insert(db, items, count);
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += (double)items[i]->id;
    return sum;
}

static double look_up(sqlite3 *db, int64_t count) {
    sqlite3_stmt *s = prepare(db, "SELECT " COLUMNS " FROM person WHERE id=?");
    double sum = 0;
    for (int64_t k = 0; k < 20000; k++) {
        sqlite3_bind_int64(s, 1, raw_random_id(k, count));
        check(db, sqlite3_step(s), "look-up");
        person *p = decode(s);
        sqlite3_reset(s);
        sum += checksum(p);
        free(p);
    }
    sqlite3_finalize(s);
    return sum;
}

static double update_all(sqlite3 *db, person_list *list) {
    execute(db, "BEGIN");
    sqlite3_stmt *s = prepare(db, "UPDATE person SET score=? WHERE id=?");
    double sum = 0;
    for (size_t i = 0; i < list->count; i++) {
        person *p = list->items[i];
        p->score += 1;
        sum += p->score;
        sqlite3_bind_double(s, 1, p->score);
        sqlite3_bind_int64(s, 2, p->id);
        check(db, sqlite3_step(s), "update");
        sqlite3_reset(s);
    }
    sqlite3_finalize(s);
    execute(db, "COMMIT");
    return sum;
}

static double delete_each(sqlite3 *db, person_list *list) {
    execute(db, "BEGIN");
    sqlite3_stmt *s = prepare(db, "DELETE FROM person WHERE id=?");
    for (size_t i = 0; i < list->count; i++) {
        sqlite3_bind_int64(s, 1, list->items[i]->id);
        check(db, sqlite3_step(s), "delete");
        sqlite3_reset(s);
    }
    sqlite3_finalize(s);
    execute(db, "COMMIT");
    return (double)list->count;
}

static double delete_with_ids(sqlite3 *db) {
    execute(db, "BEGIN");
    int64_t *ids = 0;
    size_t count = 0, capacity = 0;
    sqlite3_stmt *s = prepare(db, "SELECT id FROM person");
    while (sqlite3_step(s) == SQLITE_ROW) {
        if (count == capacity) {
            capacity = capacity ? capacity * 2 : 1024;
            ids = realloc(ids, capacity * sizeof(int64_t));
        }
        ids[count++] = sqlite3_column_int64(s, 0);
    }
    sqlite3_finalize(s);
    execute(db, "DELETE FROM person");
    execute(db, "COMMIT");
    free(ids);
    return (double)count;
}

static double read_all(sqlite3 *db, sqlite3_stmt *s) {
    person_list list = fetch_all(db, s);
    double sum = 0;
    for (size_t i = 0; i < list.count; i++) sum += checksum(list.items[i]);
    free_all(&list);
    return sum;
}

// 1 % of the rows, twenty times, by the index on the age.
static double fetch_by_age(sqlite3 *db) {
    sqlite3_stmt *s = prepare(db, "SELECT " COLUMNS " FROM person WHERE age=?");
    double sum = 0;
    for (int i = 0; i < 20; i++) {
        sqlite3_bind_int(s, 1, i * 5);
        sum += read_all(db, s);
        sqlite3_reset(s);
    }
    sqlite3_finalize(s);
    return sum;
}

// The persons of each team.
static double fetch_by_team(sqlite3 *db) {
    sqlite3_stmt *teams = prepare(db, "SELECT id, name FROM team");
    sqlite3_stmt *s = prepare(db, "SELECT " COLUMNS " FROM person WHERE teamId=?");
    double sum = 0;
    while (sqlite3_step(teams) == SQLITE_ROW) {
        sqlite3_bind_int64(s, 1, sqlite3_column_int64(teams, 0));
        sum += read_all(db, s);
        sqlite3_reset(s);
    }
    sqlite3_finalize(s);
    sqlite3_finalize(teams);
    return sum;
}

static double fetch_first_by_name(sqlite3 *db) {
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        sqlite3_stmt *s = prepare(db, "SELECT " COLUMNS " FROM person ORDER BY name LIMIT 50");
        sum += read_all(db, s);
        sqlite3_finalize(s);
    }
    return sum;
}

// All ids, and the first 50 rows.
static double fetch_ids_and_first_rows(sqlite3 *db) {
    int64_t *ids = 0;
    size_t count = 0, capacity = 0;
    sqlite3_stmt *s = prepare(db, "SELECT id FROM person ORDER BY id");
    while (sqlite3_step(s) == SQLITE_ROW) {
        if (count == capacity) {
            capacity = capacity ? capacity * 2 : 1024;
            ids = realloc(ids, capacity * sizeof(int64_t));
        }
        ids[count++] = sqlite3_column_int64(s, 0);
    }
    sqlite3_finalize(s);
    s = prepare(db, "SELECT " COLUMNS " FROM person WHERE id=?");
    double sum = (double)count;
    for (size_t i = 0; i < 50 && i < count; i++) {
        sqlite3_bind_int64(s, 1, ids[i]);
        sum += read_all(db, s);
        sqlite3_reset(s);
    }
    sqlite3_finalize(s);
    free(ids);
    return sum;
}

// As many parameters as ids, which is what a program would write by hand.
static double fetch_by_ids(sqlite3 *db, int64_t count) {
    const char *start = "SELECT " COLUMNS " FROM person WHERE id IN (?";
    char *sql = malloc(strlen(start) + 2 * RAW_ID_COUNT + 2);
    char *end = sql + sprintf(sql, "%s", start);
    for (int i = 1; i < RAW_ID_COUNT; i++) end += sprintf(end, ",?");
    sprintf(end, ")");
    sqlite3_stmt *s = prepare(db, sql);
    for (int i = 0; i < RAW_ID_COUNT; i++) sqlite3_bind_int64(s, i + 1, raw_random_id(i, count));
    double sum = read_all(db, s);
    sqlite3_finalize(s);
    free(sql);
    return sum;
}

static void remove_group(const char *path) {
    char other[4096];
    unlink(path);
    snprintf(other, sizeof other, "%s-wal", path);
    unlink(other);
    snprintf(other, sizeof other, "%s-shm", path);
    unlink(other);
}

raw_result raw_run(const char *workload, const char *path, int64_t count) {
#define IS(name) (strcmp(workload, name) == 0)
    sqlite3 *db = open_file(path);
    raw_result result = {0};
    person_list list = {0};
    int needs_objects = IS("W5") || IS("W6c");
    if (needs_objects) {
        sqlite3_stmt *s = prepare(db, "SELECT " COLUMNS " FROM person");
        list = fetch_all(db, s);
        sqlite3_finalize(s);
    }
    moment start = now();
    if (IS("W1")) {
        result.checksum = insert_all(db, count, &start);
    } else if (IS("W2")) {
        sqlite3_stmt *s = prepare(db, "SELECT " COLUMNS " FROM person");
        list = fetch_all(db, s);
        for (size_t i = 0; i < list.count; i++) result.checksum += checksum(list.items[i]);
        sqlite3_finalize(s);
    } else if (IS("W2b")) {
        result.checksum = fetch_ids_and_first_rows(db);
    } else if (IS("W3")) {
        result.checksum = fetch_by_age(db);
    } else if (IS("W3b")) {
        result.checksum = fetch_by_ids(db, count);
    } else if (IS("W7")) {
        result.checksum = fetch_first_by_name(db);
    } else if (IS("W4")) {
        result.checksum = look_up(db, count);
    } else if (IS("W5")) {
        result.checksum = update_all(db, &list);
    } else if (IS("W6a")) {
        execute(db, "DELETE FROM person");
        result.checksum = sqlite3_changes(db);
    } else if (IS("W6b")) {
        result.checksum = delete_with_ids(db);
    } else if (IS("W6c")) {
        result.checksum = delete_each(db, &list);
    } else if (IS("W8")) {
        result.checksum = fetch_by_team(db);
    } else if (IS("W9")) {
        sqlite3_close(db);
        remove_group(path);
        db = open_file(path);
        execute(db, "BEGIN");
        execute(db, ddl);
        execute(db, "COMMIT");
        execute(db, "PRAGMA wal_checkpoint(TRUNCATE)");
        result.checksum = 1;
    } else {
        result.seconds = -1;
        sqlite3_close(db);
        return result;
    }
    stop(&result, start);
    free_all(&list);
    sqlite3_close(db);
    return result;
}

raw_result raw_execute(const char *path, const char *sql) {
    sqlite3 *db = open_file(path);
    raw_result result = {0};
    moment start = now();
    execute(db, "BEGIN IMMEDIATE");
    execute(db, sql);
    execute(db, "COMMIT");
    stop(&result, start);
    result.checksum = sqlite3_total_changes(db);
    sqlite3_close(db);
    return result;
}
