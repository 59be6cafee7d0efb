#if ServiceLifecycle
  public import ServiceLifecycle

  /// A runner is a service; the package must be built with the trait `ServiceLifecycle`.
  extension LedgerRunner: Service {}

  extension WorkLoop {
    /// Runs work until the task is cancelled, the session ends, or the services are shut down, then stops.
    func runUntilShutdown() async throws {
      try await cancelWhenGracefulShutdown { try await self.runUntilStopped() }
    }
  }
#endif
