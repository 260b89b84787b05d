package import CoreNetKitEssentials
import CoreNetKitHTTP

/// Checks the address of a push server: https, or http on this machine.
package enum ServerAddress {
    package enum Problem: Error, Sendable {
        case noHost
        case insecure
    }

    package static func check(_ url: URL?) throws(Problem) {
        guard let origin = url.map({ Origin($0) }), ["http", "https"].contains(origin.scheme), !origin.host.isEmpty
        else { throw .noHost }
        guard origin.isSecure || isThisMachine(origin.host) else { throw .insecure }
    }

    private static func isThisMachine(_ host: String) -> Bool {
        if host == "localhost" || host == "[::1]" { return true }
        // `127.evil.test` is not an address.
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }
}
