/// A member under a name that no other one of its identity has.
struct NamedMember: Sendable {
    let name: String
    let service: any PushMember

    /// The members by their names; all those that share one get a number, the first one too, so that a mark in the name of
    /// all of them, as older versions stored it, is none of theirs: to be told twice does no harm.
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
