import CoreNetKit
import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// An accepted response whose content is read piece by piece: the output of the inner chain in this module.
struct StreamedResponse: Sendable {
    /// How many bytes are read after the end that a format defines, and for how long.
    private static let (byteLimit, timeLimit) = (64 << 10, Duration.milliseconds(100))

    /// The response for errors, without content.
    let failed: FailedResponse
    let stream: ResponseStream
    /// The record of the exchange; `nil` without listeners.
    private let record: OpenExchange?

    init(_ response: TransportResponse) {
        failed = FailedResponse(status: response.status, headers: response.headers, url: response.url)
        stream = ResponseStream(response: response)
        record = response.attributes[OpenExchange.self]
    }

    /// Reads responses of these media types.
    static func reading(_ accept: String) -> Reading<StreamedResponse> {
        .by(accept: accept, delivery: .stream) { StreamedResponse($0) }
    }

    /// The response for an error with the start of the content, for content in the wrong format.
    func failedWithContent(limit: Int = 64 << 10) async throws -> FailedResponse {
        var failed = failed
        do {
            for try await chunk in stream {
                failed.body.append(chunk.prefix(limit - failed.body.count))
                if failed.body.count >= limit { break }
            }
        } catch let error as CancellationError {
            throw error
        } catch {
            // The error being made matters more than the reason why the content broke off.
        }
        return failed
    }

    func close() { stream.close() }

    /// Ends the content by the rules of its format; further bytes from the server are dropped.
    func finish(on clock: CallClock) {
        record?.markComplete()
        drain(on: clock) { _ in true }
    }

    /// Reads on briefly, while chunks have nothing for the reader, so that the connection can be reused if the response ends
    /// there, and ends the transfer.
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
