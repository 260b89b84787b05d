/// Programs that tests run as processes of their own.
package enum TestProgram {
    /// The executable of a target, beside the test bundle; `nil` if it was not built.
    package static func named(_ name: String) -> URL? {
        (Bundle.allBundles.map(\.bundleURL) + CommandLine.arguments.prefix(1).map { URL(fileURLWithPath: $0) })
            .map { $0.deletingLastPathComponent().appendingPathComponent(name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }
}
