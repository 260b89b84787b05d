#if os(Linux)
    import TestSupport
    import CoreNetKitCurl
    import CoreNetKitURLSession

    /// `UPDATE_DOCUMENTS=1 swift test --filter DocumentTests` writes the tables into the page.
    @Suite("Docs/Transports.md", .serialized, .paced)
    struct DocumentTests {
        private static let page = Repository.root.appending(path: "Docs/Transports.md")

        @Test("shows the tables as the suite makes them", arguments: ["capabilities", "differences"])
        func table(_ name: String) throws {
            let table = name == "capabilities" ? CapabilityTable.capabilities : CapabilityTable.differences
            let text = try String(contentsOf: Self.page, encoding: .utf8)
            let start = try #require(text.range(of: "<!-- \(name) -->\n"))
            let end = try #require(text.range(of: "<!-- end of \(name) -->", range: start.upperBound..<text.endIndex))
            let found = text[start.upperBound..<end.lowerBound]
            guard found != table, ProcessInfo.processInfo.environment["UPDATE_DOCUMENTS"] != nil else {
                #expect(found == table, "UPDATE_DOCUMENTS=1 swift test --filter DocumentTests writes it anew")
                return
            }
            let new = text.replacingCharacters(in: start.upperBound..<end.lowerBound, with: table)
            try new.write(to: Self.page, atomically: true, encoding: .utf8)
        }
    }

    enum CapabilityTable {
        /// The platform's library decides on these; the suite checks that the claim is true.
        private static let library: TransportCapabilities = [.http2, .http2PriorKnowledge, .unixSockets, .http3]

        /// What `CurlTransport` has if nghttp2 is there.
        private static let frames: TransportCapabilities = [.http2, .http2PriorKnowledge, .http2Ping]

        private static let codings: TransportCapabilities = [.gzip, .brotli, .zstd]

        static let capabilities: String = {
            let columns: [(name: String, has: TransportCapabilities, asks: Bool)] = [
                ("CurlTransport", CurlTransport().capabilities.union(library).union(frames).union(codings), true),
                ("URLSession, Linux", URLSessionTransport().capabilities.union([.http2, .gzip, .brotli, .zstd]), true),
                ("URLSession, Apple", URLSessionTransport.appleCapabilities, false),
                ("MockTransport", MockTransport().capabilities, false),
            ]
            var rows = ["| capability | " + columns.map(\.name).joined(separator: " | ") + " |"]
            rows.append("|---|" + columns.map { _ in "---|" }.joined())
            for (name, capability) in TransportCapabilities.named {
                let cells = columns.map { column in
                    guard column.has.contains(capability) else { return "–" }
                    guard column.asks else { return capability == .http3 ? "as the system decides" : "yes" }
                    if codings.contains(capability) { return "if its library is there" }
                    if column.name == "CurlTransport", frames.contains(capability) { return "if nghttp2 is there" }
                    return library.contains(capability) ? "if libcurl has it" : "yes"
                }
                rows.append("| `\(name)` | " + cells.joined(separator: " | ") + " |")
            }
            return rows.joined(separator: "\n") + "\n"
        }()

        static let differences: String = {
            var rows = ["| as a rule | but | here | because |", "|---|---|---|---|"]
            for difference in Difference.all {
                let subjects = difference.subjects.map(\.rawValue).joined(separator: ", ")
                let place = difference.isOnLinuxOnly ? "\(subjects) on Linux" : subjects
                rows.append("| \(difference.usual) | \(difference.instead) | \(place) | \(difference.why) |")
            }
            return rows.joined(separator: "\n") + "\n"
        }()
    }
#endif
