import Foundation
import InMemoryShapes

/// Promises in memory beside those of other libraries.
struct InMemoryComparison {
  let mode: Mode
  let table: Table

  private static let counts = [1_000, 10_000, 100_000]

  func run() {
    let shapes = Shapes()
    var times: [String: [Double]] = [:]
    for count in Self.counts {
      for measurement in add(shapes.oneHop(count: count), named: "\(Table.number(Double(count)))× ")
      {
        times[measurement.contestant.name, default: []].append(
          measurement.median * Double(count))
      }
    }
    for (name, times) in times.sorted(by: { $0.key < $1.key }) {
      table.addSlope("promises in memory, time over count", name, sizes: Self.counts, values: times)
    }
    for shape in [
      shapes.chain(length: 10, count: 6_000), shapes.fanIn(inputs: 10_000),
      shapes.contention(threads: 8, count: 5_000),
    ] { _ = add(shape) }
  }

  private func add(_ shape: Shape, named prefix: String = "") -> [ShapeMeasurement] {
    var shape = shape
    shape.rounds = mode.shapeRoundCount
    let measurements = shape.measure()
    let judged = measurements.first { $0.contestant.kind == .judged }
    for measurement in measurements {
      let isJudged = measurement.contestant.kind == .judged
      table.add(
        "in memory: \(prefix)\(shape.name)", measurement.contestant.name,
        String(format: "%.0f ns", measurement.median), rounds: measurement.rounds,
        ratio: isJudged ? nil : judged.map { $0.ratio(to: measurement) })
    }
    return measurements
  }
}
