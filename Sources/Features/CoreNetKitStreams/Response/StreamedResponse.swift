import CoreNetKit
package import CoreNetKitChain
package import CoreNetKitEssentials
package import CoreNetKitHTTP
import CoreNetKitSystem

/// An accepted response whose content is still unread: the output of the inner chain in this module.
package struct StreamedResponse<Format: StreamFormat>: ResponsePayload, RawDecodable, DTODecodable {
    package let status: Int
    package let headers: Headers
    package let url: URL
    package let content: OpenContent

    package var failed: FailedResponse { FailedResponse(status: status, headers: headers, url: url) }

    /// The response for an error with the start of the content, for content in the wrong format.
    package func failedWithContent(limit: Int = 64 << 10) async throws -> FailedResponse {
        var failed = failed
        do {
            for try await chunk in content.stream {
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

    package static var accept: String { Format.accept }
    package static var delivery: ResponseDelivery? { .stream }

    package init(response: TransportResponse) throws {
        (status, headers, url) = (response.status, response.headers, response.url)
        content = OpenContent(response)
    }

    package typealias Raw = StreamedResponse
    package typealias DTO = StreamedResponse
    package static func from(raw: StreamedResponse) -> StreamedResponse { raw }
}

package protocol StreamFormat: Sendable, SendableMetatype {
    static var accept: String { get }
}

package enum EventFormat: StreamFormat {
    package static let accept = "text/event-stream"
}

package enum LineFormat: StreamFormat {
    package static let accept = "application/jsonl, application/x-ndjson, application/json;q=0.5, */*;q=0.1"
}

package enum SequenceFormat: StreamFormat {
    package static let accept = "application/json-seq, */*;q=0.1"
}

package enum TextFormat: StreamFormat {
    package static let accept = "application/json"
}

package enum PartFormat: StreamFormat {
    package static let accept = "multipart/mixed, application/json;q=0.1"
}

/// Content that is read piece by piece, and the record of its exchange.
package struct OpenContent: Sendable {
    /// How many bytes are read after the end that a format defines, and for how long.
    private static let (byteLimit, timeLimit) = (64 << 10, Duration.milliseconds(100))

    package let stream: ResponseStream
    /// `nil` without listeners.
    private let record: OpenExchange?

    init(_ response: TransportResponse) {
        stream = ResponseStream(response: response)
        record = response.attributes[OpenExchange.self]
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
