/// Remembers values in the order in which they came.
package final class Recorder<Value: Sendable>: Sendable {
    private let locked = Locked<[Value]>([])

    package init() {}

    package func record(_ value: Value) { locked.withLock { $0.append(value) } }
    package var values: [Value] { locked.withLock { $0 } }
}

extension Recorder where Value == TransportRequest {
    /// A transport that records requests and responds to each in the same way.
    package func transport(status: Int = 200, headers: Headers = [:], _ text: String = "{}") -> ClosureTransport {
        ClosureTransport { request in
            self.record(request)
            return .init(status: status, headers: headers, body: .bytes(Data(text.utf8)), url: request.url)
        }
    }
}
