import CoreNetKitEssentials
import CoreNetKitHTTP

/// A request, whole; on a tape without secrets.
struct CassetteRequest {
    var method: String
    var url: String
    var headers: Headers
    var body: Data
}

/// One exchange of a tape.
struct CassetteEntry {
    /// How much of a content is on the tape.
    enum Extent: Equatable {
        /// All.
        case whole
        /// What had been read when the reader left, or when the recorder's limit was reached.
        case cut
        /// Nothing, though there was a content of this many bytes.
        case missing(Int)
    }

    var request: CassetteRequest
    var status: Int
    var headers: Headers
    var body: Data
    var extent = Extent.whole
    /// How long it took, in milliseconds.
    var time: Double
    /// The seconds after the recording's day that its place on the tape is.
    var place = 0
    /// Of a WebSocket.
    var messages: [CassetteMessage]?
    var isPlayed = false

    /// One line for reports.
    var summary: String { "\(request.method) \(request.url)" }
}

extension Redactor {
    /// A content without its secrets where its type is known; other types stay as they are.
    mutating func kept(_ body: Data, type: String?) -> Data {
        if let shown = self.body(body, type: type, limit: .max) { return shown }
        let media = (type ?? "").lowercased()
        let isText = media.hasPrefix("text/") || media.contains("xml") || media.contains("json")
        guard isText, let text = String(validating: body, as: UTF8.self)
        else { return body }
        return Data(message(text).utf8)
    }

    /// A request without what its names say is secret.
    mutating func kept(_ request: CassetteRequest) -> CassetteRequest {
        CassetteRequest(
            method: request.method,
            url: url(request.url),
            headers: fields(request.headers),
            body: kept(request.body, type: request.headers["Content-Type"])
        )
    }
}

extension CassetteWords {
    func replaced(_ request: CassetteRequest) -> CassetteRequest {
        CassetteRequest(
            method: request.method,
            url: replaced(request.url, as: .url),
            headers: replaced(request.headers),
            body: replaced(request.body, type: request.headers["Content-Type"])
        )
    }

    func replaced(_ headers: Headers) -> Headers {
        guard !standIns.isEmpty else { return headers }
        var shown: Headers = [:]
        for field in headers {
            shown.append(field.name, replaced(field.value, as: Redactor.hasURLs(field.name) ? .url : .text))
        }
        return shown
    }

    /// A content of a kind that has words; others stay as they are.
    func replaced(_ body: Data, type: String?) -> Data {
        let media = (type ?? "").prefix { $0 != ";" }.lowercased()
        if media.contains("json") { return replaced(body, as: .json) }
        if media == "application/x-www-form-urlencoded" { return replaced(body, as: .url) }
        guard media.hasPrefix("text/") || media.contains("xml") else { return body }
        return replaced(body, as: .text)
    }
}
