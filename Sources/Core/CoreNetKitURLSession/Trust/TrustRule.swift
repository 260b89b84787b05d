import CoreNetKitHTTP
import CoreNetKitSystem
import Foundation

/// Which certificates of servers are taken, as the settings say: authorities for all, pins for all or for one host.
struct TrustRule: Sendable {
    /// One of these must be the server's.
    struct Pins: Sendable {
        let keys: Set<Data>
        let certificates: Set<Data>

        init(_ keys: [String], _ certificates: [Data]) {
            self.keys = Set(keys.compactMap { Data(base64Encoded: $0) })
            self.certificates = Set(certificates.flatMap(Certificates.der))
        }

        var isEmpty: Bool { keys.isEmpty && certificates.isEmpty }
    }

    /// In DER; `nil` leaves it to the system.
    let authorities: [Data]?
    private let pins: Pins
    private let hosts: [String: Pins]
    private let requiresPins: Bool

    init(_ configuration: URLSessionTransport.Configuration) {
        if case .certificates(let certificates) = configuration.tls.authorities {
            authorities = certificates.flatMap(Certificates.der)
        } else {
            authorities = nil
        }
        requiresPins = configuration.tls.requiresPins
        pins = Pins(configuration.tls.pinnedKeys, configuration.tls.pinnedCertificates)
        hosts = configuration.hosts.mapValues { Pins($0.pinnedKeys, $0.pinnedCertificates) }.filter {
            !$0.value.isEmpty
        }
    }

    /// Whether a host's certificate is looked at by us at all.
    func applies(to host: String) -> Bool { authorities != nil || requiresPins || !pins(of: host).isEmpty }

    /// Whether the certificate is one that the host may have; without pins any is.
    ///
    /// - Parameters:
    ///   - certificate: The server's own, in DER; `nil` where it has shown none.
    ///   - host: The name that was asked for.
    /// - Returns: Whether the exchange may go on.
    func accepts(_ certificate: Data?, of host: String) -> Bool {
        let pins = pins(of: host)
        guard !pins.isEmpty else { return !requiresPins }
        guard let certificate else { return false }
        if pins.certificates.contains(certificate) { return true }
        guard let key = Certificates.publicKeyInfo(of: certificate) else { return false }
        return pins.keys.contains(Data(SHA256.digest(key)))
    }

    private func pins(of host: String) -> Pins { hosts[HostName.lookedUp(host)] ?? pins }
}
