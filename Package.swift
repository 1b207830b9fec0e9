// swift-tools-version:6.1
import PackageDescription

/// The platforms that have no Core Data of their own. On Apple platforms `import CoreData` is the system's framework,
/// so the targets that stand above it depend on ours only for these *target* platforms; a Mac can cross-compile.
let portable: [Platform] = [.linux, .android, .windows]

let coreData: Target.Dependency = .target(name: "CoreData", condition: .when(platforms: portable))

let package = Package(
    name: "OpenCoreData",
    products: [
        .library(name: "CoreData", targets: ["CoreData"]),
        .library(name: "CoreDataReset", targets: ["CoreDataReset"]),
        .executable(name: "coredata", targets: ["CoreDataCommand"]),
        .executable(name: "demo", targets: ["Demo"]),
        .plugin(name: "CoreDataModelPlugin", targets: ["CoreDataModelPlugin"]),
    ],
    targets: [
        .systemLibrary(name: "CoreDataCSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CoreDataCZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "CoreDataSQLite", dependencies: ["CoreDataCSQLite"]),
        .target(name: "FoundationBackfill"),
        .target(name: "CoreData", dependencies: ["FoundationBackfill", "CoreDataSQLite", "CoreDataCZlib"]),

        // On Apple's platforms, where the condition is not set, it does with what the system's framework has.
        .target(
            name: "CoreDataReset", dependencies: [coreData],
            swiftSettings: [.define("OPEN_CORE_DATA", .when(platforms: portable))]),

        // Swift code from models: what the plugin and the tool generate.
        .target(name: "CoreDataModelTools", dependencies: [coreData]),
        // The plugin's tool. On a Mac, where the plugin has nothing to do, it is empty.
        .executableTarget(
            name: "CoreDataModelCompiler",
            dependencies: [.target(name: "CoreDataModelTools", condition: .when(platforms: portable))]),
        .plugin(name: "CoreDataModelPlugin", capability: .buildTool(), dependencies: ["CoreDataModelCompiler"]),

        .target(
            name: "CoreDataTool", dependencies: [coreData, "CoreDataReset", "CoreDataModelTools", "CoreDataSQLite"]),
        // Not named like its product: where case does not count, `coredata` and `CoreData` would be one folder.
        .executableTarget(name: "CoreDataCommand", dependencies: ["CoreDataTool"]),

        .executableTarget(
            name: "Demo", dependencies: [coreData, "CoreDataReset"], path: "Examples/Demo",
            resources: [.copy("Library.xcdatamodeld")]),
        .target(
            name: "CoreDataBenchmarkRaw", dependencies: ["CoreDataCSQLite"], path: "Benchmarks/Raw"),
        .executableTarget(
            name: "Benchmarks", dependencies: [coreData, "CoreDataSQLite", "CoreDataBenchmarkRaw"],
            path: "Benchmarks/Runner"),

        .target(name: "TestSupport", path: "Tests/TestSupport"),
        .testTarget(name: "CoreDataSQLiteTests", dependencies: ["CoreDataSQLite", "TestSupport"]),
        .testTarget(name: "FoundationBackfillTests", dependencies: ["FoundationBackfill", "TestSupport"]),
        .testTarget(name: "CoreDataModelTests", dependencies: [coreData, "TestSupport"]),
        .testTarget(name: "CoreDataTests", dependencies: [coreData, "TestSupport"]),
        .testTarget(
            name: "CoreDataResetTests",
            dependencies: [coreData, "CoreDataReset", "TestSupport", "CoreDataTestChild"]),
        .target(name: "CoreDataTestFixtures", dependencies: [coreData], path: "Tests/CoreDataTestFixtures"),
        .executableTarget(
            name: "CoreDataTestChild", dependencies: [coreData, "CoreDataReset", "CoreDataTestFixtures"],
            path: "Tests/CoreDataTestChild"
        ),
        // Runs under the thread sanitizer: swift test --sanitize=thread --filter CoreDataConcurrencyTests
        .testTarget(
            name: "CoreDataConcurrencyTests", dependencies: [coreData, "TestSupport", "CoreDataTestChild"]),
        .testTarget(
            name: "CoreDataCrashTests",
            dependencies: [coreData, "CoreDataTestFixtures", "TestSupport", "CoreDataTestChild"]),
        // The same client code in both language modes: Swift5 is a link to Swift6.
        .testTarget(
            name: "ClientSwift5Tests", dependencies: [coreData], path: "Tests/ClientTests/Swift5",
            swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(name: "ClientSwift6Tests", dependencies: [coreData], path: "Tests/ClientTests/Swift6"),
        .testTarget(
            name: "CoreDataToolTests",
            dependencies: [coreData, "CoreDataTool", "CoreDataCommand", "CoreDataSQLite", "TestSupport"]),
        .testTarget(
            name: "CoreDataModelToolsTests", dependencies: [coreData, "CoreDataModelTools", "TestSupport"],
            exclude: ["Models"]),
        .testTarget(
            name: "CoreDataCorpusTests", dependencies: [coreData, "CoreDataSQLite", "CoreDataCSQLite", "TestSupport"]),
    ],
    swiftLanguageModes: [.v6]
)
