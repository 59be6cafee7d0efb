#if canImport(Glibc)
  import Glibc
#else
  import Foundation
#endif

/// The identity of the running thread, for comparison only.
package struct ThreadIdentity: Hashable, Sendable {
  private let rawValue: UInt

  package static var current: ThreadIdentity {
    #if canImport(Glibc)
      ThreadIdentity(rawValue: UInt(pthread_self()))
    #else
      ThreadIdentity(rawValue: UInt(bitPattern: ObjectIdentifier(Thread.current)))
    #endif
  }
}
