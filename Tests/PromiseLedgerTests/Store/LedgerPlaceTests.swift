import LedgerSystem
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Paths that lead to a ledger, or to where one is to be made.
@Suite(.timeLimit(.minutes(10)))
struct LedgerPlaceTests {
  private let temporary: TemporaryLedger
  private var parent: String { FileSystem.parent(of: temporary.path) }

  init() throws { temporary = try TemporaryLedger() }

  private func codeOfOpening(_ path: String) async throws -> LedgerError? {
    do {
      await (try Ledger.open(at: path, as: .app)).close()
      return nil
    } catch {
      return try #require(error as? LedgerError)
    }
  }

  @Test(arguments: ["", "\0", "a\0b"])
  func aPathThatNoFileCanHaveIsAnInvalidArgument(path: String) async throws {
    #expect(try await codeOfOpening(path)?.code == .invalidArgument)
    #expect(throws: LedgerError.self) { try BlockingInspector(at: path) }
    let error = #expect(throws: LedgerError.self) {
      try LedgerImport().makeLedger(at: path, from: ["/dev/null"])
    }
    #expect(error?.code == .invalidArgument)
  }

  @Test(arguments: ["x", "x/", "x//", "x/.", "x/./.", "./x", "a/../x", "a/b/../../x"])
  func aLedgerIsMadeWhereThePathLeads(tail: String) async throws {
    for name in ["a", "a/b"] { try FileSystem.createDirectory("\(parent)/\(name)") }
    #expect(try await codeOfOpening("\(parent)/\(tail)") == nil)
    #expect(try FileSystem.list(parent) == ["a", "x"])
    #expect(try FileSystem.list("\(parent)/a") == ["b"])
    #expect(try await codeOfOpening("\(parent)/\(tail)") == nil, "it opens by the same path")
    #expect(throws: Never.self) { try BlockingInspector(at: "\(parent)/\(tail)").close() }
    #expect(try FileSystem.kind("\(parent)/x/CURRENT") != nil)
  }

  /// The path has the name of the existing empty directory itself.
  @Test(arguments: [".", "inner/..", "./"])
  func anEmptyDirectoryBecomesALedgerByAnyPath(tail: String) async throws {
    try FileSystem.createDirectory("\(parent)/empty")
    let usesInner = tail.hasPrefix("inner")
    if usesInner { try FileSystem.createDirectory("\(parent)/empty/inner") }
    let error = try await codeOfOpening("\(parent)/empty/\(tail)")
    if usesInner {
      #expect(error?.code == .notALedger, "it is not empty")
      #expect(try FileSystem.list(parent) == ["empty"])
    } else {
      #expect(error == nil)
      #expect(try FileSystem.kind("\(parent)/empty/CURRENT") != nil)
    }
  }

  @Test func aLinkToAnEmptyDirectoryOrToALedgerWorks() async throws {
    try FileSystem.createDirectory("\(parent)/real")
    try #require(unsafe symlink("real", "\(parent)/link") == 0)
    for _ in 0..<2 {
      #expect(try await codeOfOpening("\(parent)/link") == nil)
      #expect(try FileSystem.kind("\(parent)/real/CURRENT") != nil)
      #expect(FileSystem.isSymbolicLink("\(parent)/link"))
    }
    let inspector = try BlockingInspector(at: "\(parent)/link")
    #expect(try inspector.head > .start)
    inspector.close()
  }

  @Test func aLinkThatLeadsNowhereIsSaidToBeOne() async throws {
    try #require(unsafe symlink("nowhere", "\(parent)/link") == 0)
    let error = try await codeOfOpening("\(parent)/link")
    #expect(error?.code == .notFound)
    #expect(error?.message.contains("refers to nothing") == true)
    #expect(try FileSystem.list(parent) == ["link"])
  }

  @Test(arguments: ["none/x", "none/../x", "none/x/."])
  func aMissingParentIsNamed(tail: String) async throws {
    let error = try await codeOfOpening("\(parent)/\(tail)")
    #expect(error?.code == .notFound)
    #expect(error?.message.contains("\(parent)/none") == true, "\(String(describing: error))")
    #expect(error?.message.contains("Create it first") == true)
    #expect(try FileSystem.list(parent) == [])
  }

  @Test func aParentThatIsAFileIsNamed() async throws {
    try FileSystem.writeAtomically([], to: "\(parent)/file")
    let error = try await codeOfOpening("\(parent)/file/x")
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.contains("\(parent)/file, which is to hold") == true)
  }

  @Test(arguments: ["~", "~/ledger", "~nobody/ledger"])
  func aTildeIsNotExpandedAndTheErrorSaysSo(path: String) async throws {
    let error = try await codeOfOpening(path)
    #expect(error?.message.contains("The shell expands ~") == true)
    #expect(try FileSystem.kind("~") == nil)
  }
}
