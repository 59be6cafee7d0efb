extension Rule {
  /// The layering of this package.
  static let all: [Rule] = imports + texts

  private static let foundation: Set = ["Foundation", "FoundationEssentials"]

  private static let imports = [
    imports(
      "Sources/LedgerLMDB/",
      only: ["CLedgerLMDB", "LedgerLibC", "LedgerLocks", "LedgerSystem", "Synchronization"],
      "The layer over LMDB needs LMDB and the system only."),
    imports(
      "Sources/LedgerPostgreSQL/",
      only: ["CLedgerPostgreSQL", "LedgerLibC", "LedgerLocks", "LedgerSystem", "Synchronization"],
      "The layer over PostgreSQL needs libpq and the system only."),
    imports(
      "Sources/LedgerBytes/", only: ["CLedgerBytes", "CryptoKit"],
      "Checksums and hashes need the processor, and Apple's hashes, only."),
    imports(
      "Sources/LedgerGzip/", only: ["CLedgerZlib"], "Compression needs zlib only."),
    imports(
      "Sources/LedgerSystem/",
      only: ["CLedgerSystem", "LedgerLibC", "LedgerLocks", "Synchronization"],
      "The layer over the system needs libc only."),
    imports(
      ["Sources/LedgerPromises/"],
      not: [
        "CLedgerBytes", "CLedgerLMDB", "CLedgerSystem", "LedgerBytes", "LedgerLMDB", "LedgerModel",
        "LedgerRuntime",
        "LedgerSystem",
        "PromiseLedger",
      ],
      "Promises in memory know no storage."),
    imports(
      "Sources/LedgerModel/",
      only: ["DequeModule", "HeapModule", "LedgerBytes", "LedgerLocks", "Synchronization"],
      except: ["Sources/LedgerModel/Values/Timestamp.swift"],
      "Events, state and snapshots are pure; only the text of a time needs Foundation."),
    imports(
      "Sources/LedgerRuntime/",
      only: foundation.union([
        "DequeModule", "HeapModule", "LedgerBytes", "LedgerLocks", "LedgerModel", "LedgerPromises",
        "LedgerSystem", "Logging", "ServiceLifecycle", "Synchronization",
      ]), "What users see works on any store, so it knows none."),
    imports(
      "Sources/PromiseLedger/",
      only: [
        "LedgerBytes", "LedgerLMDB", "LedgerLocks", "LedgerModel", "LedgerRuntime", "LedgerSystem",
        "Logging", "Synchronization",
      ], "The store over LMDB has no names of C and no other dependency."),
    imports(
      "Sources/PromiseLedgerPostgreSQL/",
      only: [
        "LedgerBytes", "LedgerLocks", "LedgerModel", "LedgerPostgreSQL", "LedgerRuntime",
        "LedgerSystem", "Logging", "Synchronization",
      ], "The store over PostgreSQL has no names of C, and knows no other store."),
    imports(
      "Sources/LedgerRuntimeTesting/",
      only: [
        "LedgerBytes", "LedgerLocks", "LedgerModel", "LedgerPromises", "LedgerRuntime",
        "LedgerSystem", "Synchronization",
      ], "Test support for any store knows none but its own."),
    imports(
      "Sources/PromiseLedgerTesting/",
      only: [
        "LedgerLocks", "LedgerRuntimeTesting", "LedgerSystem", "PromiseLedger", "Synchronization",
      ],
      "Test support works on the ledger, not below it."),
    imports(
      "Sources/PromiseLedgerSwiftTesting/",
      only: ["LedgerRuntimeTesting", "PromiseLedgerTesting", "Testing"],
      "Only this product needs Swift Testing, and it adds nothing else."),
    imports(
      ["Sources/LedgerRuntimeTesting/", "Sources/PromiseLedgerTesting/"],
      not: ["Testing", "XCTest"],
      "A program without tests can use test support, and lacks the libraries for tests."),
    imports(
      ["Tools/"],
      not: [
        "CLedgerBytes", "CLedgerLMDB", "CLedgerSystem", "LedgerBytes", "LedgerLMDB", "LedgerModel",
        "LedgerRuntime",
        "LedgerSystem",
        "LedgerRuntimeTesting", "PromiseLedgerTesting",
      ],
      except: [
        "Tools/benchmarks/", "Tools/verbs/", "Tools/promise-ledger/Files/FollowedDirectory.swift",
      ],
      "Tools use the public API, as any program could."),
    imports(
      "Tools/verbs/",
      only: foundation.union([
        "ArgumentParser", "Dispatch", "FlyingSocks", "LedgerGzip", "LedgerRuntime",
        "Synchronization",
      ]),
      except: ["Tools/verbs/Processes/", "Tools/verbs/Page/PageTemplate.swift"],
      "Verbs work on the ledgers of any store, so they know none."),
    imports(
      "Tools/promise-ledger-postgresql/",
      only: foundation.union(["ArgumentParser", "LedgerVerbs", "PromiseLedgerPostgreSQL"]),
      "The tool for ledgers on a server knows no other store."),
    imports(
      "Tools/verbs/Processes/",
      only: foundation.union(["ArgumentParser", "LedgerLocks", "LedgerSystem", "Synchronization"]),
      "What starts processes uses the layer over the system, and nothing of a ledger."),
  ]

  private static let texts = [
    text(
      ["Sources/LedgerModel/"],
      not: { file in
        file.lines(with: "Date()", "UUID()", ".random(", ".randomElement(", ".shuffle")
          + file.lines { $0.hasSuffix("Clock") || $0.hasSuffix("Generator") }
      }, what: "a clock or randomness",
      "Replay must give the same every time: times, ids and randomness come in as values."),
    text(
      ["Sources/", "Tools/"],
      not: { file in
        file.lines { $0 == "unsafe" || $0.hasPrefix("Unsafe") && $0.hasSuffix("Pointer") }
      }, what: "unsafe code",
      except: [
        "Sources/LedgerBytes/", "Sources/LedgerGzip/GzipStream.swift", "Sources/LedgerLMDB/",
        "Sources/LedgerPostgreSQL/", "Sources/LedgerSystem/", "Tools/benchmarks/",
      ],
      "Only the lowest layers touch memory by hand."),
    text(
      ["Sources/"], not: { $0.lines(with: "try!", " as!", "fatalError(") },
      what: "a crash by choice",
      "Nothing that a file or a caller can cause may end the process."),
    text(
      ["Sources/", "Tools/"], not: { $0.linesOfSwitchesOverEventKinds },
      what: "a switch over kinds of events",
      except: ["Sources/LedgerModel/Entities/", "Tools/verbs/Events/"],
      "Ask the table of event kinds, so that a new kind is written down once."),
    text(
      ["Tests/"], not: { $0.linesOfEndlessSuites }, what: "a suite without .timeLimit",
      "A test that hangs must fail by its name."),
    text(
      ["Tests/LedgerModelTests/"],
      not: { file in
        file.lines { ["async", "await", "concurrentPerform", "Mutex", "Task"].contains($0) }
          + file.lines { $0.lowercased().contains("thread") }
      }, what: "a second thread",
      "The thread sanitizer does not run the tests of the model; LedgerRuntimeTests is for others."),
  ]
}
