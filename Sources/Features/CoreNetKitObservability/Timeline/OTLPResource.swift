import CoreNetKitHTTP

/// The sender: the part of OTLP that is the same in each message.
struct OTLPResource: Sendable {
    let attributes: [(name: String, value: String)]

    init(service: String, attributes: [(String, String)] = []) {
        let sdk = [
            ("telemetry.sdk.name", "CoreNetKit"), ("telemetry.sdk.language", "swift"),
            ("telemetry.sdk.version", PackageVersion.text),
        ]
        // Attributes of an embedding SDK take precedence.
        let own = Set(attributes.map(\.0))
        let all = [("service.name", service)] + sdk.filter { !own.contains($0.0) } + attributes
        self.attributes = all.map { (name: $0.0, value: $0.1) }
    }

    func write(to output: inout JSONOutput) {
        output.object("resource") { output in
            output.array("attributes") { output in
                for (name, value) in attributes { Self.attribute(name, value, to: &output) }
            }
        }
    }

    static func scope(to output: inout JSONOutput) {
        output.object("scope") { output in
            output.member("name", "CoreNetKit")
            output.member("version", PackageVersion.text)
        }
    }

    /// Attributes that the conventions define as numbers are numbers in OTLP, too.
    static func attribute(_ name: String, _ value: String, to output: inout JSONOutput) {
        output.object { output in
            output.member("key", name)
            output.object("value") { output in
                if numbers.contains(name), Int64(value) != nil {
                    output.member("intValue", value)
                } else {
                    output.member("stringValue", value)
                }
            }
        }
    }

    private static let numbers: Set<String> = [
        "server.port", "http.response.status_code", "http.request.resend_count", "network.peer.port",
        "http.request.body.size", "http.response.body.size",
    ]
}
