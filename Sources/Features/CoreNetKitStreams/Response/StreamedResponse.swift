package import CoreNetKitEssentials
import CoreNetKit
package import CoreNetKitChain
package import CoreNetKitHTTP

/// An accepted response whose content is still unread: the output of the inner chain in this module.
package struct StreamedResponse<Format: StreamFormat>: Sendable {
    package let status: Int
    package let headers: Headers
    package let url: URL
    package let content: OpenContent

    /// What an error keeps of it; the content is left out.
    package var failed: FailedResponse { FailedResponse(status: status, headers: headers, url: url) }

    /// What an error keeps of it, with the start of the content: for content that is not what it should be.
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
            // The error that is being made says more than how the content broke off.
        }
        return failed
    }
}

extension StreamedResponse: ResponsePayload {
    package static var accept: String { Format.accept }
    package static var delivery: ResponseDelivery? { .stream }

    package init(response: TransportResponse) throws {
        (status, headers, url) = (response.status, response.headers, response.url)
        content = OpenContent(response)
    }
}

extension StreamedResponse: RawDecodable, DTODecodable {
    package typealias Raw = StreamedResponse
    package typealias DTO = StreamedResponse
    package static func from(raw: StreamedResponse) -> StreamedResponse { raw }
}
