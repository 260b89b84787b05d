#if os(Linux)
    import CNetHTTP2
    import TestPace

    @testable import CoreNetKitWire

    @Suite("Fields of a request over HTTP/2", .timeLimit(.minutes(10)), .paced)
    struct HTTP2FieldsTests {
        private static func read(_ head: String, _ form: HTTP2RequestForm) throws -> [String] {
            var fields = HTTP2Fields()
            return try Array(head.utf8).withUnsafeBytes { head in
                try fields.read(head, form)
                return fields.lines.map { line in
                    let name = UnsafeBufferPointer(start: line.name, count: line.name_count)
                    let value = UnsafeBufferPointer(start: line.value, count: line.value_count)
                    return (line.is_secret ? "!" : "") + String(decoding: name, as: UTF8.self) + "="
                        + String(decoding: value, as: UTF8.self)
                }
            }
        }

        @Test("are those of HTTP/1.1 without what is about its connection (RFC 9113, 8.2.2 and 8.3.1)")
        func request() throws {
            let head =
                "PUT /a?b=c HTTP/1.1\r\nHost: a.test:8443\r\nConnection: keep-alive, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: 5\r\n"
                + "Upgrade: h2c\r\nTE: gzip\r\nTransfer-Encoding: chunked\r\nProxy-Connection: close\r\n"
                + "Accept: */*\r\nAuthorization: Bearer abc\r\nCookie: a=b\r\n"
                + "X-Vault-Token: 1\r\nX-Vault-Tokens: 2\r\n\r\n"
            #expect(
                try Self.read(head, HTTP2RequestForm(isSecure: true, secretNames: ["cookie", "X-Vault-Token"])) == [
                    ":method=PUT", ":scheme=https", ":path=/a?b=c", ":authority=a.test:8443", "Accept=*/*",
                    "!Authorization=Bearer abc", "!Cookie=a=b", "!X-Vault-Token=1", "X-Vault-Tokens=2",
                ]
            )
        }

        @Test("keep `TE: trailers`, the one value that it may have")
        func trailers() throws {
            let head = "GET / HTTP/1.1\r\nHost: a\r\nTE: trailers\r\n\r\n"
            let fields = try Self.read(head, HTTP2RequestForm(isSecure: false))
            #expect(fields == [":method=GET", ":scheme=http", ":path=/", ":authority=a", "TE=trailers"])
        }

        @Test("of a WebSocket's handshake are an extended CONNECT (RFC 8441, 4)")
        func socket() throws {
            let head =
                "GET /chat HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: abc\r\nSec-WebSocket-Protocol: chat\r\n\r\n"
            #expect(
                try Self.read(head, HTTP2RequestForm(isSecure: true, isWebSocket: true)) == [
                    ":method=CONNECT", ":protocol=websocket", ":scheme=https", ":path=/chat", ":authority=a",
                    "Sec-WebSocket-Version=13", "Sec-WebSocket-Protocol=chat",
                ]
            )
        }

        @Test(
            "a head that is none is refused",
            arguments: [
                "", "\r\n", "GET\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n", "GET / HTTP/1.1\r\na b: c\r\n\r\n",
                "GET  HTTP/1.1\r\n\r\n",
            ]
        )
        func refused(head: String) {
            #expect(throws: HTTP2Fault.request) { try Self.read(head, HTTP2RequestForm(isSecure: true)) }
        }
    }
#endif
