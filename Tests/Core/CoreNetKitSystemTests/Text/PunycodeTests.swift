import CoreNetKitSystem
import TestPace
import Testing

@Suite("International names of hosts", .timeLimit(.minutes(10)), .paced)
struct PunycodeTests {
    @Test(
        "are written in ASCII, as RFC 3492 does, each label by itself",
        arguments: [
            ("", ""), ("A.org.", "a.org."), ("BÜCHER.Example", "xn--bcher-kva.example"), ("ä.Ü", "xn--4ca.xn--tda"),
            ("münchen-ost", "xn--mnchen-ost-9db"), ("straße", "xn--strae-oqa"), ("aä", "xn--a-0fa"), ("😀", "xn--e28h"),
            ("他们为什么不说中文", "xn--ihqwcrb4cv8a8dqg056pqjye"), ("そのスピードで", "xn--d9juau41awczczp"),
            ("ليهمابتكلموشعربي؟", "xn--egbpdaj6bu4bxfgehfvwxn"),
            ("Pročprostěnemluvíčesky", "xn--proprostnemluvesky-uyb24dma41a"),
            ("安室奈美恵-with-SUPER-MONKEYS", "xn---with-super-monkeys-pc58ag80a8qai00g7n9n"),
            ("ひとつ屋根の下2", "xn--2-u9tlzr9756bt3uc0v"),
            // The Kelvin sign is not a k.
            ("a\u{212A}", "xn--a-4wn"),
            (String(repeating: "ä", count: 63), "xn--4c" + String(repeating: "a", count: 63)),
            (String(repeating: "ä", count: 64), String(repeating: "ä", count: 64)),
        ]
    )
    func host(name: String, expected: String) { #expect(Punycode.host(name) == expected) }
}
