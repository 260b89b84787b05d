public import CoreNetKitEssentials
import PushRegistration

/// A device token of Apple's push service, as lower-case hex; any length, as Apple requires.
public struct PushToken: Sendable, Hashable {
    /// The reason why a text is not a device token.
    public enum Problem: String, Sendable, Hashable {
        /// It is the description of a `Data`: `{length = 32, bytes = 0x…}` or `32 bytes`.
        case debugDescription
        /// It contains characters that are not hex digits.
        case notHex
        /// A digit is missing.
        case oddLength
    }

    /// The digits.
    public let hex: String

    /// Creates a token from the bytes that the app delegate receives.
    ///
    /// - Parameter data: The token.
    /// - Throws: ``IDPushError`` with code `missingDeviceToken` if there are no bytes.
    public init(_ data: Data) throws(IDPushError) {
        guard !data.isEmpty else { throw .missingDeviceToken }
        hex = TokenText.hex(data)
    }

    /// Creates a token from text; spaces and the angle brackets of old `description`s are removed.
    ///
    /// - Parameter text: Hex digits.
    /// - Throws: ``IDPushError`` with code `missingDeviceToken` or `invalidDeviceToken`.
    public init(hex text: String) throws(IDPushError) {
        let digits = text.unicodeScalars.filter { !$0.isBlank && $0 != "<" && $0 != ">" }
        guard !digits.isEmpty else { throw .missingDeviceToken }
        guard !text.contains("{"), !text.hasSuffix("bytes") else { throw .invalidDeviceToken(.debugDescription) }
        let token = String(String.UnicodeScalarView(digits)).lowercased()
        guard TokenText.isHex(token) else { throw .invalidDeviceToken(.notHex) }
        guard token.utf8.count.isMultiple(of: 2) else { throw .invalidDeviceToken(.oddLength) }
        hex = token
    }
}

extension PushToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The first digits: enough to distinguish tokens, too few to send to a device.
    public var description: String { TokenText.redacted(hex) }
    /// The first digits.
    public var debugDescription: String { description }
    /// Only the first digits.
    public var customMirror: Mirror { Mirror(self, children: ["hex": description]) }
}
