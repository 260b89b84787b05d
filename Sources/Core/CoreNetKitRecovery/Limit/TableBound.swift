/// Bounds a dictionary: entries that are not in use are removed, after as many insertions as entries were left.
struct TableBound: Sendable {
    /// The number of entries that may stay without being in use.
    static let most = 1000

    private var count = Self.most

    /// Removes entries if there are many, before one is added: those that are not used, and the useful ones if there are too many.
    mutating func makeRoom<Key, Value>(
        in entries: inout [Key: Value],
        keeping isUsed: (Value) -> Bool,
        ifPossible isUseful: (Value) -> Bool = { _ in false }
    ) {
        guard entries.count >= count else { return }
        entries = entries.filter { isUsed($0.value) || isUseful($0.value) }
        if entries.count >= Self.most { entries = entries.filter { isUsed($0.value) } }
        count = max(Self.most, 2 * entries.count)
    }
}
