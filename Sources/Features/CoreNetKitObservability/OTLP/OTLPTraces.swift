public import CoreNetKitChain
public import CoreNetKitEssentials
import CoreNetKitHTTP

/// Calls as one OTLP message, for a file or a custom sender; ``OTLPExporter`` sends them by itself.
public enum OTLPTraces {
    /// The body of a `POST /v1/traces` of the named program, a JSON text.
    ///
    /// With `includesCalls` there is a span around the exchanges of a call, with its waits.
    public static func data(of records: [CallRecord], service: String, includesCalls: Bool = false) -> Data {
        let spans = records.flatMap { OTLPSpans($0, includesCall: includesCalls).texts() }
        return Data(message(spans, OTLPResource(service: service)))
    }

    static func message(_ spans: [[UInt8]], _ resource: OTLPResource) -> [UInt8] {
        let schema = "https://opentelemetry.io/schemas/1.37.0"
        return resource.message(("resourceSpans", "scopeSpans", "spans"), schema: schema) { output in
            for span in spans { output.member(nil, digits: String(decoding: span, as: UTF8.self)) }
        }
    }
}

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

    /// A message: the items of the one scope of this resource, and the names of the three lists.
    func message(
        _ names: (resources: StaticString, scopes: StaticString, items: StaticString),
        schema: String? = nil,
        _ items: (inout JSONOutput) -> Void
    ) -> [UInt8] {
        var output = JSONOutput()
        output.object { output in
            output.array(names.resources) { output in
                output.object { output in
                    output.object("resource") { Self.write(attributes, to: &$0) }
                    output.array(names.scopes) { output in
                        output.object { output in
                            output.object("scope") { output in
                                output.member("name", "CoreNetKit")
                                output.member("version", PackageVersion.text)
                            }
                            if let schema { output.member("schemaUrl", schema) }
                            output.array(names.items, items)
                        }
                    }
                }
            }
        }
        return output.take()
    }

    /// Attributes that the conventions define as numbers are numbers in OTLP, too.
    static func write(_ attributes: [(name: String, value: String)], to output: inout JSONOutput) {
        output.array("attributes", of: attributes) { output, attribute in
            output.object { output in
                output.member("key", attribute.name)
                let isNumber = numbers.contains(attribute.name) && Int64(attribute.value) != nil
                output.object("value") { $0.member(isNumber ? "intValue" : "stringValue", attribute.value) }
            }
        }
    }

    private static let numbers: Set<String> = [
        "server.port", "http.response.status_code", "http.request.resend_count", "network.peer.port",
        "http.request.body.size", "http.response.body.size",
    ]
}
