import CoreNetKitEssentials
public import CoreNetKitHTTP

/// Text as content: the raw form of `String`.
///
/// Sent as `text/plain; charset=utf-8`. Decoded by the `charset` of `Content-Type`: US-ASCII, windows-1252 (also used for
/// ISO 8859-1), UTF-16 or UTF-8, which is also the default; without the byte order mark.
public struct PlainText: Sendable, Hashable, RequestPayload, ResponsePayload {
    /// The text.
    public var string: String

    /// Any type is accepted, text is preferred.
    public static var accept: String { "text/plain, */*;q=0.8" }

    /// Creates text.
    public init(_ string: String) { self.string = string }

    /// Reads the content as text.
    ///
    /// - Throws: ``NetworkError`` with code `decodingFailed` if the bytes are not valid text of their charset, or neither
    ///   is the charset known nor are they UTF-8.
    public init(response: TransportResponse) throws {
        let data = try response.collectedBytes()
        let charset = Self.charset(in: response.headers["Content-Type"] ?? "")
        let known = TextCharset(name: charset)
        guard let text = (known ?? .utf8).text(of: data) else {
            let reason =
                known == nil
                ? "the charset \(charset) of the body is unknown here, and it is not utf-8 text"
                : "the body is not \(charset) text"
            throw NetworkError(.decodingFailed, reason, node: .response)
        }
        string = text
    }

    /// The text as content, whatever the encoding.
    public func encoded(as encoding: ParametersEncoding, strategies: ParameterStrategies) -> EncodedPayload {
        EncodedPayload(body: .bytes(Data(string.utf8)), contentType: "text/plain; charset=utf-8")
    }

    private static func charset(in type: String) -> String {
        var scanner = FieldScanner(type)
        _ = scanner.text(upTo: ";")
        let charset = scanner.parameters(isList: false)?.first { $0.name == "charset" && !$0.value.isEmpty }
        return charset?.value.lowercased() ?? "utf-8"
    }
}

/// A charset of text, with its names in the table of the WHATWG Encoding Standard, 4.2.
enum TextCharset {
    case utf8
    case ascii
    /// Also used for ISO 8859-1, which differs only in controls, which text does not contain.
    case windows1252
    case utf16
    case utf16LittleEndian
    case utf16BigEndian

    /// Finds a charset by its name in lower case.
    init?(name: String) {
        switch name {
        case "utf-8", "utf8", "unicode-1-1-utf-8", "unicode11utf8", "unicode20utf8", "x-unicode20utf8": self = .utf8
        case "us-ascii", "ascii", "ansi_x3.4-1968": self = .ascii
        case "windows-1252", "cp1252", "x-cp1252", "iso-8859-1", "iso8859-1", "iso88591", "iso_8859-1",
            "iso_8859-1:1987", "iso-ir-100", "latin1", "latin-1", "l1", "cp819", "ibm819", "csisolatin1":
            self = .windows1252
        case "utf-16", "utf16", "unicode", "ucs-2", "iso-10646-ucs-2", "csunicode": self = .utf16
        case "utf-16le", "utf16le", "unicodefeff": self = .utf16LittleEndian
        case "utf-16be", "utf16be", "unicodefffe": self = .utf16BigEndian
        default: return nil
        }
    }

    /// The text of bytes, without a byte order mark; `nil` if they are not valid.
    func text(of data: Data) -> String? {
        switch self {
        case .utf8:
            let mark = data.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
            return String(validating: data.dropFirst(mark), as: UTF8.self)
        case .ascii: return data.allSatisfy { $0 < 0x80 } ? String(decoding: data, as: UTF8.self) : nil
        case .windows1252: return String(decoding: data.lazy.map(Self.windows1252), as: UTF16.self)
        // Without a mark, network byte order (RFC 2781, 4.3).
        case .utf16:
            let order = data.starts(with: [0xFF, 0xFE]) ? TextCharset.utf16LittleEndian : .utf16BigEndian
            return order.text(of: data)
        case .utf16LittleEndian: return Self.utf16(data, low: 0, high: 1)
        case .utf16BigEndian: return Self.utf16(data, low: 1, high: 0)
        }
    }

    private static func utf16(_ data: Data, low: Int, high: Int) -> String? {
        guard data.count.isMultiple(of: 2) else { return nil }
        let bytes = [UInt8](data)
        let units = stride(from: 0, to: bytes.count, by: 2).map {
            UInt16(bytes[$0 + high]) << 8 | UInt16(bytes[$0 + low])
        }
        return String(validating: units.first == 0xFEFF ? units.dropFirst() : units[...], as: UTF16.self)
    }

    private static func windows1252(_ byte: UInt8) -> UInt16 {
        0x80...0x9F ~= byte ? controls[Int(byte) - 0x80] : UInt16(byte)
    }

    /// The characters in place of the controls of ISO 8859-1 (WHATWG Encoding, index-windows-1252).
    private static let controls: [UInt16] = [
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,
        0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
        0x0153, 0x9D, 0x017E, 0x0178,
    ]
}

/// The text of the body; for a JSON string use ``Json``.
extension String: RawMappable, DTOConvertible {
    /// ``PlainText`` with its charset.
    public typealias Raw = PlainText

    /// A text is its own DTO.
    public typealias DTO = String

    /// Writes the text.
    public func toRaw() -> PlainText { PlainText(self) }

    /// Reads the text.
    public static func from(raw: PlainText) -> String { raw.string }
}
