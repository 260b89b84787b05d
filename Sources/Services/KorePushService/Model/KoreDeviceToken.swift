public import CoreNetKitEssentials
import CoreNetKitSystem
import PushRegistration

/// The device token that the platform issued, of any length.
public struct KoreDeviceToken: Sendable, Hashable {
    /// The token as it is sent to the server: lower-case hex.
    public let hex: String

    /// Creates a token from the bytes that the app delegate receives; throws ``KorePushError`` with code
    /// `missingDeviceToken` for `nil`, as your own delegate may pass, and `invalidDeviceToken` for no bytes.
    public init(data: Data?) throws(KorePushError) {
        guard let data else { throw KorePushError(.missingDeviceToken, "the device token is nil") }
        guard !data.isEmpty else { throw KorePushError(.invalidDeviceToken, "the device token has no bytes") }
        hex = Hex.encode(data)
    }

    /// Creates a token from hex text, in either case and not the description of a `Data`; throws ``KorePushError`` with
    /// code `invalidDeviceToken` or `unconvertibleDeviceToken`.
    public init(hex: String) throws(KorePushError) {
        guard !hex.allSatisfy(\.isWhitespace) else {
            throw KorePushError(.invalidDeviceToken, "the device token is blank")
        }
        guard hex.utf8.count.isMultiple(of: 2), hex.isHex else {
            throw KorePushError(
                .unconvertibleDeviceToken,
                "the device token is not hex text of whole bytes; pass the Data itself, not its description"
            )
        }
        self.hex = hex.lowercased()
    }
}

extension KoreDeviceToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The first six characters of a long token, none of a short one.
    public var description: String { "KoreDeviceToken(\(hex.utf8.count > 24 ? String(hex.prefix(6)) : "")…)" }

    /// The same as ``description``, so that no debugger log shows the token.
    public var debugDescription: String { description }

    /// Empty, so that `dump` does not show the token either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A device that the server has subscribed.
public struct KoreSubscription: Sendable, Hashable {
    /// The id of the user whose notifications the device receives.
    public let userID: String
    /// The token of the device.
    public let token: KoreDeviceToken
    /// The server's message, if it sent one.
    public let message: String?
}

/// The stored state of a user's device.
public struct KoreState: Sendable, Hashable {
    /// The token that is subscribed or will be; `nil` if there is none.
    public let token: KoreDeviceToken?
    /// Whether the server has confirmed it.
    public let isSubscribed: Bool
    /// Whether nothing is left to send.
    public let isComplete: Bool
}
