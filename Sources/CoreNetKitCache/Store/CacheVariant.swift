public import CoreNetKitHTTP

public import CoreNetKitEssentials

/// One stored response of a resource: its head, and where its content is.
public struct CacheVariant: Sendable {
    /// Where the content of a stored response is.
    public enum Content: Sendable, Hashable {
        /// Beside the head.
        case inline(Data)
        /// In a place of the storage's own, of which this is the name.
        case stored(name: String, length: Int64)

        /// The number of bytes.
        public var length: Int64 {
            switch self {
            case .inline(let data): Int64(data.count)
            case .stored(_, let length): length
            }
        }
    }

    /// The status code.
    public let status: Int
    /// The fields that are kept; those of one connection are left out.
    public let headers: Headers
    /// The request fields that selected this response.
    public let selecting: [SelectingField]
    /// When the request was sent that this response, or its last validation, belongs to.
    public let requested: CacheTime
    /// When that response was received.
    public let received: CacheTime
    /// Whether the content was decoded on its way, so that its bytes are not those of the representation.
    public let isDecoded: Bool
    /// Whether it must be validated before it is used again.
    public var isInvalid: Bool
    /// The content.
    public let content: Content

    /// What is secret in it, as the call says that stored it; the standard's where it was read from a disk.
    package var secrets = SecretRules.standard
    /// What the fields say, read once.
    package let facts: ResponseFacts

    /// Creates a stored response.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - headers: The fields that are kept.
    ///   - selecting: The request fields that selected this response.
    ///   - requested: When its request was sent.
    ///   - received: When it was received.
    ///   - isDecoded: Whether the content was decoded on its way.
    ///   - isInvalid: Whether it must be validated before it is used again.
    ///   - content: The content.
    public init(
        status: Int,
        headers: Headers,
        selecting: [SelectingField],
        requested: CacheTime,
        received: CacheTime,
        isDecoded: Bool,
        isInvalid: Bool = false,
        content: Content
    ) {
        self.status = status
        self.headers = headers
        self.selecting = selecting
        self.requested = requested
        self.received = received
        self.isDecoded = isDecoded
        self.isInvalid = isInvalid
        self.content = content
        facts = ResponseFacts(headers, received: received.wall)
    }

    /// Whether it must not be written down: a field of it carries a secret or may carry one, by its name or in a URL, or
    /// one of the request did that selected it.
    package var hasSecrets: Bool {
        headers.contains { Redaction.hasSecrets($0, by: secrets) }
            || selecting.contains { $0.value != nil && secrets.verdict(field: $0.name) != .harmless }
    }

    /// The same content under another head.
    package func renewed(
        headers: Headers,
        selecting: [SelectingField]? = nil,
        requested: CacheTime,
        received: CacheTime
    ) -> CacheVariant {
        var variant = CacheVariant(
            status: status,
            headers: headers,
            selecting: selecting ?? self.selecting,
            requested: requested,
            received: received,
            isDecoded: isDecoded,
            content: content
        )
        variant.secrets = secrets
        return variant
    }

    /// The same head with its content elsewhere.
    package func holding(_ content: Content) -> CacheVariant {
        var variant = CacheVariant(
            status: status,
            headers: headers,
            selecting: selecting,
            requested: requested,
            received: received,
            isDecoded: isDecoded,
            isInvalid: isInvalid,
            content: content
        )
        variant.secrets = secrets
        return variant
    }
}
