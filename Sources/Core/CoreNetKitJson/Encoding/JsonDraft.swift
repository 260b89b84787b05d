/// What a model has encoded so far: the text of names and scalars, and a flat list of their positions.
///
/// Containers may be filled in any order, so nothing is in its final place before ``JsonDraft/assembled()`` sorts the
/// members and joins the pieces. Node 0 is the whole value; a name and its scalar are one piece of text.
final class JsonDraft {
    struct Node {
        enum Kind: UInt8 {
            case open
            case text, array, object
        }

        var kind = Kind.open
        /// Whether it was requested as a nested container; two of those with one name are merged.
        var isNested = false
        /// For an object: whether comparing bytes is not enough for its names.
        var hasSpecialNames = false
        /// Where its text begins, or the text of its name if it has one.
        var start: UInt32
        /// The size of the name with quotes and colon; for an element, its position in the array.
        var name: UInt32
        /// For a text its size including the name; for a container its first child, 0 for none.
        var first: UInt32 = 0
        var last: UInt32 = 0
        var count: UInt32 = 0
        let parent: UInt32
        /// The next child of the same container, 0 for none.
        var next: UInt32 = 0
    }

    let coding: JsonCoding
    let convertsNames: Bool
    @exclusivity(unchecked) var depth = 0
    @exclusivity(unchecked) var failure: EncodingError?
    /// Together with the original name: two spellings of one text are equal, but written as they are.
    @exclusivity(unchecked) var convertedNames: [String: (name: String, converted: String)] = [:]

    @exclusivity(unchecked) private(set) var text: UnsafeMutablePointer<UInt8>
    @exclusivity(unchecked) private var textCapacity = 1024
    @exclusivity(unchecked) var textCount = 0

    @exclusivity(unchecked) private(set) var nodes: UnsafeMutablePointer<Node>
    @exclusivity(unchecked) private var nodeCapacity = 32
    @exclusivity(unchecked) private(set) var nodeCount: UInt32 = 1

    init(_ coding: JsonCoding) {
        self.coding = coding
        convertsNames = coding.convertsNames
        text = .allocate(capacity: textCapacity)
        nodes = .allocate(capacity: nodeCapacity)
        nodes.initialize(to: Node(start: 0, name: 0, parent: 0))
    }

    deinit {
        text.deallocate()
        nodes.deallocate()
    }

    @inline(__always)
    func reserve(_ size: Int) { if textCapacity - textCount < size { grow(size) } }

    @inline(never)
    private func grow(_ size: Int) {
        let old = text
        textCapacity = max(textCapacity, size) * 2 + size
        text = .allocate(capacity: textCapacity)
        text.update(from: old, count: textCount)
        old.deallocate()
    }

    @inline(__always)
    private func add(_ node: Node) -> UInt32 {
        if Int(nodeCount) == nodeCapacity { growNodes() }
        (nodes + Int(nodeCount)).initialize(to: node)
        nodeCount += 1
        return nodeCount - 1
    }

    @inline(never)
    private func growNodes() {
        let old = nodes
        nodeCapacity *= 2
        nodes = .allocate(capacity: nodeCapacity)
        nodes.moveInitialize(from: old, count: Int(nodeCount))
        old.deallocate()
    }

    // MARK: - Nodes

    /// Adds a member to an object; its value is open.
    @inline(__always)
    func addMember(_ name: String, to object: UInt32) -> UInt32 {
        let start = textCount
        if appendQuoted(name) { nodes[Int(object)].hasSpecialNames = true }
        appendByte(UInt8(ascii: ":"))
        return link(start: start, name: textCount - start, to: object)
    }

    @inline(__always)
    func addElement(to array: UInt32) -> UInt32 {
        link(start: textCount, name: Int(nodes[Int(array)].count), to: array)
    }

    @inline(__always)
    private func link(start: Int, name: Int, to parent: UInt32) -> UInt32 {
        let index = add(
            Node(start: UInt32(truncatingIfNeeded: start), name: UInt32(truncatingIfNeeded: name), parent: parent)
        )
        let container = nodes + Int(parent)
        if container.pointee.first == 0 {
            container.pointee.first = index
        } else {
            nodes[Int(container.pointee.last)].next = index
        }
        container.pointee.last = index
        container.pointee.count &+= 1
        return index
    }

    /// Turns an open node into the scalar whose text begins there.
    @inline(__always)
    func close(_ index: UInt32) {
        nodes[Int(index)].kind = .text
        nodes[Int(index)].first = UInt32(truncatingIfNeeded: textCount) &- nodes[Int(index)].start
    }

    /// Prepares a node for a scalar's text; `false` if something was written before.
    func prepare(_ index: UInt32) -> Bool {
        let node = nodes[Int(index)]
        guard node.kind == .open else {
            fail(at: index, "more than one value was encoded")
            return false
        }
        let nameSize = isMember(index) ? Int(node.name) : 0
        guard Int(node.start) + nameSize != textCount else { return true }
        // Something else was written since: the name must come right before its value. Names are compared eight bytes
        // at a time, so a short one needs that many bytes too.
        reserve(nameSize + 8)
        (text + textCount).update(from: text + Int(node.start), count: nameSize)
        nodes[Int(index)].start = UInt32(truncatingIfNeeded: textCount)
        textCount += nameSize
        return true
    }

    /// Turns an open node into a container; a container of this kind stays as it is.
    @inline(__always)
    func open(_ kind: Node.Kind, at index: UInt32) {
        if nodes[Int(index)].kind == kind { return }
        guard nodes[Int(index)].kind == .open else { return fail(at: index, "two kinds of containers were requested") }
        nodes[Int(index)].kind = kind
    }

    @inline(__always)
    func isMember(_ index: UInt32) -> Bool { index != 0 && nodes[Int(nodes[Int(index)].parent)].kind == .object }

    /// Encodes a child, and removes what was added to the container if that fails.
    @inline(__always)
    func addChild(to container: UInt32, _ encode: () throws -> Void) throws {
        let (last, count) = (nodes[Int(container)].last, nodes[Int(container)].count)
        do { try encode() } catch {
            nodes[Int(container)].last = last
            nodes[Int(container)].count = count
            if last == 0 { nodes[Int(container)].first = 0 } else { nodes[Int(last)].next = 0 }
            throw error
        }
    }

    // MARK: - Failures

    func path(to index: UInt32) -> [any CodingKey] {
        var path: [any CodingKey] = []
        var index = index
        while index != 0 {
            let node = nodes[Int(index)]
            path.append(isMember(index) ? AnyKey(stringValue: name(of: index)) : AnyKey(intValue: Int(node.name)))
            index = node.parent
        }
        return path.reversed()
    }

    /// Keeps the first failure of a container that cannot throw.
    @inline(never)
    func fail(at index: UInt32, _ message: String) {
        guard failure == nil else { return }
        failure = invalid("", at: path(to: index), message)
    }

    @inline(never)
    func invalid(_ value: Any, at path: [any CodingKey], _ message: String) -> EncodingError {
        .invalidValue(value, .init(codingPath: path, debugDescription: message))
    }
}
