import CoreNetKitHTTP
import CoreNetKitSystem
import Foundation

/// Which server certificates are accepted: authorities for all hosts, pins for all or for one host.
struct TrustRule: Sendable {
    /// Pins, one of which must match the server.
    struct Pins: Sendable {
        let keys: Set<Data>
        let certificates: Set<Data>

        init(_ keys: [String], _ certificates: [Data]) {
            self.keys = Set(keys.compactMap { Data(base64Encoded: $0) })
            self.certificates = Set(certificates.flatMap(Certificates.der))
        }

        var isEmpty: Bool { keys.isEmpty && certificates.isEmpty }
    }

    /// In DER; `nil` for the system's.
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

    /// Whether a host's certificate needs a check besides the system's.
    func applies(to host: String) -> Bool { authorities != nil || requiresPins || !pins(of: host).isEmpty }

    /// Whether the certificate matches a pin of the host; without pins any does.
    ///
    /// - Parameters:
    ///   - certificate: The server's own, in DER; `nil` if it has sent none.
    ///   - host: The requested name.
    /// - Returns: Whether the exchange may continue.
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
