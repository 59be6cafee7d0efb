import LedgerSystem

/// A ledger's data is in one set of LMDB files, its *generation*, which the file CURRENT names. A shrink moves
/// the ledger to a new generation.
extension LedgerDirectory {
  private static let generationPrefix = "generation-"
  private static let generationDigitCount = 6

  /// The name of a generation's directory.
  static func generationName(_ number: UInt64) -> String {
    let digits = String(number)
    let zeros = String(repeating: "0", count: max(0, generationDigitCount - digits.count))
    return generationPrefix + zeros + digits
  }

  /// The number of the generation in a directory of this name; `nil` if it is not such a name.
  static func generationNumber(_ name: String) -> UInt64? {
    guard name.hasPrefix(generationPrefix) else { return nil }
    let digits = name.utf8.dropFirst(generationPrefix.utf8.count)
    guard !digits.isEmpty,
      digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return UInt64(String(decoding: digits, as: UTF8.self))
  }

  /// The content of the file CURRENT while a generation is in use.
  static func currentContent(_ name: String) -> [UInt8] { Array("\(name)\n".utf8) }

  /// The maximum size of the file CURRENT, in bytes.
  private static let currentLimit = 64

  /// The name of the generation in use.
  package func readCurrentGeneration() throws(LedgerError) -> String {
    let bytes = try LedgerError.system("The ledger at \(path) cannot be read.") {
      () throws(SystemError) -> [UInt8]? in
      do throws(SystemError) {
        return try FileSystem.readPrefix(current, maximumBytes: Self.currentLimit + 1)
      } catch {
        guard error.code == .notFound || error.code == .notDirectory else { throw error }
        return nil
      }
    }
    guard let bytes else {
      if let trace = traceOfALedger { throw .damaged(path, "it has \(trace), but no CURRENT file") }
      throw .notALedger(path, whyThereIsNoCurrentFile)
    }
    if let name = Self.generationName(bytes) { return name }
    if let trace = traceOfALedger {
      throw .damaged(path, "it has \(trace), but its CURRENT file is damaged")
    }
    throw .notALedger(path, "its CURRENT file does not belong to a ledger")
  }

  private static func generationName(_ bytes: [UInt8]) -> String? {
    guard bytes.count <= currentLimit, bytes.last == UInt8(ascii: "\n") else { return nil }
    let name = String(decoding: bytes.dropLast(), as: UTF8.self)
    return generationNumber(name) == nil ? nil : name
  }

  /// The evidence that the directory holds a ledger, or the remains of one; `nil` if there is none.
  ///
  /// A CURRENT file alone is not evidence: other databases have one, too.
  private var traceOfALedger: String? {
    guard let names = try? FileSystem.list(path) else { return nil }
    if let generation = names.first(where: { Self.generationNumber($0) != nil }) {
      return "a directory \(generation)"
    }
    let ours = ["gate", "sessions", "wake"].filter(names.contains)
    return ours.count >= 2 ? ours.joined(separator: " and ") : nil
  }

  private var whyThereIsNoCurrentFile: String {
    switch try? FileSystem.kind(path) {
    case nil: "nothing is there"
    case .directory: "it has no CURRENT file"
    default: "it is not a directory"
    }
  }
}

extension LedgerError {
  fileprivate static func notALedger(_ path: String, _ why: String) -> LedgerError {
    LedgerError(.notALedger, "\(path) is not a ledger: \(why). Give the path of a ledger.")
  }

  fileprivate static func damaged(_ path: String, _ what: String) -> LedgerError {
    LedgerError(.corrupt, "The ledger at \(path) is damaged: \(what). Restore it from a copy.")
  }
}
