import CoreNetKitEssentials
package import CoreNetKitHTTP
import CoreNetKitSystem

/// Finds out for each call of a chain who makes it: the only place that does.
package struct CallIdentitySource: Sendable {
    private let transport: any Transport
    /// Whether every policy inside says how it distinguishes callers.
    private let isKnown: Bool
    /// The objects inside that distinguish callers, and the transport itself for one that does not say what it tells.
    private let (objects, instance): (String, String)
    /// Keeps the objects, so that their identities stay theirs.
    private let (policies, seat): ([any ChainPolicy], TransportSeat)

    /// Creates the source for a node.
    ///
    /// - Parameters:
    ///   - parts: The chain.
    ///   - position: The position of the node that asks.
    ///   - ignored: Whether a policy's object says nothing about the caller.
    ///   - number: A number for an object that no other one has while the keys exist.
    package init(
        _ parts: ChainParts,
        inside position: ChainPosition,
        except ignored: (any ChainPolicy) -> Bool = { _ in false },
        naming number: (_ identity: ObjectIdentifier, _ holder: any Sendable) -> UInt64 = { _, _ in 0 }
    ) {
        (transport, policies, seat) = (parts.transport, parts.policies, parts.seat)
        isKnown = parts.scopes(inside: position) != nil
        objects = parts.policies.reduce(into: "") { names, policy in
            guard policy.positions.contains(where: { $0 > position }), !ignored(policy),
                case .object(let identity) = policy.scope
            else { return }
            names += " object \(number(identity, policy))"
        }
        let isObject = type(of: parts.transport) is AnyClass
        let holder: any Sendable = isObject ? parts.transport : parts.seat
        instance = " transport \(number(parts.seat.identity, holder))"
    }

    /// Who makes a call.
    ///
    /// - Parameters:
    ///   - request: The request as it passes the node that asks.
    ///   - partition: The call's.
    ///   - secrets: What is secret in the call.
    /// - Returns: The identity.
    package func identity(
        of request: TransportRequest,
        in partition: Partition,
        by secrets: SecretRules
    ) -> CallIdentity {
        var (caller, isStable) = ("", partition.isStable)
        if let told = transport.clientIdentity(for: request.url) {
            if !told.isEmpty { caller += " certificate \(told)" }
        } else {
            caller += instance
            isStable = false
        }
        // A named user is one for all objects: those of a policy with a partition, and those beside it.
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

    /// A digest of what a request says about the caller, `nil` if it says nothing; and whether all of that is known.
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
        if let info = userInfo(of: request.url.absoluteString) { text += "\n\(info)" }
        return (text.isEmpty ? nil : Hash128(of: text), isKnown)
    }

    /// What stands before the host of a URL.
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
