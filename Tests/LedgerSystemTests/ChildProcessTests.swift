import LedgerSystem
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

@Suite(.timeLimit(.minutes(1))) struct ChildProcessTests {
  @Test(arguments: [SIGHUP, SIGINT])
  func aSignalThatThisProcessIgnoresEndsAChildThatResetsSignals(signal: Int32) async {
    await #expect(processExitsWith: .success) { [signal = signal as Int32] in
      ignore(signal)
      let ending = try shell(sendingItself: signal, resetsSignals: true)
      try #require(ending == .signalled(signal))
    }
  }

  /// A program that was started with `nohup` starts others that a hangup does not end.
  @Test(arguments: [SIGHUP, SIGINT])
  func aSignalThatThisProcessIgnoresIsOtherwiseIgnoredByAChild(signal: Int32) async {
    await #expect(processExitsWith: .success) { [signal = signal as Int32] in
      ignore(signal)
      let ending = try shell(sendingItself: signal, resetsSignals: false)
      try #require(ending == .exited(0))
    }
  }

  @Test func aSignalThatTheThreadBlocksEndsAChild() async {
    await #expect(processExitsWith: .success) {
      block(SIGTERM)
      let ending = try shell(sendingItself: SIGTERM, resetsSignals: false)
      try #require(ending == .signalled(SIGTERM))
    }
  }

  /// Many descriptors are not closed on exec, such as those of Foundation's pipes.
  @Test func aChildInheritsNoOtherDescriptor() async {
    await #expect(processExitsWith: .success) {
      let (reader, writer) = try pipeWithoutWaiting()
      let child = try ChildProcess(["/bin/cat"], environment: [])
      close(writer)
      var byte: UInt8 = 0
      // It would be -1 if the child, which is running, had the other end.
      let count = unsafe read(reader, &byte, 1)
      child.send(signal: SIGKILL)
      try #require(count == 0)
    }
  }
}

/// A shell that outlives the signal returns.
private func shell(
  sendingItself signal: Int32, resetsSignals: Bool
) throws -> ChildProcess.Ending {
  try ChildProcess(
    ["/bin/sh", "-c", "kill -\(signal) $$"], environment: [], resetsSignals: resetsSignals
  ).wait()
}

private func ignore(_ signal: Int32) {
  #if canImport(Darwin)
    Darwin.signal(signal, SIG_IGN)
  #elseif canImport(Musl)
    Musl.signal(signal, SIG_IGN)
  #else
    Glibc.signal(signal, SIG_IGN)
  #endif
}

private func block(_ signal: Int32) {
  var set = sigset_t()
  unsafe sigemptyset(&set)
  unsafe sigaddset(&set, signal)
  _ = unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
}

/// The ends of a pipe whose reader does not wait for bytes.
private func pipeWithoutWaiting() throws -> (reader: Int32, writer: Int32) {
  var ends: [Int32] = [-1, -1]
  try #require(unsafe pipe(&ends) == 0)
  try #require(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0)
  return (ends[0], ends[1])
}
