import CoreNetKitEssentials
import CoreNetKitSystem

extension TransportRequest {
    /// The capabilities that a transport needs for this request, as far as the request itself determines them.
    public var neededCapabilities: TransportCapabilities {
        var needed: TransportCapabilities = []
        if coding == .identity { needed.insert(.identityCoding) }
        if monitor != nil { needed.insert(.progress) }
        if reportsSentHeaders { needed.insert(.sentHeaders) }
        if case .stream = body.content { needed.insert(.streamingUpload) }
        if !body.trailers.isEmpty { needed.insert(.requestTrailers) }
        if delivery == .stream { needed.insert(.streamingDownload) }
        if delivery == .duplex { needed.insert(.duplex) }
        if UnixSocket.isNamed(in: urlText) { needed.insert(.unixSockets) }
        return needed
    }

    /// Rejects, as `unsupported`, a request that needs capabilities which a transport without such a check lacks.
    public func validate(for capabilities: TransportCapabilities) throws(TransportError) {
        let missing = neededCapabilities.subtracting(capabilities)
        guard !missing.isEmpty else { return }
        let message = "the transport lacks what the request needs: \(missing)"
        throw TransportError(.unsupported, phase: .queue, message: message)
    }

    /// Rejects, as `invalidRequest`, a request that no transport can send; the error names the faulty part, not its value.
    public func validate() throws(TransportError) {
        let scheme = url.scheme.map { $0.lowercased() }
        let isHTTP = scheme == "http" || scheme == "https" || UnixSocket(text: urlText) != nil
        let isVisible = url.absoluteString.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
        guard isHTTP, isVisible, let host = url.host, !host.isEmpty else {
            throw FieldCheck.invalid("the URL is not an absolute http or https URL with a host")
        }
        if let problem = BasicCredentials.problem(of: url) { throw FieldCheck.invalid(problem) }
        guard Origin(text: urlText) != nil || UnixSocket(text: urlText) != nil else {
            throw FieldCheck.invalid(HostName.missing)
        }
        try FieldCheck.check(method: method, headers: headers)
        try FieldCheck.check(trailersOf: body)
        if case .stream(let length?, _, _, _) = body.content, length < 0 {
            throw FieldCheck.invalid("the body's length is below zero; nil means unknown")
        }
        for limit in PhaseLimit.allCases {
            if let length = timeouts[limit], length <= .zero { throw limit.refusal }
        }
    }

    /// One name and value of a query or a form, decoded (`+` is a space), as servers and test doubles read it.
    public struct Item: Sendable, Hashable {
        /// The name.
        public var name: String
        /// The value; empty if there is no `=`.
        public var value: String

        /// Creates an item, to compare with.
        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }

        package static func all(of text: some StringProtocol) -> [Item] {
            Substring(text).utf8.split(separator: UInt8(ascii: "&")).map { item in
                let name = item.prefix { $0 != UInt8(ascii: "=") }
                let value = item[name.endIndex...].dropFirst()
                return Item(
                    PercentEncoding.decode(Substring(name), plusIsSpace: true),
                    PercentEncoding.decode(Substring(value), plusIsSpace: true)
                )
            }
        }
    }
}
