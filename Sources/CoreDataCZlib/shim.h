#ifndef COREDATA_CZLIB_SHIM_H
#define COREDATA_CZLIB_SHIM_H

#include <zlib.h>

// inflateInit2 and deflateInit2 are macros, which Swift does not import.
static inline int coredata_inflateInit2(z_stream *stream, int windowBits) {
    return inflateInit2(stream, windowBits);
}
static inline int coredata_deflateInit2(z_stream *stream, int level, int windowBits, int memLevel) {
    return deflateInit2(stream, level, Z_DEFLATED, windowBits, memLevel, Z_DEFAULT_STRATEGY);
}

#endif
