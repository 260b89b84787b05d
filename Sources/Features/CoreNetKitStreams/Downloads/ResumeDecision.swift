import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

struct HeldContent: Sendable, Hashable {
    var size = 0
    var total: Int?
    var validator: DownloadValidator?

    /// The fields that request the rest; none if there is no part to continue.
    var fields: Headers {
        guard size > 0, let validator else { return [:] }
        return ["Range": "bytes=\(size)-", "If-Range": validator.field]
    }

    fileprivate var isAsking: Bool { size > 0 && validator != nil }
}

/// How a download handles a response: a decision table, without files and connections.
enum ResumeDecision: Sendable, Hashable {
    /// Truncate the part at this offset, and write the content from there.
    case write(at: Int, total: Int?)
    case complete(total: Int)
    /// Discard the part, and request everything.
    case startOver(String)
    /// Not the download's business: keep the part and pass the response on.
    case pass

    /// `held` is what the part has, and what the request was made from.
    init(held: HeldContent, status: Int, headers: Headers) {
        switch status {
        case 200:
            let isPart = headers.contains("Content-Range")
            self = isPart ? .startOver("200 with Content-Range") : .write(at: 0, total: Self.length(headers))
        case 206: self = Self.part(held, headers)
        case 416:
            let isComplete = held.isAsking && ContentRange.totalOfNone(headers).map { $0 == held.size } ?? false
            self = isComplete && held.total ?? held.size == held.size ? .complete(total: held.size) : .startOver("416")
        case 412: self = .startOver("412")
        default: self = .pass
        }
    }

    private static func part(_ held: HeldContent, _ headers: Headers) -> ResumeDecision {
        guard held.isAsking, let validator = held.validator else { return .startOver("206 without a range request") }
        if headers.isCompressed { return .startOver("206 that is compressed") }
        guard let range = ContentRange(headers) else { return .startOver("206 without a usable Content-Range") }
        let (first, total) = (range.positions.lowerBound, range.total.map(Int.init(clamping:)))
        switch validator.differs(from: headers) {
        case true?: return .startOver("206 of another version")
        case nil where held.total == nil || total != held.total: return .startOver("206 without validator")
        default: break
        }
        if let total, let known = held.total, total != known { return .startOver("206 of another size") }
        guard first <= held.size else {
            return .startOver("206 from byte \(first), but there are \(held.size) bytes")
        }
        return .write(at: Int(first), total: total ?? held.total)
    }

    private static func length(_ headers: Headers) -> Int? {
        headers["Content-Length"].flatMap(FieldScanner.length).flatMap(Int.init(exactly:))
    }
}

/// A strong validator, which proves that two responses are parts of the same bytes.
enum DownloadValidator: Sendable, Hashable, Codable {
    /// A strong entity tag, with its quotes.
    case tag(String)
    /// A modification date that is safely in the past.
    case date(String)

    /// The validator of a response; a weak tag or a date within the last second does not count.
    init?(_ headers: Headers) {
        if let tag = headers["ETag"] {
            guard tag.hasPrefix("\""), tag.hasSuffix("\""), tag.utf8.count >= 2 else { return nil }
            self = .tag(tag)
            return
        }
        guard let text = headers["Last-Modified"], let modified = HTTPDate.parse(text),
            let date = headers["Date"].flatMap({ HTTPDate.parse($0) }), modified.addingTimeInterval(1) <= date
        else { return nil }
        self = .date(text)
    }

    var field: String {
        switch self {
        case .tag(let tag): tag
        case .date(let date): date
        }
    }

    /// Whether a response is of other bytes; `nil` if it has no validator.
    func differs(from headers: Headers) -> Bool? {
        switch self {
        case .tag(let tag): headers["ETag"].map { $0 != tag }
        case .date(let date): headers["Last-Modified"].map { $0 != date }
        }
    }
}
