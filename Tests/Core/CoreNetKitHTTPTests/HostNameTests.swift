import CoreNetKitHTTP
import TestPace
import Testing

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
            ("bücher.example", "Punycode"), ("A.org", "lower case"),
            ("a.org:443", "without a port"), ("::1", "brackets"),
            ("[::1]:443", "without a port"), ("[g]", "IPv6"), ("a.org.", "dot"), ("a b", "letters"), ("a@b", "letters"),
        ]
    )
    func wrong(_ name: String, _ hint: String) throws {
        let problem = try #require(HostName.problem(name))
        #expect(problem.contains("hosts[\"\(name)\"]") && problem.contains(hint), "\(problem)")
    }

    @Test("are looked up whatever the case, without the dot at the end, and an address with its brackets")
    func lookedUp() {
        #expect(HostName.lookedUp("A.org.") == "a.org" && HostName.lookedUp("::1") == "[::1]")
        #expect(HostName.lookedUp("[::1]") == "[::1]" && HostName.key(".") == "." && HostName.key("a.") == "a")
    }
}
