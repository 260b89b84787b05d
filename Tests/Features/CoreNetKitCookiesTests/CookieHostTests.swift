import CoreNetKitCookies
import Foundation
import TestPace
import Testing

@Suite("Cookies of a host in another spelling", .paced)
struct CookieHostTests {
    @Test(
        "are those of the usual one",
        arguments: [
            ("https://app.example.org/", "https://APP.ex%61mple.org./x"), ("http://127.0.0.1/", "http://0x7f.1/"),
            ("http://[::1]/", "http://[0:0::1]:8080/"),
        ]
    )
    func spelled(_ usual: String, _ other: String) throws {
        let jar = CookieJar()
        let (usual, other) = (try #require(URL(string: usual)), try #require(URL(string: other)))
        jar.take(["a=1; Path=/"], from: other)
        #expect(jar.cookies(for: usual).map(\.value) == ["1"])
        jar.take(["a=2; Path=/"], from: usual)
        #expect(jar.cookies(for: other).map(\.value) == ["2"])
    }
}
