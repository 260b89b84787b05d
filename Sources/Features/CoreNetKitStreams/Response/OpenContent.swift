import CoreNetKit
import CoreNetKitChain
import CoreNetKitEssentials
package import CoreNetKitHTTP

/// Content that is read piece by piece, and the record that is told how it ended.
package struct OpenContent: Sendable {
    /// How much is read behind the end that a format has, and for how long.
    private static let (limit, patience) = (64 << 10, Duration.milliseconds(100))

    package let stream: ResponseStream
    /// `nil` without listeners.
    private let story: OpenExchange?

    init(_ response: TransportResponse) {
        stream = ResponseStream(response: response)
        story = response.attributes[OpenExchange.Key.self]
    }

    /// Ends the transfer: its reader has left.
    func close() { stream.close() }

    /// The content has ended by the rules of its format; what the server sends behind that end is passed over.
    func finish(on clock: CallClock) {
        story?.settle()
        pass(on: clock) { _ in true }
    }

    /// Reads on for a moment, so that the connection can be used again if that is the end, and ends the transfer.
    ///
    /// - Parameters:
    ///   - clock: The clock of the moment.
    ///   - isRest: Whether a chunk has nothing that a reader would want.
    func pass(on clock: CallClock, while isRest: @escaping @Sendable (Data) -> Bool) {
        Task.apart { [stream] in
            let limit = clock.time(after: Self.patience)
            try? await Waiter<Void>.value(
                of: {
                    var left = Self.limit
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
