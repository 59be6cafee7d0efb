internal import CLedgerPostgreSQL
import Synchronization

/// A message of the server that is no error.
package struct Notice: Sendable, Hashable {
  package let state: SQLState
  package let message: String
  /// The function in the server's source that sent it, whatever the language of the server; `nil` if it is not told.
  package let sourceFunction: String?
}

/// The notices of one connection. Without it, libpq would print them to standard error.
final class Notices: Sendable {
  private let contents = Mutex<[Notice]>([])

  /// Receives the notices of a connection, which must not outlive this object.
  func receive(from connection: OpaquePointer) {
    let receiver: PQnoticeReceiver = { context, result in
      guard let context = unsafe context else { return }
      unsafe Unmanaged<Notices>.fromOpaque(context).takeUnretainedValue().add(result)
    }
    unsafe PQsetNoticeReceiver(
      connection, receiver, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Returns the notices since the last call.
  func take() -> [Notice] {
    contents.withLock { notices in
      defer { notices = [] }
      return notices
    }
  }

  private func add(_ result: OpaquePointer?) {
    let field = { (field: Int32) in
      unsafe PQresultErrorField(result, field).map { unsafe String(cString: $0) }
    }
    let notice = Notice(
      state: SQLState(rawValue: field(cledger_diagnostic_state()) ?? ""),
      message: field(cledger_diagnostic_message()) ?? "",
      sourceFunction: field(cledger_diagnostic_function()))
    contents.withLock { $0.append(notice) }
  }
}
