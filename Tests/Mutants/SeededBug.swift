#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The bug that is to show its effect. A copy of this stands in each target with bugs.
enum SeededBug {
  static let number = unsafe getenv("SEEDED_BUG").flatMap { unsafe Int(String(cString: $0)) } ?? 0
}
