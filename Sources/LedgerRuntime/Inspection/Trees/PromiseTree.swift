/// A promise and everything below it: the promises that its code created, the work that awaits them, and so on.
public struct PromiseTree: Sendable, Hashable {
  /// The relation of a promise to the one above it.
  @nonexhaustive public enum Relation: String, Sendable, Hashable, CaseIterable {
    /// The code of the work above created it.
    case child
    /// Its work awaits the promise above, or awaited it when it was created.
    case continuation
    /// Its outcome helps to settle the joint above.
    case input
  }

  /// A promise at one place of the tree.
  public struct Node: Sendable, Hashable {
    /// The promise.
    public let id: PromiseID
    /// The number of promises above it.
    public let depth: Int
    /// Its relation to the nearest node before it with a smaller depth; `nil` for the first node.
    public let relation: Relation?
    /// Its record, without a large outcome; `nil` if only a later version can read it.
    public let record: PromiseRecord?
    /// The state of its work, if that is pending.
    public let standing: WorkStanding?
    /// Whether the promise has another place in the tree, with everything below it.
    public let isRepeated: Bool
    /// The number of promises directly below it that the limit left out.
    public let leftOutCount: Int
  }

  /// The promises: each is followed by everything below it. Promises with one relation to the same promise are in
  /// the order of their creation.
  public let nodes: [Node]
  /// The number of promises that the limit left out.
  public let leftOutCount: Int
}
