import PromiseLedger

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Becomes another user, tries the ways to a ledger one after the other, and prints how each ended.
///
/// The system checks no permissions for the user 0, so tests that run as that user need another
/// one.
struct Rights {
  private let path: String
  private let user: Int
  private let attempts: [String]

  init(_ path: String, _ arguments: inout Arguments) throws {
    self.path = path
    user = try arguments.number("user")
    attempts = arguments.rest()
  }

  func run() async throws {
    if geteuid() != uid_t(user) {
      guard setgroups(0, nil) == 0, setgid(gid_t(user)) == 0, setuid(uid_t(user)) == 0 else {
        throw UsageError(what: "cannot become user \(user)")
      }
    }
    for attempt in attempts {
      do {
        Output.line("\(attempt) \(try await make(attempt))")
      } catch {
        Output.line("\(attempt) \(Output.describe(error))")
      }
    }
  }

  private func make(_ attempt: String) async throws -> String {
    switch attempt {
    case "open":
      await (try Ledger.open(at: path, as: .app)).close()
      return "opened"
    case "compact":
      var policy = CompactionPolicy()
      policy.eventRetention = .zero
      policy.minimumEventCount = 0
      let ledger = try await Ledger.open(at: path, as: .operator)
      do {
        let report = try await ledger.compact(policy)
        await ledger.close()
        return "deleted through \(report.deletedThrough)"
      } catch {
        await ledger.close()
        throw error
      }
    case "inspect": return "head \(try BlockingInspector(at: path).head)"
    case "look": return "head \(try BlockingInspector(at: path, locking: false).head)"
    default: throw UsageError(what: "no attempt \(attempt)")
    }
  }
}
