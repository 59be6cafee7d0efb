// swift-tools-version: 6.2.3
import PackageDescription

let package = Package(
  name: "clients",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "PromiseLedger", path: "../..")],
  targets: [
    // The program of the tutorial.
    .executableTarget(
      name: "cafe",
      dependencies: [.product(name: "PromiseLedger", package: "PromiseLedger")],
      path: "Cafe"),
    // A program with a user interface.
    .executableTarget(
      name: "main-actor",
      dependencies: [
        .product(name: "LedgerPromises", package: "PromiseLedger"),
        .product(name: "LedgerRuntime", package: "PromiseLedger"),
        .product(name: "LedgerRuntimeTesting", package: "PromiseLedger"),
      ],
      path: "MainActor"),
    // A program that keeps ledgers in a store of its own.
    .executableTarget(
      name: "own-store",
      dependencies: [
        .product(name: "LedgerRuntime", package: "PromiseLedger"),
        .product(name: "LedgerRuntimeTesting", package: "PromiseLedger"),
      ],
      path: "OwnStore"),
  ],
  // Apps are written in both.
  swiftLanguageModes: Context.environment["SWIFT_5_MODE"] != nil ? [.v5] : [.v6]
)

for target in package.targets { target.swiftSettings = [.treatAllWarnings(as: .error)] }
