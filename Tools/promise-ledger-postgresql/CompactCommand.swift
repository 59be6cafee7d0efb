import ArgumentParser
import Foundation
import LedgerVerbs
import PromiseLedgerPostgreSQL

/// `promise-ledger-postgresql compact`: makes a ledger small, or previews that.
struct CompactCommand: LedgerCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Prints what a compaction would do; with --apply, compacts.",
    discussion: """
      \(CompactionOptions.discussion)

      The role needs the right to compact. The server reuses the space that becomes free after its \
      vacuum.
      """)

  @OptionGroup var reading: ServerOptions

  @Flag(help: "Compact. The ledger records the session, with the role operator.")
  var apply = false

  @OptionGroup var keeping: CompactionOptions

  @Flag(help: "Report progress on standard error, even if that is not a terminal.")
  var progress = false

  @OptionGroup var output: FormatOptions

  func validate() throws {
    if apply { try reading.checkForWriting() }
  }

  func perform(_ sink: any TextSink) throws {
    // The inspector does not create a missing ledger.
    let inspector = try reading.open(toWrite: apply)
    guard apply else { return try plan(inspector, sink) }
    let id = inspector.id
    inspector.close()
    let compaction = try compact(sink)
    try Report(compaction, of: id).write(as: output.format, to: sink)
    if let failure = compaction.failure { throw failure }
  }

  private func plan(_ inspector: BlockingInspector, _ sink: any TextSink) throws {
    let plan = try inspector.plan(
      keeping.policy, progress: sink.progress(through: inspector))
    try Report(plan, of: inspector.id).write(as: output.format, to: sink)
    try sink.note(
      plan.isEmpty
        ? "There is nothing to do." : "Nothing was changed. To compact, add --apply.")
  }

  private func compact(_ sink: any TextSink) throws -> CompactionReport {
    let isTold = progress || isatty(STDERR_FILENO) == 1
    var notes = ProgressNotes()
    let work = try BackgroundWork<CompactionReport, CompactionProgress> {
      [reading, policy = keeping.policy] say in
      try await reading.withOperator { try await $0.compact(policy) { say($0) } }
    }
    // Opening replays the tail, and each step may have to wait for another writer before that
    // becomes an error.
    let patience = LedgerConfiguration().writerStallTimeout * 2
    return try work.wait(every: reading.pulseInterval, for: patience, sink.alive) { step in
      if let note = notes.note(step), isTold { try sink.note(note) }
    }
  }
}
