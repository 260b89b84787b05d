import CoreNetKit
import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitWire

/// A connection that speaks WebSocket: the output of a chain of this module to its first node.
struct SocketResponse: Sendable {
    let duplex: DuplexStream
    let agreement: SocketHandshake.Agreement
    /// Receives what goes over the connection, for its record; `nil` without listeners.
    let record: OpenExchange?
}

extension SocketResponse: ResponsePayload {
    static var accept: String { "*/*" }
    static var delivery: ResponseDelivery? { .duplex }

    init(response: TransportResponse) throws {
        guard case .duplex(let duplex) = response.body, let agreement = response.attributes[SocketAgreementKey.self]
        else {
            let error = SocketError(
                .handshakeRefused,
                "the server responded with status \(response.status) instead of 101: there is no WebSocket at this URL"
            )
            throw NetworkError.socket(error, node: "SocketHandshakeNode")
        }
        (self.duplex, self.agreement) = (duplex, agreement)
        record = response.attributes[OpenExchange.Key.self]
    }
}

extension SocketResponse: RawDecodable, DTODecodable {
    typealias Raw = SocketResponse
    typealias DTO = SocketResponse
    static func from(raw: SocketResponse) -> SocketResponse { raw }
}

enum SocketAgreementKey: Attributes.Key {
    typealias Value = SocketHandshake.Agreement
}
