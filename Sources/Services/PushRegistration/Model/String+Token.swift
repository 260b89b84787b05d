package import CoreNetKit
package import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

extension Unicode.Scalar {
    /// Whether the scalar is invisible: white space, or a zero-width mark as found in copied text.
    package var isBlank: Bool { properties.isWhitespace || value == 0x200B || value == 0xFEFF }
}

extension String {
    /// The text without blanks at either end.
    package var trimmed: String {
        let scalars = unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.isBlank }),
            let last = scalars.lastIndex(where: { !$0.isBlank })
        else { return "" }
        return String(scalars[first...last])
    }

    package var isHex: Bool { utf8.allSatisfy { Hex.value(of: $0) != nil } }

    /// The first digits of a device token: enough to distinguish tokens, too few to send to a device.
    package var redactedToken: String { prefix(min(6, count / 4)) + "…" }

    /// A short hash, the same in each process: FNV-1a, twice with different starting values.
    package var stableHash: String {
        let halves: [UInt64] = [0xcbf2_9ce4_8422_2325, 0x8422_2325_cbf2_9ce4].map { start in
            utf8.reduce(start) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
        }
        return halves.map { String($0, radix: 36) }.joined()
    }
}

extension Json {
    /// The value as a Boolean, in the forms that servers use; `nil` for anything else.
    package var flag: Bool? {
        if let bool { return bool }
        if let double { return double != 0 }
        return switch string?.trimmed.lowercased() {
        case "1", "1.0", "true", "yes", "y", "ok", "success": true
        case "0", "false", "no", "n", "": false
        default: nil
        }
    }
}

/// Why a URL is not the address of a push server, which is https, or http on this machine.
package enum ServerAddressProblem: Sendable {
    case noHost
    case insecure

    package init?(_ url: URL?) {
        guard let origin = url.map({ Origin($0) }), ["http", "https"].contains(origin.scheme), !origin.host.isEmpty
        else {
            self = .noHost
            return
        }
        if origin.isSecure || Self.isThisMachine(origin.host) { return nil }
        self = .insecure
    }

    private static func isThisMachine(_ host: String) -> Bool {
        if host == "localhost" || host == "[::1]" { return true }
        // `127.evil.test` is not an address.
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }
}
