import CoreNetKitJson
import TestPace

/// Encodes one model twice, by `JSONEncoder` and by ``Json``, and tells where the two part.
struct EncodingComparison: Sendable {
    let name: String
    let difference: @Sendable (_ coding: JsonCoding) -> String?

    init<Value: Encodable & Sendable>(_ value: Value, _ name: String? = nil) {
        self.name = name ?? "\(value)"
        difference = { Self.difference(value, $0) }
    }

    static func difference<Value: Encodable>(_ value: Value, _ coding: JsonCoding) -> String? {
        let ours = Result { String(decoding: try Json(encoding: value, as: coding).data(), as: UTF8.self) }
        let theirs = Result { String(decoding: try encoder(coding).encode(value), as: UTF8.self) }
        switch (ours, theirs) {
        case (.success(let ours), .success(let theirs)):
            return ours == theirs ? nil : "ours \(ours)\ntheirs \(theirs)"
        case (.failure(EncodingError.invalidValue(_, let ours)), .failure(EncodingError.invalidValue(_, let theirs))):
            let paths = [ours, theirs].map { $0.codingPath.map(\.stringValue) }
            return coding.keys != .asWritten || Self.areAlike(paths[0], paths[1]) ? nil : "\(paths)"
        case (.failure, .failure): return nil
        default: return "ours \(ours)\ntheirs \(theirs)"
        }
    }

    /// Foundation calls an element "Index 3".
    private static func areAlike(_ ours: [String], _ theirs: [String]) -> Bool {
        ours == theirs.map { $0.hasPrefix("Index ") ? String($0.dropFirst(6)) : $0 }
    }

    static func encoder(_ coding: JsonCoding) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if coding.keys == .snakeCase { encoder.keyEncodingStrategy = .convertToSnakeCase }
        encoder.dateEncodingStrategy =
            switch coding.dates {
            case .iso8601: .iso8601
            case .secondsSince1970: .secondsSince1970
            case .millisecondsSince1970: .millisecondsSince1970
            default: .deferredToDate
            }
        if coding.data == .deferred { encoder.dataEncodingStrategy = .deferredToData }
        if coding.nonFinite != .error {
            encoder.nonConformingFloatEncodingStrategy = .convertToString(
                positiveInfinity: "Infinity",
                negativeInfinity: "-Infinity",
                nan: "NaN"
            )
        }
        return encoder
    }
}

extension JsonCoding {
    static let all: [JsonCoding] = [
        .init(), .init(keys: .snakeCase), .init(dates: .iso8601), .init(keys: .snakeCase, dates: .secondsSince1970),
        .init(dates: .millisecondsSince1970), .init(data: .deferred, nonFinite: .strings()),
    ]
}
