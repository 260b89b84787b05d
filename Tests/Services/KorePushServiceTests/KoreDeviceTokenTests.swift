import KorePushService
import TestSupport

@Suite("Kore: device token", .timeLimit(.minutes(10)), .paced)
struct KoreDeviceTokenTests {
    @Test(
        "bytes become lower-case hex, whatever their number",
        arguments: [
            ([0xA1], "a1"), ([0x00, 0x0F, 0xFF], "000fff"),
            (Array(repeating: 0xAB, count: 100), .init(repeating: "ab", count: 100)),
        ] as [([UInt8], String)]
    )
    func bytes(_ bytes: [UInt8], _ hex: String) throws {
        #expect(try KoreDeviceToken(data: Data(bytes)).hex == hex)
        #expect(try KoreDeviceToken(data: Data([9] + bytes).dropFirst()).hex == hex)
    }

    @Test("hex text is taken in either case")
    func hex() throws {
        #expect(try KoreDeviceToken(hex: "A1b2") == KoreDeviceToken(data: Data([0xA1, 0xB2])))
    }

    @Test(
        "text that is not hex of whole bytes is refused",
        arguments: ["<a1b2c3d4>", "a1b2 c3d4", "{length = 2, bytes = 0xa1b2}", "0xa1", "a1b", "zz", "a1\n", "١٢"]
    )
    func refused(_ text: String) {
        let error = #expect(throws: KorePushError.self) { try KoreDeviceToken(hex: text) }
        #expect(error?.code == .unconvertibleDeviceToken)
        #expect(error.map { "\($0)".contains(text) } == false)
    }

    @Test("nothing is no token", arguments: ["", " ", "\n"])
    func blank(_ text: String) {
        #expect(throws: KorePushError.self) { try KoreDeviceToken(hex: text) }
        #expect(throws: KorePushError.self) { try KoreDeviceToken(data: Data()) }
        #expect(throws: KorePushError.self) { try KoreDeviceToken(data: nil) }
    }

    @Test("no description has the whole token")
    func redaction() throws {
        let hex = String(repeating: "0123456789abcdef", count: 4)
        let token = try KoreDeviceToken(hex: hex)
        var dumped = ""
        dump(token, to: &dumped)
        for text in ["\(token)", String(reflecting: token), dumped, "\([token])"] {
            #expect(!text.contains(hex.prefix(8)))
        }
        #expect("\(token)".contains("012345"))
        #expect(try !"\(KoreDeviceToken(hex: "a1b2c3"))".contains("a1"))
    }
}
