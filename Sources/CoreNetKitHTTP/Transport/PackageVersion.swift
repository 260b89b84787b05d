/// The version of the package, as archives and collectors are told.
package enum PackageVersion {
    /// That of the topmost release in `CHANGELOG.md`.
    package static let text = "0.2.0"
}
