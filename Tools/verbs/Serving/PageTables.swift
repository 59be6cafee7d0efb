#if Serve
  /// The lists of the live page but for the events, and its facts, as of one moment.
  ///
  /// A line keeps its place from one version to the next, and new ones come last, so that a reader's rows stay where
  /// they are. Versions share the lines that did not change.
  struct PageTables: Sendable {
    fileprivate struct Table: Sendable {
      var names: [String] = []
      var lines: [String: [UInt8]] = [:]
    }

    let version: Int
    let facts: JSONValue
    private let tables: [PageList: Table]

    /// - Parameter lines: All lines.
    init(
      version: Int = 1, after earlier: PageTables? = nil, _ lines: [PageLine], _ facts: JSONValue
    ) {
      self.version = version
      self.facts = facts
      var tables: [PageList: Table] = [:]
      var added: [PageList: [String]] = [:]
      for line in lines {
        let old = earlier?.tables[line.list]?.lines[line.name]
        if old == nil { added[line.list, default: []].append(line.name) }
        tables[line.list, default: Table()].lines[line.name] = old == line.bytes ? old : line.bytes
      }
      for (list, table) in tables {
        let kept = earlier?.tables[list]?.names.filter { table.lines[$0] != nil } ?? []
        tables[list]?.names = kept + (added[list] ?? [])
      }
      self.tables = tables
    }

    /// Calls `body` with every line.
    func forEachLine(_ body: (PageList, [UInt8]) throws -> Void) rethrows {
      for list in PageList.allCases {
        guard let table = tables[list] else { continue }
        for name in table.names { try body(list, table.lines[name] ?? []) }
      }
    }

    /// What is different from an earlier version, by the names of the lists: first lines that changed, by their
    /// numbers in the earlier version, then the numbers there of lines that are gone, then lines that are new.
    func changes(since earlier: PageTables) -> JSONValue {
      var changes: [String: JSONValue] = [:]
      for list in PageList.allCases {
        let (old, new) = (earlier.tables[list] ?? Table(), tables[list] ?? Table())
        var (changed, removed): ([JSONValue], [JSONValue]) = ([], [])
        for (number, name) in old.names.enumerated() {
          guard let line = new.lines[name] else {
            removed.append(.integer(Int64(number)))
            continue
          }
          if line != old.lines[name] {
            changed.append(.array([.integer(Int64(number)), .text(of: line)]))
          }
        }
        let added = new.names.filter { old.lines[$0] == nil }.map {
          JSONValue.text(of: new.lines[$0] ?? [])
        }
        guard !changed.isEmpty || !removed.isEmpty || !added.isEmpty else { continue }
        changes[list.rawValue] = .object([
          "changed": .array(changed), "removed": .array(removed), "added": .array(added),
        ])
      }
      return .object(changes)
    }
  }

  extension JSONValue {
    /// A line of the page as a text: the page keeps and searches it as it is.
    static func text(of line: [UInt8]) -> JSONValue {
      .string(String(decoding: line, as: UTF8.self))
    }
  }
#endif
