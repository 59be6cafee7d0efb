/// Different values in ascending order.
///
/// They are stored in pieces of limited size, so that a change moves few values, and a copy shares the pieces
/// that do not change.
struct SortedPieces<Element: Comparable & Sendable>: Sendable {
  private typealias Piece = ContiguousArray<Element>

  private static var pieceCapacity: Int { 128 }

  /// The pieces; none of them is empty.
  private var pieces: ContiguousArray<Piece> = []

  var isEmpty: Bool { pieces.isEmpty }

  var first: Element? { pieces.first?.first }

  /// Visits all values, in order.
  func visitAll(_ body: (Element) -> Void) {
    for piece in pieces {
      for element in piece { body(element) }
    }
  }

  /// Visits the values in order, until `body` returns false.
  ///
  /// - Parameter isBefore: Whether a value comes before the first one to visit; true for the first values only.
  func visit(
    after isBefore: (Element) -> Bool = { _ in false },
    _ body: (Element) throws(LedgerError) -> Bool
  ) throws(LedgerError) {
    var number = max(0, pieces.partitioningIndex { !isBefore($0[0]) } - 1)
    guard number < pieces.count else { return }
    var offset = pieces[number].partitioningIndex { !isBefore($0) }
    while number < pieces.count {
      for element in pieces[number][offset...] {
        guard try body(element) else { return }
      }
      (number, offset) = (number + 1, 0)
    }
  }

  // MARK: Changing

  /// Inserts a value that is not there.
  ///
  /// - Complexity: O(log n), and O(n) in the number of pieces if one is full.
  mutating func insert(_ element: Element) {
    // New values mostly come last.
    guard let last = pieces.last?.last, element < last else { return append(element) }
    let number = max(0, pieces.partitioningIndex { element < $0[0] } - 1)
    let offset = pieces[number].partitioningIndex { element < $0 }
    pieces[number].insert(element, at: offset)
    guard pieces[number].count > Self.pieceCapacity else { return }
    let half = Piece(pieces[number][(Self.pieceCapacity / 2)...])
    pieces[number].removeLast(half.count)
    pieces.insert(half, at: number + 1)
  }

  private mutating func append(_ element: Element) {
    let last = pieces.count - 1
    if last >= 0, pieces[last].count < Self.pieceCapacity {
      pieces[last].append(element)
    } else {
      pieces.append([element])
    }
  }

  /// Removes a value, if it is there.
  mutating func remove(_ element: Element) {
    let number = pieces.partitioningIndex { element < $0[0] } - 1
    guard number >= 0 else { return }
    let offset = pieces[number].partitioningIndex { !($0 < element) }
    guard offset < pieces[number].count, pieces[number][offset] == element else { return }
    if pieces[number].count == 1 {
      pieces.remove(at: number)
    } else {
      pieces[number].remove(at: offset)
    }
  }
}
