import CoreNetKitEssentials
package import CoreNetKitHTTP
import CoreNetKitSystem

/// The identity of a call's user, made of everything that can distinguish users: a part of each key by which calls share
/// data.
///
/// It includes the partition, the transport's client certificate, inner objects that add credentials of their own, and
/// what the request itself carries: secret fields, cookies and user info, whatever their source.
package struct CallIdentity: Sendable, Hashable {
    /// The name of the partition; empty for none.
    package let partition: String
    /// What distinguishes the user besides the partition, as digests and numbers; empty if nothing does.
    package let caller: String
    /// Whether both mean the same user in another process, and may be written to disk.
    ///
    /// Credentials alone do not name a user: with them, only a named partition is stable.
    package let isStable: Bool
    /// Whether the user is known; if not, nothing is shared.
    package let isShareable: Bool

    package init(partition: String = "", caller: String = "", isStable: Bool = true, isShareable: Bool = true) {
        (self.partition, self.caller) = (partition, caller)
        (self.isStable, self.isShareable) = (isStable, isShareable)
    }
}

/// Determines the identity of each call of a chain; no other code does.
package struct CallIdentitySource: Sendable {
    private let transport: any Transport
    /// Whether every inner policy declares how it distinguishes users.
    private let isKnown: Bool
    /// The inner objects that distinguish users, and the transport itself if it does not report its client identity.
    private let (objects, instance): (String, String)
    /// Keeps the objects alive, so that their identifiers stay unique.
    private let (policies, transportBox): ([any ChainPolicy], TransportBox)

    /// `ignored` tells whether a policy's object is irrelevant to the user's identity; `number` gives an object a number
    /// that is unique while the keys exist.
    package init(
        _ parts: ChainParts,
        inside position: ChainPosition,
        except ignored: (any ChainPolicy) -> Bool = { _ in false },
        naming number: (_ identity: ObjectIdentifier, _ holder: any Sendable) -> UInt64 = { _, _ in 0 }
    ) {
        (transport, policies, transportBox) = (parts.transport, parts.policies, parts.transportBox)
        isKnown = parts.scopes(inside: position) != nil
        objects = parts.policies.reduce(into: "") { names, policy in
            guard policy.positions.contains(where: { $0 > position }), !ignored(policy),
                case .object(let identity) = policy.scope
            else { return }
            names += " object \(number(identity, policy))"
        }
        let isObject = type(of: parts.transport) is AnyClass
        let holder: any Sendable = isObject ? parts.transport : parts.transportBox
        instance = " transport \(number(parts.transportBox.identity, holder))"
    }

    package func identity(
        of request: TransportRequest,
        in partition: Partition,
        by secrets: SecretRules
    ) -> CallIdentity {
        var (caller, isStable) = ("", partition.isStable)
        if let clientIdentity = transport.clientIdentity(for: request.url) {
            if !clientIdentity.isEmpty { caller += " certificate \(clientIdentity)" }
        } else {
            caller += instance
            isStable = false
        }
        // A named user is the same for all objects, whether the policy of the object has the partition or another one.
        if partition.isAnonymous, !objects.isEmpty {
            caller += objects
            isStable = false
        }
        let (credentials, isShareable) = Self.credentials(of: request, by: secrets)
        if let credentials {
            caller += " credentials \(credentials)"
            if partition.isAnonymous { isStable = false }
        }
        return CallIdentity(
            partition: partition.name,
            caller: caller,
            isStable: isStable,
            isShareable: isKnown && isShareable
        )
    }

    /// A digest of a request's own credentials, `nil` if it has none; and whether all of them are recognised.
    private static func credentials(of request: TransportRequest, by secrets: SecretRules) -> (Hash128?, Bool) {
        var text = ""
        var isKnown = true
        for field in request.headers.fields where !secrets.isCommon(field: field.name) {
            if secrets.verdict(field: field.name) != .harmless {
                text += "\(field.name.lowercased()): \(field.value)\n"
            } else if secrets.isCredential(field: field.name, value: field.value) {
                isKnown = false
            }
        }
        // The value of a trailer is made when it is sent.
        for trailer in request.body.trailers where secrets.verdict(field: trailer.name) != .harmless { isKnown = false }
        if let info = userInfo(of: request.url.absoluteString) { text += "\n\(info)" }
        return (text.isEmpty ? nil : Hash128(of: text), isKnown)
    }

    /// The user info of a URL, before the host.
    private static func userInfo(of url: String) -> String? {
        let mayHave = url.utf8.withContiguousStorageIfAvailable { $0.contains(UInt8(ascii: "@")) } ?? true
        guard mayHave else { return nil }
        var url = url
        return url.withUTF8 { bytes in
            guard let parts = Origin.Parts(bytes) else { return nil }
            let info = bytes[..<parts.host.lowerBound].dropFirst(parts.isSecure ? 8 : 7)
            return info.isEmpty ? nil : String(decoding: info, as: UTF8.self)
        }
    }
}
