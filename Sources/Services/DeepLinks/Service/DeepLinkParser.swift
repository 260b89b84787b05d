import CoreNetKit
public import CoreNetKitEssentials
import CoreNetKitSystem

/// Parses links from every source, and prints them: the table of an app's pages as one value.
///
/// Only the listed schemes and, with `https`, the listed hosts are accepted. With an app scheme, the host is the first
/// segment of the path: `myapp://messages/1` and `https://example.com/messages/1` are the same page.
public struct DeepLinkParser<Link: Sendable>: Sendable {
    /// The pages, the most specific pattern first.
    public let routes: [DeepLinkRoute<Link>]

    private let schemes: [String]
    private let hosts: [String]
    private let printedScheme: String?
    private let shortcuts: [String: DeepLinkPattern]
    private let notifications: [NotificationRule]
    private let actions: [String: NotificationActionRule]

    /// Creates a parser.
    ///
    /// - Parameters:
    ///   - schemes: The schemes of the app, in any case; the first one is used for printing.
    ///   - hosts: The hosts whose `https` URLs belong to the app, in any case, in Unicode or Punycode; the first one is used
    ///     for printing.
    ///   - routes: The pages; if two match, the one with more leading literal segments is used.
    ///   - shortcuts: The paths of the shortcuts by type; parameters are filled from the shortcut's `userInfo`.
    ///   - notifications: The places of links in notifications, the most important first.
    ///   - actions: The pages that actions of notifications open; actions that are not listed open nothing.
    public init(
        schemes: [String],
        hosts: [String] = [],
        routes: [DeepLinkRoute<Link>],
        shortcuts: [String: DeepLinkPattern] = [:],
        notifications: [NotificationRule] = [],
        actions: [String: NotificationActionRule] = [:]
    ) {
        self.schemes = schemes.map(\.lowercasedASCII)
        self.hosts = hosts.map(\.wireHost)
        printedScheme = schemes.first
        self.routes = routes.enumerated().sorted {
            ($0.element.pattern.rank, $0.offset) < ($1.element.pattern.rank, $1.offset)
        }
        .map(\.element)
        (self.shortcuts, self.notifications, self.actions) = (shortcuts, notifications, actions)
    }

    /// Parses a link, checks that its page opens from this kind of source, or throws why not; the ``DeepLinkCenter``
    /// checks the current profile.
    public func parse(_ source: DeepLinkSource) throws(DeepLinkError) -> Link {
        try resolve(source).arrival.link
    }

    /// Parses a link like ``parse(_:)``, and returns it with its source, its query and its page.
    public func arrival(of source: DeepLinkSource) throws(DeepLinkError) -> DeepLinkArrival<Link> {
        try resolve(source).arrival
    }

    /// Prints a link as a URL of the app's scheme, such as `myapp://messages/1`, which ``parse(_:)`` parses to the same
    /// link; throws ``DeepLinkError`` if no page matches it, or its parameters are not valid in a URL.
    public func url(for link: Link) throws(DeepLinkError) -> URL {
        guard let scheme = printedScheme else { throw .scheme("") }
        let (pattern, path) = try path(of: link)
        return try Self.url(scheme + (pattern.startsLikeAHost ? "://" : ":///") + path)
    }

    /// Prints a link as a URL of the app's first host, such as `https://example.com/messages/1`, like ``url(for:)``.
    public func universalLink(for link: Link) throws(DeepLinkError) -> URL {
        guard let host = hosts.first else { throw .host("") }
        return try Self.url("https://" + host + "/" + path(of: link).text)
    }

    // MARK: - Reading

    func resolve(
        _ source: DeepLinkSource
    ) throws(DeepLinkError) -> (arrival: DeepLinkArrival<Link>, route: DeepLinkRoute<Link>) {
        let address = try address(of: source)
        let found = try resolve(address)
        guard found.route.sourceKinds.contains(source.kind) else { throw .notAllowedFrom(source.kind) }
        let arrival = DeepLinkArrival(
            link: found.link,
            source: source,
            pattern: found.route.pattern,
            query: address.query
        )
        return (arrival, found.route)
    }

