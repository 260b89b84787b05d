#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A device token of Apple's push service, as lower-case hex; any length, as Apple asks for.
public struct PushToken: Sendable, Hashable {
    /// Why a text is no device token.
    public enum Problem: String, Sendable, Hashable {
        /// It describes data instead of holding it: `{length = 32, bytes = 0x…}` or `32 bytes`.
        case debugDescription
        /// It has characters that are no hex digits.
        case notHex
        /// A digit is missing.
        case oddLength
    }

    /// The digits.
    public let hex: String

    /// Creates a token from what the app delegate gets.
    ///
    /// - Parameter data: The token.
    /// - Throws: ``IDPushError/missingDeviceToken`` when there are no bytes.
    public init(_ data: Data) throws(IDPushError) {
        guard !data.isEmpty else { throw .missingDeviceToken }
        hex = data.reduce(into: "") { text, byte in
            text += byte < 16 ? "0" : ""
            text += String(byte, radix: 16)
        }
    }

    /// Creates a token from text; spaces and the angle brackets of old `description`s are left out.
    ///
    /// - Parameter text: Hex digits.
    /// - Throws: ``IDPushError/missingDeviceToken`` or ``IDPushError/invalidDeviceToken(_:)``.
    public init(hex text: String) throws(IDPushError) {
        let digits = text.unicodeScalars.filter { !$0.isBlank && $0 != "<" && $0 != ">" }
        guard !digits.isEmpty else { throw .missingDeviceToken }
        guard !text.contains("{"), !text.hasSuffix("bytes") else { throw .invalidDeviceToken(.debugDescription) }
        guard digits.allSatisfy({ $0.isASCII && $0.properties.isASCIIHexDigit }) else {
            throw .invalidDeviceToken(.notHex)
        }
        guard digits.count.isMultiple(of: 2) else { throw .invalidDeviceToken(.oddLength) }
        hex = String(String.UnicodeScalarView(digits)).lowercased()
    }
}

extension PushToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The first digits: enough to tell tokens apart, too few to send to one.
    public var description: String { Self.redacted(hex) }
    /// The first digits.
    public var debugDescription: String { description }
    /// Nothing but the first digits.
    public var customMirror: Mirror { Mirror(self, children: ["hex": description]) }

    static func redacted(_ text: String) -> String { text.prefix(min(6, text.count / 4)) + "…" }
}

extension Unicode.Scalar {
    /// Whether the scalar shows nothing: white space, or one of the zero-width marks that come with copied text.
    var isBlank: Bool { properties.isWhitespace || value == 0x200B || value == 0xFEFF }
}

extension String {
    /// The text without blanks at its ends.
    var trimmed: String {
        let scalars = unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.isBlank }),
            let last = scalars.lastIndex(where: { !$0.isBlank })
        else { return "" }
        return String(scalars[first...last])
    }
}
