// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "cafe",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "PromiseLedger", path: "../..")],
  targets: [
    .executableTarget(
      name: "cafe",
      dependencies: [.product(name: "PromiseLedger", package: "PromiseLedger")],
      path: "Sources",
      swiftSettings: [.treatAllWarnings(as: .error)])
  ]
)
