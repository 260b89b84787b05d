import CoreNetKitSystem
import TestPace

private let checksums: [([UInt8], UInt32)] = [
    ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
    ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
    ([UInt8](0..<32), 0x46DD_794E),
    ([UInt8]((0..<32).reversed()), 0x113F_DB5C),
    (Array("123456789".utf8), 0xE306_9283),
    ([], 0),
]

@Suite("Hashes", .paced)
struct HashTests {
    @Test("CRC-32C gives the checksums of RFC 3720", arguments: checksums)
    func castagnoli(bytes: [UInt8], checksum: UInt32) { #expect(CRC32C.checksum(bytes) == checksum) }

    @Test("CRC-32 gives the checksum of gzip")
    func gzip() {
        var crc = CRC32()
        crc.update("123456789".utf8)
        #expect(crc.digest == [0xCB, 0xF4, 0x39, 0x26])
    }

    @Test("no hash depends on how the bytes are cut, around every block's end")
    func pieces() {
        check(CRC32C())
        check(CRC32())
        check(SHA256())
    }

    private func check<Hash: RunningHash>(_ empty: Hash) {
        let bytes = (0..<193).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        for count in [0, 1, 9, 55, 56, 57, 63, 64, 65, 119, 120, 128, 193] {
            var whole = empty
            whole.update(bytes[..<count])
            for cut in 0...count {
                var hash = empty
                hash.update(bytes[..<cut])
                hash.update(bytes[cut..<count])
                #expect(hash.digest == whole.digest, "\(Hash.self)")
            }
        }
    }

    @Test(
        "SHA-256 gives the digests of FIPS 180-4",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrst"
                    + "nopqrstu",
                "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
            ),
        ]
    )
    func standardVectors(text: String, digest: String) { #expect(Hex.encode(SHA256.digest(text.utf8)) == digest) }

    @Test("SHA-256 of a million letters, in pieces of uneven length")
    func millionLetters() {
        var hash = SHA256()
        var rest = 1_000_000
        var length = 1
        while rest > 0 {
            hash.update([UInt8](repeating: UInt8(ascii: "a"), count: min(length, rest)))
            rest -= min(length, rest)
            length = length % 997 + 61
        }
        #expect(Hex.encode(hash.digest) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test("the short key is the start of SHA-256")
    func shortKey() {
        #expect(Hash128(of: "abc").description == "ba7816bf8f01cfea414140de5dae2223")
        #expect(Hash128(of: "abc") != Hash128(of: "abd"))
    }
}

@Suite("MD5", .timeLimit(.minutes(10)), .paced)
struct MD5Tests {
    @Test(
        "is that of RFC 1321, A.5, and of texts as long as a block",
        arguments: [
            ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
            ("abc", "900150983cd24fb0d6963f7d28e17f72"), ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
            ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
            ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "d174ab98d277d9f5a5611c2c9f419d9f"),
            (String(repeating: "1234567890", count: 8), "57edf4a22be3c955ac49da2e2107b67a"),
            (String(repeating: "x", count: 55), "04364420e25c512fd958a70738aa8f72"),
            (String(repeating: "x", count: 56), "668a72d5ba17f08e62dabcafad6db14b"),
            (String(repeating: "x", count: 64), "c1bb4f81d892b2d57947682aeb252456"),
        ]
    )
    func vectors(_ text: String, _ digest: String) { #expect(Hex.encode(MD5.digest(text.utf8)) == digest) }
}
