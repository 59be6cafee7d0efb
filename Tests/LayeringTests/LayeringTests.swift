import Testing

/// The compiler lets a target import any module that it can reach, so the layering is checked here.
@Suite(.timeLimit(.minutes(10)))
struct LayeringTests {
  @Test func everyFileKeepsTheLayering() throws {
    let files = try SourceFile.all(in: "Sources", "Tests", "Tools")
    #expect(files.count > 100, "Are the sources still where this test looks for them?")
    for rule in Rule.all {
      for violation in files.flatMap(rule.violations(in:)) { Issue.record("\(violation)") }
    }
  }

  @Test(arguments: [
    ("Tools/promise-ledger/New.swift", "internal import LedgerLMDB"),
    ("Tools/verbs/New.swift", "import PromiseLedger"),
    ("Tools/promise-ledger-postgresql/New.swift", "import PromiseLedger"),
    ("Tools/verbs/Processes/New.swift", "import LedgerRuntime"),
    ("Tools/avatar-demo/New.swift", "@testable import LedgerSystem"),
    ("Sources/PromiseLedger/New.swift", "import struct Dispatch.DispatchTime"),
    ("Sources/PromiseLedger/New.swift", "private import CLedgerLMDB"),
    ("Sources/LedgerRuntime/Promises/New.swift", "import LedgerLMDB"),
    ("Sources/PromiseLedgerPostgreSQL/New.swift", "import LedgerLMDB"),
    ("Sources/PromiseLedgerPostgreSQL/New.swift", "import CLedgerPostgreSQL"),
    ("Sources/LedgerLMDB/New.swift", "import FoundationEssentials"),
    ("Sources/LedgerSystem/New.swift", "  import LedgerLMDB"),
    ("Sources/LedgerPromises/New.swift", "public import PromiseLedger"),
    ("Sources/LedgerModel/Codec/New.swift", "import FoundationEssentials"),
    ("Sources/LedgerModel/State/New.swift", "import LedgerSystem"),
    ("Sources/LedgerModel/State/New.swift", "let now = WallClock.nowNanoseconds"),
    ("Sources/LedgerModel/State/New.swift", "let id = UUID()"),
    ("Sources/LedgerModel/State/New.swift", "return Int.random(in: 0...1)"),
    ("Sources/PromiseLedger/New.swift", "unsafe pointer.pointee"),
    ("Sources/LedgerPromises/New.swift", "let p: UnsafeRawPointer"),
    ("Sources/LedgerSystem/New.swift", "let value = try! read()"),
    ("Sources/PromiseLedgerTesting/New.swift", "fatalError(\"no\")"),
    ("Sources/PromiseLedger/New.swift", "value as! Int"),
    ("Sources/LedgerModel/State/New.swift", "    case .promiseCreated where isNew: 1"),
    ("Tools/verbs/New.swift", "    case (.handlerRebound, .active):"),
    ("Tools/verbs/New.swift", "    case .other, .handlerRebound: 1"),
    ("Sources/LedgerModel/State/New.swift", "    case .other,\n      .some(of: .promiseCreated):"),
    ("Tests/ToolTests/NewTests.swift", "@Suite(.serialized) struct NewTests {"),
    ("Tests/LedgerModelTests/State/New.swift", "await withTaskGroup(of: Void.self) { group in"),
    ("Tests/LedgerModelTests/State/New.swift", "let thread = try SystemThread.start {}"),
  ])
  func violationIsFound(path: String, line: String) {
    let file = SourceFile(path: path, text: "// A file.\n\(line)\n")
    let violations = Rule.all.flatMap { $0.violations(in: file) }
    #expect(!violations.isEmpty)
    #expect(violations.allSatisfy { $0.hasPrefix("\(path):2: ") })
  }

  @Test(arguments: [
    ("Tools/promise-ledger/New.swift", "import PromiseLedger"),
    ("Tools/verbs/New.swift", "      is replaced; import takes such an archive, too."),
    ("Sources/LedgerLMDB/New.swift", "unsafe pointer.pointee"),
    ("Sources/LedgerModel/State/New.swift", "// no UUID(), no try! and nothing unsafe"),
    ("Sources/PromiseLedger/New.swift", "let text = \"fatalError( or unsafe\""),
    ("Sources/LedgerModel/Values/Timestamp.swift", "import FoundationEssentials"),
    ("Sources/LedgerModel/Entities/New.swift", "    case .promiseCreated:"),
    ("Sources/PromiseLedger/New.swift", "    case .abandoned: throw .promiseAbandoned(id)"),
    ("Sources/PromiseLedger/New.swift", "    case .other where kind == .promiseCreated: 1"),
    ("Tests/PromiseLedgerTests/New.swift", "@Test func twoTasksMeet() async throws {"),
    ("Tests/NewTests.swift", "@Suite(\n  .timeLimit(.minutes(10)))\nstruct NewTests {"),
  ])
  func allowedCodeIsNoViolation(path: String, line: String) {
    let file = SourceFile(path: path, text: line)
    #expect(Rule.all.flatMap { $0.violations(in: file) } == [])
  }
}
