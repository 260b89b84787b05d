#if os(Linux)
    import CoreNetKitHTTP
    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// What is reached without the proxy, as listed in `no_proxy`: names with their subdomains, addresses, networks, each
    /// perhaps with a port.
    struct ProxyExceptions: Sendable {
        private struct Network: Sendable {
            let address: [UInt8]
            let bits: Int

            func contains(_ other: [UInt8]) -> Bool {
                guard other.count == address.count else { return false }
                for bit in 0..<bits where (other[bit / 8] ^ address[bit / 8]) & (0x80 >> UInt8(bit % 8)) != 0 {
                    return false
                }
                return true
            }
        }

        private var coversAll = false
        private var names: [(name: String, port: Int?)] = []
        private var networks: [(network: Network, port: Int?)] = []

        /// Reads a list separated by commas or spaces.
        init(_ list: String) {
            for entry in list.split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }) {
                if entry == "*" {
                    coversAll = true
                    continue
                }
                let (text, port) = ProxyExceptions.split(entry)
                if let network = ProxyExceptions.network(text) {
                    networks.append((network, port))
                } else if let name = HostName.normal(String(text.first == "." ? text.dropFirst() : text)) {
                    names.append((name, port))
                }
            }
        }

        /// Whether a server, its host in normal form, is reached directly.
        func cover(_ server: (host: String, port: Int)) -> Bool {
            if coversAll { return true }
            if let address = ProxyExceptions.address(HostName.withoutZone(server.host)) {
                return networks.contains { $0.network.contains(address) && ($0.port ?? server.port) == server.port }
            }
            return names.contains { name, port in
                (server.host == name || server.host.hasSuffix("." + name)) && (port ?? server.port) == server.port
            }
        }

        /// The port behind the only colon, or behind brackets.
        private static func split(_ entry: Substring) -> (Substring, Int?) {
            guard let colon = entry.lastIndex(of: ":"), let port = UInt16(entry[colon...].dropFirst()) else {
                return (entry, nil)
            }
            let rest = entry[..<colon]
            return rest.contains(":") && !rest.hasSuffix("]") ? (entry, nil) : (rest, Int(port))
        }

        private static func network(_ entry: Substring) -> Network? {
            let parts = entry.split(separator: "/", maxSplits: 1)
            guard let first = parts.first, let address = address(String(first)) else { return nil }
            guard parts.count == 2 else { return Network(address: address, bits: address.count * 8) }
            guard let bits = Int(parts[1]), (0...address.count * 8).contains(bits) else { return nil }
            return Network(address: address, bits: bits)
        }

        private static func address(_ text: String) -> [UInt8]? {
            let plain = HostName.lookedUp(text).filter { $0 != "[" && $0 != "]" }
            for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
                var bytes = [UInt8](repeating: 0, count: count)
                if inet_pton(family, plain, &bytes) == 1 { return bytes }
            }
            return nil
        }
    }
#endif
