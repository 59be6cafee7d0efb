// swift-tools-version: 6.2.3
import PackageDescription

let package = Package(
  name: "benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "PromiseLedger", path: "../.."),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CLMDB", path: "lmdb", pkgConfig: "lmdb",
      providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),
    .target(name: "CAllocations", path: "allocations"),
    .target(name: "CDisk", dependencies: ["CLMDB"], path: "disk"),
    .target(
      name: "InMemoryShapes",
      dependencies: [
        "CAllocations",
        .product(name: "LedgerPromises", package: "PromiseLedger"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "OpenCombine", package: "OpenCombine"),
      ]
    ),
    .executableTarget(name: "PromiseBenchmarks", dependencies: ["InMemoryShapes"]),
    .executableTarget(
      name: "ComparisonBenchmarks",
      dependencies: [
        "CDisk", "InMemoryShapes",
        .product(name: "PromiseLedger", package: "PromiseLedger"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ]
    ),
    .executableTarget(
      name: "QueueBenchmarks",
      dependencies: [
        .product(name: "PromiseLedger", package: "PromiseLedger"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)
