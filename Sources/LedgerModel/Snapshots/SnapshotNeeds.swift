import Synchronization

/// What is to be read of a snapshot, at once.
package struct SnapshotNeeds: Sendable, Hashable {
  /// A part of a list.
  package struct Page: Sendable, Hashable {
    /// The last entry known; `nil` for the first entries.
    package var key: [UInt8]?
    /// The most entries.
    package var limit: Int
  }

  /// Entities whose records and tombstones are looked up.
  package var ids: Set<EntityID>
  /// Lists that are read whole, with the records of the entities in them.
  package var lists: Set<OpenList>
  /// Entries of lists, without records.
  package var pages: [OpenList: Page] = [:]
  /// Whether the lists of the snapshot must show what is looked up: something shall change it.
  package var checksLists = false

  package init(ids: Set<EntityID> = [], lists: Set<OpenList> = []) {
    self.ids = ids
    self.lists = lists
  }

  package var isEmpty: Bool { ids.isEmpty && lists.isEmpty && pages.isEmpty }

  /// - Returns: Whether anything was new.
  @discardableResult
  package mutating func formUnion(_ other: SnapshotNeeds) -> Bool {
    let knownCount = ids.count + lists.count
    let knownPages = pages
    ids.formUnion(other.ids)
    lists.formUnion(other.lists)
    // Another page of a list is asked for where the one before was too short.
    pages.merge(other.pages) { _, new in new }
    checksLists = checksLists || other.checksLists
    return ids.count + lists.count > knownCount || pages != knownPages
  }
}

/// Notes what a look at a state lacks, so that it can be read, and the look be repeated.
///
/// What comes of a look that lacked something is to be dropped, so it does not matter how it ends.
package final class LackNotes: Sendable {
  private let contents = Mutex(SnapshotNeeds())

  package init() {}

  /// What was noted.
  package var needs: SnapshotNeeds { contents.withLock { $0 } }

  func note(_ id: EntityID) { contents.withLock { _ = $0.ids.insert(id) } }

  func note(_ list: OpenList) { contents.withLock { _ = $0.lists.insert(list) } }

  func note(_ page: SnapshotNeeds.Page, of list: OpenList) {
    contents.withLock { $0.pages[list] = page }
  }
}