    func address(of source: DeepLinkSource) throws(DeepLinkError) -> LinkAddress {
        switch source {
        case .url(let url, _): return try address(url.absoluteString)
        case .text(let text): return try address(text)
        case .activity(let type, let url):
            guard type == DeepLinkSource.webActivity else { throw .unknownRoute }
            guard let url else { throw .emptyPayload }
            return try LinkAddress(url.absoluteString, schemes: [], hosts: hosts)
        case .shortcut(let type, let info):
            guard let pattern = shortcuts[type] else { throw .unknownRoute }
            return try pattern.fill(DeepLinkParameters((info.object ?? [:]).compactMapValues(\.id)))
        case .notification(let payload): return try address(of: payload)
        }
    }

    private func address(_ text: String) throws(DeepLinkError) -> LinkAddress {
        try LinkAddress(text, schemes: schemes, hosts: hosts)
    }

    private func address(of payload: NotificationPayload) throws(DeepLinkError) -> LinkAddress {
        if let action = payload.action {
            guard let rule = actions[action] else { throw .action(action) }
            if case .page(let pattern) = rule {
                let own = payload.content.object ?? [:]
                let data = payload.content.value(at: "data")?.unwrapped.object ?? [:]
                return try pattern.fill(DeepLinkParameters(own.merging(data) { $1 }.compactMapValues(\.id)))
            }
        }
        var foreign: DeepLinkError?
        for rule in notifications {
            switch rule {
            case .url(let place):
                guard let value = payload.content.value(at: place), value.string != "" else { continue }
                do throws(DeepLinkError) {
                    return try address(value.string ?? "")
                } catch {
                    // A foreign web page next to the app's own ids: the panel's fallback for devices without the app.
                    guard error.code == .scheme || error.code == .host else { throw error }
                    foreign = foreign ?? error
                }
            case .id(let place, let pattern):
                guard let value = payload.content.value(at: place) else { continue }
                guard let id = value.id else { throw .missingID }
                return try pattern.fill([pattern.parameters.first?.name ?? "": id])
            }
        }
        throw foreign ?? .emptyPayload
    }

    func resolve(
        _ address: LinkAddress,
        onMismatch: (DeepLinkRoute<Link>, DeepLinkMismatch) -> Void = { _, _ in }
    ) throws(DeepLinkError) -> (link: Link, route: DeepLinkRoute<Link>) {
        var isBlank = false
        for route in routes {
            do {
                return (try route.read(address), route)
            } catch {
                isBlank = isBlank || error == .blank
                onMismatch(route, error)
            }
        }
        throw address.segments.isEmpty ? .emptyPayload : isBlank ? .missingID : .unknownRoute
    }

    // MARK: - Printing

    private func path(of link: Link) throws(DeepLinkError) -> (pattern: DeepLinkPattern, text: String) {
        for route in routes {
            guard let parameters = route.match(link) else { continue }
            let address = try route.pattern.fill(parameters)
            // Another page may match this path: `/listings/new` is not `/listings/:id`.
            let read = try resolve(address)
            guard read.route.pattern == route.pattern, route.match(read.link) == parameters else { throw .unknownRoute }
            return (route.pattern, route.pattern.print(address))
        }
        throw .unknownRoute
    }

    private static func url(_ text: String) throws(DeepLinkError) -> URL {
        guard let url = URL(string: text) else { throw .notAURL }
        return url
    }
}

extension DeepLinkRoute {
    func read(_ address: LinkAddress) throws(DeepLinkMismatch) -> Link {
        let parameters = try pattern.match(address)
        for case .parameter(let parameter) in pattern.segments where parameters[parameter.name]?.isBlank ?? true {
            throw .blank
        }
        guard let link = make(parameters) else { throw .refused }
        return link
    }
}
