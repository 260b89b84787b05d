import CoreNetKitEssentials
import CoreNetKitHTTP

/// A request as it stands on a tape: without secrets.
struct CassetteRequest {
    var method: String
    var url: String
    var headers: Headers
    var body: Data

    init(method: String, url: String, headers: Headers, body: Data) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// The request by the rules of now.
    func redacted(_ redactor: inout Redactor) -> CassetteRequest {
        CassetteRequest(
            method: method,
            url: redactor.url(url),
            headers: redactor.fields(headers),
            body: redactor.kept(body, type: headers["Content-Type"])
        )
    }

    /// A live request, its secrets replaced as on a tape.
    init(_ request: TransportRequest, _ redactor: inout Redactor) {
        method = request.method.rawValue
        url = redactor.url(request.url.absoluteString)
        body = redactor.kept(request.body.data ?? Data(), type: request.headers["Content-Type"])
        headers = redactor.fields(request.headers)
    }
}

/// One exchange of a tape.
struct CassetteEntry {
    var request: CassetteRequest
    var status: Int
    var headers: Headers
    var body: Data
    /// How long it took, in milliseconds.
    var time: Double
    var isPlayed = false

    /// One line for reports.
    var summary: String { "\(request.method) \(request.url)" }
}

extension Redactor {
    /// A content without its secrets where its type is known; other types stay as they are.
    mutating func kept(_ body: Data, type: String?) -> Data {
        if let shown = self.body(body, type: type, limit: .max) { return shown }
        let media = (type ?? "").lowercased()
        guard media.hasPrefix("text/") || media.contains("xml"), let text = String(validating: body, as: UTF8.self)
        else { return body }
        return Data(message(text).utf8)
    }
}
