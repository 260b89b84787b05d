import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitWire

/// Requests a WebSocket and validates the response, with a new key for each exchange.
struct SocketHandshakePolicy: ChainPolicy, Attributes.Key {
    typealias Value = SocketHandshake.Agreement

    let offer: SocketHandshake.Offer

    var positions: [ChainPosition] { [.inside(of: .trace, "socket")] }
    var scope: PolicyScope { .none }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        AnyNode("SocketHandshakeNode", successors: [next]) { request, context in
            // Names are joined into one field: one that is not a token could be read as several, or as another one.
            if let name = offer.protocols.first(where: { !FieldCheck.isToken($0) }) {
                let reason = "the subprotocol '\(name)' is no token (RFC 6455, 4.1)"
                throw NetworkError(.invalidRequest, reason, node: "SocketHandshakeNode")
            }
            guard request.body.isEmpty else {
                let message = "the handshake of a socket has no body: leave set(body:) out, and send it as a message"
                throw NetworkError(.invalidChain, message, node: "SocketHandshakeNode")
            }
            var request = request
            let key = SocketHandshake.key()
            let fields = SocketHandshake.fields(key: key, protocols: offer.protocols, extensions: offer.extensions)
            for field in fields { request.headers[field.name] = field.value }
            var response = try await next.process(request, context: context)
            guard response.status == 101 else { return response }
            do throws(SocketHandshake.Refusal) {
                let agreement = try SocketHandshake.check(response.headers, key: key, offer: offer)
                response.attributes[SocketHandshakePolicy.self] = agreement
            } catch {
                let refusal = SocketError(.handshakeRefused, error.message)
                var failure = NetworkError.socket(refusal, node: "SocketHandshakeNode")
                failure.response = FailedResponse(response)
                throw failure
            }
            return response
        }
    }
}

/// A connection that speaks WebSocket: the output of a chain of this module to its first node.
struct SocketResponse: Sendable {
    let duplex: DuplexStream
    let agreement: SocketHandshake.Agreement
    /// Receives what goes over the connection, for its record; `nil` without listeners.
    let record: OpenExchange?

    init(_ response: TransportResponse) throws {
        guard case .duplex(let duplex) = response.body, let agreement = response.attributes[SocketHandshakePolicy.self]
        else {
            let status = "the server responded with status \(response.status) instead of 101"
            let error = SocketError(.handshakeRefused, status + ": there is no WebSocket at this URL")
            throw NetworkError.socket(error, node: "SocketHandshakeNode")
        }
        (self.duplex, self.agreement) = (duplex, agreement)
        record = response.attributes[OpenExchange.self]
    }
}
