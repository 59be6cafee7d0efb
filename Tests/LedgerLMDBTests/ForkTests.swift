#if os(Linux)
  import Glibc
  import LedgerLMDB
  import Testing

  /// LMDB: "Do not use opened MDB_env/MDB_txn/MDB_cursor handles after fork". In a process of its
  /// own, because the child of a fork has only one of the test process's threads.
  @Suite(.timeLimit(.minutes(10))) struct ForkTests {
    @Test func aForkedChildIsRefusedAndItsParentGoesOn() async throws {
      let scratch = try ScratchDirectory()
      let path = scratch.environmentPath
      await #expect(processExitsWith: .success) { [path = path as String] in
        let environment = try Environment.open(
          at: path, configuration: Configuration(durability: .noneForTests),
          tables: [TableDescription("log", keys: .integer)])
        try environment.store([1], 1)
        let child = unsafe forkProcess()
        if child == 0 {
          // The test library does not work here, so the exit code carries the result.
          let refusals = [
            lmdbError { _ = try environment.keys() },
            lmdbError { try environment.store([1], 2) },
            lmdbError { _ = try environment.info() },
            lmdbError { try environment.grow(to: 1 << 30) },
          ]
          try? environment.close()
          _exit(refusals.allSatisfy { $0?.refusal == .forkedChild } ? 0 : 1)
        }
        var status: Int32 = -1
        #expect(unsafe waitpid(child, &status, 0) == child)
        #expect(status == 0)
        try environment.store([1], 3)
        let keys = try environment.keys()
        #expect(keys == [1, 3])
      }
    }
  }

  /// `fork`, which Swift's Glibc module hides, as it should.
  @unsafe private func forkProcess() -> pid_t {
    guard let symbol = unsafe dlsym(nil, "fork") else { return -1 }
    return unsafe unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)()
  }
#endif
