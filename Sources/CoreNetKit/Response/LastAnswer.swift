import CoreNetKitHTTP
import CoreNetKitSystem

/// The response that a call is reading, for the nodes that read it: errors keep its status, fields, body and attempt.
package struct LastAnswer: Sendable {
    private struct State: Sendable {
        var response: TransportResponse?
        var attempt = 1
    }

    private let locked = Locked(State())

    package var response: TransportResponse? {
        get { locked.withLock { $0.response } }
        nonmutating set { locked.withLock { $0.response = newValue } }
    }

    /// Which try of the call it answers: the nodes that read it stand outside of retry.
    package var attempt: Int {
        get { locked.withLock { $0.attempt } }
        nonmutating set { locked.withLock { $0.attempt = newValue } }
    }

    package var failed: FailedResponse? { response.map { FailedResponse($0) } }
}
