import CoreNetKitHTTP
import CoreNetKitSystem
import CoreNetKitWire
import TestPace

@Suite("An offer of HTTP/3 in Alt-Svc", .paced)
struct HTTP3OfferTests {
    private func offer(_ lines: String..., host: String = "a.test", port: Int = 443) -> HTTP3Offer? {
        HTTP3Offer(Headers(fields: lines.map { .init(name: "Alt-Svc", value: $0) }), host: host, port: port)
    }

    @Test(
        "counts for the same host and the same port, for a day at most (RFC 7838, 3)",
        arguments: [
            (#"h3=":443"; ma=3600"#, 3600), (#"h3=":443""#, 86_400), (#"h3=":443"; ma=999999999999999999999"#, 86_400),
            (#"h3="a.test:443";ma=60"#, 60), (#"h3="A.Test:443" ; ma = 60 ; persist=1"#, 60),
            (#"h2=":443", h3=":443"; ma=7"#, 7), (#"h3-29=":443"; ma=1, h3=":443"; ma=7,"#, 7),
            (#"h3="b.test:443"; ma=1, h3=":443"; ma=7"#, 7), (#"h3=":443"; x="a\"b,c;d"; ma="7""#, 7),
            (#"h3=":\443";MA=7"#, 7), (#", ,h3=":443"; ma=7"#, 7),
        ]
    )
    func offered(line: String, seconds: Int64) { #expect(offer(line) == .offered(seconds: seconds)) }

    @Test(
        "other offers replace earlier ones, and so does `clear`",
        arguments: [
            "clear", #"h2=":443""#, #"h3=":8443""#, #"h3="b.test:443""#, #"h3=":443"; ma=0"#, #"h3-29=":443""#,
            #"H3=":443""#, #"h3="""#, #"h3="443""#, #"h3="[::1]:443""#,
        ]
    )
    func withdrawn(line: String) { #expect(offer(line) == .withdrawn) }

    @Test(
        "a field that breaks its grammar is ignored",
        arguments: [
            "h3", "h3=", "h3=:443", #"h3=":443"#, #"h3=":443" ma=1"#, #"h3=":443"; ma"#, #"h3=":443"; ma=x"#,
            #"h3=":443"; ma=-1"#, #"=":443""#, #"h3=":443\"#, #"clear, h3=":443""#, "clear clear",
            #"h3=":443"; ma=1 2"#,
        ]
    )
    func broken(line: String) { #expect(offer(line) == nil) }

    @Test("several lines are one list; without any there is no offer")
    func lines() {
        #expect(offer(#"h2=":443""#, #"h3=":443"; ma=5"#) == .offered(seconds: 5))
        #expect(offer(#"h3=":443""#, "h3") == nil)
        #expect(offer() == nil)
        #expect(offer(#"h3="[::1]:8443""#, host: "[::1]", port: 8443) == .offered(seconds: 86_400))
    }

    @Test("any bytes are read without a trap")
    func fuzz() {
        var random = SplitMix64(seed: 7838)
        let pieces = ["h3", "=", "\"", ":443", ";", " ", "ma", "1", ",", "\\", "clear", "\u{80}", "\t", "é", "a.test"]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...12, using: &random)
            let line = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            if case .offered(let seconds) = offer(line) {
                #expect(line.contains("h3=\"") && (1...86_400).contains(seconds), "\(line)")
            }
        }
    }
}
