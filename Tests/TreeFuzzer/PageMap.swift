import LedgerTestSupport
import LedgerTreeSupport
import PromiseLedgerTesting

/// The purpose of a page of a data file.
enum PageKind: String, CaseIterable, Comparable {
  case branch, leaf, overflow, meta, unused

  static func < (left: PageKind, right: PageKind) -> Bool { left.rawValue < right.rawValue }
}

/// Which page of a data file belongs to which tree.
struct PageMap {
  struct Place: Hashable {
    /// `free`, `main` or a table; `meta pages` and `unused` for the others.
    let tree: String
    let kind: PageKind
    let page: Int
  }

  private let places: [String: [PageKind: [Place]]]
  private let names: [String]

  init(_ file: TreeFile) {
    var places: [Place] = (0...1).map { Place(tree: "meta pages", kind: .meta, page: $0) }
    for tree in file.trees {
      file.forEachPage(of: tree) { number, page, _ in
        let kind: PageKind =
          page.flags.contains(.branch) ? .branch : page.flags.contains(.leaf) ? .leaf : .overflow
        places.append(Place(tree: tree.name, kind: kind, page: number))
      }
    }
    let used = Set(places.map(\.page))
    places += (0..<file.pageCount).filter { !used.contains($0) }
      .map { Place(tree: "unused", kind: .unused, page: $0) }
    self.places = Dictionary(grouping: places, by: \.tree)
      .mapValues { Dictionary(grouping: $0, by: \.kind) }
    names = self.places.keys.sorted()
  }

  /// How many pages of each kind each tree has.
  var description: String {
    names.map { name in
      let kinds = (places[name] ?? [:]).sorted { $0.key < $1.key }
      return "\(name) " + kinds.map { "\($0.value.count) \($0.key)" }.joined(separator: "+")
    }.joined(separator: ", ")
  }

  /// A page of one of these kinds: every tree is as likely as any other, and so is every kind in it.
  func place(
    of kinds: Set<PageKind>, in tree: String? = nil, _ generator: inout SeededGenerator
  ) -> Place? {
    let candidates = names.filter { name in
      (tree == nil || tree == name) && kinds.contains { places[name]?[$0] != nil }
    }
    guard let name = candidates.randomElement(using: &generator), let tree = places[name],
      let kind = tree.keys.filter(kinds.contains).sorted().randomElement(using: &generator)
    else { return nil }
    return tree[kind]?.randomElement(using: &generator)
  }
}
