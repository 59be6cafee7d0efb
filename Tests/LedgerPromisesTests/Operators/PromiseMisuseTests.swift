import LedgerTestSupport
import Testing

/// Misuses of promises that must not compile, given to the compiler itself.
@Suite(.timeLimit(.minutes(10))) struct PromiseMisuseTests {
  struct Misuse: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let source: String
    /// A part of the diagnostic, so that a snippet cannot fail for another reason.
    let diagnostic: String
  }

  static let misuses = [
    Misuse(
      testDescription: "retrying a promise that exists already",
      source: "fetch().retry(3).catch { _ in }",
      diagnostic: "'retry' is unavailable: a promise runs its work once."),
    Misuse(
      testDescription: "retrying with a promise instead of a closure",
      source: "Promise.retry(attempts: 3, fetch()).catch { _ in }",
      diagnostic: "cannot convert value of type 'Promise<Int>' to expected argument type"),
    Misuse(
      testDescription: "retrying with a closure that takes nothing",
      source: "let promise = fetch(); Promise.retry(attempts: 3) { promise }.catch { _ in }",
      diagnostic: "expects 1 argument, which cannot be implicitly ignored"),
    Misuse(
      testDescription: "ignoring a recipe, which then never runs",
      source: "ColdPromise.value(1).then { $0 + 1 }; let warned: String = 1",
      diagnostic: "warning: result of call to 'then' is unused"),
  ]

  @Test func properUseCompiles() throws {
    let output = try compile("Promise.retry(attempts: 3) { _ in fetch() }.catch { _ in }")
    #expect(output.status == 0, "\(output.text)")
    #expect(!output.text.contains("warning"), "\(output.text)")
  }

  @Test(arguments: misuses) func misuseDoesNotCompile(misuse: Misuse) throws {
    let output = try compile(misuse.source)
    #expect(output.status != 0, "it compiled")
    #expect(output.text.contains(misuse.diagnostic), "\(output.text)")
  }

  private func compile(_ statement: String) throws -> SnippetCompiler.Output {
    try SnippetCompiler.compile(
      """
      import LedgerPromises

      func use() {
        \(statement)
      }
      func fetch() -> Promise<Int> { .value(1) }
      """)
  }
}
