import CoreData
import Testing

@Suite struct RawDeflateTests {
    /// A fixed-Huffman block, as RFC 1951 defines it.
    private let hello = Data([0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00])

    @Test func aStreamInflates() throws {
        #expect(try RawDeflate.inflate(hello, limit: 5) == Data("hello".utf8))
        let stored = Data([0x01, 0x03, 0x00, 0xFC, 0xFF, 0x61, 0x62, 0x63])
        #expect(try RawDeflate.inflate(stored, limit: 100) == Data("abc".utf8))
    }

    @Test func bytesBehindTheStreamAreIgnored() throws {
        #expect(try RawDeflate.inflate(hello + Data([1, 2, 3]), limit: 5) == Data("hello".utf8))
    }

    @Test func aSliceInflates() throws {
        let slice = (Data([9, 9]) + hello)[2...]
        #expect(try RawDeflate.inflate(slice, limit: 5) == Data("hello".utf8))
    }

    @Test func theBoundIsExact() throws {
        #expect(throws: RawDeflate.Failure.tooLarge) { try RawDeflate.inflate(hello, limit: 4) }
        let zeros = Data(count: 1 << 20)
        let packed = try RawDeflate.deflate(zeros)
        #expect(packed.count < 2000)
        #expect(try RawDeflate.inflate(packed, limit: 1 << 20) == zeros)
        #expect(throws: RawDeflate.Failure.tooLarge) { try RawDeflate.inflate(packed, limit: 1 << 20 - 1) }
        #expect(throws: RawDeflate.Failure.tooLarge) { try RawDeflate.inflate(packed, limit: 0) }
    }

    @Test func aCutOffOrForeignStreamIsDamaged() {
        for length in 0..<hello.count - 1 {
            #expect(throws: RawDeflate.Failure.damaged) { try RawDeflate.inflate(hello.prefix(length), limit: 100) }
        }
        #expect(throws: RawDeflate.Failure.damaged) {
            try RawDeflate.inflate(Data(repeating: 0xFF, count: 50), limit: 100)
        }
        // A zlib header is no raw stream.
        #expect(throws: RawDeflate.Failure.damaged) { try RawDeflate.inflate(Data([0x78, 0x9C]) + hello, limit: 100) }
    }

    @Test func whatIsDeflatedInflatesToTheSame() throws {
        var state: UInt64 = 1
        for length in [0, 1, 65535, 65536, 65537, 300_000] {
            var noise = Data(capacity: length)
            for _ in 0..<length {
                state = state &* 6_364_136_223_846_793_005 &+ 1
                noise.append(UInt8(truncatingIfNeeded: state >> 33))
            }
            #expect(try RawDeflate.inflate(RawDeflate.deflate(noise), limit: length) == noise)
        }
    }
}
