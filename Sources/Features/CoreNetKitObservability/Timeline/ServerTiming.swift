public import CoreNetKitChain
import CoreNetKitHTTP

/// What a server says of one part of its work, in the field `Server-Timing`.
///
/// - SeeAlso: [W3C Server Timing](https://www.w3.org/TR/server-timing/)
public struct ServerTiming: Sendable, Hashable {
    /// The number of the exchange whose response says it.
    public let exchange: Int
    /// The name of the part, such as `db`.
    public let name: String
    /// How long it took, by the server's clock, up to a day; `nil` if that is not said, or is no number.
    public let duration: Duration?
    /// A description, such as `hit`; `nil` if there is none.
    public let description: String?

    /// How many of a response are read.
    static let limit = 32

    /// Reads a member of the field; `nil` if it has no name.
    private init?(_ member: String, exchange: Int) {
        var scanner = FieldScanner(member)
        guard let name = scanner.token() else { return nil }
        let parameters = scanner.parameters(isList: false) ?? []
        func value(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
        (self.exchange, self.name) = (exchange, String(name.prefix(64)))
        duration = value("dur").flatMap { Double($0) }.flatMap { milliseconds in
            0...86_400_000 ~= milliseconds ? .microseconds(Int64((milliseconds * 1000).rounded())) : nil
        }
        description = value("desc").flatMap { $0.isEmpty ? nil : String($0.prefix(200)) }
    }

    static func all(in headers: Headers, of exchange: Int) -> [ServerTiming] {
        let lines = headers[values: "Server-Timing"]
        guard !lines.isEmpty, let members = FieldScanner.members(of: lines) else { return [] }
        return members.prefix(limit).compactMap { ServerTiming($0, exchange: exchange) }
    }
}

extension CallRecord {
    /// What the servers say of their work: the members of `Server-Timing`, in order, at most 32 of a response.
    public var serverTimings: [ServerTiming] {
        events.flatMap { event -> [ServerTiming] in
            guard case .responseHead(let head) = event.kind else { return [] }
            return ServerTiming.all(in: head.headers, of: event.exchange)
        }
    }
}

extension CallTimeline.Exchange {
    /// What the server says of its work.
    var serverTimings: [ServerTiming] { head.map { ServerTiming.all(in: $0.headers, of: number) } ?? [] }

    /// When it may have been: the field says how long but not when, so it is drawn from the end of the request.
    func span(of timing: ServerTiming) -> (start: Duration, end: Duration)? {
        guard let duration = timing.duration else { return nil }
        let start = phases.first { $0.kind == .wait }?.start ?? start
        return (start, min(start + duration, max(end, start)))
    }
}
