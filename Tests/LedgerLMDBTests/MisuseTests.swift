import LedgerTestSupport
import Testing

/// The misuses of a transaction that must not compile, passed to the compiler itself.
///
/// Each snippet is the body of a file that is type-checked against the module that this test was
/// built with. The control snippet has to pass. Otherwise a wrong compiler option could reject them
/// all, and the others would prove nothing.
@Suite(.timeLimit(.minutes(10))) struct MisuseTests {
  struct Misuse: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let source: String
    /// A part of the diagnostic, so that a snippet cannot fail for another reason.
    let diagnostic: String
  }

  static let misuses = [
    Misuse(
      testDescription: "using a transaction in an async function",
      source: """
        func use(_ environment: Environment, _ table: Table) async throws {
          try environment.read { transaction in _ = try transaction.floorKey(1, in: table) }
        }
        """,
      diagnostic: "unavailable from asynchronous contexts"),
    Misuse(
      testDescription: "letting a transaction escape",
      source: """
        func use(_ environment: Environment) throws {
          var escaped: WriteTransaction?
          try environment.write { transaction in escaped = consume transaction }
          _ = consume escaped
        }
        """,
      diagnostic: "missing reinitialization of inout parameter 'transaction' after consume"),
    Misuse(
      testDescription: "letting a reading transaction escape",
      source: """
        func use(_ environment: Environment) throws {
          var escaped: ReadTransaction?
          try environment.read { transaction in escaped = consume transaction }
          _ = consume escaped
        }
        """,
      diagnostic: "'transaction' is borrowed and cannot be consumed"),
    Misuse(
      testDescription: "letting a span escape by returning it",
      source: """
        func use(_ environment: Environment, _ table: Table) throws {
          let span = try environment.read { transaction -> Span<UInt8>? in
            try transaction.value(forKey: 1, in: table)
          }
          _ = span?.count
        }
        """,
      diagnostic: "requires that 'Span<UInt8>' conform to 'Escapable'"),
    Misuse(
      testDescription: "letting a span escape through a variable",
      source: """
        func use(_ environment: Environment, _ table: Table) throws {
          var escaped: Span<UInt8>?
          try environment.read { transaction in
            escaped = try transaction.value(forKey: 1, in: table)
          }
          _ = escaped
        }
        """,
      diagnostic: "lifetime-dependent"),
    Misuse(
      testDescription: "keeping a span across a write",
      source: """
        func use(_ environment: Environment, _ table: Table, _ bytes: [UInt8]) throws {
          try environment.write { transaction in
            let old = try transaction.value(forKey: 1, in: table)
            try transaction.put(bytes.span, forKey: 1, in: table)
            _ = old?.count
          }
        }
        """,
      diagnostic: "overlapping accesses to 'transaction'"),
    Misuse(
      testDescription: "capturing a transaction in a task",
      source: """
        func use(_ environment: Environment, _ table: Table) throws {
          try environment.write { transaction in
            Task { try transaction.empty(table) }
          }
        }
        """,
      diagnostic: "escaping closure captures 'inout' parameter 'transaction'"),
    Misuse(
      testDescription: "capturing a reading transaction in a task",
      source: """
        func use(_ environment: Environment, _ table: Table) throws {
          try environment.read { (transaction: borrowing ReadTransaction) in
            inTask { _ = try transaction.floorKey(1, in: table) }
          }
        }
        func inTask(_ body: @escaping @Sendable () throws -> Void) {}
        """,
      diagnostic: "capture of 'transaction' with non-Sendable type 'ReadTransaction'"),
    Misuse(
      testDescription: "committing twice",
      source: """
        func use(_ transaction: consuming WriteTransaction) throws {
          try transaction.commit()
          try transaction.commit()
        }
        """,
      diagnostic: "'transaction' consumed more than once"),
    Misuse(
      testDescription: "committing inside write, which commits itself",
      source: """
        func use(_ environment: Environment) throws {
          try environment.write { transaction in try transaction.commit() }
        }
        """,
      diagnostic: "missing reinitialization of inout parameter 'transaction' after consume"),
  ]

  @Test func properUseCompiles() throws {
    let output = try compile(
      """
      func use(_ environment: Environment, _ table: Table, _ bytes: [UInt8]) throws -> Int {
        try environment.write { transaction in
          try transaction.put(bytes.span, forKey: 1, in: table)
          if let old = try transaction.value(forKey: 1, in: table) { _ = old.count }
          try transaction.delete(forKey: 1, in: table)
        }
        return try environment.read { transaction in
          guard let value = try transaction.value(forKey: 1, in: table) else { return 0 }
          return value.count
        }
      }
      """)
    #expect(output.status == 0, "\(output.text)")
  }

  @Test(arguments: misuses) func misuseDoesNotCompile(misuse: Misuse) throws {
    let output = try compile(misuse.source)
    #expect(output.status != 0, "it compiled")
    #expect(output.text.contains(misuse.diagnostic), "\(output.text)")
  }

  private func compile(_ source: String) throws -> SnippetCompiler.Output {
    try SnippetCompiler.compile("import LedgerLMDB\n\n\(source)")
  }
}
