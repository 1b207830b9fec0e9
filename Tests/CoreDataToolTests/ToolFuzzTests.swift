import CoreData
import Foundation
import TestSupport
import Testing

@testable import CoreDataTool

/// Mutated metadata and cached models, read the way the tool reads them: a minute in continuous integration,
/// `COREDATA_FUZZ_SECONDS` in `make soak`, two seconds otherwise. A failure's seed is in its message; a crash's is in the file it
/// leaves, see `ToolFuzz.log`.
struct ToolFuzzTests {
    static let seconds: Double = {
        let environment = ProcessInfo.processInfo.environment
        if let text = environment["COREDATA_FUZZ_SECONDS"], let seconds = Double(text) { return seconds }
        return environment["CI"] == "true" ? 60 : 2
    }()

    @Test(.timeLimit(.minutes(600))) func noModelOrMetadataStopTheProgram() throws {
        let folder = try TemporaryDirectory()
        let url = try SmallModel.store(in: folder)
        let seeds = try ToolFuzz.seeds(url)
        let start = Date()
        var round =
            UInt64(ProcessInfo.processInfo.environment["COREDATA_FUZZ_SEED"] ?? "")
            ?? UInt64(start.timeIntervalSince1970)
        var slowest = (seconds: 0.0, round: round)
        var rounds = 0
        while Date().timeIntervalSince(start) < Self.seconds {
            ToolFuzz.log(round)
            let begin = Date()
            ToolFuzz.run(round, seeds)
            let seconds = Date().timeIntervalSince(begin)
            if seconds > slowest.seconds { slowest = (seconds, round) }
            round += 1
            rounds += 1
        }
        #expect(rounds > 0)
        #expect(slowest.seconds < 20, "round \(slowest.round) took \(slowest.seconds) s")
        ToolFuzz.log(nil)
    }
}

/// One round: a seed is mutated and read; whatever comes of it is shown.
enum ToolFuzz {
    struct Seeds {
        /// Archives of models, inflated: mutating the compressed form mostly breaks only that.
        var archives: [Data]
        var metadata: [Data]
    }

    static func seeds(_ store: URL) throws -> Seeds {
        var archives = [try RawDeflate.inflate(SmallModel.make().storeCacheContents(), limit: 1 << 26)]
        var metadata: [Data] = []
        let paths = Corpus.isUsable && SQLiteShell.isPresent ? Corpus.stores : []
        for path in [store.path] + paths.map({ Corpus.url($0).path }) {
            let columns = try sqlite3(
                "file:" + path.replacingOccurrences(of: " ", with: "%20").replacingOccurrences(of: "+", with: "%2B")
                    + "?immutable=1", "SELECT hex(Z_PLIST) FROM Z_METADATA")
            metadata.append(Data(hex: columns))
            if Corpus.storesWithModel.contains(path), path != store.path {
                let cache = try sqlite3(
                    "file:" + path.replacingOccurrences(of: " ", with: "%20").replacingOccurrences(of: "+", with: "%2B")
                        + "?immutable=1", "SELECT hex(Z_CONTENT) FROM Z_MODELCACHE")
                if let archive = try? RawDeflate.inflate(Data(hex: cache), limit: 1 << 26), archive.count < 200_000 {
                    archives.append(archive)
                }
            }
        }
        return Seeds(archives: archives, metadata: metadata.filter { !$0.isEmpty })
    }

    static func run(_ round: UInt64, _ seeds: Seeds) {
        var generator = Generator(state: round &* 0x9E37_79B9_7F4A_7C15)
        for _ in 0..<4 { _ = generator.next() }
        let isModel = !generator.next().isMultiple(of: 3)
        let pool = isModel ? seeds.archives : seeds.metadata
        guard let seed = pool.randomElement(using: &generator) else { return }
        let data = mutated(seed, with: pool.randomElement(using: &generator) ?? seed, &generator)
        if isModel {
            readModel(data)
        } else if let metadata = try? StoreMetadata.decode(data, url: nil) {
            _ = MetadataValue.json(metadata).document
            for (key, value) in metadata { _ = key.printable + MetadataValue.text(value) }
        }
    }

    private static func readModel(_ archive: Data) {
        guard let model = try? NSManagedObjectModel.model(fromArchive: archive) else { return }
        model.freeze()
        let console = Console(output: TextSink(descriptor: nil), errors: TextSink(descriptor: nil))
        let schema = Schema(SchemaSource(path: "fuzz", model: model, store: nil), only: nil)
        SchemaListing(schema, console).print()
        _ = schema.json.document
        _ = try? model.storeCacheContents()
    }

    private static func mutated(_ seed: Data, with other: Data, _ generator: inout Generator) -> Data {
        var bytes = [UInt8](seed)
        for _ in 0..<Int.random(in: 1...6, using: &generator) where !bytes.isEmpty {
            let position = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<7, using: &generator) {
            case 0: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 1: bytes[position] = UInt8.random(in: 0...255, using: &generator)
            case 2: bytes[position] = [0, 0x7F, 0x80, 0xFF, 0xD0, 0xA0].randomElement(using: &generator) ?? 0
            case 3:
                // A reference of an object leads elsewhere.
                let from = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[position] = bytes[from]
            case 4:
                let count = min(Int.random(in: 1...32, using: &generator), bytes.count - position)
                bytes.removeSubrange(position..<position + count)
            case 5:
                let tail = [UInt8](other)
                let from = Int.random(in: 0..<max(tail.count, 1), using: &generator)
                bytes.insert(contentsOf: tail[from..<min(from + 16, tail.count)], at: position)
            default:
                // The last 32 bytes say where everything is.
                let last = max(0, bytes.count - 1 - Int.random(in: 0..<32, using: &generator))
                bytes[last] = UInt8.random(in: 0...255, using: &generator)
            }
        }
        return Data(bytes)
    }

    /// The round that is running, for after a crash: `COREDATA_FUZZ_SEED` repeats it.
    static func log(_ round: UInt64?) {
        let path = NSTemporaryDirectory() + "/OpenCoreData-fuzz-\(getpid())"
        if let round { try? Data("\(round)\n".utf8).write(to: URL(fileURLWithPath: path)) } else { unlink(path) }
    }
}
