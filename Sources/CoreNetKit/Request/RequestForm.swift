import CoreNetKitEssentials
import CoreNetKitHTTP

/// How payloads become requests.
struct RequestForm: Sendable {
    let encoding: ParametersEncoding
    let strategies: ParameterStrategies
    let timeouts: Timeouts
    let delivery: ResponseDelivery

    /// What the reader of the response asks for.
    struct Wish: Sendable {
        let accept: String
        let delivery: ResponseDelivery?
    }

    /// The request that carries a payload to a URL.
    ///
    /// With a wish it is what ``DecodingNode`` would make of it: once a request is made, a change costs a copy.
    /// - Throws: ``NetworkError`` with code `encodingFailed` or `unsupportedValue`.
    func request<Payload: RequestPayload>(
        _ method: HTTPMethod,
        _ url: URL,
        _ metadata: Headers,
        _ payload: Payload,
        _ context: RequestContext,
        wish: Wish? = nil
    ) throws -> TransportRequest {
        let hasBody = method != .get && method != .head
        let place = encoding == .json && !hasBody ? .urlQuery : encoding
        let encoded: EncodedPayload
        do {
            encoded = try payload.encoded(as: place, strategies: strategies)
        } catch {
            throw NetworkError.wrapping(error, stage: "EncodingNode", code: .encodingFailed) ?? error
        }
        var headers = metadata
        if let type = encoded.contentType, type.isMultipart || !headers.contains("Content-Type") {
            headers["Content-Type"] = type
        }
        let url = try url.appending(query: encoded.query)
        context.noteDetail(.requestBuilt(method: method, url: url.absoluteString, headers: headers))
        context.record(.debug, "EncodingNode", "\(place), \(encoded.contentType ?? "no content")")
        if let wish, !headers.contains("Accept") { headers.append("Accept", wish.accept) }
        var request = TransportRequest(
            method: method,
            url: url,
            headers: headers,
            body: encoded.body,
            timeouts: timeouts,
            delivery: wish?.delivery ?? delivery
        )
        if !context.secrets.isStandard { request.secrets = context.secrets }
        return request
    }
}

extension String {
    /// Whether the media type names a boundary, without which the content cannot be read: no other may replace it.
    var isMultipart: Bool { lowercased().hasPrefix("multipart/") }
}
