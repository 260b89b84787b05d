#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitPeer
    import CoreNetKitWire

    /// Connections that begin with the preface of HTTP/2 (RFC 9113, 3.4).
    extension EventLoop {
        private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

        /// Does all work that is possible now, if the connection speaks HTTP/2 or may be about to; returns whether it does.
        func driveIfHTTP2(_ connection: Connection) -> Bool {
            if let stream = connection as? HTTP2Stream {
                flush(stream)
                drive(stream.parent)
                return true
            }
            if connection.http2 == nil {
                guard connection.phase == .idle, connection.output.queued == 0, connection.parser.isAtStart else {
                    return false
                }
                let start = connection.input.bytes.prefix(Self.preface.count)
                guard !start.isEmpty, Self.preface.starts(with: start) else { return false }
                guard start.count < Self.preface.count else { return open(connection) }
                settle(connection)
                return true
            }
            if let streams = connection.http2 { run(connection, streams) }
            return true
        }

        private func open(_ connection: Connection) -> Bool {
            var limits = HTTP2Session.Limits()
            limits.streamWindow = 1 << 20
            if let session = HTTP2Session(limits, serverStreams: 1000) {
                let streams = HTTP2ServerStreams(session)
                connection.http2 = streams
                run(connection, streams)
            } else {
                end(connection, by: .server)
            }
            return true
        }

        func stream(_ id: Int32, of connection: Connection) -> Connection? { connection.http2?.open[id] }

        func endStreams(of connection: Connection) {
            let open = connection.http2?.open ?? [:]
            connection.http2?.open = [:]
            for stream in open.values { leave(stream) }
        }

        // MARK: The connection

        private func run(_ connection: Connection, _ streams: HTTP2ServerStreams) {
            if connection.phase != .draining {
                let bytes = connection.input.bytes
                connection.input.bytes = []
                bytes.withUnsafeBytes { bytes in
                    do { try streams.session.receive(bytes) } catch { streams.isClosing = true }
                    handleEvents(connection, streams, bytes)
                }
                send(connection, streams)
            }
            settle(connection)
        }

        /// Sends the session's output, which makes room for more.
        private func send(_ connection: Connection, _ streams: HTTP2ServerStreams) {
            let start = connection.output.sent
            while flush(connection) {
                if connection.output.sent - start > Self.bytesPerTurn {
                    connection.output.isBlocked = true
                    return
                }
                let count = (try? streams.session.send(into: buffer)) ?? -1
                guard count > 0 else {
                    let isOver = count < 0 || streams.isClosing || streams.session.isOver
                    guard isOver || streams.isLeaving && streams.open.isEmpty else { return }
                    // The client may be sending all the same, if only that it has received something.
                    connection.endsEarly = true
                    return close(connection)
                }
                connection.output.bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                handleEvents(connection, streams, UnsafeRawBufferPointer(start: nil, count: 0))
            }
        }

        private func handleEvents(
            _ connection: Connection,
            _ streams: HTTP2ServerStreams,
            _ bytes: UnsafeRawBufferPointer
        ) {
            while let event = streams.session.next() {
                switch event {
                case .trailers(let id, let lines):
                    if let stream = streams.open[id] {
                        stream.request.add(trailers: lines)
                    } else if !streams.isLeaving {
                        // It may have arrived with the one whose response ends the connection: the client knows that.
                        let request = HTTP2Request(lines, bodyLimit: bodyLimit)
                        begin(request, id, on: connection, streams)
                    }
                case .content(let id, let range):
                    guard let stream = streams.open[id], !stream.isRefused else { continue }
                    stream.request.add(content: UnsafeRawBufferPointer(rebasing: bytes[range]))
                    streams.session.consumed(range.count, of: id)
                case .end(let id, _): if let stream = streams.open[id] { complete(stream) }
                case .closed(let id, let code):
                    guard let stream = streams.open.removeValue(forKey: id) else { continue }
                    // One that stalls after its end has been sent all the same.
                    if code == .none, stream.phase == .responding, stream.hasEnded { finish(stream) }
                    leave(stream, code)
                case .invalid(let id, _):
                    journal.update { $0.counts.malformed += 1 }
                    streams.open[id]?.isReset = true
                case .wantsContent(let id):
                    guard let stream = streams.open[id] else { continue }
                    stream.untaken -= 1
                    flush(stream)
                case .interim, .head, .goAway, .settings, .pong: break
                }
            }
        }
    }
#else
    /// Without nghttp2 everything is HTTP/1.1.
    extension EventLoop {
        func driveIfHTTP2(_ connection: Connection) -> Bool { false }
        func stream(_ id: Int32, of connection: Connection) -> Connection? { nil }
        func endStreams(of connection: Connection) {}
        func writeIfHTTP2(_ response: LoopbackResponse, on connection: Connection) -> Bool { false }
    }
#endif
