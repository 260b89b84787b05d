#if os(Linux)
    import CNetCurl
    import CoreNetKitHTTP
    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// The settings by host and port, as libcurl reads them: `example.org:443:192.0.2.1`.
    struct AddressOverrides {
        private(set) var addresses: [String] = []
        private(set) var connectTo: [String] = []
        /// Why the settings are invalid; `nil` if they are valid.
        private(set) var problem: String?

        init(_ configuration: CurlTransport.Configuration) {
            for (key, values) in configuration.addresses.sorted(by: { $0.key < $1.key }) {
                let areAddresses = values.allSatisfy { HostName.isAddress(HostName.lookedUp($0)) } && !values.isEmpty
                guard areAddresses, let hostPorts = AddressOverrides.hostPorts(key), key.first != ":", key.last != ":"
                else {
                    let mistake =
                        areAddresses ? "it is no host with a port, as \"example.org:443\"" : "these are no addresses"
                    problem = problem ?? "addresses[\"\(key)\"] is wrong: \(mistake)"
                    continue
                }
                addresses += hostPorts.map { "\($0):\(values.joined(separator: ","))" }
            }
            for (key, value) in configuration.connectTo.sorted(by: { $0.key < $1.key }) {
                guard let hostPorts = AddressOverrides.hostPorts(key) else {
                    problem = problem ?? "connectTo[\"\(key)\"] is no host with a port, as \"example.org:443\""
                    continue
                }
                connectTo += hostPorts.map { "\($0):\(value)" }
            }
        }

        /// The entries for a `host:port`: a name also with the trailing dot that the resolver may get.
        ///
        /// For libcurl, `*` or an omitted part means any host or any port.
        private static func hostPorts(_ key: String) -> [String]? {
            guard let colon = key.lastIndex(of: ":") else { return nil }
            let (name, port) = (String(key[..<colon]), key[colon...].dropFirst())
            guard port.isEmpty || port.allSatisfy(\.isASCII) && UInt16(port).map({ $0 > 0 }) == true else { return nil }
            if name.isEmpty || name == "*" { return [key] }
            guard let host = HostName.normal(name) else { return nil }
            return HostName.isAddress(host) ? ["\(host):\(port)"] : ["\(host):\(port)", "\(host).:\(port)"]
        }
    }

    /// Lines in libcurl's form, for the lifetime of this object.
    ///
    /// `@unchecked Sendable`: it is immutable.
    final class TextList: @unchecked Sendable {
        let first: UnsafeMutablePointer<cnc_slist>?
        private let count: Int

        init(_ lines: [String]) {
            count = lines.count
            guard count > 0 else {
                first = nil
                return
            }
            let nodes = UnsafeMutablePointer<cnc_slist>.allocate(capacity: count)
            for (index, line) in lines.enumerated() {
                nodes[index] = cnc_slist(data: strdup(line), next: index + 1 < count ? nodes + index + 1 : nil)
            }
            first = nodes
        }

        deinit {
            for index in 0..<count { free(first?[index].data) }
            first?.deallocate()
        }
    }
#endif
