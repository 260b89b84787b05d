#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension String {
    /// `first_name` as `firstName`, the way `JSONDecoder` does it: underscores at the ends stay, and a name without
    /// others stays as it is.
    var camelCase: String {
        guard let first = firstIndex(where: { $0 != "_" }), let last = lastIndex(where: { $0 != "_" }) else {
            return self
        }
        let words = self[first...last].split(separator: "_")
        guard words.count > 1 else { return self }
        let name = words[0].lowercased() + words.dropFirst().map(\.capitalized).joined()
        return self[..<first] + name + self[index(after: last)...]
    }
}
