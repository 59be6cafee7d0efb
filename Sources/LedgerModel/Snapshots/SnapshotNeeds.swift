import Synchronization

/// A request for parts of a snapshot, to be read at once.
package struct SnapshotNeeds: Sendable, Hashable {
  /// A part of a list.
  package struct Page: Sendable, Hashable {
    /// The last known entry; `nil` for the first entries.
    package var key: [UInt8]?
    /// The maximum number of entries.
    package var limit: Int
  }

  /// The entities whose records and tombstones are looked up.
  package var ids: Set<EntityID>
  /// The lists that are read completely, with the records of the listed entities.
  package var lists: Set<OpenList>
  /// The entries of lists that are read without records.
  package var pages: [OpenList: Page] = [:]
  /// Whether the lists of the snapshot must agree with the entities that are looked up, because a command is
  /// to change them.
  package var checksLists = false

  package init(ids: Set<EntityID> = [], lists: Set<OpenList> = []) {
    self.ids = ids
    self.lists = lists
  }

  package var isEmpty: Bool { ids.isEmpty && lists.isEmpty && pages.isEmpty }

  /// - Returns: Whether the request contained anything new.
  @discardableResult
  package mutating func formUnion(_ other: SnapshotNeeds) -> Bool {
    let knownCount = ids.count + lists.count
    let knownPages = pages
    ids.formUnion(other.ids)
    lists.formUnion(other.lists)
    // Another page of a list is requested when the previous one was too short.
    pages.merge(other.pages) { _, new in new }
    checksLists = checksLists || other.checksLists
    return ids.count + lists.count > knownCount || pages != knownPages
  }
}

/// Records the items that a look-up lacks, so that they can be read and the look-up repeated.
///
/// The result of a look-up that lacked an item is discarded, so it does not matter how it ends.
package final class LackNotes: Sendable {
  private let contents = Mutex(SnapshotNeeds())

  package init() {}

  /// The items noted so far.
  package var needs: SnapshotNeeds { contents.withLock { $0 } }

  func note(_ id: EntityID) { contents.withLock { _ = $0.ids.insert(id) } }

  func note(_ list: OpenList) { contents.withLock { _ = $0.lists.insert(list) } }

  func note(_ page: SnapshotNeeds.Page, of list: OpenList) {
    contents.withLock { $0.pages[list] = page }
  }
}
