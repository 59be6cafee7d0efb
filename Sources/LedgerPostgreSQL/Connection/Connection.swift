internal import CLedgerPostgreSQL
import LedgerLibC
import LedgerSystem
import Synchronization

/// A connection to a PostgreSQL server. Calls block their thread, and one call runs at a time.
@safe
package final class Connection: @unchecked Sendable {
  // Unchecked because libpq is called under the lock only, except for what it allows from any thread.
  private let pointer: OpaquePointer
  let notices = Notices()
  /// The statements that the server keeps; locked while a call runs.
  private let use = Mutex(PreparedStatements())
  private let isCancelled = Atomic<Bool>(false)
  private let isGivenUp = Atomic<Bool>(false)
  /// The monotonic time at which connecting began.
  package let startTime = MonotonicClock.now

  /// Connects, within the time limit of the settings for each host.
  ///
  /// - Throws: An error of phase `connecting`.
  @available(*, noasync, message: "blocks the thread")
  package init(_ settings: ConnectionSettings) throws(PostgreSQLError) {
    let parameters = settings.parameters
    let words = parameters.map(\.keyword) + parameters.map(\.value)
    let opened = unsafe Self.withPointers(to: words) { words in
      let expandsName: Int32 = 1
      return unsafe PQconnectdbParams(
        Array(words.prefix(parameters.count)) + [nil],
        Array(words.dropFirst(parameters.count)) + [nil], expandsName)
    }
    guard let opened = unsafe opened else {
      throw PostgreSQLError(.connecting, "There is no memory for a connection.")
    }
    unsafe pointer = opened
    // From here on, a failure runs deinit, which ends the connection.
    if unsafe PQstatus(pointer) != CONNECTION_OK { try connectAgain() }
    if let error = unsafe PostgreSQLError.unsupportedServer(PQserverVersion(pointer)) {
      throw error
    }
    unsafe notices.receive(from: pointer)
    guard unsafe PQsetnonblocking(pointer, 1) == 0, unsafe PQenterPipelineMode(pointer) == 1 else {
      throw PostgreSQLError(.connecting, lastMessage)
    }
  }

  deinit { unsafe PQfinish(pointer) }

  private static func withPointers<R>(
    to words: [String], _ body: ([UnsafePointer<CChar>?]) -> R
  ) -> R {
    let copies = unsafe words.map { unsafe strdup($0) }
    defer { for index in unsafe copies.indices { unsafe free(copies[index]) } }
    return unsafe body(copies.map { unsafe UnsafePointer($0) })
  }

  /// Connects once more if a server refused the connection, to find out why.
  ///
  /// libpq writes the state of such an error only into its most detailed message, and a connection cannot be asked for
  /// details before its first attempt. An attempt that reached no server is not repeated, because it may have taken
  /// long. If the second attempt succeeds, the connection is used.
  private func connectAgain() throws(PostgreSQLError) {
    let message = lastMessage
    var state: SQLState?
    let isPasswordMissing = unsafe PQconnectionNeedsPassword(pointer) == 1
    if ConnectionRefusal.isFromServer(message) {
      _ = unsafe PQsetErrorVerbosity(pointer, PQERRORS_VERBOSE)
      unsafe PQreset(pointer)
      _ = unsafe PQsetErrorVerbosity(pointer, PQERRORS_DEFAULT)
      guard unsafe PQstatus(pointer) != CONNECTION_OK else { return }
      state = ConnectionRefusal.state(in: lastMessage)
    }
    throw PostgreSQLError(
      .connecting, message, state: state,
      refusal: isPasswordMissing
        ? .missingPassword : state == nil ? ConnectionRefusal(guessedFrom: message) : nil,
      isConnectionLost: true)
  }

  /// Whether the connection was neither found to be lost nor given up.
  package var isUsable: Bool {
    use.withLock { _ in
      unsafe PQstatus(pointer) == CONNECTION_OK && !isGivenUp.load(ordering: .relaxed)
    }
  }

  /// Whether a statement was asked to be cancelled: the request may arrive late, and hit a later statement.
  package var wasCancelled: Bool { isCancelled.load(ordering: .relaxed) }

  /// The number of the server's process for this connection.
  package var serverProcess: Int32 { unsafe PQbackendPID(pointer) }

  private var lastMessage: String {
    guard let message = unsafe PQerrorMessage(pointer) else { return "no reason is known" }
    // Its advice is on lines of its own, which begin with a tab.
    return unsafe String(cString: message).split { "\n\t".contains($0) }.joined(separator: " ")
  }

  // MARK: Running statements

  /// Runs statements in one round trip.
  ///
  /// They are one transaction, unless they begin or end one themselves. If one fails, no later one runs.
  ///
  /// - Parameters:
  ///   - isOver: Called repeatedly while the server works; while it returns `true`, the server is asked to cancel the
  ///     statements.
  ///   - deadline: The monotonic time at which the connection is given up, if the server has not answered by then.
  /// - Returns: The rows of each statement, and the notices that the server sent.
  /// - Throws: The error of the first statement that failed.
  @available(*, noasync, message: "blocks the thread")
  package func run(
    _ statements: [Statement], until isOver: (() -> Bool)? = nil, before deadline: Duration? = nil
  ) throws(PostgreSQLError) -> (rows: [Rows], notices: [Notice]) {
    try use.withLock { (prepared) throws(PostgreSQLError) in
      _ = notices.take()
      let requests = statements.flatMap { prepared.requests(for: $0) }
      var results: [Rows] = []
      do throws(PostgreSQLError) {
        for request in requests { try send(request) }
        guard unsafe PQpipelineSync(pointer) == 1 else { throw lost() }
        try receive(&results, of: requests, isOver, before: deadline)
      } catch {
        prepared.forget(requests.dropFirst(results.count))
        if error.isAboutPreparedStatements {
          isGivenUp.store(true, ordering: .relaxed)
        }
        throw error
      }
      guard results.count == requests.count else {
        throw PostgreSQLError(
          .decoding, "The server sent \(results.count) results to \(requests.count) requests.")
      }
      let rows = zip(requests, results).filter { $0.0.runsStatement }.map(\.1)
      return (rows, notices.take())
    }
  }

  /// Runs one statement.
  @available(*, noasync, message: "blocks the thread")
  @discardableResult
  package func run(
    _ sql: String, _ values: [Value] = []
  ) throws(PostgreSQLError) -> Rows {
    try run([Statement(sql, values)]).rows[0]
  }

  private func send(_ request: PreparedStatements.Request) throws(PostgreSQLError) {
    let isSent =
      switch request {
      case .prepare(let statement, let name):
        unsafe PQsendPrepare(
          pointer, name, statement.sql, Int32(statement.values.count),
          statement.values.map(\.typeNumber)) == 1
      case .run(let statement): send(statement, preparedAs: nil)
      case .runPrepared(let statement, let name): send(statement, preparedAs: name)
      }
    guard isSent else { throw lost() }
  }

  private func send(_ statement: Statement, preparedAs name: String?) -> Bool {
    // All values are in one buffer, with a byte more: a pointer to nothing would mean a missing value.
    var buffer: [UInt8] = []
    var ranges: [Range<Int>] = []
    for value in statement.values {
      let bytes = value.encoded
      ranges.append(buffer.count..<buffer.count + bytes.count)
      buffer += bytes
    }
    buffer.append(0)
    let isBinary: Int32 = 1
    return unsafe buffer.withUnsafeBytes { buffer in
      let start = unsafe buffer.bindMemory(to: CChar.self).baseAddress
      let starts = unsafe ranges.map { range in
        unsafe start.map { unsafe $0 + range.lowerBound }
      }
      let (count, sizes) = (Int32(ranges.count), ranges.map { Int32($0.count) })
      let formats = [Int32](repeating: isBinary, count: ranges.count)
      guard let name else {
        return unsafe PQsendQueryParams(
          pointer, statement.sql, count, statement.values.map(\.typeNumber), starts, sizes,
          formats, isBinary) == 1
      }
      return unsafe PQsendQueryPrepared(
        pointer, name, count, starts, sizes, formats, isBinary) == 1
    }
  }

  /// Receives the results up to the end of the pipeline. If one of them is an error, it throws that, after it has
  /// received those before.
  private func receive(
    _ results: inout [Rows], of requests: [PreparedStatements.Request], _ isOver: (() -> Bool)?,
    before deadline: Duration?
  ) throws(PostgreSQLError) {
    var failure: PostgreSQLError?
    var nextRequest = Duration.zero
    while true {
      try waitForResult { () throws(PostgreSQLError) in
        if let deadline, MonotonicClock.now >= deadline { throw givenUp() }
        guard let isOver, isOver(), MonotonicClock.now >= nextRequest else { return }
        // A server that has not begun with the statements forgets the request.
        cancel()
        nextRequest = MonotonicClock.now + Self.cancellationInterval
      }
      guard let result = unsafe PQgetResult(pointer) else {
        // The end of one statement's results, unless nothing can follow.
        guard unsafe PQstatus(pointer) == CONNECTION_OK else { throw failure ?? lost() }
        continue
      }
      switch unsafe PQresultStatus(result) {
      case PGRES_TUPLES_OK, PGRES_COMMAND_OK: results.append(unsafe Rows(result))
      case PGRES_PIPELINE_SYNC:
        unsafe PQclear(result)
        if let failure { throw failure }
        return
      default:
        let request = requests.dropFirst(results.count).first
        failure = unsafe failure ?? error(of: result, to: request)
        unsafe PQclear(result)
        if failure?.isConnectionLost == true { throw failure ?? lost() }
      }
    }
  }

  private func error(
    of result: OpaquePointer, to request: PreparedStatements.Request?
  ) -> PostgreSQLError {
    let state = unsafe PQresultErrorField(result, cledger_diagnostic_state())
      .map { unsafe String(cString: $0) }
    let message = unsafe PQresultErrorField(result, cledger_diagnostic_message())
      .map { unsafe String(cString: $0) }
    return PostgreSQLError(
      .running, message ?? lastMessage, state: state.map(SQLState.init),
      isConnectionLost: unsafe PQstatus(pointer) != CONNECTION_OK,
      ranPreparedStatement: request?.runsPreparedStatement ?? false)
  }

  private func lost() -> PostgreSQLError {
    PostgreSQLError(.running, lastMessage, isConnectionLost: true)
  }

  private func givenUp() -> PostgreSQLError {
    isGivenUp.store(true, ordering: .relaxed)
    return PostgreSQLError(.running, "The server did not answer in time.", isConnectionLost: true)
  }

  // MARK: Waiting

  /// The interval at which a wait that can be cancelled looks whether it is over.
  private static let checkInterval = Duration.milliseconds(20)

  /// The interval at which a server is asked to cancel what it does not end.
  private static let cancellationInterval = Duration.milliseconds(250)

  /// Sends what is left to send, and waits until a result can be taken without blocking.
  private func waitForResult(
    _ tick: () throws(PostgreSQLError) -> Void
  ) throws(PostgreSQLError) {
    while true {
      let isUnsent = unsafe PQflush(pointer)
      guard isUnsent >= 0 else { throw lost() }
      if isUnsent == 0, unsafe PQisBusy(pointer) == 0 { return }
      _ = waitForSocket(writable: isUnsent == 1, nil, timeout: Self.checkInterval)
      guard unsafe PQconsumeInput(pointer) == 1 else { throw lost() }
      try tick()
    }
  }

  /// Waits for the socket, or for a pipe.
  private func waitForSocket(writable: Bool, _ wake: WakePipe?, timeout: Duration) -> Bool {
    let socket = unsafe PQsocket(pointer)
    guard socket >= 0 else { return false }
    let events = Int16(POLLIN) | (writable ? Int16(POLLOUT) : 0)
    var waits = [pollfd(fd: socket, events: events, revents: 0)]
    if let wake { waits.append(pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0)) }
    let milliseconds = max(0, min(timeout / .milliseconds(1), 3_600_000))
    return unsafe poll(&waits, nfds_t(waits.count), Int32(milliseconds.rounded(.up))) > 0
  }

  /// Asks the server to cancel what it is doing for this connection.
  private func cancel() {
    isCancelled.store(true, ordering: .relaxed)
    guard let handle = unsafe PQgetCancel(pointer) else { return }
    defer { unsafe PQfreeCancel(handle) }
    var reason = [CChar](repeating: 0, count: 256)
    // If the request fails, the statement ends by itself, or its connection is lost.
    _ = unsafe PQcancel(handle, &reason, Int32(reason.count))
  }

  // MARK: Notifications

  /// Waits for notifications of channels that this connection listens to.
  ///
  /// - Returns: The notifications of others; none after the timeout or a signal.
  @available(*, noasync, message: "blocks the thread")
  package func notifications(
    wokenBy wake: WakePipe, timeout: Duration
  ) throws(PostgreSQLError) -> [String] {
    try use.withLock { (_) throws(PostgreSQLError) in
      var found = takeNotifications()
      guard found.isEmpty else { return found }
      _ = waitForSocket(writable: false, wake, timeout: timeout)
      wake.drain()
      guard unsafe PQconsumeInput(pointer) == 1, unsafe PQstatus(pointer) == CONNECTION_OK else {
        throw lost()
      }
      found = takeNotifications()
      return found
    }
  }

  private func takeNotifications() -> [String] {
    var found: [String] = []
    while let notification = unsafe PQnotifies(pointer) {
      defer { unsafe PQfreemem(notification) }
      guard unsafe notification.pointee.be_pid != PQbackendPID(pointer) else { continue }
      found.append(unsafe String(cString: notification.pointee.extra))
    }
    return found
  }
}
