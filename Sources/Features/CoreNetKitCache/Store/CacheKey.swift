public import CoreNetKitEssentials
package import CoreNetKitHTTP

/// Identifies a resource in a storage: its URL, and the user of the responses.
///
/// The URL is compared with scheme and host in lower case, without a default port and without its fragment; an empty
/// path is `/`. The query is compared unchanged.
public struct CacheKey: Sendable, Hashable {
    /// The normalised URL; a fragment names the caller if the partition alone does not.
    public let url: String
    /// The user of the responses; empty for shared ones.
    public let partition: String
    /// Whether the key may be written to disk: not if the URL contains a secret, or the partition has no name.
    public let isPersistent: Bool
    /// The generation slot of the URL, in any partition; the same in every process.
    public let slot: Int
    /// A hash of the URL that ends with the slot of its origin; the same in every process.
    let place: UInt64
    package let partitionSlot: Int
    /// A hash of URL and partition, different in each process, stored because a key is hashed more often than created.
    private let code: UInt64

    /// Creates the key of an absolute `http` or `https` URL.
    ///
    /// A URL with user info, or with an item whose value is removed from logs, is never persistent.
    public init(url: URL, partition: String = "", isPersistent: Bool = true) {
        self.init(url: url, partition: partition, isPersistent: isPersistent, by: .standard)
    }

    /// The same by the secrecy rules of a call.
    package init(url: URL, partition: String, caller: String = "", isPersistent: Bool, by secrets: SecretRules) {
        let text = url.absoluteString
        // Nearly all URLs are already normalised, and plainly contain no secrets.
        if Self.isPlain(text, by: secrets) {
            self.init(text: text, caller: caller, partition: partition, isPersistent: isPersistent)
        } else {
            let isSecret = isPersistent && Redaction.hasSecrets(url: text, by: secrets)
            let isOpen = isPersistent && !isSecret
            self.init(text: Self.normalised(text), caller: caller, partition: partition, isPersistent: isOpen)
        }
    }

    /// The key of a normalised URL; the caller becomes a part of it, so that storages need not know about callers.
    package init(text: String, caller: String = "", partition: String, isPersistent: Bool) {
        (self.partition, self.isPersistent) = (partition, isPersistent)
        url = caller.isEmpty ? text : "\(text)#\(caller)"
        let (ofText, stable, origin) = Self.hashes(text, Self.seed)
        let ofURL = caller.isEmpty ? ofText : Self.hashes(caller, ofText).0
        let slots = UInt64(CacheGenerationTable.slots - 1)
        slot = Self.slot(stable)
        place = stable & ~slots | Self.mixed(origin) & slots
        guard !partition.isEmpty else {
            (code, partitionSlot) = (ofURL, Self.anonymousSlot)
            return
        }
        let (ofBoth, other, _) = Self.hashes(partition, ofURL)
        (code, partitionSlot) = (ofBoth, Self.partitionSlot(other))
    }

    /// The generation slot of a group of this origin; the same in every process.
    public func slot(ofGroup name: String) -> Int { Self.slot(Self.hashes("group \(origin) \(name)", 0).stable) }

    package static func slot(ofPartition name: String) -> Int { partitionSlot(hashes(name, 0).stable) }

    private static let anonymousSlot = slot(ofPartition: "")

    private static func partitionSlot(_ hash: UInt64) -> Int {
        CacheGenerationTable.slots + slot(hash, of: CacheGenerationTable.partitionSlots)
    }

    private static func slot(_ hash: UInt64, of slots: Int = CacheGenerationTable.slots) -> Int {
        Int(truncatingIfNeeded: mixed(hash) & UInt64(slots - 1))
    }

    private static func mixed(_ hash: UInt64) -> UInt64 { hash ^ hash >> 32 ^ hash >> 47 }

    /// Equal if URL and partition are.
    public static func == (left: CacheKey, right: CacheKey) -> Bool {
        left.code == right.code && left.url == right.url && left.partition == right.partition
    }

    /// Feeds a hash of URL and partition.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// A number by which the storage may choose a shard.
    package var shard: Int { Int(truncatingIfNeeded: code >> 40) }

    private static let seed = UInt64.random(in: .min ... .max)

    /// FNV-1a from a secret start, and from a constant one, the latter also over the origin of the URL.
    private static func hashes(_ text: String, _ start: UInt64) -> (own: UInt64, stable: UInt64, origin: UInt64) {
        var text = text
        return text.withUTF8 { bytes in
            var (own, stable) = (start ^ UInt64(bytes.count), UInt64(0xCBF2_9CE4_8422_2325))
            func add(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) {
                for byte in bytes {
                    own = (own ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
                    stable = (stable ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
                }
            }
            // The first slash after `http://` and a letter.
            let end = bytes.dropFirst(8).firstIndex(of: slash) ?? bytes.count
            add(bytes[..<end])
            let origin = stable
            add(bytes[end...])
            return (own, stable, origin)
        }
    }

    /// Whether a URL is a normalised origin, a path, and at most a query that is plainly harmless.
    private static func isPlain(_ text: String, by secrets: SecretRules) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            guard let parts = Origin.Parts(bytes), parts.areCanonical(in: bytes), parts.end < bytes.count,
                bytes[parts.end] == slash
            else { return false }
            for index in parts.end..<bytes.count {
                switch bytes[index] {
                case fragment, at, semicolon: return false
                case slash: if SecretPattern.mayBegin(at: index + 1, of: bytes) { return false }
                case question:
                    let query = UnsafeBufferPointer(rebasing: bytes[(index + 1)...])
                    return secrets.isPlainlyHarmless(query: query)
                default: continue
                }
            }
            return true
        }
    }

    /// Whether responses are protected from changes on the way.
    var isSecure: Bool { url.hasPrefix("https:") }

    package var resource: Substring { url.prefix { $0 != "#" } }

    /// What distinguishes the caller within the partition.
    package var caller: Substring { url[resource.endIndex...].dropFirst() }

    package var origin: String { Origin(text: url)?.description ?? UnixSocket(text: url)?.text ?? url }

    private static func normalised(_ text: String) -> String {
        var text = text
        return text.withUTF8 { bytes in
            let end = bytes.firstIndex(of: fragment) ?? bytes.count
            guard let parts = Origin.Parts(bytes) else {
                let text = String(decoding: bytes[..<end], as: UTF8.self)
                guard let socket = UnixSocket(text: text) else { return text }
                let tail = text.utf8.dropFirst(socket.end)
                return socket.text + (tail.first == slash ? "" : "/") + String(Substring(tail))
            }
            let user = String(decoding: bytes[(parts.isSecure ? 8 : 7)..<parts.host.lowerBound], as: UTF8.self)
            let written = UnsafeBufferPointer(rebasing: bytes[parts.host])
            let host = HostName.normal(written) ?? String(decoding: written, as: UTF8.self)
            let port = parts.port == (parts.isSecure ? 443 : 80) ? "" : ":\(parts.port)"
            let path = parts.end < end && bytes[parts.end] == slash ? "" : "/"
            let tail = String(decoding: bytes[parts.end..<end], as: UTF8.self)
            return "\(parts.isSecure ? "https" : "http")://\(user)\(host)\(port)\(path)\(tail)"
        }
    }
}

private let slash = UInt8(ascii: "/")
private let question = UInt8(ascii: "?")
private let fragment = UInt8(ascii: "#")
private let semicolon = UInt8(ascii: ";")
private let at = UInt8(ascii: "@")
