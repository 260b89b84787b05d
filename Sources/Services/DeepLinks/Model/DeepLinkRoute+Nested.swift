extension DeepLinkRoute {
    /// Nests the pages of one part of the app under a path of the whole app.
    ///
    /// The conditions of the part apply, and the ones given here restrict them further.
    ///
    /// - Parameters:
    ///   - pages: The pages of the part.
    ///   - prefix: The leading path, such as `/users/:user`.
    ///   - origins: The origins that the part opens from.
    ///   - profiles: The profiles that the part is for; `nil` for all.
    ///   - make: Creates the whole app's link from one of the part and the parameters of the leading path.
    ///   - match: The link of the part and the parameters of the leading path; `nil` for a link of another part.
    /// - Returns: The pages as pages of the whole app.
    public static func nested<Part: Sendable>(
        _ pages: [DeepLinkRoute<Part>],
        under prefix: DeepLinkPattern,
        from origins: Set<DeepLinkOrigin> = .anywhere,
        for profiles: Set<String>? = nil,
        make: @escaping @Sendable (_ part: Part, _ parameters: DeepLinkParameters) -> Link?,
        match: @escaping @Sendable (Link) -> (part: Part, parameters: DeepLinkParameters)?
    ) -> [DeepLinkRoute<Link>] {
        let own = prefix.parameters.map(\.name)
        return pages.map { page in
            let allowed = page.profiles.map { $0.intersection(profiles ?? $0) } ?? profiles
            return DeepLinkRoute(
                page.pattern.nested(under: prefix),
                from: page.origins.intersection(origins),
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
