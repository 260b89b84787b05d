package import CoreNetKitEssentials

#if os(Linux)
    import CNetCurl
#else
    import CryptoKit
    import Darwin
#endif

/// ChaCha20-Poly1305 of a library that the system keeps up to date: libcrypto on Linux, CryptoKit on Apple's platforms.
///
/// - SeeAlso: [RFC 8439, 2.8](https://www.rfc-editor.org/rfc/rfc8439#section-2.8)
package struct SystemCipher: Sendable {
    package enum Failure: Error { case notAuthentic, failed }

    /// What is done to the input, with data that is authenticated too, a key, and a nonce of 12 bytes.
    package typealias Operation =
        @Sendable (_ input: Data, _ data: Data, _ key: KeyBytes, _ nonce: Data) throws(Failure) -> Data

    /// Encrypts the input: as many bytes, and the 16 bytes of the tag.
    package let seal: Operation
    /// Decrypts the input, which ends in the tag.
    package let open: Operation

    package init(seal: @escaping Operation, open: @escaping Operation) { (self.seal, self.open) = (seal, open) }

    /// The system's; `nil` if it has none.
    package static let system = ofSystem?.verified

    /// The cipher, if it works: a library may have its functions and refuse it nevertheless, as OpenSSL does in FIPS mode.
    package var verified: SystemCipher? {
        let (key, nonce) = (KeyBytes { $0.initializeMemory(as: UInt8.self, repeating: 0) }, Data(count: 12))
        // The text "a" and no data.
        let sealed = Data([
            0xfe, 0x5d, 0x60, 0xe2, 0xe3, 0x89, 0x89, 0x37, 0x15, 0x84, 0x09, 0xd1, 0x3e, 0xe7, 0x8a, 0xa0, 0xbd,
        ])
        return (try? seal(Data("a".utf8), Data(), key, nonce)) == sealed ? self : nil
    }
}

extension SystemCipher {
    #if os(Linux)
        private static let tagLength = Int(CNC_TAG_LENGTH)
        private static let ofSystem = cnc_has_cipher() ? SystemCipher(seal: sealed, open: opened) : nil

        @Sendable private static func sealed(_ text: Data, _ data: Data, _ key: KeyBytes, _ nonce: Data)
            throws(Failure) -> Data
        {
            var output = Data(count: text.count + tagLength)
            try run(true, text, text.count, data, key, nonce, &output)
            return output
        }

        @Sendable private static func opened(_ sealed: Data, _ data: Data, _ key: KeyBytes, _ nonce: Data)
            throws(Failure) -> Data
        {
            guard sealed.count >= tagLength else { throw .notAuthentic }
            var output = Data(count: sealed.count - tagLength)
            try run(false, sealed, output.count, data, key, nonce, &output)
            return output
        }

        private static func run(
            _ seals: Bool,
            _ input: Data,
            _ count: Int,
            _ data: Data,
            _ key: KeyBytes,
            _ nonce: Data,
            _ output: inout Data
        ) throws(Failure) {
            let result = output.withUnsafeMutableBytes { output in
                input.withUnsafeBytes { input in
                    data.withUnsafeBytes { data in
                        nonce.withUnsafeBytes { nonce in
                            key.withUnsafeBytes { key in
                                cnc_cipher(
                                    seals,
                                    key.baseAddress,
                                    nonce.baseAddress,
                                    data.baseAddress,
                                    data.count,
                                    input.baseAddress,
                                    count,
                                    output.baseAddress
                                )
                            }
                        }
                    }
                }
            }
            guard result != CNC_CIPHER_NOT_AUTHENTIC else { throw .notAuthentic }
            guard result == CNC_CIPHER_DONE else { throw .failed }
        }
    #else
        private static let ofSystem: SystemCipher? = SystemCipher(seal: sealed, open: opened)

        @Sendable private static func sealed(_ text: Data, _ data: Data, _ key: KeyBytes, _ nonce: Data)
            throws(Failure) -> Data
        {
            do {
                let nonce = try ChaChaPoly.Nonce(data: nonce)
                let box = try ChaChaPoly.seal(
                    text,
                    using: key.withUnsafeBytes { SymmetricKey(data: $0) },
                    nonce: nonce,
                    authenticating: data
                )
                return box.ciphertext + box.tag
            } catch {
                throw .failed
            }
        }

        @Sendable private static func opened(_ sealed: Data, _ data: Data, _ key: KeyBytes, _ nonce: Data)
            throws(Failure) -> Data
        {
            do {
                let box = try ChaChaPoly.SealedBox(combined: nonce + sealed)
                return try ChaChaPoly.open(
                    box,
                    using: key.withUnsafeBytes { SymmetricKey(data: $0) },
                    authenticating: data
                )
            } catch {
                throw .notAuthentic
            }
        }
    #endif
}

/// The 32 bytes of a key, which are overwritten when nothing refers to them any more.
///
/// `@unchecked Sendable`: it is immutable.
package final class KeyBytes: @unchecked Sendable {
    package static let count = 32

    private let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)

    /// Creates a key; `fill` writes all bytes.
    package init(_ fill: (UnsafeMutableRawBufferPointer) -> Void) { fill(bytes) }

    deinit {
        #if os(Linux)
            cnc_erase(bytes.baseAddress, bytes.count)
        #else
            memset_s(bytes.baseAddress, bytes.count, 0, bytes.count)
        #endif
        bytes.deallocate()
    }

    package func withUnsafeBytes<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
        try withExtendedLifetime(self) { try body(UnsafeRawBufferPointer(bytes)) }
    }
}
