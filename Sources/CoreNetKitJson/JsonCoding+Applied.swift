extension JsonCoding {
    /// Runs a mapping of a model with these options, which `from(raw:)` and `toRaw()` have no parameter for.
    package func applied<Result>(_ mapping: () throws -> Result) rethrows -> Result {
        // Most chains use the options that are in force anyway, and setting them is not free.
        guard self != JsonCoding.current else { return try mapping() }
        return try JsonCoding.$current.withValue(self, operation: mapping)
    }
}
