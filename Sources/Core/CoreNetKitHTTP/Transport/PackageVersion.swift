/// The version of the package, reported in archives and to collectors.
package enum PackageVersion {
    /// The version of the topmost release in `CHANGELOG.md`.
    package static let text = "0.2.0"
}
