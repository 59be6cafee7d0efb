import PromiseLedger

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Forks while it has a ledger open. The child prints how each call ends (`child CALL CODE`) and
/// then becomes a fresh process that goes through a promise's life; the parent continues with its
/// own.
struct Forked {
  private let path: String

  init(_ path: String) {
    self.path = path
  }

  func run() async throws {
    let ledger = try await Ledger.open(at: path, as: .app)
    let inspector = try BlockingInspector(at: path)
    let promise = try await ledger.createPromise(of: Int.self)
    Output.line("C \(promise.id)")
    let program = unsafe strdup(CommandLine.arguments[0])
    let arguments = unsafe scriptArguments()
    // The first use of a type takes a lock of the Swift runtime, which another thread may hold when
    // the process is forked. So the parent takes the child's path beforehand, with no effect.
    unsafe become(strdup(path + "/nowhere"), arguments)
    let child = unsafe forkProcess()
    if child == 0 {
      await sayMessage(promise)
      await sayRefusals(ledger, inspector, promise)
      unsafe become(program, arguments)
      _exit(9)
    }
    guard child > 0 else { throw UsageError(what: "cannot fork") }
    Output.line("child ended \(unsafe endStatus(of: child))")
    guard try await promise.fulfill(1).isSuccess else { throw UsageError(what: "not resolved") }
    Output.line("R \(promise.id)")
    _ = try await promise.consume()
    Output.line("K \(promise.id)")
    await ledger.close()
    Output.line("closed")
  }

  /// Forks again and again while other threads work in the ledger, so that many children begin with
  /// locks that are never released.
  func runBusily(rounds: Int) async throws {
    var configuration = LedgerConfiguration()
    // A compaction might use a type for the first time while a process is forked.
    configuration.automaticCompaction = nil
    configuration.runner = .automatic
    let ledger = try await Ledger.open(at: path, as: .app, configuration: configuration)
    let inspector = try BlockingInspector(at: path)
    let promise = try await ledger.createPromise(of: Int.self)
    let (began, ready) = AsyncStream.makeStream(of: Void.self)
    let work = (0..<4).map { _ in
      Task.detached {
        var number = 0
        while !Task.isCancelled {
          number += 1
          let other = try await ledger.createPromise(of: Int.self)
          _ = try await other.fulfill(1)
          _ = try await other.consume()
          _ = try inspector.head
          if number == 100 { ready.yield() }
        }
      }
    }
    // One that does nothing but look up how a value is encoded.
    let lookUp = Task.detached {
      while !Task.isCancelled { _ = try ledger.promise(id: promise.id, of: Int.self) }
    }
    // From then on, no thread holds a lock of the Swift runtime, which the first use of a type takes.
    var others = work.count
    for await _ in began {
      others -= 1
      if others == 0 { break }
    }
    for round in 1...rounds {
      // Varies the moment of the fork relative to the work of the tasks.
      _ = try await ledger.createPromise(of: Int.self)
      let child = unsafe forkProcess()
      if child == 0 {
        // Ends a child that waits for a lock of its parent. The threads of Dispatch block signals.
        unsafe unblock(SIGALRM)
        alarm(10)
        await sayRefusals(ledger, inspector, promise)
        _exit(0)
      }
      guard child > 0 else { throw UsageError(what: "cannot fork") }
      Output.line("round \(round) ended \(unsafe endStatus(of: child))")
    }
    for task in work + [lookUp] { task.cancel() }
    for task in work + [lookUp] { _ = await task.result }
    await ledger.close()
  }

  @unsafe private func endStatus(of child: pid_t) -> Int32 {
    var status: Int32 = -1
    while unsafe waitpid(child, &status, 0) == -1, errno == EINTR {}
    return status
  }

  /// Calls that need no other thread: a fork's child only has the thread that forked.
  private func sayRefusals(
    _ ledger: Ledger, _ inspector: BlockingInspector, _ promise: DurablePromise<Int>
  ) async {
    await say("create") { _ = try await ledger.createPromise(of: Int.self) }
    await say("resolve") { try await promise.fulfill(2) }
    await say("record") { _ = try await promise.record }
    await say("consume") { _ = try await promise.consume() }
    await say("stale") { _ = try await ledger.stalePromises() }
    await say("catchUp") { try await ledger.catchUp() }
    await say("freeze") { try await ledger.freeze() }
    await say("unfreeze") { try await ledger.unfreeze() }
    await say("inspect") { _ = try inspector.head }
    await say("close") { await ledger.close() }
  }

  private func sayMessage(_ promise: DurablePromise<Int>) async {
    do {
      _ = try await promise.record
    } catch {
      Output.line("message \((error as? LedgerError)?.message ?? "\(error)")")
    }
  }

  private func say(_ call: String, _ body: () async throws -> Void) async {
    do {
      try await body()
      Output.line("child \(call) done")
    } catch {
      Output.line("child \(call) \((error as? LedgerError)?.code.description ?? "\(error)")")
    }
  }

  /// The arguments of `ledger-worker script`, which are never freed.
  @unsafe private func scriptArguments() -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> {
    let words = [CommandLine.arguments[0], "script", path, "crkx"]
    let arguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(
      capacity: words.count + 1)
    for (index, word) in words.enumerated() { unsafe arguments[index] = unsafe strdup(word) }
    unsafe arguments[words.count] = nil
    return unsafe arguments
  }

  /// Becomes another program, if it exists.
  @unsafe private func become(
    _ program: UnsafeMutablePointer<CChar>?,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  ) {
    if let program = unsafe program { unsafe execv(program, arguments) }
  }
}

@unsafe private func unblock(_ signal: Int32) {
  var signals = sigset_t()
  unsafe sigemptyset(&signals)
  unsafe sigaddset(&signals, signal)
  unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
}

/// `fork`, which Swift's modules of the C library hide, as they should.
@unsafe private func forkProcess() -> pid_t {
  guard let symbol = unsafe dlsym(nil, "fork") else { return -1 }
  return unsafe unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)()
}
