// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "examples",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "PromiseLedger", path: "../..")],
  targets: [
    // The program of the tutorial.
    .executableTarget(
      name: "cafe",
      dependencies: [.product(name: "PromiseLedger", package: "PromiseLedger")],
      path: "Cafe"),
    // A chat app with a view model, its extension, and a download that is tried again.
    .executableTarget(
      name: "avatar",
      dependencies: [
        .product(name: "LedgerPromises", package: "PromiseLedger"),
        .product(name: "PromiseLedger", package: "PromiseLedger"),
      ],
      path: "Avatar"),
  ]
)

for target in package.targets { target.swiftSettings = [.treatAllWarnings(as: .error)] }
