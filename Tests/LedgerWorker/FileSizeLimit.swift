#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The limit on the size of this process's files: it imitates a disk that is full, and then is not.
enum FileSizeLimit {
  /// Turns exceeding the limit into an error; otherwise the system ends the process.
  static func prepare() { _ = signal(SIGXFSZ, SIG_IGN) }

  /// Sets the limit; `nil` for the highest that the process may have.
  static func set(_ size: Int?) throws {
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
      let resource = RLIMIT_FSIZE
    #endif
    var limits = rlimit()
    guard unsafe getrlimit(resource, &limits) == 0 else { throw UsageError(what: "getrlimit") }
    limits.rlim_cur = size.map { rlim_t($0) } ?? limits.rlim_max
    guard unsafe setrlimit(resource, &limits) == 0 else { throw UsageError(what: "setrlimit") }
  }
}
