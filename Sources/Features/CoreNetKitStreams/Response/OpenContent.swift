import CoreNetKit
import CoreNetKitChain
import CoreNetKitEssentials
package import CoreNetKitHTTP
import CoreNetKitSystem

/// Content that is read piece by piece, and the record of its exchange.
package struct OpenContent: Sendable {
    /// How many bytes are read after the end that a format defines, and for how long.
    private static let (byteLimit, timeLimit) = (64 << 10, Duration.milliseconds(100))

    package let stream: ResponseStream
    /// `nil` without listeners.
    private let record: OpenExchange?

    init(_ response: TransportResponse) {
        stream = ResponseStream(response: response)
        record = response.attributes[OpenExchange.Key.self]
    }

    /// Ends the transfer because the reader has stopped.
    func close() { stream.close() }

    /// Ends the content by the rules of its format; further bytes from the server are dropped.
    func finish(on clock: CallClock) {
        record?.markComplete()
        drain(on: clock) { _ in true }
    }

    /// Reads on briefly, so that the connection can be reused if the response ends there, and ends the transfer.
    ///
    /// - Parameters:
    ///   - clock: The clock of the time limit.
    ///   - isRest: Whether a chunk has nothing for the reader.
    func drain(on clock: CallClock, while isRest: @escaping @Sendable (Data) -> Bool) {
        Task.apart { [stream] in
            let limit = clock.time(after: Self.timeLimit)
            try? await Waiter<Void>.value(
                of: {
                    var left = Self.byteLimit
                    for try await chunk in stream {
                        left -= chunk.count
                        guard left >= 0, isRest(chunk) else { return }
                    }
                },
                until: limit,
                on: clock,
                late: { NetworkError(.timedOut, "the content does not end", node: .response) }
            )
            stream.close()
        }
    }
}
