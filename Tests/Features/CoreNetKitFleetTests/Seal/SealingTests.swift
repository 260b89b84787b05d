import CoreNetKitFleet
import CoreNetKitSystem
import Foundation
import TestPace
import Testing

@Suite("Sealing: XChaCha20-Poly1305", .timeLimit(.minutes(10)), .paced)
struct SealingTests {
    private let key = Array(UInt8(0)...31)

    private func bytes(_ hex: String) -> [UInt8] { Hex.decode(hex.filter { $0 != " " }) ?? [] }

    @Test("a block of the key stream is that of RFC 8439, 2.3.2")
    func block() {
        let cipher = ChaCha20(key: key, nonce: bytes("000000090000004a00000000"))
        let expected = bytes(
            "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
                + "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"
        )
        #expect(cipher.block(1) == expected)
    }

    @Test("the key of a nonce is that of draft-irtf-cfrg-xchacha, 2.2.1")
    func derivedKey() {
        let derived = ChaCha20.derivedKey(key, nonce: bytes("000000090000004a0000000031415927"))
        #expect(derived == bytes("82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc"))
    }

    @Test("a tag is that of RFC 8439, 2.5.2")
    func tag() {
        let key = bytes("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b")
        let tag = Poly1305.tag(of: Array("Cryptographic Forum Research Group".utf8), key: key)
        #expect(tag == bytes("a8061dc1305136c6c22b8baf0c0127a9"))
    }

    @Test(
        "a tag is right where limbs overflow: RFC 8439, A.3, 7 to 11",
        arguments: [
            ("02", "", "ffffffffffffffffffffffffffffffff", "03"),
            ("02", "ffffffffffffffffffffffffffffffff", "02000000000000000000000000000000", "03"),
            (
                "01", "",
                "fffffffffffffffffffffffffffffffff0ffffffffffffffffffffffffffffff11000000000000000000000000000000", "05"
            ),
            (
                "01", "",
                "fffffffffffffffffffffffffffffffffbfefefefefefefefefefefefefefefe01010101010101010101010101010101", "00"
            ),
            ("02", "", "fdffffffffffffffffffffffffffffff", "faffffffffffffffffffffffffffffff"),
        ]
    )
    func edges(factor: String, addend: String, message: String, tag: String) {
        func filled(_ hex: String) -> [UInt8] { bytes(hex) + Array(repeating: 0, count: 16 - hex.utf8.count / 2) }
        #expect(Poly1305.tag(of: bytes(message), key: filled(factor) + filled(addend)) == filled(tag))
    }

    @Test("texts are sealed and opened as Wycheproof requires", arguments: SealVector.all)
    func wycheproof(_ vector: SealVector) {
        let opened = XChaCha20Poly1305.open(
            vector.sealed,
            with: vector.data,
            key: vector.key,
            nonce: vector.nonce
        )
        #expect(opened == (vector.isValid ? vector.text : nil))
        guard vector.isValid else { return }
        let sealed = XChaCha20Poly1305.seal(vector.text, with: vector.data, key: vector.key, nonce: vector.nonce)
        #expect(sealed == vector.sealed)
    }

    @Test("a value opens at its place, and not with any bit changed")
    func bits() throws {
        let sealing = SealingKeys(try .random(id: "a"))
        let (value, place) = (Data("the refresh token".utf8), Data("place".utf8))
        let sealed = try sealing.seal(value, at: place)
        #expect(try sealing.open(sealed, keyID: "a", at: place) == value)
        #expect(sealed.count == value.count + 40)
        for bit in 0..<sealed.count * 8 {
            var changed = sealed
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(code { try sealing.open(changed, keyID: "a", at: place) } == .notAuthentic, "bit \(bit)")
        }
        #expect(code { try sealing.open(sealed, keyID: "a", at: Data("other".utf8)) } == .notAuthentic)
        for count in 0..<sealed.count {
            #expect(code { try sealing.open(sealed.prefix(count), keyID: "a", at: place) } == .notAuthentic)
        }
    }

    @Test("the same value is never sealed to the same bytes")
    func nonces() throws {
        let sealing = SealingKeys(try .random(id: "a"))
        let all = try Set((0..<200).map { _ in try sealing.seal(Data([1]), at: Data()) })
        #expect(all.count == 200)
    }

    @Test("an older key opens what it has sealed; a missing key is named")
    func keys() throws {
        let (old, new) = (try SealingKey.random(id: "old"), try SealingKey.random(id: "new"))
        let sealed = try SealingKeys(old).seal(Data([7]), at: Data())
        let both = SealingKeys(new, older: [old])
        #expect(both.keyID == "new")
        #expect(try both.open(sealed, keyID: "old", at: Data()) == Data([7]))
        #expect(code { try SealingKeys(new).open(sealed, keyID: "old", at: Data()) } == .unknownKey)
        #expect(code { try PlainSealing.plain.open(sealed, keyID: "old", at: Data()) } == .unknownKey)
        #expect(code { try both.open(Data([7]), keyID: "plain", at: Data()) } == .unknownKey)
    }

    @Test("a key of wrong length, or without an id, is refused", arguments: [0, 16, 31, 33])
    func badKeys(count: Int) {
        #expect(code { try SealingKey(id: "a", Data(count: count)) } == .badKey)
        #expect(code { try SealingKey(id: "", Data(count: 32)) } == .badKey)
        #expect(code { try SealingKey(id: String(repeating: "a", count: 256), Data(count: 32)) } == .badKey)
        #expect(code { try SealingKey(id: "a", base64: "?") } == .badKey)
    }

    @Test("no view of a key shows it")
    func views() throws {
        let key = try SealingKey(id: "a", Data(repeating: 0xAB, count: 32))
        let keys = SealingKeys(key, older: [key])
        var dumped = ""
        dump(key, to: &dumped)
        dump(keys, to: &dumped)
        for text in ["\(key)", "\(keys)", String(reflecting: key), String(reflecting: keys), "\([key])", dumped] {
            #expect(!text.contains("171") && !text.lowercased().contains("ab, ab"), "\(text)")
        }
    }

    private func code<Value>(_ step: () throws -> Value) -> SealingError.Code? {
        do {
            _ = try step()
            return nil
        } catch {
            return (error as? SealingError)?.code
        }
    }
}
