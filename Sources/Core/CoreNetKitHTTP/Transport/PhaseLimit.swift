/// A time limit of an exchange, named as in ``Timeouts``: the table for validation, transports, test doubles and rules.
package enum PhaseLimit: String, CaseIterable, Sendable {
    case connect, firstByte, idle, total

    /// Where the limit is, and what an error says did not happen in time.
    package var row: (length: WritableKeyPath<Timeouts, Duration?>, timeoutMessage: String) {
        switch self {
        case .connect: (\.connect, "no connection")
        case .firstByte: (\.firstByte, "no first byte")
        case .idle: (\.idle, "nothing sent or received")
        case .total: (\.total, "not finished")
        }
    }

    package var refusal: TransportError {
        FieldCheck.invalid("the timeout \(rawValue) is not above zero; nil means no limit")
    }
}

extension TransportError.Phase {
    package static let all: [Self] = [.queue, .resolve, .connect, .tls, .send, .wait, .receive]

    /// How views show the phase, the limit that ends it, and where its length is.
    package var row:
        (letter: Character, name: String, limit: PhaseLimit, length: WritableKeyPath<TransportTimings, Duration?>)
    {
        switch self {
        case .queue: ("q", "queue", .total, \.queue)
        case .resolve: ("d", "name look-up", .connect, \.resolve)
        case .connect: ("c", "connect", .connect, \.connect)
        case .tls: ("t", "TLS", .connect, \.tls)
        case .send: ("s", "send", .idle, \.send)
        case .wait: ("w", "wait", .firstByte, \.firstByte)
        case .receive: ("r", "receive", .idle, \.receive)
        }
    }

    package var isBeforeSending: Bool {
        switch self {
        case .queue, .resolve, .connect, .tls: true
        case .send, .wait, .receive: false
        }
    }
}

extension Timeouts {
    package init(phases length: Duration?, total: Duration? = nil) {
        self.init(total: total)
        for limit in PhaseLimit.allCases where limit != .total { self[limit] = length }
    }

    package subscript(limit: PhaseLimit) -> Duration? {
        get { self[keyPath: limit.row.length] }
        set { self[keyPath: limit.row.length] = newValue }
    }
}
