import LedgerPromises
import PromiseLedgerTesting

/// The table *Cold promises*, of MPromise.
enum ColdRows {
  static let rows = [
    MigrationRow(
      "`Promise { completion in load { completion?($0) } }`", "nothing yet, 1, 1 [load, load]"
    ) {
      log in
      let load = { @Sendable (completion: (Int) -> Void) in
        log("load")
        completion(1)
      }
      let recipe = ColdPromise<Int> { complete in load { complete($0) } }
      let before = log.lines.isEmpty ? "nothing yet" : "it ran"
      return try await "\(before), \(recipe.execute()), \(recipe.execute())"
    },
    MigrationRow("`Promise { completion in fetch().then(completion) }`", "1, 1") { _ in
      let fetch = { @Sendable in Promise.value(1) }
      let recipe = ColdPromise { fetch() }
      return try await "\(recipe.execute()), \(recipe.execute())"
    },
    MigrationRow("`Promise(view)`", "view") { _ in
      let view = "view"
      return try await ColdPromise.value(view).execute()
    },
    MigrationRow("`promise.then { $0 + 1 }`", "2") { _ in
      let recipe = ColdPromise.value(1)
      return describe(try await recipe.then { $0 + 1 }.execute())
    },
    MigrationRow("`promise.bind { next($0) }`", "11") { _ in
      let next = { @Sendable (value: Int) in ColdPromise.value(value + 10) }
      let recipe = ColdPromise.value(1)
      return describe(try await recipe.bind { next($0) }.execute())
    },
    MigrationRow("`Promise.join(nested)`", "1") { _ in
      let nested = ColdPromise.value(ColdPromise.value(1))
      return describe(try await nested.join().execute())
    },
    MigrationRow("`promise.execute()`", "it ran [run]") { log in
      let recipe = ColdPromise.value(1).then { _ in log("run") }
      recipe.start()
      await barrier(.default)
      return "it ran"
    },
    MigrationRow("`promise.then { … }.execute()`, to use the value", "1") { _ in
      let recipe = ColdPromise.value(1)
      return describe(try await recipe.execute())
    },
    MigrationRow("`extension Promise where T == UIView { … }`", "faded twice") { _ in
      try await ColdPromise.value("").fade("faded").fade(" twice").execute()
    },
    MigrationRow("`promise.animate(with: tokens)`", "0 red green [red, green]") { log in
      let tokens = ["red", "green"]
      let animate = { @Sendable (view: String, token: String) -> ColdPromise<String> in
        log(token)
        return .value("\(view) \(token)")
      }
      let recipe = ColdPromise.value("0")
      return try await recipe.sequence(tokens) { animate($0, $1) }.execute()
    },
    MigrationRow("`Promise<Result<Int, E>>`, a `.failure`", "error 1, 5") { _ in
      let error = TestError(1)
      let failed = ColdPromise<Int>.rejected(error)
      let before = try await end(failed.start())
      return try await "\(before), \(failed.recover { _ in 5 }.execute())"
    },
  ]
}

extension ColdPromise where Value == String {
  fileprivate func fade(_ text: String) -> ColdPromise<String> {
    bind { .value($0 + text) }
  }
}
