/// A page of the app: its path, its link, and the allowed sources, profiles and conditions.
///
/// The routes of a parser are the table of the app's pages; each one both reads and prints links.
public struct DeepLinkRoute<Link: Sendable>: Sendable {
    /// The path of the page.
    public let pattern: DeepLinkPattern
    /// The kinds of sources that the page opens from.
    public let sourceKinds: Set<DeepLinkSourceKind>
    /// The profiles that the page is for; `nil` for all, even before a profile is known.
    public let profiles: Set<String>?
    /// The condition for opening the page.
    public let requirement: DeepLinkRequirement
    /// The kinds of sources whose links wait for the user's confirmation.
    public let confirmation: Set<DeepLinkSourceKind>

    let make: @Sendable (DeepLinkParameters) -> Link?
    let match: @Sendable (Link) -> DeepLinkParameters?

    /// Declares a page with any number of parameters.
    ///
    /// - Parameters:
    ///   - pattern: The path of the page.
    ///   - sourceKinds: The kinds of sources that the page opens from.
    ///   - profiles: The profiles that the page is for; `nil` for all.
    ///   - requirement: The condition for opening the page.
    ///   - confirmation: The kinds of sources whose links wait for ``DeepLinkCenter/confirm(_:)``, such as `.untrusted`.
    ///   - make: The link for these parameters; `nil` if they do not belong to this page.
    ///   - match: The parameters of a link; `nil` if the link does not belong to this page.
    public init(
        _ pattern: DeepLinkPattern,
        from sourceKinds: Set<DeepLinkSourceKind> = .all,
        for profiles: Set<String>? = nil,
        requires requirement: DeepLinkRequirement = .ready,
        confirms confirmation: Set<DeepLinkSourceKind> = [],
        make: @escaping @Sendable (_ parameters: DeepLinkParameters) -> Link?,
        match: @escaping @Sendable (Link) -> DeepLinkParameters?
    ) {
        (self.pattern, self.sourceKinds, self.profiles, self.requirement) = (
            pattern, sourceKinds, profiles, requirement
        )
        (self.confirmation, self.make, self.match) = (confirmation, make, match)
    }

    /// Declares a page with one parameter, such as `/messages/:id`: `id` makes its link, and `match` gives the parameter
    /// of a link; both return `nil` for what does not belong to this page.
    public init(
        _ pattern: DeepLinkPattern,
        from sourceKinds: Set<DeepLinkSourceKind> = .all,
        for profiles: Set<String>? = nil,
        requires requirement: DeepLinkRequirement = .ready,
        confirms confirmation: Set<DeepLinkSourceKind> = [],
        id: @escaping @Sendable (String) -> Link?,
        of match: @escaping @Sendable (Link) -> String?
    ) {
        let name = pattern.parameters.first?.name ?? "id"
        self.init(pattern, from: sourceKinds, for: profiles, requires: requirement, confirms: confirmation) {
            parameters in
            parameters[name].flatMap(id)
        } match: { link in
            match(link).map { [name: $0] }
        }
    }

    /// Declares a page without parameters, such as `/activity`.
    public init(
        _ pattern: DeepLinkPattern,
        opens link: Link,
        from sourceKinds: Set<DeepLinkSourceKind> = .all,
        for profiles: Set<String>? = nil,
        requires requirement: DeepLinkRequirement = .ready,
        confirms confirmation: Set<DeepLinkSourceKind> = []
    ) where Link: Equatable {
        self.init(pattern, from: sourceKinds, for: profiles, requires: requirement, confirms: confirmation) { _ in
            link
        } match: {
            $0 == link ? [:] : nil
        }
    }
}

/// A condition for opening a page; until it holds, the link waits.
public enum DeepLinkRequirement: Sendable, Hashable {
    /// Nothing: the link is delivered as soon as a caller waits for it.
    case none
    /// The app can show a page.
    case ready
    /// The app can show a page, and the user has signed in.
    case authenticated
    /// The app can show a page, and the user had signed in when the link arrived; otherwise the link is dropped.
    case authenticatedOrDropped
}

extension DeepLinkRoute {
    /// Nests the pages of one part of the app under a path of the whole app.
    ///
    /// The conditions of the part apply, and the ones given here restrict them further.
    ///
    /// - Parameters:
    ///   - pages: The pages of the part.
    ///   - prefix: The leading path, such as `/users/:user`.
    ///   - sourceKinds: The kinds of sources that the part opens from.
    ///   - profiles: The profiles that the part is for; `nil` for all.
    ///   - make: Creates the whole app's link from one of the part and the parameters of the leading path.
    ///   - match: The link of the part and the parameters of the leading path; `nil` for a link of another part.
    /// - Returns: The pages as pages of the whole app.
    public static func nested<Part: Sendable>(
        _ pages: [DeepLinkRoute<Part>],
        under prefix: DeepLinkPattern,
        from sourceKinds: Set<DeepLinkSourceKind> = .all,
        for profiles: Set<String>? = nil,
        make: @escaping @Sendable (_ part: Part, _ parameters: DeepLinkParameters) -> Link?,
        match: @escaping @Sendable (Link) -> (part: Part, parameters: DeepLinkParameters)?
    ) -> [DeepLinkRoute<Link>] {
        let own = prefix.parameters.map(\.name)
        return pages.map { page in
            let allowed = page.profiles.map { $0.intersection(profiles ?? $0) } ?? profiles
            return DeepLinkRoute(
                page.pattern.nested(under: prefix),
                from: page.sourceKinds.intersection(sourceKinds),
                for: allowed,
                requires: page.requirement,
                confirms: page.confirmation
            ) { parameters in
                page.make(parameters).flatMap {
                    make($0, DeepLinkParameters(parameters.values.filter { own.contains($0.key) }))
                }
            } match: { link in
                guard let (part, outer) = match(link), let inner = page.match(part) else { return nil }
                return DeepLinkParameters(inner.values.merging(outer.values) { _, outer in outer })
            }
        }
    }
}
