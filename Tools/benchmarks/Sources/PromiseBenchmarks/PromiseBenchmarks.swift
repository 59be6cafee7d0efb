import Foundation
import InMemoryShapes

/// Compares the promise with others on the same shapes, and judges it by the bars.
///
/// `swift run -c release PromiseBenchmarks [words of shape names] [only=contestant] [rounds=count]`
///
/// Exits with 1 if a bar is missed.
@main
enum PromiseBenchmarks {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    let wanted = arguments.filter { !$0.contains("=") }
    let only = option("only", in: arguments)
    let rounds = option("rounds", in: arguments).flatMap { Int($0) } ?? 25
    print(
      "For each unit: nanoseconds, median of \(rounds) rounds; allocations; and the median of the")
    print(
      "rounds' ratios to the fastest peer whose callbacks are asynchronous too. Peers marked * run")
    print("callbacks inside the call that settles.")
    var areMet = true
    for var shape in Shapes().all {
      if let only { shape.contestants.removeAll { $0.name != only } }
      guard wanted.isEmpty || wanted.contains(where: shape.name.contains) else { continue }
      shape.rounds = rounds ?? shape.rounds
      if !report(shape, shape.measure()) { areMet = false }
    }
    exit(areMet ? 0 : 1)
  }

  private static func option(_ name: String, in arguments: ArraySlice<String>) -> String? {
    arguments.first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }
  }

  /// Prints a shape; returns whether its bar, if any, is met.
  private static func report(_ shape: Shape, _ measurements: [ShapeMeasurement]) -> Bool {
    print("\n\(shape.name)")
    let fastest = measurements.filter { $0.contestant.kind == .peer }
      .min { $0.median < $1.median }
    var isMet = true
    for measurement in measurements {
      let ratio = fastest.map { measurement.ratio(to: $0) }
      var verdict = ""
      if measurement.contestant.kind == .judged, let bar = shape.bar, let ratio {
        isMet = ratio <= bar
        verdict = String(format: "  %@ <= %.1f", isMet ? "ok  " : "MISS", bar)
      }
      print("  " + line(measurement, ratio: ratio) + verdict)
    }
    return isMet
  }

  private static func line(_ measurement: ShapeMeasurement, ratio: Double?) -> String {
    let contestant = measurement.contestant
    let name = (contestant.name + (contestant.kind == .inlinePeer ? " *" : ""))
      .padding(toLength: 36, withPad: " ", startingAt: 0)
    let time = String(format: "%8.1f ns", measurement.median)
    let allocations = measurement.allocations.map { String(format: "%6.2f alloc", $0) } ?? ""
    return name + time + allocations + (ratio.map { String(format: "%7.2f", $0) } ?? "")
  }
}
