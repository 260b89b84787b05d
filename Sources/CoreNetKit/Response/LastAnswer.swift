import CoreNetKitTransport

/// The response that a call is reading, for the nodes that read it: errors keep its status, fields and body.
package struct LastAnswer: Sendable {
    private let locked = Locked<TransportResponse?>(nil)

    package var response: TransportResponse? {
        get { locked.withLock { $0 } }
        nonmutating set { locked.withLock { $0 = newValue } }
    }

    package var failed: FailedResponse? { response.map { FailedResponse($0) } }
}
