public import CoreNetKitEssentials

/// A parser's result for a source, pattern by pattern: for tests, and to find out why a link does not open.
public struct DeepLinkExplanation: Sendable, Hashable, CustomStringConvertible {
    /// The pattern of the page that opens; `nil` if none does.
    public let matched: DeepLinkPattern?
    /// Why no page opens.
    public let reason: DeepLinkError?
    /// The patterns in the order in which they were tried, up to the matching one, each with its mismatch.
    public let tried: [Attempt]

    /// One tried pattern.
    public struct Attempt: Sendable, Hashable {
        /// The pattern.
        public let pattern: DeepLinkPattern
        /// Why it does not match; `nil` for the matching one.
        public let mismatch: DeepLinkMismatch?
    }

    /// One line for the outcome, and one for each pattern.
    public var description: String {
        let outcome = matched.map { "opens \($0)" } ?? reason?.description ?? "opens nothing"
        let lines = tried.map { "  \($0.pattern): \($0.mismatch?.description ?? "matches")" }
        return ([outcome] + lines).joined(separator: "\n")
    }
}

extension DeepLinkParser {
    /// Explains which pattern a URL matches, or why none does.
    ///
    /// - Parameter url: The URL.
    /// - Returns: The tried patterns and the outcome.
    public func explain(_ url: URL) -> DeepLinkExplanation { explain(.url(url)) }

    /// Explains which pattern a source matches, or why none does.
    ///
    /// - Parameter source: The source, as the system or the app delivered it.
    /// - Returns: The tried patterns and the outcome.
    public func explain(_ source: DeepLinkSource) -> DeepLinkExplanation {
        var tried: [DeepLinkExplanation.Attempt] = []
        do {
            let route = try resolve(address(of: source)) { route, mismatch in
                tried.append(DeepLinkExplanation.Attempt(pattern: route.pattern, mismatch: mismatch))
            }.route
            let isOpen = route.origins.contains(source.origin)
            let mismatch: DeepLinkMismatch? = isOpen ? nil : .origin(source.origin)
            tried.append(DeepLinkExplanation.Attempt(pattern: route.pattern, mismatch: mismatch))
            return DeepLinkExplanation(
                matched: isOpen ? route.pattern : nil,
                reason: isOpen ? nil : .notAllowedFrom(source.origin),
                tried: tried
            )
        } catch {
            return DeepLinkExplanation(matched: nil, reason: error, tried: tried)
        }
    }
}
