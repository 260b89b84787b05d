public import CoreNetKitEssentials
public import CoreNetKitHTTP

/// The response of a failed call: rejected because of its status, or unreadable.
public struct FailedResponse: Sendable {
    /// The status code.
    public var status: Int
    /// The field lines.
    public var headers: Headers
    /// The content; at most 1 MiB if it had to be read from a stream.
    public var body: Data
    /// The URL that sent the response.
    public var url: URL
    /// Values that nodes and the transport added to the response.
    package var attributes = Attributes()

    /// The secrecy rules of its call's client.
    package var secrets: SecretRules { attributes.secrets }

    /// The number of content bytes that the description of its error shows; `nil` for none.
    var shownBytes: Int?

    /// The content for a log, on one line and without secrets; `nil` unless its client logs contents.
    var loggedContent: String? {
        guard let limit = shownBytes, !body.isEmpty else { return nil }
        var redactor = Redactor(by: secrets)
        return redactor.excerpt(body, type: headers["Content-Type"], limit: limit).oneLine
    }

    /// Creates a response for your own errors.
    public init(status: Int, headers: Headers = [:], body: Data = Data(), url: URL) {
        self.status = status
        self.headers = headers
        self.body = body
        self.url = url
    }

    /// The start of the body as text, at most `limit` characters, `.max` for all; bytes that are not UTF-8 become U+FFFD.
    ///
    /// It may contain data that the server should not have sent: show it to developers, do not log it.
    public func excerpt(_ limit: Int = 200) -> String {
        let limit = max(limit, 0)
        let text = String(decoding: body.prefix(limit.saturatingMultiply(4)), as: UTF8.self)
        return text.count > limit ? text.prefix(limit) + "…" : text
    }

    package init(_ response: TransportResponse) {
        self.init(
            status: response.status,
            headers: response.headers,
            body: response.body.data ?? Data(),
            url: response.url
        )
        attributes = response.attributes
    }
}

extension FailedResponse: CustomStringConvertible, CustomReflectable {
    /// Status, URL and counts on one line, without secrets.
    public var description: String {
        "status \(status) from \(Redaction.url(url, by: secrets)), \(headers.count) fields, \(body.count) bytes"
    }

    /// Status, URL and fields without secrets, and the size of the content.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "status": status, "url": Redaction.url(url, by: secrets),
                "headers": Redaction.lines(headers, by: secrets), "bytes": body.count,
            ],
            displayStyle: .struct
        )
    }
}

private enum AttemptKey: Attributes.Key {
    typealias Value = Int
}

extension TransportResponse {
    /// The number of the attempt that this response belongs to, counted from 1.
    package var attempt: Int {
        get { attributes[AttemptKey.self] ?? 1 }
        set { attributes[AttemptKey.self] = newValue }
    }
}
