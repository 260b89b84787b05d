import CoreNetKit
import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitObservability
import Foundation
import TestPace
import Testing
import TestSupport

@Suite("The text waterfall", .paced)
struct TextWaterfallTests {
    @Test("shows waits and exchanges with their letters, within its width")
    func picture() async throws {
        let text = TextWaterfall().text(of: try await Samples.record())
        let lines = text.split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 80 })
        #expect(lines[0].hasPrefix("POST https://REDACTED:REDACTED@shop.example:8443/orders/7"))
        #expect(lines.contains { $0.hasPrefix("wait place") && $0.contains("~~~") && $0.hasSuffix("30 ms") })
        #expect(lines.contains { $0.hasPrefix("#1 503") && $0.contains("ttt") && $0.contains("www") })
        #expect(lines.contains { $0.hasPrefix("#2 retry 302") })
        #expect(lines.contains { $0.hasPrefix("#3 redirect 200") && $0.contains("w") && $0.contains("r") })
    }

    @Test(
        "is coloured only on a terminal that allows it",
        arguments: [
            (["TERM": "xterm"], true, true), (["TERM": "xterm", "NO_COLOR": "1"], true, false),
            (["TERM": "dumb"], true, false), ([:], false, false), (["NO_COLOR": ""], true, true),
        ]
    )
    func color(environment: [String: String], isTerminal: Bool, isColored: Bool) async throws {
        let view = TextWaterfall.terminal(environment: environment, isTerminal: isTerminal)
        #expect(view.text(of: try await Samples.record()).contains("\u{1B}[") == isColored)
    }

    @Test("accepts calls without time and invalid widths", arguments: [-5, 0, 40, 200])
    func odd(columns: Int) async throws {
        let view = TextWaterfall(columns: columns)
        #expect(!view.text(of: try await Stage().end()).isEmpty)
        #expect(!view.text(of: try await Samples.record()).isEmpty)
    }
}

@Suite("The curl command", .paced)
struct CurlCommandTests {
    private func command(_ request: TransportRequest) -> CurlCommand {
        CurlCommand(
            method: request.method,
            url: request.url.absoluteString,
            headers: request.headers,
            body: request.body.data
        )
    }

    @Test("reads secrets from named variables")
    func secrets() async throws {
        let text = try #require(try await Samples.record().curl)
        #expect(!text.contains(Samples.canary))
        #expect(text.contains("# set first: URL_CODE"))
        #expect(text.contains(#"'https://shop.example/orders/8?code='"${URL_CODE:?}""#))
    }

    @Test(
        "quotes for every POSIX shell",
        arguments: [
            ("it's", #"'it'\''s'"#), ("$(rm -rf /)", "'$(rm -rf /)'"), ("!", "'!'"), ("@file", "'@file'"), ("", "''"),
        ]
    )
    func quotes(text: String, quoted: String) {
        let command = command(
            TransportRequest(method: .post, url: url("http://a.test/"), body: .bytes(Data(text.utf8)))
        )
        #expect(text.isEmpty || command.description.contains("--data-raw \(quoted)"))
    }

    @Test("says what the caller said of the connection", arguments: [("close", true), ("Keep-Alive", false)])
    func connection(value: String, isShown: Bool) {
        let command = CurlCommand(
            method: .get,
            url: "http://a.test/",
            headers: ["Host": "a.test", "Connection": value],
            body: nil,
            hasAllHeaders: true
        )
        #expect(command.description.contains("Connection: \(value)") == isShown)
        #expect(!command.description.contains("Host"))
    }

    @Test("sends bytes that are not plain text through printf, and shows no terminal escapes")
    func binary() {
        let body = Data([0, 0xFF, 0x1B, UInt8(ascii: "'"), UInt8(ascii: "%"), 10])
        let text = command(TransportRequest(method: .put, url: url("http://a.test/"), body: .bytes(body))).description
        #expect(text.hasPrefix(#"printf '\000\377\033\047\045\012' | curl"#))
        #expect(text.contains("--data-binary @-"))
        let dash = command(TransportRequest(method: .put, url: url("http://a.test/"), body: .bytes(Data("-d\t".utf8))))
        #expect(dash.description.hasPrefix(#"printf '\055d\011' | curl"#))
        let escape = command(TransportRequest(url: url("http://a.test/"), headers: ["X-A": "\u{1B}[31m"])).description
        #expect(!escape.contains("\u{1B}"))
    }
}
