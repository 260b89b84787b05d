#if os(Linux)
    import CoreNetKitCurl
    import TestSupport
    import TestPrograms

    /// One setting, and what shows its effect with a choice of HTTP.
    struct SettingRow: Sendable, CustomTestStringConvertible {
        let name: String
        let check: @Sendable (HTTPChoice) async throws -> Void

        var testDescription: String { name }

        static let all = connections + places + content + tls + hosts

        /// The names of all settings there are, those of one host as `hosts.proxy`.
        static var names: [String] {
            func labels(_ value: Any) -> [String] { Mirror(reflecting: value).children.compactMap(\.label) }
            let configuration = CurlTransport.Configuration()
            let nested: [String: Any] = [
                "tls": configuration.tls, "decompression": configuration.decompression,
                "keepAlive": CurlTransport.Configuration.KeepAlive(), "hosts": CurlTransport.Configuration.Host(),
            ]
            return labels(configuration).flatMap { name in
                nested[name].map { labels($0).map { "\(name).\($0)" } } ?? [name]
            }
        }
    }

    extension CurlTransport {
        func text(_ place: URL) async throws -> String {
            String(decoding: try await send(TransportRequest(url: place)).body.collect(), as: UTF8.self)
        }

        func failure(_ place: URL) async -> TransportError.Code? {
            do { _ = try await send(TransportRequest(url: place)) } catch { return (error as? TransportError)?.code }
            return nil
        }
    }

    enum OwnSockets {
        static func connected(to port: Int) throws -> [Int32] {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { name in
                guard let number = Int32(name), number > 2 else { return nil }
                var address = sockaddr_in()
                var size = socklen_t(MemoryLayout<sockaddr_in>.size)
                let isPeer = withUnsafeMutablePointer(to: &address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(number, $0, &size) == 0 }
                }
                let isThere = address.sin_family == sa_family_t(AF_INET) && UInt16(bigEndian: address.sin_port) == port
                return isPeer && isThere ? number : nil
            }
        }

        static func option(_ socket: Int32, _ level: Int32, _ name: Int32) -> Int32 {
            var (value, size) = (Int32(-1), socklen_t(MemoryLayout<Int32>.size))
            getsockopt(socket, level, name, &value, &size)
            return value
        }
    }

    @Suite("Every setting; HTTP/1.1 alone, or as TLS agrees", .needsNginx, .timeLimit(.minutes(10)), .paced)
    struct SettingsTests {
        @Test("has its effect", arguments: SettingRow.all, HTTPChoice.all)
        func effect(row: SettingRow, http: HTTPChoice) async throws { try await row.check(http) }

        @Test("has a row")
        func rows() { #expect(SettingRow.all.map(\.name).sorted() == SettingRow.names.sorted()) }
    }
#endif
