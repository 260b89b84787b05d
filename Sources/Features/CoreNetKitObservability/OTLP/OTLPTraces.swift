public import CoreNetKitEssentials
public import CoreNetKitChain

/// Calls as one OTLP message, for a file or a custom sender; ``OTLPExporter`` sends them by itself.
public enum OTLPTraces {
    /// The body of a `POST /v1/traces`.
    ///
    /// - Parameters:
    ///   - records: The calls.
    ///   - service: The name of the program.
    ///   - includesCalls: Whether there is a span around the exchanges of a call, with its waits.
    /// - Returns: A JSON text.
    public static func data(of records: [CallRecord], service: String, includesCalls: Bool = false) -> Data {
        let spans = records.flatMap { OTLPSpans($0, includesCall: includesCalls).texts() }
        return Data(message(spans, OTLPResource(service: service)))
    }

    static func message(_ spans: [[UInt8]], _ resource: OTLPResource) -> [UInt8] {
        var output = JSONOutput()
        output.object { output in
            output.array("resourceSpans") { output in
                output.object { output in
                    resource.write(to: &output)
                    output.array("scopeSpans") { output in
                        output.object { output in
                            OTLPResource.scope(to: &output)
                            output.member("schemaUrl", "https://opentelemetry.io/schemas/1.37.0")
                            output.array("spans") { output in
                                for span in spans { output.member(nil, digits: String(decoding: span, as: UTF8.self)) }
                            }
                        }
                    }
                }
            }
        }
        return output.take()
    }
}
