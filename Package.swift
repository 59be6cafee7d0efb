// swift-tools-version: 6.2.3
import PackageDescription

let package = Package(
  name: "PromiseLedger",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "PromiseLedger", targets: ["PromiseLedger"]),
    .library(name: "PromiseLedgerPostgreSQL", targets: ["PromiseLedgerPostgreSQL"]),
    .library(name: "PromiseLedgerTesting", targets: ["PromiseLedgerTesting"]),
    .library(name: "PromiseLedgerSwiftTesting", targets: ["PromiseLedgerSwiftTesting"]),
    .library(name: "LedgerRuntime", targets: ["LedgerRuntime"]),
    .library(name: "LedgerRuntimeTesting", targets: ["LedgerRuntimeTesting"]),
    .library(name: "LedgerPromises", targets: ["LedgerPromises"]),
    .executable(name: "promise-ledger", targets: ["promise-ledger"]),
    .executable(name: "promise-ledger-postgresql", targets: ["promise-ledger-postgresql"]),
  ],
  traits: [
    // The tool has all its verbs unless somebody asks for less. No library depends on what this trait adds, so a
    // package that uses one never builds it; with `traits: []` it does not even fetch it.
    .default(enabledTraits: ["Serve"]),
    .trait(
      name: "Serve", description: "The tool promise-ledger has the verb serve, a page in a browser."
    ),
    .trait(
      name: "ServiceLifecycle",
      description: "LedgerRunner conforms to the protocol Service of swift-service-lifecycle."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    // Until version 1.0 a minor version may break what uses it.
    .package(url: "https://github.com/swhitty/FlyingFox", .upToNextMinor(from: "0.27.1")),
  ],
  targets: [
    // MARK: - Library

    .systemLibrary(
      name: "CLedgerLMDB",
      pkgConfig: "lmdb",
      providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]
    ),
    .systemLibrary(
      name: "CLedgerPostgreSQL",
      pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"]), .brew(["libpq"])]
    ),
    .systemLibrary(
      name: "CLedgerZlib",
      pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]
    ),
    .target(name: "CLedgerBytes"),
    .target(name: "CLedgerSystem"),
    .target(name: "LedgerLibC"),
    .target(name: "LedgerLocks"),
    .target(name: "LedgerBytes", dependencies: ["CLedgerBytes"]),
    .target(name: "LedgerGzip", dependencies: ["CLedgerZlib"]),
    .target(name: "LedgerSystem", dependencies: ["CLedgerSystem", "LedgerLibC", "LedgerLocks"]),
    .target(
      name: "LedgerLMDB",
      dependencies: ["CLedgerLMDB", "LedgerLibC", "LedgerLocks", "LedgerSystem"]
    ),
    .target(
      name: "LedgerPostgreSQL",
      dependencies: ["CLedgerPostgreSQL", "LedgerLibC", "LedgerLocks", "LedgerSystem"]
    ),
    .target(
      name: "LedgerPromises",
      dependencies: ["LedgerLibC", "LedgerLocks", .product(name: "Logging", package: "swift-log")]
    ),
    .target(
      name: "LedgerModel",
      dependencies: [
        "LedgerBytes", "LedgerLocks",
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "HeapModule", package: "swift-collections"),
      ]
    ),
    .target(
      name: "LedgerRuntime",
      dependencies: [
        "LedgerBytes", "LedgerLocks", "LedgerModel", "LedgerPromises", "LedgerSystem",
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "HeapModule", package: "swift-collections"),
        .product(name: "Logging", package: "swift-log"),
        .product(
          name: "ServiceLifecycle", package: "swift-service-lifecycle",
          condition: .when(traits: ["ServiceLifecycle"])),
      ]
    ),
    .target(
      name: "PromiseLedger",
      dependencies: [
        "LedgerBytes", "LedgerLMDB", "LedgerLocks", "LedgerModel", "LedgerRuntime", "LedgerSystem",
        .product(name: "Logging", package: "swift-log"),
      ]
    ),
    .target(
      name: "PromiseLedgerPostgreSQL",
      dependencies: [
        "LedgerBytes", "LedgerLocks", "LedgerModel", "LedgerPostgreSQL", "LedgerRuntime",
        "LedgerSystem",
        .product(name: "Logging", package: "swift-log"),
      ]
    ),
    .target(
      name: "LedgerRuntimeTesting",
      dependencies: [
        "LedgerBytes", "LedgerLocks", "LedgerModel", "LedgerPromises", "LedgerRuntime",
        "LedgerSystem",
      ]
    ),
    .target(
      name: "PromiseLedgerTesting",
      dependencies: [
        "LedgerLocks", "LedgerModel", "LedgerRuntimeTesting", "LedgerSystem", "PromiseLedger",
      ]
    ),
    // Apart, because it links Swift Testing into every program that uses it.
    .target(
      name: "PromiseLedgerSwiftTesting",
      dependencies: ["LedgerRuntimeTesting", "PromiseLedgerTesting"]
    ),

    // MARK: - Tools

    .target(
      name: "LedgerVerbs",
      dependencies: [
        "LedgerBytes", "LedgerGzip", "LedgerLocks", "LedgerRuntime", "LedgerSystem",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(
          name: "FlyingSocks", package: "FlyingFox", condition: .when(traits: ["Serve"])),
      ],
      path: "Tools/verbs",
      resources: [
        "page.html", "page.css", "data.js", "elements.js", "lists.js", "waterfall.js", "detail.js",
        "actions.js", "overview.js", "page.js", "live.js",
      ].map { .embedInCode("Page/\($0)") }
    ),
    .executableTarget(
      name: "promise-ledger",
      dependencies: [
        "LedgerSystem", "LedgerVerbs", "PromiseLedger",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tools/promise-ledger"),
    .executableTarget(
      name: "promise-ledger-postgresql",
      dependencies: [
        "LedgerVerbs", "PromiseLedgerPostgreSQL",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tools/promise-ledger-postgresql"),
    .executableTarget(
      name: "avatar-demo",
      dependencies: [
        "PromiseLedger",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tools/avatar-demo"),
    .target(
      name: "CLedgerBaseline", dependencies: ["CLedgerBytes", "CLedgerLMDB"],
      path: "Tools/benchmarks/baseline"),
    .target(
      name: "LedgerMeasuring", dependencies: ["LedgerSystem"], path: "Tools/benchmarks/measuring"
    ),
    .executableTarget(
      name: "ledger-benchmarks",
      dependencies: [
        "CLedgerBaseline", "LedgerBytes", "LedgerMeasuring", "LedgerSystem", "PromiseLedger",
        "PromiseLedgerTesting",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tools/benchmarks/ledger"),
    .executableTarget(
      name: "ledger-postgresql-benchmarks",
      dependencies: [
        "LedgerMeasuring", "LedgerModel", "LedgerPostgreSQL", "LedgerPostgreSQLTestSupport",
        "LedgerRuntime", "LedgerSystem", "PromiseLedgerPostgreSQL", "PromiseLedgerTesting",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tools/benchmarks/postgresql"),

    // MARK: - Tests

    .target(
      name: "LedgerTestSupport",
      dependencies: [
        "LedgerLMDB", "LedgerLocks", "LedgerRuntime", "LedgerSystem", "PromiseLedger",
      ],
      path: "Tests/LedgerTestSupport"),
    .target(name: "LedgerTreeSupport", path: "Tests/LedgerTreeSupport"),
    .target(
      name: "LedgerFuzzTargets", dependencies: ["LedgerBytes", "LedgerModel"],
      path: "Tests/FuzzTargets"),
    .target(
      name: "LedgerArchiveRules",
      dependencies: ["LedgerBytes", "LedgerFuzzTargets", "LedgerModel", "LedgerRuntime"],
      path: "Tests/ArchiveRules"),
    .target(
      name: "LedgerArgumentRules",
      dependencies: [
        "LedgerFuzzTargets", "LedgerModel", "LedgerVerbs", "promise-ledger",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tests/ArgumentRules"),
    .target(
      name: "LedgerModelTestSupport",
      dependencies: [
        "LedgerBytes", "LedgerLocks", "LedgerModel", "LedgerRuntime", "LedgerRuntimeTesting",
        "LedgerTestSupport",
      ],
      path: "Tests/LedgerModelTestSupport"),
    .target(name: "LedgerOracle", path: "Tests/LedgerOracle"),
    .target(name: "LedgerLinearizability", path: "Tests/LedgerLinearizability"),
    .target(
      name: "LedgerHistoryClient",
      dependencies: [
        "LedgerLinearizability", "LedgerRuntime", "LedgerTestSupport",
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Tests/LedgerHistoryClient"),
    .target(
      name: "LedgerHistories",
      dependencies: [
        "LedgerLinearizability", "LedgerLocks", "LedgerSystem", "LedgerTestSupport",
        "LedgerWorkerSupport", "PromiseLedger", "PromiseLedgerTesting",
      ],
      path: "Tests/LedgerHistories"),
    .target(
      name: "LedgerWalk",
      dependencies: [
        "LedgerLocks", "LedgerModel", "LedgerModelTestSupport", "LedgerOracle", "LedgerRuntime",
        "LedgerRuntimeTesting", "LedgerTestSupport", "PromiseLedger", "PromiseLedgerTesting",
      ],
      path: "Tests/LedgerWalk"),
    .target(
      name: "LedgerPowerLoss",
      dependencies: [
        "LedgerBytes", "LedgerLocks", "LedgerSystem", "LedgerTestSupport", "LedgerWorkerSupport",
        "PromiseLedgerTesting",
      ],
      path: "Tests/LedgerPowerLoss"),
    .executableTarget(
      name: "ledger-long-run",
      dependencies: [
        "LedgerHistories", "LedgerLinearizability", "LedgerOracle", "LedgerPowerLoss", "LedgerWalk",
        "LedgerWorkerSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tests/LongRun"),
    .testTarget(
      name: "LedgerLMDBTests",
      dependencies: [
        "CLedgerLMDB", "LedgerLMDB", "LedgerLocks", "LedgerSystem", "LedgerTestSupport",
        "LedgerTreeSupport", "PromiseLedgerTesting",
      ]
    ),
    .target(
      name: "LedgerPostgreSQLTestSupport",
      dependencies: [
        "LedgerLibC", "LedgerLocks", "LedgerModel", "LedgerPostgreSQL", "LedgerRuntimeTesting",
        "LedgerSystem", "PromiseLedgerPostgreSQL",
      ],
      path: "Tests/LedgerPostgreSQLTestSupport"),
    .target(
      name: "LedgerPostgreSQLFaults",
      dependencies: [
        "LedgerHistories", "LedgerLinearizability", "LedgerLocks", "LedgerModel",
        "LedgerPostgreSQL", "LedgerPostgreSQLTestSupport", "LedgerSystem", "LedgerTestSupport",
        "LedgerWorkerSupport", "PromiseLedgerPostgreSQL",
      ],
      path: "Tests/LedgerPostgreSQLFaults"),
    .target(name: "CLedgerWrongClock", path: "Tests/CLedgerWrongClock"),
    .executableTarget(
      name: "ledger-postgresql-worker",
      dependencies: [
        "CLedgerWrongClock", "LedgerHistoryClient", "LedgerModel", "LedgerPostgreSQL",
        "LedgerPostgreSQLTestSupport", "LedgerSystem", "LedgerTestSupport",
        "PromiseLedgerPostgreSQL",
      ],
      path: "Tests/PostgreSQLWorker"),
    .executableTarget(
      name: "ledger-postgresql-long-run",
      dependencies: [
        "LedgerHistories", "LedgerLinearizability", "LedgerPostgreSQLFaults",
        "LedgerPostgreSQLTestSupport", "LedgerTestSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tests/PostgreSQLLongRun"),
    .testTarget(
      name: "PromiseLedgerPostgreSQLTests",
      dependencies: [
        "LedgerHistories", "LedgerLinearizability", "LedgerPostgreSQLFaults",
        "LedgerWorkerSupport", "ledger-postgresql-worker", "LedgerLocks", "LedgerModel",
        "LedgerModelTestSupport", "LedgerPostgreSQL",
        "LedgerPostgreSQLTestSupport", "LedgerRuntime", "LedgerRuntimeTesting", "LedgerSystem",
        "LedgerTestSupport", "LedgerWalk", "PromiseLedgerPostgreSQL",
      ]
    ),
    .testTarget(
      name: "LedgerBytesTests",
      dependencies: ["CLedgerBytes", "LedgerBytes", "LedgerTestSupport", "PromiseLedgerTesting"],
      exclude: ["Vectors"]
    ),
    .testTarget(
      name: "LedgerGzipTests",
      dependencies: ["LedgerGzip", "LedgerTestSupport", "PromiseLedgerTesting"]
    ),
    .testTarget(
      name: "LedgerSystemTests",
      dependencies: ["LedgerLocks", "LedgerSystem", "PromiseLedgerTesting"]
    ),
    .testTarget(
      name: "LedgerPromisesTests",
      dependencies: [
        "LedgerLocks", "LedgerPromises", "LedgerTestSupport", "LedgerWorkerSupport",
        "PromiseLedger", "PromiseLedgerTesting", "ledger-worker",
      ]
    ),
    .testTarget(
      name: "LedgerModelTests",
      dependencies: [
        "LedgerArchiveRules", "LedgerBytes", "LedgerFuzzTargets", "LedgerLinearizability",
        "LedgerModel", "LedgerModelTestSupport", "LedgerOracle", "LedgerRuntime",
        "LedgerRuntimeTesting", "LedgerTestSupport", "LedgerWalk", "PromiseLedger",
      ]
    ),
    .testTarget(name: "LedgerWalkTests", dependencies: ["LedgerTestSupport", "LedgerWalk"]),
    .target(
      name: "PromiseLedgerTestSupport",
      dependencies: [
        "LedgerBytes", "LedgerLMDB", "LedgerLocks", "LedgerModel", "LedgerModelTestSupport",
        "LedgerRuntime", "LedgerRuntimeTesting", "LedgerSystem", "PromiseLedger",
        "PromiseLedgerTesting", .product(name: "Logging", package: "swift-log"),
      ],
      path: "Tests/PromiseLedgerTestSupport"),
    .testTarget(
      name: "LedgerRuntimeTests",
      dependencies: [
        "LedgerBytes", "LedgerLMDB", "LedgerLocks", "LedgerModel", "LedgerModelTestSupport",
        "LedgerPromises", "LedgerRuntime", "LedgerRuntimeTesting", "LedgerSystem",
        "LedgerTestSupport", "PromiseLedger", "PromiseLedgerTestSupport", "PromiseLedgerTesting",
        .product(name: "Logging", package: "swift-log"),
      ]
    ),
    .testTarget(
      name: "PromiseLedgerTests",
      dependencies: [
        "LedgerBytes", "LedgerLMDB", "LedgerLocks", "LedgerModel", "LedgerModelTestSupport",
        "LedgerPostgreSQLTestSupport", "LedgerPromises", "LedgerRuntime", "LedgerRuntimeTesting",
        "LedgerSystem", "LedgerTestSupport", "LedgerTreeSupport", "PromiseLedger",
        "PromiseLedgerPostgreSQL", "PromiseLedgerSwiftTesting", "PromiseLedgerTestSupport",
        "PromiseLedgerTesting", .product(name: "Logging", package: "swift-log"),
      ],
      exclude: ["Fixtures"]
    ),
    .executableTarget(
      name: "ledger-worker",
      dependencies: [
        "LedgerHistoryClient", "PromiseLedger", "PromiseLedgerTesting", "LedgerLMDB",
        "LedgerSystem", "LedgerTestSupport",
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Tests/LedgerWorker"),
    .executableTarget(
      name: "tree-fuzzer",
      dependencies: [
        "LedgerSystem", "LedgerTestSupport", "LedgerTreeSupport", "PromiseLedger",
        "PromiseLedgerTesting",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(
          name: "FlyingSocks", package: "FlyingFox", condition: .when(traits: ["Serve"])),
      ],
      path: "Tests/TreeFuzzer"),
    .target(
      name: "LedgerWorkerSupport", dependencies: ["LedgerLocks", "LedgerSystem"],
      path: "Tests/LedgerWorkerSupport"),
    .testTarget(
      name: "CrashTests",
      dependencies: [
        "PromiseLedger", "PromiseLedgerTesting", "LedgerBytes", "LedgerHistories",
        "LedgerLinearizability", "LedgerLMDB", "LedgerLocks", "LedgerPowerLoss", "LedgerPromises",
        "LedgerSystem", "LedgerTestSupport", "LedgerWorkerSupport", "ledger-worker",
        .product(name: "Logging", package: "swift-log"),
      ]
    ),
    .testTarget(
      name: "ToolTests",
      dependencies: [
        "LedgerArgumentRules", "LedgerLMDB", "LedgerLocks", "LedgerPostgreSQLTestSupport",
        "LedgerSystem", "LedgerTestSupport", "LedgerTreeSupport", "PromiseLedger",
        "PromiseLedgerPostgreSQL", "PromiseLedgerTesting", "ledger-worker", "promise-ledger",
        "promise-ledger-postgresql", "tree-fuzzer",
        .product(
          name: "FlyingSocks", package: "FlyingFox", condition: .when(traits: ["Serve"])),
      ],
      exclude: ["Browser", "Transcripts"]
    ),
    .testTarget(name: "LayeringTests"),
  ],
  swiftLanguageModes: [.v6]
)

// MARK: - Settings

/// Set the environment variable FUZZER for a build with `--sanitize=fuzzer`, which brings the main function of
/// these programs.
let isForFuzzer = Context.environment["FUZZER"] != nil

if isForFuzzer {
  package.targets += [
    .executableTarget(
      name: "model-fuzzer", dependencies: ["LedgerFuzzTargets"], path: "Tests/ModelFuzzer"),
    .executableTarget(
      name: "tool-fuzzer", dependencies: ["LedgerArchiveRules", "LedgerArgumentRules"],
      path: "Tests/ToolFuzzer"),
  ]
  // A program cannot be linked to another, so the tool is a library here.
  package.products.removeAll { $0.name == "promise-ledger" }
  let tools = package.targets.filter { $0.name == "promise-ledger" }
  package.targets.removeAll { $0.name == "promise-ledger" }
  package.targets += tools.map {
    .target(name: $0.name, dependencies: $0.dependencies, path: $0.path)
  }
}

/// Set the environment variable THREAD_SANITIZER for `swift test --sanitize=thread`: the sanitizer
/// does not see the locks of `Mutex` on Linux, so such a build takes others.
let isForThreadSanitizer = Context.environment["THREAD_SANITIZER"] != nil

if isForThreadSanitizer {
  // Programs of one thread, tests without others, and tests in which it is other processes that crash.
  let unneeded: Set = [
    "promise-ledger", "promise-ledger-postgresql", "LedgerVerbs", "avatar-demo",
    "CLedgerBaseline", "ledger-benchmarks",
    "ledger-postgresql-benchmarks", "LedgerMeasuring", "tree-fuzzer",
    "CrashTests", "LedgerPowerLoss", "ToolTests", "LedgerArgumentRules", "LayeringTests",
    "LedgerModelTests", "LedgerWalkTests",
    "ledger-long-run", "ledger-postgresql-long-run", "LedgerGzip", "LedgerGzipTests",
  ]
  package.products.removeAll { unneeded.contains($0.name) }
  package.targets.removeAll { unneeded.contains($0.name) }
  // Also files of tests, such as `Tests/LedgerLMDBTests/MetaPageTests.swift`, separated by spaces.
  let files = Context.environment["SINGLE_THREADED_TESTS"]?.split(separator: " ") ?? []
  for target in package.targets where target.type == .test {
    let folder = "Tests/\(target.name)/"
    target.exclude += files.filter { $0.hasPrefix(folder) }.map {
      String($0.dropFirst(folder.count))
    }
  }
}

/// Set the environment variable OPTIMIZED for a whole run of the tests, or to count instructions: what they run most
/// is then compiled with optimization, and with its assertions. The build takes longer, and the tests take less time.
let isOptimized = Context.environment["OPTIMIZED"] != nil && !isForThreadSanitizer
let optimizedTargets: Set = [
  "LedgerBytes", "LedgerGzip", "LedgerLinearizability", "LedgerLMDB", "LedgerLocks", "LedgerModel",
  "LedgerPowerLoss", "LedgerPromises", "LedgerRuntime", "LedgerSystem", "LedgerTreeSupport",
  "LedgerWalk", "PromiseLedger", "ledger-benchmarks",
]

for target in package.targets where [.regular, .executable, .test].contains(target.type) {
  target.swiftSettings = [
    .treatAllWarnings(as: .error),
    .treatWarning("ExplicitSendable", as: .error),
    .treatWarning("StrictLanguageFeatures", as: .error),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableExperimentalFeature("Lifetimes"),
  ]
  if isForFuzzer, target.name == "promise-ledger" {
    target.swiftSettings?.append(
      .unsafeFlags([
        "-Xfrontend", "-entry-point-function-name", "-Xfrontend", "promise_ledger_main",
      ]))
  }
  if isOptimized, optimizedTargets.contains(target.name) {
    target.swiftSettings?.append(
      .unsafeFlags([
        "-O", "-whole-module-optimization", "-num-threads", "2", "-assert-config", "Debug",
      ]))
  }
  // The stand-in for Mutex comes from a module that the files do not import.
  target.swiftSettings?.append(
    isForThreadSanitizer
      ? .define("THREAD_SANITIZER") : .enableUpcomingFeature("MemberImportVisibility"))
}
