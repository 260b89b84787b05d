import CoreNetKitFleet
import TestSupport

@Suite("Sealing: XChaCha20-Poly1305", .timeLimit(.minutes(10)), .paced)
struct SealingTests {
    private func bytes(_ hex: String) -> Data { Data(Hex.decode(hex) ?? []) }

    @Test("the key of a nonce is that of draft-irtf-cfrg-xchacha, 2.2.1")
    func derivedKey() {
        let key = KeyBytes { $0.copyBytes(from: 0..<32) }
        let derived = key.derived(for: bytes("000000090000004a0000000031415927"))
        let expected = bytes("82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc")
        #expect(derived.withUnsafeBytes { Data($0) } == expected)
    }

    @Test("the system's cipher seals as in RFC 8439, 2.8.2")
    func cipher() throws {
        let cipher = try #require(SystemCipher.system)
        let key = KeyBytes { $0.copyBytes(from: 0x80..<0xa0) }
        let text = Data(
            "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."
                .utf8
        )
        let (data, nonce) = (bytes("50515253c0c1c2c3c4c5c6c7"), bytes("070000004041424344454647"))
        let sealed = try cipher.seal(text, data, key, nonce)
        #expect(sealed.prefix(16) == bytes("d31a8d34648e60db7b86afbc53ef7ec2"))
        #expect(sealed.suffix(16) == bytes("1ae10b594f09e26a7e902ecbd0600691"))
        #expect(try cipher.open(sealed, data, key, nonce) == text)
    }

    @Test("texts are sealed and opened as Wycheproof requires", arguments: SealVector.all)
    func wycheproof(_ vector: SealVector) throws {
        let (key, sealed) = (try SealingKey(id: "a", vector["key"]), vector["nonce"] + vector["sealed"])
        #expect(try key.open(sealed, with: vector["data"]) == (vector.isValid ? vector["text"] : nil))
        guard vector.isValid else { return }
        #expect(try key.seal(vector["text"], with: vector["data"], nonce: vector["nonce"]) == sealed)
    }

    @Test(
        "texts of any length have the tag that 0.3, which had a cipher of its own, gave them",
        arguments: [
            (0, "d1ade87dba73b9f9b1fb2c0f720b02d3"), (1, "1b6065092bdb75683cffc32162472d34"),
            (15, "51e58b72b4e5d0f0fcce5a5dfd4f4e37"), (16, "75891f53457ce6f7fe6fcbb7f9b47e06"),
            (17, "5f487b7070f0c352bdbb41004ac448cc"), (63, "ea88b544500798709567b5b7b21d1b22"),
            (64, "d2dc68ac83e50b8dede09d01ebcaad4b"), (65, "aa2825d84a3f960c00bbf03b246fd769"),
            (4096, "7f624d942a43c6770d9d6b8d5ed9dc3a"), (65_537, "cf371a9c3340a802f7c3a37d3af59fa2"),
            (1_048_579, "9bd03a7cc53bf3e4a961f0d8f6673c5b"),
        ]
    )
    func lengths(count: Int, tag: String) throws {
        let (key, place) = (try SealingKey(id: "a", Data(0..<32)), Data("place".utf8))
        let text = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 * 31) })
        let sealed = try key.seal(text, with: place, nonce: Data(0..<24))
        #expect(sealed.count == count + 40)
        #expect(sealed.suffix(16) == bytes(tag))
        #expect(try key.open(sealed, with: place) == text)
    }

    @Test("without a library that has the cipher a key is refused, with what to do")
    func missing() throws {
        let error = #expect(throws: SealingError.self) { try SealingKey(id: "a", Data(count: 32), cipher: nil) }
        #expect(error?.code == .unsupported)
        for word in ["'a'", "ChaCha20-Poly1305", "libcurl", "OpenSSL", "FIPS", "Sealing"] {
            #expect(error?.message.contains(word) == true, "\(word)")
        }
    }

    @Test("a library that refuses the cipher, or has another one, is none")
    func refused() throws {
        let system = try #require(SystemCipher.system)
        #expect(SystemCipher.failing.verified == nil)
        #expect(SystemCipher(seal: { text, _, _, _ in text + Data(count: 16) }, open: system.open).verified == nil)
        #expect(system.verified != nil)
    }

    @Test("a library that fails later is no changed value")
    func failing() throws {
        let keys = SealingKeys(try SealingKey(id: "a", Data(count: 32), cipher: .failing))
        #expect(code { try keys.seal(Data([1]), at: Data()) } == .unsupported)
        #expect(code { try keys.open(Data(count: 60), keyID: "a", at: Data()) } == .unsupported)
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
        do { _ = try step() } catch { return (error as? SealingError)?.code }
        return nil
    }
}

extension SystemCipher {
    /// What OpenSSL is in FIPS mode, or without memory.
    fileprivate static let failing = SystemCipher(
        seal: { _, _, _, _ throws(Failure) in throw .failed },
        open: { _, _, _, _ throws(Failure) in throw .failed }
    )
}
