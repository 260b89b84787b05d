import CoreNetKitEssentials

extension JsonDraft {
    /// The text of the whole value, the members of each object sorted by the bytes of their names.
    func assembled() throws(JsonError) -> Data {
        // Each node takes its text plus at most a comma and a pair of brackets.
        let capacity = textCount + 3 * Int(nodeCount)
        guard capacity < Int(UInt32.max) else { throw JsonError(.unsupported, "the text is longer than 4 GB") }
        var assembly = JsonAssembly(self, capacity: capacity)
        defer { assembly.places.deallocate() }
        do throws(JsonError) { try assembly.write(0, depth: 0) } catch {
            assembly.output.deallocate()
            throw error
        }
        return Data(
            bytesNoCopy: assembly.output,
            count: assembly.end - assembly.output,
            deallocator: .custom { bytes, _ in bytes.deallocate() }
        )
    }
}

private struct JsonAssembly {
    struct Member {
        /// The first eight bytes of its name, the first one in the highest bits.
        let prefix: UInt64
        let node: UInt32
    }

    /// From this size on the standard library sorts faster.
    private static let smallSize = 24

    let draft: JsonDraft
    let text: UnsafeMutablePointer<UInt8>
    let nodes: UnsafeMutablePointer<JsonDraft.Node>
    let output: UnsafeMutablePointer<UInt8>
    var end: UnsafeMutablePointer<UInt8>
    /// The members being sorted; an object's come after those of the object around it.
    let places: UnsafeMutablePointer<Member>
    var used = 0

    init(_ draft: JsonDraft, capacity: Int) {
        self.draft = draft
        text = draft.text
        nodes = draft.nodes
        output = .allocate(capacity: capacity)
        end = output
        places = .allocate(capacity: Int(draft.nodeCount))
    }

    mutating func write(_ index: UInt32, depth: Int) throws(JsonError) {
        let node = nodes[Int(index)]
        switch node.kind {
        case .text: copy(node.start, node.first)
        case .array:
            try Json.check(depth: depth)
            add(UInt8(ascii: "["))
            var child = node.first
            while child != 0 {
                if child != node.first { add(UInt8(ascii: ",")) }
                try write(child, depth: depth + 1)
                child = nodes[Int(child)].next
            }
            add(UInt8(ascii: "]"))
        case .object, .open:
            // A value that encodes nothing is an empty object.
            try Json.check(depth: depth)
            add(UInt8(ascii: "{"))
            try writeMembers(of: index, depth: depth + 1)
            add(UInt8(ascii: "}"))
        }
    }

    private mutating func writeMembers(of object: UInt32, depth: Int) throws(JsonError) {
        guard nodes[Int(object)].first != 0 else { return }
        let start = used
        gather(object)
        if nodes[Int(object)].hasSpecialNames { sortBySpelling(from: start) } else { sort(from: start) }
        var isFirst = true
        for place in start..<used {
            let index = places[place].node
            // Of two members with one name the last counts.
            if place + 1 < used, hasNextTheName(place) {
                merge(index, into: places[place + 1].node)
                continue
            }
            if !isFirst { add(UInt8(ascii: ",")) }
            isFirst = false
            let node = nodes[Int(index)]
            if node.kind != .text { copy(node.start, node.name) }
            try write(index, depth: depth)
        }
        used = start
    }

    private mutating func gather(_ object: UInt32) {
        var child = nodes[Int(object)].first
        while child != 0 {
            let node = nodes[Int(child)]
            let name = text + Int(node.start) + 1
            var prefix = UInt64(bigEndian: UnsafeRawPointer(name).loadUnaligned(as: UInt64.self))
            let size = node.name - 3
            if size < 8 { prefix &= ~(UInt64.max >> UInt64(size * 8)) }
            (places + used).initialize(to: Member(prefix: prefix, node: child))
            used += 1
            child = node.next
        }
    }

    private func sort(from start: Int) {
        var members = UnsafeMutableBufferPointer(start: places + start, count: used - start)
        guard members.count <= Self.smallSize else { return members.sort { isInOrder($0, $1) } }
        for index in members.indices.dropFirst() {
            let member = members[index]
            var place = index
            while place > 0, isInOrder(member, members[place - 1]) {
                members[place] = members[place - 1]
                place -= 1
            }
            members[place] = member
        }
    }

    /// Names with escapes or non-ASCII characters: equal if they are as `String`s, ordered by their content.
    @inline(never)
    private mutating func sortBySpelling(from start: Int) {
        var members: [String: Member] = [:]
        for place in start..<used {
            let name = draft.name(of: places[place].node)
            if let other = members[name] { merge(other.node, into: places[place].node) }
            members[name] = places[place]
        }
        used = start
        for (_, member) in members.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            places[used] = member
            used += 1
        }
    }

    /// Puts one container's children before those of another with the same name, if both were requested as nested.
    private func merge(_ earlier: UInt32, into later: UInt32) {
        let (old, new) = (nodes[Int(earlier)], nodes[Int(later)])
        guard old.isNested, new.isNested, old.kind == new.kind, old.first != 0 else { return }
        if new.first == 0 { nodes[Int(later)].last = old.last } else { nodes[Int(old.last)].next = new.first }
        nodes[Int(later)].first = old.first
        nodes[Int(later)].hasSpecialNames = old.hasSpecialNames || new.hasSpecialNames
    }

    /// Whether one member comes before the other; with one name, the one that was written first.
    @inline(__always)
    private func isInOrder(_ left: Member, _ right: Member) -> Bool {
        if left.prefix != right.prefix { return left.prefix < right.prefix }
        return isInOrderByRest(left, right)
    }

    @inline(never)
    private func isInOrderByRest(_ left: Member, _ right: Member) -> Bool {
        let (leftName, rightName) = (name(left.node), name(right.node))
        let common = min(leftName.count, rightName.count)
        for place in 0..<common where leftName[place] != rightName[place] { return leftName[place] < rightName[place] }
        if leftName.count != rightName.count { return leftName.count < rightName.count }
        return left.node < right.node
    }

    private func name(_ index: UInt32) -> UnsafeBufferPointer<UInt8> {
        let node = nodes[Int(index)]
        return UnsafeBufferPointer(start: text + Int(node.start) + 1, count: Int(node.name) - 3)
    }

    @inline(__always)
    private func hasNextTheName(_ place: Int) -> Bool {
        places[place].prefix == places[place + 1].prefix && areNamedAlike(places[place].node, places[place + 1].node)
    }

    @inline(never)
    private func areNamedAlike(_ left: UInt32, _ right: UInt32) -> Bool { name(left).elementsEqual(name(right)) }

    @inline(__always)
    private mutating func add(_ byte: UInt8) {
        end.pointee = byte
        end += 1
    }

    @inline(__always)
    private mutating func copy(_ start: UInt32, _ size: UInt32) {
        end.update(from: text + Int(start), count: Int(size))
        end += Int(size)
    }
}
