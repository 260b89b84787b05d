/// Authenticated encryption with a nonce long enough that random nonces do not repeat.
///
/// Written in Swift, because Linux has no such library that can be used without headers.
/// - SeeAlso: [RFC 8439, 2.8](https://www.rfc-editor.org/rfc/rfc8439#section-2.8) and
///   [draft-irtf-cfrg-xchacha, 2](https://datatracker.ietf.org/doc/html/draft-irtf-cfrg-xchacha#section-2)
package enum XChaCha20Poly1305 {
    static let keyLength = 32
    static let nonceLength = 24
    static let tagLength = 16

    /// Encrypts a text.
    ///
    /// - Parameters:
    ///   - text: At most 256 GiB.
    ///   - data: Data that is authenticated with the text.
    ///   - key: 32 bytes.
    ///   - nonce: 24 bytes.
    /// - Returns: The encrypted bytes, as many as the text has, and the 16-byte tag.
    package static func seal(_ text: [UInt8], with data: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8] {
        let (cipher, tagKey) = keys(key, nonce)
        let hidden = cipher.applied(to: text, from: 1)
        return hidden + Poly1305.tag(of: authenticated(hidden, data), key: tagKey)
    }

    /// Decrypts the output of ``seal(_:with:key:nonce:)``.
    ///
    /// - Returns: The text; `nil` if any bit has changed. The tag is compared in constant time, before anything is decrypted.
    package static func open(_ sealed: [UInt8], with data: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8]? {
        guard key.count == keyLength, nonce.count == nonceLength, sealed.count >= tagLength else { return nil }
        let (cipher, tagKey) = keys(key, nonce)
        let hidden = Array(sealed.dropLast(tagLength))
        let tag = Poly1305.tag(of: authenticated(hidden, data), key: tagKey)
        let difference = zip(tag, sealed.suffix(tagLength)).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }
        return difference == 0 ? cipher.applied(to: hidden, from: 1) : nil
    }

    private static func keys(_ key: [UInt8], _ nonce: [UInt8]) -> (ChaCha20, tagKey: [UInt8]) {
        let derived = ChaCha20.derivedKey(key, nonce: Array(nonce.prefix(16)))
        let cipher = ChaCha20(key: derived, nonce: [0, 0, 0, 0] + nonce.suffix(8))
        return (cipher, Array(cipher.block(0).prefix(32)))
    }

    /// The input of the tag: data, text and their lengths, each part padded to 16 bytes.
    private static func authenticated(_ hidden: [UInt8], _ data: [UInt8]) -> [UInt8] {
        var message: [UInt8] = []
        message.reserveCapacity(hidden.count + data.count + 48)
        for part in [data, hidden] {
            message.append(contentsOf: part)
            message.append(contentsOf: repeatElement(0, count: (16 - part.count % 16) % 16))
        }
        for count in [data.count, hidden.count] {
            withUnsafeBytes(of: UInt64(count).littleEndian) { message.append(contentsOf: $0) }
        }
        return message
    }
}
