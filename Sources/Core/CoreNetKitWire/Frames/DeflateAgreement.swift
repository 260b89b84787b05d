/// What both ends have agreed on for compressed messages (RFC 7692, 7.1).
package struct DeflateAgreement: Sendable, Hashable {
    package static let name = "permessage-deflate"

    /// The window sizes for what the client and what the server sends, 8...15 bits.
    package var (clientBits, serverBits) = (15, 15)
    /// Whether each end keeps its context for the next message.
    package var (clientKeeps, serverKeeps) = (true, true)

    package init() {}

    /// Decompresses what the other side sends.
    func inflater(for role: SocketRole) -> MessageCodec? { codec(compresses: false, ofClient: role == .server) }

    /// Compresses what this side sends.
    package func deflater(for role: SocketRole) -> MessageCodec? { codec(compresses: true, ofClient: role == .client) }

    private func codec(compresses: Bool, ofClient isClients: Bool) -> MessageCodec? {
        let (bits, keeps) = isClients ? (clientBits, clientKeeps) : (serverBits, serverKeeps)
        return MessageCodec(compresses: compresses, windowBits: bits, keepsContext: keeps)
    }

    /// A client's offer: first with its limits, then without them, for servers that reject the limits.
    package static func offer(windowBits: Int, keepsContext: Bool) -> String {
        var first = SocketExtension(name, [.init("client_max_window_bits")])
        if windowBits < 15 { first.parameters.append(.init("server_max_window_bits", "\(windowBits)")) }
        if !keepsContext {
            first.parameters += [.init("server_no_context_takeover"), .init("client_no_context_takeover")]
        }
        let second = SocketExtension(name, [.init("client_max_window_bits")])
        return first == second ? first.text : first.text + ", " + second.text
    }

    /// Reads a server's response to such an offer; `nil` if no offer allows it.
    init?(response parameters: [SocketExtension.Parameter], to offer: (windowBits: Int, keepsContext: Bool)) {
        (clientBits, clientKeeps) = offer
        guard read(parameters, isOffer: false) else { return nil }
    }

    /// A server's agreement to a client's offer: everything the offer asks for; `nil` if it is invalid.
    package init?(offer parameters: [SocketExtension.Parameter]) {
        guard read(parameters, isOffer: true) else { return nil }
    }

    /// - Returns: Whether the parameters are valid, and none is there twice.
    private mutating func read(_ parameters: [SocketExtension.Parameter], isOffer: Bool) -> Bool {
        guard Set(parameters.map(\.name)).count == parameters.count else { return false }
        for parameter in parameters {
            switch (parameter.name, parameter.value) {
            case ("server_no_context_takeover", nil): serverKeeps = false
            case ("client_no_context_takeover", nil): clientKeeps = false
            case ("client_max_window_bits", nil) where isOffer: break
            case ("server_max_window_bits", let value?):
                guard let bits = Self.bits(value) else { return false }
                serverBits = bits
            case ("client_max_window_bits", let value?):
                guard let bits = Self.bits(value) else { return false }
                clientBits = min(clientBits, bits)
            default: return false
            }
        }
        return true
    }

    package var response: SocketExtension {
        var response = SocketExtension(Self.name)
        if !serverKeeps { response.parameters.append(.init("server_no_context_takeover")) }
        if !clientKeeps { response.parameters.append(.init("client_no_context_takeover")) }
        if serverBits < 15 { response.parameters.append(.init("server_max_window_bits", "\(serverBits)")) }
        if clientBits < 15 { response.parameters.append(.init("client_max_window_bits", "\(clientBits)")) }
        return response
    }

    /// 8...15, without a leading zero.
    private static func bits(_ text: String) -> Int? {
        guard let bits = Int(text), 8...15 ~= bits, text == "\(bits)" else { return nil }
        return bits
    }
}
