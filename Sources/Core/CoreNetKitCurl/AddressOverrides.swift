#if os(Linux)
    import CNetCurl
    import CoreNetKitHTTP
    import CoreNetKitSystem

    extension CurlTransport.Configuration {
        /// The settings by host and port, as libcurl reads them: `example.org:443:192.0.2.1`; and why they are invalid.
        var overrides: (addresses: [String], connectTo: [String], problem: String?) {
            var (found, destinations): ([String], [String]) = ([], [])
            var problem: String?
            for (key, values) in addresses.sorted(by: { $0.key < $1.key }) {
                let areAddresses = values.allSatisfy { HostName.isAddress(HostName.lookedUp($0)) } && !values.isEmpty
                guard areAddresses, let hostPorts = Self.hostPorts(key), key.first != ":", key.last != ":" else {
                    let mistake =
                        areAddresses ? "it is no host with a port, as \"example.org:443\"" : "these are no addresses"
                    problem = problem ?? "addresses[\"\(key)\"] is wrong: \(mistake)"
                    continue
                }
                found += hostPorts.map { "\($0):\(values.joined(separator: ","))" }
            }
            for (key, value) in connectTo.sorted(by: { $0.key < $1.key }) {
                guard let hostPorts = Self.hostPorts(key) else {
                    problem = problem ?? "connectTo[\"\(key)\"] is no host with a port, as \"example.org:443\""
                    continue
                }
                destinations += hostPorts.map { "\($0):\(value)" }
            }
            return (found, destinations, problem)
        }

        /// The entries for a `host:port`: a name also with the dot that the resolver may get; `*` or nothing means any.
        private static func hostPorts(_ key: String) -> [String]? {
            guard let colon = key.lastIndex(of: ":") else { return nil }
            let (name, port) = (String(key[..<colon]), key[colon...].dropFirst())
            guard port.isEmpty || port.allSatisfy(\.isASCII) && UInt16(port).map({ $0 > 0 }) == true else { return nil }
            if name.isEmpty || name == "*" { return [key] }
            guard let host = HostName.normal(name) else { return nil }
            return HostName.isAddress(host) ? ["\(host):\(port)"] : ["\(host):\(port)", "\(host).:\(port)"]
        }
    }

    /// Lines in libcurl's form, for the lifetime of this object; `@unchecked Sendable`, because it is immutable.
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
