/// A member with a name that is unique in its identity.
struct NamedMember: Sendable {
    let name: String
    let service: any PushMember

    /// The members with unique names.
    ///
    /// All members that share a name get a number, including the first. So an entry with the shared name, stored by an
    /// older version, matches none of them, and they are notified again, which is harmless.
    static func all(_ members: [any PushMember]) -> [NamedMember] {
        let counts = Dictionary(members.map { ($0.memberName, 1) }, uniquingKeysWith: +)
        var used = Set(counts.keys)
        return members.map { member in
            guard counts[member.memberName, default: 1] > 1 else {
                return NamedMember(name: member.memberName, service: member)
            }
            var number = 1
            while !used.insert("\(member.memberName)#\(number)").inserted { number += 1 }
            return NamedMember(name: "\(member.memberName)#\(number)", service: member)
        }
    }
}
