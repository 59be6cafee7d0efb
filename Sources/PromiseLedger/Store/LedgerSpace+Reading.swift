import LedgerLMDB
import LedgerSystem

extension LedgerSpace {
  init(of environment: Environment, in directory: LedgerDirectory) throws {
    let generation = FileSystem.lastComponent(of: environment.path)
    let leftovers = try UnusedGenerations(besides: generation, in: directory).byteCount()
    let info = try environment.info()
    let pageSize = info.pageSize
    let fileSize = try FileSystem.fileSize(environment.path + "/data.mdb")
    self = try environment.read { transaction in
      var tables: [Table] = []
      for table in environment.tables.sorted(by: { $0.name < $1.name }) {
        let statistics = try transaction.statistics(of: table)
        tables.append(
          Table(
            name: table.name, recordCount: statistics.entries,
            byteCount: statistics.pages * pageSize))
      }
      return Self(
        fileByteCount: fileSize, freeByteCount: try transaction.freePageCount() * pageSize,
        reservedByteCount: max(0, fileSize - info.highWaterBytes),
        leftoverByteCount: leftovers, tables: tables, readers: try Self.readers(of: environment))
    }
  }

  /// The readers of other processes, as a transaction that just began sees them.
  private static func readers(of environment: Environment) throws -> [Reader] {
    let slots = try environment.readerList()
    let newest = slots.compactMap(\.transactionID).max() ?? 0
    return slots.compactMap { slot in
      guard let transaction = slot.transactionID, slot.processID != ThisProcess.id else {
        return nil
      }
      return Reader(
        processID: slot.processID, transactionsBehind: Int(clamping: newest - transaction))
    }
  }
}
