import CoreDataCZlib
import Foundation

/// DEFLATE without a header or checksum around it: the form in which a store keeps its model.
package enum RawDeflate {
    package enum Failure: Error, Equatable {
        /// The bytes are no DEFLATE stream, or one that is cut off.
        case damaged
        /// The result would be larger than the caller, or the input than zlib, allows.
        case tooLarge
        /// zlib could not get memory.
        case outOfMemory
    }

    /// The bytes that `data` stands for. What follows the end of the stream is ignored.
    ///
    /// - Parameter limit: the most bytes to make; a small file can claim to hold gigabytes.
    /// - Throws: `Failure`
    package static func inflate(_ data: Data, limit: Int) throws -> Data {
        // zlib remembers where its stream lies, so that it must not move.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        defer { stream.deallocate() }
        stream.initialize(to: z_stream())
        guard coredata_inflateInit2(stream, -MAX_WBITS) == Z_OK else { throw Failure.outOfMemory }
        defer { inflateEnd(stream) }
        return try run(stream, over: data, limit: limit) { CoreDataCZlib.inflate(stream, Z_NO_FLUSH) }
    }

    /// `data` as a DEFLATE stream, as small as zlib makes it.
    ///
    /// - Throws: `Failure`
    package static func deflate(_ data: Data) throws -> Data {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        defer { stream.deallocate() }
        stream.initialize(to: z_stream())
        guard coredata_deflateInit2(stream, Z_BEST_COMPRESSION, -MAX_WBITS, 8) == Z_OK else {
            throw Failure.outOfMemory
        }
        defer { deflateEnd(stream) }
        return try run(stream, over: data, limit: Int.max) { CoreDataCZlib.deflate(stream, Z_FINISH) }
    }

    private static func run(
        _ stream: UnsafeMutablePointer<z_stream>, over input: Data, limit: Int, _ work: () -> Int32
    ) throws -> Data {
        guard let count = UInt32(exactly: input.count) else { throw Failure.tooLarge }
        var output = Data()
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        try input.withUnsafeBytes { bytes in
            // zlib declares its input as mutable, but does not change it.
            stream.pointee.next_in = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
            stream.pointee.avail_in = count
            while true {
                let (result, made) = chunk.withUnsafeMutableBufferPointer { buffer in
                    stream.pointee.next_out = buffer.baseAddress
                    stream.pointee.avail_out = UInt32(buffer.count)
                    return (work(), buffer.count - Int(stream.pointee.avail_out))
                }
                guard made <= limit - output.count else { throw Failure.tooLarge }
                output.append(contentsOf: chunk[..<made])
                switch result {
                case Z_STREAM_END: return
                // Without room or input, zlib reports that it got nowhere: the stream is cut off.
                case Z_OK where made > 0 || stream.pointee.avail_in > 0: continue
                case Z_MEM_ERROR: throw Failure.outOfMemory
                default: throw Failure.damaged
                }
            }
        }
        return output
    }
}
