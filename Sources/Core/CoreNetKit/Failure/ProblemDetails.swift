public import CoreNetKitEssentials
import CoreNetKitHTTP

/// A server's error in the standard format (RFC 9457), with the media type `application/problem+json`.
///
/// An error model that is ready to use: `Client().mapFailure(as: ProblemDetails.self)`. It replaces errors whose response
/// has that media type; ``NetworkError/decodeBody(as:coding:)`` reads any JSON object as one.
public struct ProblemDetails: Error, Decodable, Sendable, Hashable {
    /// Identifies the type of problem: a URI reference, relative to the URL of the response; `about:blank` if the status is
    /// all that there is to say.
    public var type: String
    /// The type of problem in a few words, for people.
    public var title: String?
    /// The status that the server chose, 100...599; only a hint, because an intermediary may have changed the response's.
    public var status: Int?
    /// What went wrong this time, and what to do, for people.
    public var detail: String?
    /// Identifies this occurrence: a URI reference, relative to the URL of the response.
    public var instance: String?
    /// All other members.
    public var extensions: [String: Json]

    /// Creates problem details, for tests and for your own errors.
    public init(
        type: String = "about:blank",
        title: String? = nil,
        status: Int? = nil,
        detail: String? = nil,
        instance: String? = nil,
        extensions: [String: Json] = [:]
    ) {
        (self.type, self.title, self.status) = (type, title, status)
        (self.detail, self.instance, self.extensions) = (detail, instance, extensions)
    }

    /// Decodes a JSON object; members whose values have another type than the RFC demands are ignored (section 3.1).
    ///
    /// - Throws: `DecodingError` for any other value, and the errors of the decoder.
    public init(from decoder: any Decoder) throws {
        guard var members = try Json(from: decoder).object else {
            let message = "Problem details are a JSON object."
            throw DecodingError.typeMismatch(
                [String: Json].self,
                .init(codingPath: decoder.codingPath, debugDescription: message)
            )
        }
        let status = members.removeValue(forKey: "status")?.int
        self.init(
            type: members.removeValue(forKey: "type")?.string ?? "about:blank",
            title: members.removeValue(forKey: "title")?.string,
            status: status.flatMap { 100...599 ~= $0 ? $0 : nil },
            detail: members.removeValue(forKey: "detail")?.string,
            instance: members.removeValue(forKey: "instance")?.string
        )
        extensions = members
    }
}

extension ProblemDetails: CustomStringConvertible, LocalizedError {
    /// Title and detail on one short line, without secrets; the type if there is neither.
    public var description: String { summary() ?? Self.line(type, by: .standard) }

    /// The description.
    public var errorDescription: String? { description }

    /// Title and detail, on one line of at most ``lineLimit`` characters; `nil` if there is neither.
    func summary(by secrets: SecretRules = .standard) -> String? {
        let texts = [title, detail].compactMap(\.self).filter { !$0.isEmpty }
        return texts.isEmpty ? nil : Self.line(texts.joined(separator: ": "), by: secrets)
    }

    static let lineLimit = 300

    private static func line(_ text: String, by secrets: SecretRules) -> String {
        // Scalars are counted, because any number of them may form one character. The text is redacted before it is cut:
        // half a secret is not recognised.
        let start = text.unicodeScalars.prefix(4 * lineLimit)
        let shown = Redaction.message(String(start), by: secrets).oneLine.unicodeScalars
        let isCut = start.endIndex < text.unicodeScalars.endIndex || shown.count > lineLimit
        return String(shown.prefix(lineLimit)) + (isCut ? "…" : "")
    }
}

extension NetworkError {
    /// The problem details with which the server refused the request (RFC 9457).
    ///
    /// Decoded at each access; `nil` if the status is in 200...299, the media type is not `application/problem+json`, or the
    /// content is not a JSON object.
    public var problemDetails: ProblemDetails? {
        guard let field = refusal?.headers["Content-Type"],
            MediaTypeField(parsing: field)?.essence == "application/problem+json"
        else { return nil }
        return try? decodeBody(as: ProblemDetails.self)
    }
}
