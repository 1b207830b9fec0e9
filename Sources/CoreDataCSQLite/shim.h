#ifndef COREDATA_CSQLITE_SHIM_H
#define COREDATA_CSQLITE_SHIM_H

#include <sqlite3.h>

// Swift cannot call C variadics, so each form of sqlite3_db_config that is used gets a typed twin here.
static inline int coredata_sqlite3_db_config_int(sqlite3 *db, int op, int value, int *result) {
    return sqlite3_db_config(db, op, value, result);
}

#endif
