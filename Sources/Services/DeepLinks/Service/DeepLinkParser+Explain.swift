public import CoreNetKitEssentials

/// A parser's result for a source, pattern by pattern: for tests, and to find out why a link does not open.
public struct DeepLinkExplanation: Sendable, Hashable, CustomStringConvertible {
    /// The pattern of the page that opens; `nil` if none does.
    public let matched: DeepLinkPattern?
    /// Why no page opens.
    public let error: DeepLinkError?
    /// The patterns in the order in which they were tried, up to the matching one, each with its mismatch.
    public let attempts: [Attempt]

    /// One tried pattern.
    public struct Attempt: Sendable, Hashable {
        /// The pattern.
        public let pattern: DeepLinkPattern
        /// Why it does not match; `nil` for the matching one.
        public let mismatch: DeepLinkMismatch?
    }

    /// One line for the outcome, and one for each pattern.
    public var description: String {
        let outcome = matched.map { "opens \($0)" } ?? error?.description ?? "opens nothing"
        let lines = attempts.map { "  \($0.pattern): \($0.mismatch?.description ?? "matches")" }
        return ([outcome] + lines).joined(separator: "\n")
    }
}

extension DeepLinkParser {
    /// Explains which pattern a URL matches, or why none does.
    public func explain(_ url: URL) -> DeepLinkExplanation { explain(.url(url)) }

    /// Explains which pattern a source matches, or why none does.
    public func explain(_ source: DeepLinkSource) -> DeepLinkExplanation {
        var attempts: [DeepLinkExplanation.Attempt] = []
        do {
            let route = try resolve(address(of: source)) { route, mismatch in
                attempts.append(DeepLinkExplanation.Attempt(pattern: route.pattern, mismatch: mismatch))
            }.route
            let isAllowed = route.sourceKinds.contains(source.kind)
            let mismatch: DeepLinkMismatch? = isAllowed ? nil : .source(source.kind)
            attempts.append(DeepLinkExplanation.Attempt(pattern: route.pattern, mismatch: mismatch))
            return DeepLinkExplanation(
                matched: isAllowed ? route.pattern : nil,
                error: isAllowed ? nil : .notAllowedFrom(source.kind),
                attempts: attempts
            )
        } catch {
            return DeepLinkExplanation(matched: nil, error: error, attempts: attempts)
        }
    }
}
