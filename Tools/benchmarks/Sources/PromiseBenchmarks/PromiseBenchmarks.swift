import Foundation

/// Compares the promise with others on the same shapes and prints a table of ratios.
///
/// `swift run -c release PromiseBenchmarks [words of shape names] [only=contestant]`
@main
enum PromiseBenchmarks {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    let wanted = arguments.filter { !$0.hasPrefix("only=") }
    let only = arguments.first { $0.hasPrefix("only=") }?.dropFirst("only=".count)
    print(
      "Nanoseconds for each unit, best of the rounds; ratio to the fastest peer whose callbacks")
    print("are asynchronous too. Peers marked * run callbacks inside the call that settles.")
    for var shape in Shapes().all {
      if let only { shape.contestants.removeAll { $0.name != only } }
      guard wanted.isEmpty || wanted.contains(where: shape.name.contains) else { continue }
      report(shape, shape.measure(rounds: 7))
    }
  }

  private static func report(_ shape: Shape, _ measurements: [Measurement]) {
    print("\n\(shape.name)")
    let peers = measurements.dropFirst(shape.ownCount).filter { !$0.name.hasSuffix("*") }
    let fastest = peers.map(\.best).min()
    for measurement in measurements {
      let name = measurement.name.padding(toLength: 40, withPad: " ", startingAt: 0)
      let ratio = fastest.map { String(format: "%6.2f", measurement.best / $0) } ?? "     -"
      print("  \(name) \(String(format: "%10.1f", measurement.best)) ns \(ratio)")
    }
  }
}

extension Shape {
  /// How many of the contestants are ours; they come first.
  var ownCount: Int { contestants.count { $0.name.hasPrefix("LedgerPromises") } }
}
