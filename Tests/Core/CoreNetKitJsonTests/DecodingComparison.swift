import CoreNetKitJson
import TestPace

/// Decodes one text twice, by `JSONDecoder` and by ``Json``, and tells where the two part.
struct DecodingComparison: Sendable {
    let name: String
    /// Texts that decode, to start from.
    let texts: [String]
    /// What differs; `nil` when nothing does.
    let difference: @Sendable (_ text: Data, _ coding: JsonCoding) -> String?

    init<Value: Decodable & Equatable & SendableMetatype>(_ type: Value.Type, _ texts: String...) {
        name = "\(type)"
        self.texts = texts
        difference = { Self.difference(type, $0, $1) }
    }

    private static func difference<Value: Decodable & Equatable>(
        _ type: Value.Type,
        _ text: Data,
        _ coding: JsonCoding
    ) -> String? {
        let ours = Result { try Json(undecoded: text).decode(type, as: coding) }
        let theirs = Result { try decoder(coding).decode(type, from: text) }
        switch (ours, theirs) {
        case (.success(let ours), .success(let theirs)):
            return ours == theirs ? nil : "ours \(ours), theirs \(theirs)"
        case (.failure(let ours as DecodingError), .failure(let theirs)):
            // Foundation meets the members of a dictionary in any order, and paths have the names of the document here.
            guard let theirs = theirs as? DecodingError, let place = place(of: theirs), coding.keys == .asWritten,
                !(type is any DictionaryType.Type)
            else { return nil }
            return self.place(of: ours) == place ? nil : "ours \(ours), theirs \(theirs)"
        case (.failure(_ as JsonError), .failure): return nil
        case (.failure(let ours as JsonError), .success):
            // Foundation is lenient: other encodings, commas at the end, halves of surrogate pairs.
            return (try? Json(parsing: text)) == nil ? nil : "ours \(ours), theirs fine"
        case (.failure(let ours), .success(let theirs)):
            return isKnown(text) ? nil : "ours \(ours), theirs \(theirs)"
        case (.success(let ours), .failure(let theirs)):
            return isKnown(text) ? nil : "ours \(ours), theirs \(theirs)"
        case (.failure(let ours), .failure): return "no error of decoding: \(ours)"
        }
    }

    private static func decoder(_ coding: JsonCoding) -> JSONDecoder {
        let decoder = JSONDecoder()
        if coding.keys == .snakeCase { decoder.keyDecodingStrategy = .convertFromSnakeCase }
        decoder.dateDecodingStrategy =
            switch coding.dates {
            case .iso8601: .iso8601
            case .secondsSince1970: .secondsSince1970
            case .millisecondsSince1970: .millisecondsSince1970
            default: .deferredToDate
            }
        if coding.data == .deferred { decoder.dataDecodingStrategy = .deferredToData }
        if coding.nonFinite != .error {
            decoder.nonConformingFloatDecodingStrategy = .convertFromString(
                positiveInfinity: "Infinity",
                negativeInfinity: "-Infinity",
                nan: "NaN"
            )
        }
        return decoder
    }

    /// Where it failed; `nil` where Foundation does not say, which is all that is wrong with a number.
    private static func place(of error: DecodingError) -> [String]? {
        let (kind, context, key): (String, DecodingError.Context, (any CodingKey)?) =
            switch error {
            // Foundation finds no value where it finds `null`, except where it wants a `Bool`.
            case .typeMismatch(_, let context), .valueNotFound(_, let context): ("value", context, nil)
            case .keyNotFound(let key, let context): ("key", context, key)
            case .dataCorrupted(let context): ("data", context, nil)
            @unknown default: ("", .init(codingPath: [], debugDescription: ""), nil)
            }
        if context.debugDescription == "The given data was not valid JSON." { return nil }
        return [kind, key?.stringValue ?? ""]
            + context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
    }

    /// The differences that are meant: numbers that a `Double` does not carry, where Foundation goes through one.
    ///
    /// `1e-400` is no integer, `1e22` is an `Int128`, and `0e1` is zero.
    private static func isKnown(_ text: Data) -> Bool {
        guard let json = try? Json(parsing: text) else { return false }
        return numbers(in: json).contains { number in
            guard let text = number.number, text.contains(where: { $0 == "." || $0 == "e" || $0 == "E" }) else {
                return false
            }
            guard let double = number.double else { return true }
            return Json(number: "\(double)") != number || number.uint64 == nil && number.int64 == nil || double == 0
        }
    }

    private static func numbers(in json: Json) -> [Json] {
        if let elements = json.array { return elements.flatMap { numbers(in: $0) } }
        return json.number == nil ? json.members.flatMap { numbers(in: $0.value) } : [json]
    }
}

private protocol DictionaryType {}
extension Dictionary: DictionaryType {}
