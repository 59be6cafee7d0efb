import ArgumentParser
import Foundation
import LedgerVerbs
import PromiseLedger

/// `promise-ledger compact`: makes a ledger small, or previews that.
struct CompactCommand: LedgerCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Prints what a compaction would do; with --apply, compacts.",
    discussion: """
      \(CompactionOptions.discussion)

      The data file keeps its size, and new events are written into its free space. With --shrink, \
      the command then copies the data into a new file, verifies it, and moves the ledger to it. \
      Other processes go on with the new file by themselves. The disk must have room for the copy.
      """)

  @OptionGroup var reading: FileOptions

  @Flag(help: "Compact. The ledger records the session, with the role operator.")
  var apply = false

  @Flag(help: "Then give the free space of the data file back to the disk.")
  var shrink = false

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
    let (compaction, shrink) = try compact(sink)
    var report = Report(compaction, of: id)
    if let shrink { report.add(shrink) }
    try report.write(as: output.format, to: sink)
    if let failure = compaction.failure { throw failure }
  }

  private func plan(_ inspector: BlockingInspector, _ sink: any TextSink) throws {
    let plan = try inspector.plan(
      keeping.policy, progress: sink.progress(through: inspector))
    var report = Report(plan, of: inspector.id)
    if shrink { report.addPlannedShrink(try inspector.space { try sink.alive() }) }
    try report.write(as: output.format, to: sink)
    try sink.note(
      plan.isEmpty && !shrink
        ? "There is nothing to do." : "Nothing was changed. To compact, add --apply.")
  }

  /// - Returns: No report of the shrink if there was none, because the option is missing or the compaction
  ///   stopped.
  private func compact(
    _ sink: any TextSink
  ) throws -> (compaction: CompactionReport, shrink: ShrinkReport?) {
    let isTold = progress || isatty(STDERR_FILENO) == 1
    var (notes, shrinkNotes) = (ProgressNotes(), ShrinkNotes())
    let work = try BackgroundWork<(CompactionReport, ShrinkReport?), Step> {
      [reading, policy = keeping.policy, shrinks = shrink] say in
      try await reading.withOperator { ledger in
        let compaction = try await ledger.compact(policy) { say(.compaction($0)) }
        guard shrinks, compaction.problem == nil else { return (compaction, nil) }
        return (compaction, try await ledger.shrink { say(.shrink($0)) })
      }
    }
    // Opening replays the tail, and each step may have to wait for another writer before that
    // becomes an error.
    let patience = LedgerConfiguration().writerStallTimeout * 2
    return try work.wait(every: reading.pulseInterval, for: patience, sink.alive) { step in
      let note =
        switch step {
        case .compaction(let progress): notes.note(progress)
        case .shrink(let progress): shrinkNotes.note(progress)
        }
      if isTold, let note { try sink.note(note) }
    }
  }

  private enum Step {
    case compaction(CompactionProgress)
    case shrink(ShrinkProgress)
  }
}
