#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitWire

    extension ResponseWriter {
        /// Prepares a response for a stream, and sends what precedes it.
        func prepare(_ stream: HTTP2Stream) {
            for interim in response.informational {
                stream.send(Self.fields(interim.headers, status: interim.status), isEnd: false)
            }
            var fields = Self.fields(response.headers, status: response.status)
            if hasContent, let declaredLength, !response.headers.contains("Content-Length") {
                fields.append(Headers.Field(name: "content-length", value: String(declaredLength)))
            }
            stream.reply.fields = fields
            stream.reply.trailers = hasContent ? Self.fields(response.trailers, status: nil) : []
            addCuts(status: 0, statusEnd: 0, body: 1)
            guard hasContent, head.method != .head else { return }
            addBody(isChunked: false)
            if hasBadChunk {
                stream.reply.resetCode = .protocolError
                stream.faults.cuts = [.init(offset: 1 + firstChunk, action: .reset)]
            }
            let isEmpty = stream.output.pending == 0 && stream.output.more == nil && stream.faults.cuts.isEmpty
            if !stream.reply.trailers.isEmpty {
                stream.reply.rest = .contentAndTrailers
            } else if !isEmpty {
                stream.reply.rest = .content
            }
        }

        /// The bytes in front of a bad chunk.
        private var firstChunk: Int {
            if case .chunks(let chunks) = response.body { chunks.first?.count ?? 0 } else { ((length ?? 0) + 1) / 2 }
        }

        /// Without those of a connection of HTTP/1.1, with which a client refuses a response (RFC 9113, 8.2.2).
        private static func fields(_ headers: Headers, status: Int?) -> [Headers.Field] {
            let fields = headers.map { Headers.Field(name: $0.name.lowercased(), value: $0.value) }
            return (status.map { [Headers.Field(name: ":status", value: String($0))] } ?? [])
                + fields.filter { !connectionFields.contains($0.name) }
        }

        private static let connectionFields: Set<String> = [
            "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade",
        ]
    }
#endif
