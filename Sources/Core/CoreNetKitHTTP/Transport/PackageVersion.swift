/// The version of the package that archives and collectors are given.
package enum PackageVersion {
    /// The version of the topmost release in `CHANGELOG.md`.
    package static let text = "0.2.0"
}
