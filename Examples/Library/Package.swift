// swift-tools-version:6.1
// An app's model layer as it looks in Xcode, built where there is no Xcode: a model with all three kinds of code generation and
// hand-written classes in a library, two programs that use it, and tests.
import PackageDescription

let coreData: Target.Dependency = .product(
    name: "CoreData", package: "OpenCoreData", condition: .when(platforms: [.linux, .android, .windows]))
let models: Target.PluginUsage = .plugin(name: "CoreDataModelPlugin", package: "OpenCoreData")

let package = Package(
    name: "LibraryExample",
    products: [.library(name: "Catalog", targets: ["Catalog"])],
    dependencies: [.package(name: "OpenCoreData", path: "../..")],
    targets: [
        // Types of properties may come from other modules.
        .target(name: "Shelving"),
        .target(name: "Catalog", dependencies: [coreData, "Shelving"], plugins: [models]),
        .executableTarget(name: "librarian", dependencies: [coreData, "Catalog"], plugins: [models]),
        .executableTarget(name: "reader", dependencies: [coreData, "Catalog"]),
        .testTarget(name: "CatalogTests", dependencies: [coreData, "Catalog"], plugins: [models]),
    ],
    swiftLanguageModes: [.v6]
)
