import CLedgerSystem
import LedgerLibC
import Synchronization

/// A program that this process started, with its standard input and output; its standard error is
/// that of this process, and it inherits no other file.
///
/// Any number may be started at once, from any thread. The program keeps running when this object
/// is released.
package final class ChildProcess: Sendable {
  /// How a process ended.
  package enum Ending: Sendable, Hashable {
    /// It returned or called `exit`.
    case exited(Int32)
    /// A signal ended it.
    case signalled(Int32)
  }

  package let id: Int32
  private let input: Int32
  private let output: Int32
  private let state = Mutex(State())

  private struct State {
    var isInputOpen = true
    var ending: Ending?
  }

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - words: Its path and its arguments.
  ///   - environment: Lines of the form `NAME=value`.
  ///   - resetsSignals: Whether signals that this process ignores end the program. By default it
  ///     ignores them too, as `nohup` means. No signal is blocked in it either way.
  package init(
    _ words: [String], environment: [String], resetsSignals: Bool = false
  ) throws(SystemError) {
    let (childInput, input) = try Self.connected()
    let (output, childOutput): (Int32, Int32)
    do throws(SystemError) {
      (output, childOutput) = try Self.connected()
    } catch {
      for descriptor in [childInput, input] { Descriptor.close(descriptor) }
      throw error
    }
    self.input = input
    self.output = output
    defer {
      Descriptor.close(childInput)
      Descriptor.close(childOutput)
    }
    do throws(SystemError) {
      id = try Self.spawn(words, environment, childInput, childOutput, resetsSignals)
    } catch {
      // A deinit does not run for an object whose properties are not all set.
      Descriptor.close(input)
      Descriptor.close(output)
      throw error
    }
  }

  deinit {
    closeInput()
    Descriptor.close(output)
  }

  /// Writes to its standard input.
  ///
  /// - Throws: `SystemError` of `send`: the program closed its input or ended.
  package func write(_ bytes: [UInt8]) throws(SystemError) {
    try state.withLock { (state) throws(SystemError) in
      guard state.isInputOpen else { throw SystemError(.closed, "send") }
      var done = 0
      while done < bytes.count {
        let count = unsafe bytes.withUnsafeBytes {
          unsafe systemSend(input, $0.baseAddress.map { unsafe $0 + done }, $0.count - done)
        }
        if count >= 0 {
          done += count
        } else if errno != EINTR {
          throw SystemError.last("send")
        }
      }
    }
  }

  /// Ends its standard input.
  package func closeInput() {
    state.withLock { state in
      if state.isInputOpen { Descriptor.close(input) }
      state.isInputOpen = false
    }
  }

  /// The next bytes of its standard output; empty at the end.
  @available(*, noasync, message: "blocks the thread")
  package func read() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe bytes.withUnsafeMutableBytes {
        unsafe recv(output, $0.baseAddress, $0.count, 0)
      }
      if count < 0 && errno == EINTR { continue }
      return Array(bytes.prefix(max(0, count)))
    }
  }

  /// Sends it a signal; does nothing if it has ended.
  package func send(signal: Int32) {
    state.withLock { state in
      // No other process gets its id until its exit status is collected.
      if state.ending == nil { kill(id, signal) }
    }
  }

  /// Waits until it ends. Every caller waits.
  @available(*, noasync, message: "blocks the thread")
  package func wait() -> Ending {
    // Its id may be that of another process by now.
    if let ending = state.withLock({ $0.ending }) { return ending }
    var info = unsafe siginfo_t()
    while unsafe waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) == -1, errno == EINTR {}
    return state.withLock { state in
      if let ending = state.ending { return ending }
      var status: Int32 = 0
      while unsafe waitpid(id, &status, 0) == -1, errno == EINTR {}
      let signal = status & 0x7F
      let ending = signal == 0 ? Ending.exited(status >> 8 & 0xFF) : .signalled(signal)
      state.ending = ending
      return ending
    }
  }

  // MARK: Starting

  /// Two ends of a connection that no program inherits. It is a socket, because writing to a closed
  /// socket need not raise a signal.
  private static func connected() throws(SystemError) -> (Int32, Int32) {
    var pair: [Int32] = [-1, -1]
    #if canImport(Darwin)
      let type = SOCK_STREAM
    #elseif canImport(Musl)
      let type = SOCK_STREAM | SOCK_CLOEXEC
    #else
      let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    #endif
    guard unsafe socketpair(AF_UNIX, type, 0, &pair) == 0 else {
      throw SystemError.last("socketpair")
    }
    #if canImport(Darwin)
      for descriptor in pair {
        var isOn: Int32 = 1
        _ = unsafe fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &isOn, 4)
      }
    #endif
    return (pair[0], pair[1])
  }

  private static func spawn(
    _ words: [String], _ environment: [String], _ input: Int32, _ output: Int32,
    _ resetsSignals: Bool
  ) throws(SystemError) -> Int32 {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = unsafe posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
    // The calling thread may block signals that the program expects.
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    var flags = Int16(POSIX_SPAWN_SETSIGMASK)
    if resetsSignals {
      var all = sigset_t()
      unsafe sigfillset(&all)
      unsafe posix_spawnattr_setsigdefault(&attributes, &all)
      flags |= Int16(POSIX_SPAWN_SETSIGDEF)
    }
    // The reader of a pipe whose other end the program inherited would see no end before it ends.
    try SystemError.check(
      unsafe cledger_inherit_standard_only(&actions, &flags), "posix_spawn", path: words.first)
    unsafe posix_spawnattr_setflags(&attributes, flags)
    let arguments = unsafe words.map { unsafe strdup($0) } + [nil]
    let variables = unsafe environment.map { unsafe strdup($0) } + [nil]
    defer {
      for index in unsafe arguments.indices { unsafe free(arguments[index]) }
      for index in unsafe variables.indices { unsafe free(variables[index]) }
    }
    var id: pid_t = 0
    let code = unsafe posix_spawn(
      &id, words.first ?? "", &actions, &attributes, arguments, variables)
    try SystemError.check(code, "posix_spawn", path: words.first)
    return id
  }
}

// Outside the type, which has a method of the same name.

private func systemSend(
  _ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int
) -> Int {
  unsafe send(descriptor, bytes, count, noSignal)
}

#if canImport(Darwin)
  private let noSignal: Int32 = 0
#else
  private let noSignal = Int32(MSG_NOSIGNAL)
#endif
