import CoreNetKit

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Reads links from every source, and prints them: the table of an app's pages as one value.
///
/// Only the listed schemes and, with `https`, the listed hosts are opened. Of an app scheme the host is the first
/// segment of the path: `myapp://messages/1` and `https://example.com/messages/1` are the same page.
public struct DeepLinkParser<Link: Sendable>: Sendable {
    private let schemes: [String]
    private let hosts: [String]
    private let printedScheme: String?
    private let routes: [DeepLinkRoute<Link>]
    private let shortcuts: [String: DeepLinkPattern]
    private let notifications: [NotificationRule]

    /// Creates a parser.
    ///
    /// - Parameters:
    ///   - schemes: The schemes of the app, in any case; the first is printed.
    ///   - hosts: The hosts whose `https` URLs are the app's, in any case; the first is printed.
    ///   - routes: The pages; of two that match the one with more literal segments in front counts.
    ///   - shortcuts: The paths of the shortcuts by their type; parameters are filled from what a shortcut carries.
    ///   - notifications: Where links are in notifications, the most important place first.
    public init(
        schemes: [String],
        hosts: [String] = [],
        routes: [DeepLinkRoute<Link>],
        shortcuts: [String: DeepLinkPattern] = [:],
        notifications: [NotificationRule] = []
    ) {
        self.schemes = schemes.map(\.lowercasedASCII)
        self.hosts = hosts.map(\.lowercasedASCII)
        printedScheme = schemes.first
        self.routes = routes.enumerated().sorted {
            ($0.element.pattern.rank, $0.offset) < ($1.element.pattern.rank, $1.offset)
        }
        .map(\.element)
        self.shortcuts = shortcuts
        self.notifications = notifications
    }

    /// Reads a link, and checks that its page opens from there.
    ///
    /// - Parameter source: What the system or the app came with.
    /// - Returns: The link; whether it may be opened for the current profile is up to the ``DeepLinkCenter``.
    /// - Throws: The reason why it is not opened.
    public func parse(_ source: DeepLinkSource) throws(DeepLinkError) -> Link {
        try resolve(source).link
    }

    /// Prints a link as a URL of the app's scheme, from which ``parse(_:)`` reads the same link.
    ///
    /// - Parameter link: The link.
    /// - Returns: A URL such as `myapp://messages/1`.
    /// - Throws: ``DeepLinkError`` when no page is for this link, or its parameters cannot stand in a path.
    public func url(for link: Link) throws(DeepLinkError) -> URL {
        guard let scheme = printedScheme else { throw .scheme("") }
        let (pattern, path) = try path(of: link)
        return try Self.url(scheme + (pattern.startsLikeAHost ? "://" : ":///") + path)
    }

    /// Prints a link as a URL of the app's first host, from which ``parse(_:)`` reads the same link.
    ///
    /// - Parameter link: The link.
    /// - Returns: A URL such as `https://example.com/messages/1`.
    /// - Throws: ``DeepLinkError`` when no page is for this link, or its parameters cannot stand in a path.
    public func universalLink(for link: Link) throws(DeepLinkError) -> URL {
        guard let host = hosts.first else { throw .host("") }
        return try Self.url("https://" + host + "/" + path(of: link).text)
    }

    func resolve(_ source: DeepLinkSource) throws(DeepLinkError) -> (link: Link, route: DeepLinkRoute<Link>) {
        let found = try resolve(address(of: source))
        guard found.route.origins.contains(source.origin) else { throw .notAllowedFrom(source.origin) }
        return found
    }

    private func address(of source: DeepLinkSource) throws(DeepLinkError) -> LinkAddress {
        switch source {
        case .url(let url, _): return try address(url.absoluteString)
        case .text(let text): return try address(text)
        case .activity(let type, let url):
            guard type == DeepLinkSource.webActivity else { throw .unknownRoute }
            guard let url else { throw .emptyPayload }
            return try LinkAddress(url.absoluteString, schemes: [], hosts: hosts)
        case .shortcut(let type, let info):
            guard let pattern = shortcuts[type] else { throw .unknownRoute }
            return LinkAddress(segments: try pattern.fill((info.object ?? [:]).compactMapValues(\.id)))
        case .notification(let payload): return try address(in: payload.content)
        }
    }

    private func address(_ text: String) throws(DeepLinkError) -> LinkAddress {
        try LinkAddress(text, schemes: schemes, hosts: hosts)
    }

    private func address(in content: Json) throws(DeepLinkError) -> LinkAddress {
        for rule in notifications {
            switch rule {
            case .url(let place):
                guard let value = content.value(at: place), value.string != "" else { continue }
                return try address(value.string ?? "")
            case .id(let place, let pattern):
                guard let value = content.value(at: place) else { continue }
                guard let id = value.id else { throw .missingID }
                return LinkAddress(segments: try pattern.fill([pattern.parameters.first ?? "": id]))
            }
        }
        throw .emptyPayload
    }

    private func resolve(_ address: LinkAddress) throws(DeepLinkError) -> (link: Link, route: DeepLinkRoute<Link>) {
        for route in routes {
            guard let parameters = route.pattern.match(address) else { continue }
            guard !parameters.values.contains(where: \.isBlank) else { throw .missingID }
            if let link = route.make(parameters) { return (link, route) }
        }
        throw address.segments.isEmpty ? .emptyPayload : .unknownRoute
    }

    private func path(of link: Link) throws(DeepLinkError) -> (pattern: DeepLinkPattern, text: String) {
        for route in routes {
            guard let parameters = route.match(link) else { continue }
            let segments = try route.pattern.fill(parameters)
            // Another page may be read from this path: `/listings/new` is no `/listings/:id`.
            let read = try resolve(LinkAddress(segments: segments))
            guard read.route.pattern == route.pattern, route.match(read.link) == parameters else { throw .unknownRoute }
            return (route.pattern, segments.map(PathSegment.encode).joined(separator: "/"))
        }
        throw .unknownRoute
    }

    private static func url(_ text: String) throws(DeepLinkError) -> URL {
        guard let url = URL(string: text) else { throw .notAURL }
        return url
    }
}
