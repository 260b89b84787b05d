package import CoreNetKitEssentials

/// Which servers push services may use: https, or http on this machine.
package enum ServerAddress {
    package enum Problem: Error, Sendable {
        case noHost
        case insecure
    }

    package static func check(_ url: URL?) throws(Problem) {
        let scheme = url?.scheme?.lowercased()
        guard let host = url?.host(percentEncoded: true)?.lowercased(), !host.isEmpty,
            scheme == "https" || scheme == "http"
        else { throw .noHost }
        guard scheme == "https" || isThisMachine(host) else { throw .insecure }
    }

    private static func isThisMachine(_ host: String) -> Bool {
        if ["localhost", "::1", "[::1]"].contains(host) { return true }
        // `127.evil.test` is not an address.
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }
}
