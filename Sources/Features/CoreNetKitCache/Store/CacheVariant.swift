public import CoreNetKitHTTP

public import CoreNetKitEssentials

/// One stored response of a resource: its head, and where its content is.
public struct CacheVariant: Sendable, Identifiable {
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

    /// Content of at most this number of bytes is stored with its head.
    public static let inlineLimit = 64 << 10

    /// Identifies it among all responses ever stored; stays the same when its head is renewed.
    public let id: UInt64
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
    /// What was counted when the exchange began that it, or its last validation, belongs to.
    public var counters: CacheCounters
    /// The sum of its groups' counters then.
    public var groups: UInt64
    /// The content.
    public let content: Content

    /// Whether it must not leave the process, as the cache decided when it stored it.
    package var isConfidential = false
    /// What is secret in it, as the call says that stored it; the standard's where it was read from a disk.
    package var secrets = SecretRules.standard
    /// What the fields say, read once.
    package let facts: ResponseFacts

    /// Creates a stored response.
    ///
    /// - Parameters:
    ///   - id: Its identity.
    ///   - status: The status code.
    ///   - headers: The fields that are kept.
    ///   - selecting: The request fields that selected this response.
    ///   - requested: When its request was sent.
    ///   - received: When it was received.
    ///   - isDecoded: Whether the content was decoded on its way.
    ///   - counters: What was counted when its exchange began.
    ///   - groups: The sum of its groups' counters then.
    ///   - content: The content.
    public init(
        id: UInt64 = .random(in: .min ... .max),
        status: Int,
        headers: Headers,
        selecting: [SelectingField],
        requested: CacheTime,
        received: CacheTime,
        isDecoded: Bool,
        counters: CacheCounters = CacheCounters(),
        groups: UInt64 = 0,
        content: Content
    ) {
        self.id = id
        self.status = status
        self.headers = headers
        self.selecting = selecting
        self.requested = requested
        self.received = received
        self.isDecoded = isDecoded
        self.counters = counters
        self.groups = groups
        self.content = content
        facts = ResponseFacts(headers, received: received.wall)
    }

    /// Whether its URL was not marked, and its partition not emptied, since its exchange began.
    package func isCurrent(at now: CacheCounters) -> Bool {
        counters.url == now.url && counters.partition == now.partition
    }

    /// Whether its content is a part of a representation (RFC 9111, 3.3): it responds to requests for parts only.
    package var isPart: Bool { status == 206 }

    /// Whether it is what another one would replace: selected by the same fields, and both are wholes or both parts.
    package func hasPlace(of other: CacheVariant) -> Bool {
        selecting == other.selecting && isPart == other.isPart
    }

    /// Which part it is; `nil` where it is a whole, or does not have as many bytes as it says.
    package var part: ContentRange? {
        guard isPart, let range = facts.contentRange, Int64(range.positions.count) == content.length else { return nil }
        return range
    }

    /// Makes it to be validated, whatever is counted.
    package mutating func distrust(at now: CacheCounters) { counters.url = ~now.url }

    /// Whether it must not be written down: a field of it carries a secret or may carry one, by its name or in a URL, or
    /// one of the request did that selected it.
    package var hasSecrets: Bool {
        headers.contains { Redaction.hasSecrets($0, by: secrets) }
            || selecting.contains { field in
                field.value.map { !secrets.isHarmless(field: field.name, value: $0) } ?? false
            }
    }

    /// The same content under another head.
    package func renewed(
        headers: Headers,
        selecting: [SelectingField]? = nil,
        requested: CacheTime,
        received: CacheTime,
        counters: CacheCounters? = nil
    ) -> CacheVariant {
        var variant = CacheVariant(
            id: id,
            status: status,
            headers: headers,
            selecting: selecting ?? self.selecting,
            requested: requested,
            received: received,
            isDecoded: isDecoded,
            counters: counters ?? self.counters,
            groups: groups,
            content: content
        )
        (variant.secrets, variant.isConfidential) = (secrets, isConfidential)
        return variant
    }

    /// The same head with its content elsewhere.
    public func holding(_ content: Content) -> CacheVariant {
        CacheVariant(of: self, content)
    }

    private init(of other: CacheVariant, _ content: Content) {
        id = other.id
        status = other.status
        headers = other.headers
        selecting = other.selecting
        requested = other.requested
        received = other.received
        isDecoded = other.isDecoded
        counters = other.counters
        groups = other.groups
        isConfidential = other.isConfidential
        secrets = other.secrets
        facts = other.facts
        self.content = content
    }
}
