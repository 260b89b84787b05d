public import CoreNetKitEssentials
public import CoreNetKitHTTP
package import CoreNetKitSystem

/// One stored response of a resource: its head and the location of its content.
public struct CacheVariant: Sendable, Identifiable {
    /// The location of a stored response's content.
    public enum Content: Sendable, Hashable {
        /// Beside the head.
        case inline(Data)
        /// In the storage, under a name of its choice.
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
    /// The stored fields, without those of the connection.
    public let headers: Headers
    /// The request fields that selected this response.
    public let selectingFields: [SelectingField]
    /// When the request of this response, or of its last validation, was sent.
    public let requestTime: CacheTime
    /// When that response was received.
    public let responseTime: CacheTime
    /// Whether the content was decoded, so that its bytes are not those of the representation.
    public let isDecoded: Bool
    /// The generations when the exchange of this response, or of its last validation, began.
    public var generations: CacheGenerations
    /// The sum of its groups' generations at that time.
    public var groupGenerations: UInt64
    /// The content.
    public let content: Content

    /// Whether it must not leave the process, as decided when it was stored.
    package var isConfidential = false
    /// The rules for secrets of the call that stored it; the standard ones if it was read from a disk.
    package var secretRules = SecretRules.standard
    package let facts: ResponseFacts

    /// Creates a stored response.
    public init(
        id: UInt64 = .random(in: .min ... .max),
        status: Int,
        headers: Headers,
        selectingFields: [SelectingField],
        requestTime: CacheTime,
        responseTime: CacheTime,
        isDecoded: Bool,
        generations: CacheGenerations = CacheGenerations(),
        groupGenerations: UInt64 = 0,
        content: Content
    ) {
        (self.id, self.status, self.headers, self.selectingFields) = (id, status, headers, selectingFields)
        (self.requestTime, self.responseTime, self.isDecoded) = (requestTime, responseTime, isDecoded)
        (self.generations, self.groupGenerations, self.content) = (generations, groupGenerations, content)
        facts = ResponseFacts(headers, responseTime: responseTime.wallMilliseconds)
    }

    /// Whether neither its URL nor its partition has been invalidated since its exchange began.
    package func isCurrent(at now: CacheGenerations) -> Bool {
        generations.url == now.url && generations.partition == now.partition
    }

    /// Whether its content is a part of a representation (RFC 9111, 3.3), which serves only requests for parts.
    package var isPartial: Bool { status == 206 }

    /// Whether it would replace another one: selected by the same fields, and both are complete or both are parts.
    package func replaces(_ other: CacheVariant) -> Bool {
        selectingFields == other.selectingFields && isPartial == other.isPartial
    }

    /// The range of a part; `nil` for a complete response, or if the content does not have the declared length.
    package var partialRange: ContentRange? {
        guard isPartial, let range = facts.contentRange, Int64(range.positions.count) == content.length else {
            return nil
        }
        return range
    }

    /// Whether a field, or a request field that selected it, may contain a secret: then it must not be written down.
    package var hasSecrets: Bool {
        headers.contains { Redaction.hasSecrets($0, by: secretRules) }
            || selectingFields.contains { field in
                field.value.map { !secretRules.isHarmless(field: field.name, value: $0) } ?? false
            }
    }

    /// The same content with another head.
    package func renewed(
        headers: Headers,
        selectingFields: [SelectingField]? = nil,
        requestTime: CacheTime,
        responseTime: CacheTime,
        generations: CacheGenerations? = nil
    ) -> CacheVariant {
        var variant = CacheVariant(
            id: id,
            status: status,
            headers: headers,
            selectingFields: selectingFields ?? self.selectingFields,
            requestTime: requestTime,
            responseTime: responseTime,
            isDecoded: isDecoded,
            generations: generations ?? self.generations,
            groupGenerations: groupGenerations,
            content: content
        )
        (variant.secretRules, variant.isConfidential) = (secretRules, isConfidential)
        return variant
    }

    /// A copy with other content.
    public func withContent(_ content: Content) -> CacheVariant { CacheVariant(of: self, content) }

    private init(of other: CacheVariant, _ content: Content) {
        (id, status, headers, selectingFields) = (other.id, other.status, other.headers, other.selectingFields)
        (requestTime, responseTime, isDecoded) = (other.requestTime, other.responseTime, other.isDecoded)
        (generations, groupGenerations, self.content) = (other.generations, other.groupGenerations, content)
        (isConfidential, secretRules, facts) = (other.isConfidential, other.secretRules, other.facts)
    }
}

/// An instant on two clocks: the wall clock, and a monotonic one that counts sleep.
///
/// Within one boot of the machine only the monotonic one is used, so that setting the clock changes no age. Between
/// boots there is only the wall clock; if it went backwards, the age is unknown.
public struct CacheTime: Sendable, Hashable {
    package let moment: WallMoment

    /// Milliseconds since 1970.
    public var wallMilliseconds: Int64 { moment.wall }
    /// Milliseconds of a monotonic clock, comparable within one boot.
    public var monotonicMilliseconds: Int64 { moment.steady }
    /// Equal for instants whose monotonic clocks are comparable: by default the boot of the machine; 0 if it is unknown.
    public var bootID: UInt64 { moment.bootID }

    package init(_ moment: WallMoment) { self.moment = moment }

    /// Creates an instant; with boot ID 0 its monotonic clock is comparable with no other.
    public init(wallMilliseconds: Int64, monotonicMilliseconds: Int64, bootID: UInt64) {
        moment = WallMoment(wall: wallMilliseconds, steady: monotonicMilliseconds, bootID: bootID)
    }

    /// The milliseconds from an earlier instant to this one; `nil` if the clock went backwards.
    package func elapsed(since earlier: CacheTime) -> Int64? { moment.elapsed(since: earlier.moment) }

    /// Whether this instant is known to be after another one: both are of one boot.
    package func follows(_ other: CacheTime) -> Bool {
        bootID != 0 && bootID == other.bootID && monotonicMilliseconds > other.monotonicMilliseconds
    }
}
