import CoreNetKitSignatures
import TestSupport

@Suite("Hashes", .timeLimit(.minutes(10)), .paced)
struct ContentHashTests {
    @Test(
        "HMAC matches RFC 4231",
        arguments: [
            (
                [UInt8](repeating: 0x0B, count: 20), "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ]
    )
    func vectors(key: [UInt8], message: String, expected: String) {
        let hash = ContentHash.hmac(message.utf8, key: key)
        #expect(hash.hex == expected && hash.base64 == Data(hash.bytes).base64EncodedString())
    }

    @Test("pieces give the same as the whole, with and without a key")
    func pieces() {
        let bytes = (0..<300).map { UInt8(truncatingIfNeeded: $0) }
        let key = bytes[..<64]
        for size in [1, 63, 64, 65, 300] {
            var (plain, keyed) = (ContentHash(), ContentHash(key: key))
            for start in stride(from: 0, to: bytes.count, by: size) {
                let piece = bytes[start..<min(start + size, bytes.count)]
                plain.update(piece)
                keyed.update(piece)
                _ = (plain.bytes, keyed.bytes)
            }
            #expect(plain.hex == ContentHash.sha256(bytes).hex)
            #expect(keyed.hex == ContentHash.hmac(bytes, key: key).hex)
        }
        #expect(ContentHash.sha256(Data("abc".utf8)).hex.hasPrefix("ba7816bf8f01cfea414140de5dae2223b00361a396177a9c"))
    }

    @Test("a dump shows the result and not the state, with which anyone could sign")
    func mirror() {
        let hash = ContentHash.hmac([1], key: [2])
        var text = ""
        dump(hash, to: &text)
        #expect(text.contains(hash.hex) && !text.contains("pending"))
    }
}
