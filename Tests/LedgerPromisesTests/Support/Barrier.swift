import LedgerPromises
import PromiseLedger

/// Waits until the executor ran everything that it was given before.
func barrier(_ executor: PromiseExecutor) async {
  let promise = Promise.value((), on: executor).map {}
  _ = try? await promise.settlement()
}

/// The code of an outcome that is one of the library's errors.
func code<Value>(_ outcome: Outcome<Value>?) -> PromiseError.Code? {
  (outcome?.error as? PromiseError)?.code
}

/// The test error of a rejected outcome.
func testError<Value>(_ outcome: Outcome<Value>?) -> TestError? {
  guard case .rejected(let error)? = outcome else { return nil }
  return testError(error)
}

/// The test error that this is, or that came as data out of a ledger.
func testError(_ error: any Error) -> TestError? {
  if case .rejected(let stored)? = error as? PromiseFailure { return stored.decode() }
  return error as? TestError
}
