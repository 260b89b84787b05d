import CoreNetKitChain

/// The rules that a reader of events has set.
struct EventRules: Sendable {
    enum End: Sendable {
        case data(String)
        case type(String, isIncluded: Bool)
    }

    var end: End?
    var types: Set<String>?
    var failures: [@Sendable (ServerSentEvent) -> NetworkError?] = []
    var skipsUnreadable = false
    var reconnection = EventReconnection.standard
    var onComment: (@Sendable (String) -> Void)?

    /// Whether the event is the end mark, and whether it is delivered.
    func isEnd(_ event: ServerSentEvent) -> (isEnd: Bool, isIncluded: Bool) {
        switch end {
        case .data(let data): (event.bytes.count == data.utf8.count && event.bytes.elementsEqual(data.utf8), false)
        case .type(let type, let isIncluded): (event.type == type, isIncluded)
        case nil: (false, true)
        }
    }
}
