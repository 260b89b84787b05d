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
