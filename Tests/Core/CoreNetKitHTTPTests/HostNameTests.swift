import TestPace

@testable import CoreNetKitHTTP

@Suite("Names of hosts in configurations", .timeLimit(.minutes(10)), .paced)
struct HostNameTests {
    @Test(
        "are those that a URL can have, without scheme and port",
        arguments: [
            "localhost", "api.example.org", "xn--bcher-kva.example", "127.0.0.1", "[::1]", "my_host", "/run/a b.sock",
        ]
    )
    func fine(_ name: String) { #expect(HostName.problem(name) == nil) }

    @Test(
        "that no URL can have are refused with what to write instead",
        arguments: [
            ("", "empty"), ("https://a.org", "scheme"), ("a.org/x", "path"), ("*.a.org", "patterns"), ("*", "patterns"),
            ("bücher.example", "Punycode"), ("A.org", "write it as a.org"), ("a.org:443", "without a port"),
            ("::1", "brackets"), ("[::1]:443", "without a port"), ("[g]", "IPv6"), ("a.org.", "write it as a.org"),
            ("a b", "letters"), ("a@b", "letters"), ("127.1", "write it as 127.0.0.1"),
            ("[0:0::1]", "write it as [::1]"), ("1.2.3.4.5", "letters"), ("[fe80::1%25eth0]", "write it as [fe80::1]"),
            ("ex%61mple", "write it as example"),
        ]
    )
    func wrong(_ name: String, _ hint: String) throws {
        let problem = try #require(HostName.problem(name))
        #expect(problem.contains("hosts[\"\(name)\"]") && problem.contains(hint), "\(problem)")
    }

    @Test("are looked up as systems name them: in any case, an address without brackets, with its zone")
    func lookedUp() {
        #expect(HostName.lookedUp("A.org.") == "a.org" && HostName.lookedUp("::1") == "[::1]")
        #expect(HostName.lookedUp("[::1]") == "[::1]" && HostName.lookedUp("FE80::1%eth0") == "[fe80::1]")
        #expect(HostName.lookedUp(".") == "." && HostName.lookedUp("a b") == "a b")
    }

    static let spellings: [(String, String?)] = [
        // Names.
        ("a.org", "a.org"), ("A.Org", "a.org"), ("a.org.", "a.org"), ("loc%61lhost", "localhost"), ("%41.org", "a.org"),
        ("a%2Eorg", "a.org"), ("bücher.example", "xn--bcher-kva.example"), ("%C3%A4.example", "xn--4ca.example"),
        ("%c3%84.example", "xn--4ca.example"), ("xn--4ca.example", "xn--4ca.example"), ("my_host", "my_host"),
        ("3com.com", "3com.com"), ("a.3com", "a.3com"), ("a..b", "a..b"), ("a.0xg", "a.0xg"),
        // IPv4.
        ("127.0.0.1", "127.0.0.1"), ("127.1", "127.0.0.1"), ("2130706433", "127.0.0.1"), ("0x7f.0.0.1", "127.0.0.1"),
        ("0X7F.1", "127.0.0.1"), ("0177.0.0.01", "127.0.0.1"), ("127.0.0.1.", "127.0.0.1"), ("%3127.1", "127.0.0.1"),
        ("0x7f000001", "127.0.0.1"), ("0", "0.0.0.0"), ("0x", "0.0.0.0"), ("1.2.772", "1.2.3.4"),
        ("255.255.255.255", "255.255.255.255"), ("00.0.0.0", "0.0.0.0"),
        // IPv6.
        ("[::1]", "[::1]"), ("[0:0:0:0:0:0:0:1]", "[::1]"), ("[::FFFF:127.0.0.1]", "[::ffff:7f00:1]"),
        ("[2001:DB8:0:0:1:0:0:1]", "[2001:db8::1:0:0:1]"), ("[1:0:2:3:4:5:6:7]", "[1:0:2:3:4:5:6:7]"),
        ("[::]", "[::]"), ("[1::]", "[1::]"), ("[fe80::1%25eth0]", "[fe80::1%25eth0]"),
        ("[FE80:0::1%25eth%30]", "[fe80::1%25eth0]"),
        // None.
        ("", nil), (".", nil), ("a..", nil), ("a%zz", nil), ("a%", nil), ("a%00b", nil), ("a%20b", nil), ("a%2fb", nil),
        ("a%25b", nil), ("a%ffb", nil), ("a%40b", nil), ("a|b", nil), ("1.2.3.256", nil), ("256.1", nil),
        ("4294967296", nil), ("1.2.3.4.5", nil), ("a.1", nil), ("1.2.3.08", nil), ("1..2", nil), ("0x1ffffffff", nil),
        ("[::1", nil), ("[g]", nil), ("[]", nil), ("[1:2]", nil), ("[::1%eth0]", nil), ("[::1%25]", nil),
        ("99999999999999999999999", nil),
    ]

    @Test("have one normal form, whatever their spelling, or none", arguments: spellings)
    func normal(_ spelling: String, _ expected: String?) {
        #expect(HostName.normal(spelling) == expected)
        guard let expected else { return }
        #expect(HostName.normal(expected) == expected)
    }

    @Test(
        "are plain without a look at more than their bytes, if they are addresses or names of letters and digits",
        arguments: [
            ("a.org", true), ("127.0.0.1", true), ("0.0.0.0", true), ("255.255.255.255", true), ("3com.com", true),
            ("a.3com", false), ("1.2.3", false), ("1.2.3.4.5", false), ("1.2.3.256", false), ("1.2.3.04", false),
            ("1..3.4", false), ("A.org", false), ("a.org.", false), ("[::1]", false), ("", false),
        ]
    )
    func plain(_ host: String, _ expected: Bool) {
        var host = host
        #expect(host.withUTF8 { HostName.isPlain($0) } == expected)
    }
}
