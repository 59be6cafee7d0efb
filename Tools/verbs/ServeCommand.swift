#if Serve
  import ArgumentParser
  import Foundation
  import LedgerRuntime
  import Synchronization

  /// `promise-ledger serve`: the page of the report, which goes on to change with the ledger.
  struct ServeCommand: LedgerCommand {
    static let configuration = CommandConfiguration(
      commandName: "serve",
      abstract: "Shows a ledger in a browser on this machine, and its changes as they come.",
      discussion: """
        The command prints the address of a page, and serves it until it is interrupted; then the \
        exit code is 0. The page is that of report, and follows what is written: it has the \
        newest events, everything that is open, and what ended among these events. Only this \
        machine can connect, and only with the token in the address: anyone who has the address \
        can see the ledger's values and texts. The page can only be looked at. With --allow-actions, it \
        can also resolve, reject, cancel, abandon, retry and invalidate: it shows first what an \
        action would do, asks for the reason, and the ledger records both. Exit code 4 means that \
        the port is in use, exit code 3 that there is no ledger, or that it was removed meanwhile, \
        and exit code 5 that it was replaced.
        """)

    /// More lines than this are more than browsers can scroll, and than a server should hold.
    private static let largestEventCount = 200_000

    @OptionGroup var reading: ReadingOptions

    @Option(help: ArgumentHelp("The port; a free one by default.", valueName: "number"))
    var port: UInt16 = 0

    @Flag(name: .customLong("ipv6"), help: "Listen on ::1 instead of 127.0.0.1.")
    var usesIPv6 = false

    @Flag(help: "Let the page change the ledger.")
    var allowActions = false

    @Option(
      help: ArgumentHelp("Keep at most this many events for the page.", valueName: "count"))
    var events = 20_000

    func validate() throws {
      guard (1...Self.largestEventCount).contains(events) else {
        throw ValidationError(
          "The number of events must be between 1 and \(Self.largestEventCount).")
      }
      if allowActions { try reading.checkForWriting(by: "A page") }
    }

    func perform(_ sink: any TextSink) throws {
      let (inspector, followed) = try reading.openToFollow()
      var reader = try LiveReader(
        inspector, of: reading, followed, eventLimit: events, sink)
      let live = reader.live
      let server = try PageServer(
        live, port: port, usesIPv6: usesIPv6,
        desk: allowActions ? OperatorDesk(reading: reading, inspector: inspector) : nil)
      // From here on it says goodbye to its pages.
      EndRequest.expect()
      let failure = Mutex<(any Error)?>(nil)
      let serving = Task.detached {
        do { try await server.run() } catch { failure.withLock { $0 = error } }
      }
      defer { serving.cancel() }
      try sink.write("\(server.address)\n")
      try sink.flush()
      do {
        try reader.follow { EndRequest.hasCome || failure.withLock { $0 != nil } }
        if !EndRequest.hasCome, let error = failure.withLock({ $0 }) { throw error }
        live.end("The server was ended.")
      } catch {
        live.end(Status.Failure(error)?.message ?? "\(error)")
        live.waitForReaders(atMost: Self.patience)
        throw error
      }
      live.waitForReaders(atMost: Self.patience)
    }

    /// How long the pages may take to hear of the end.
    private static let patience = Duration.seconds(1)
  }
#endif
