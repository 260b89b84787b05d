/// One file: what programs see, what the disk has, and what lies between.
struct ModelNode: Sendable {
    private enum Change: Sendable {
        case write([UInt8], at: Int)
        case truncate(to: Int)

        func apply(to bytes: inout [UInt8]) {
            switch self {
            case .truncate(let count): bytes.resize(to: count)
            case .write(let content, let offset):
                // An array onto an array: without optimization, collections of other kinds are copied byte by byte.
                if bytes.count < offset { bytes.resize(to: offset) }
                let end = min(bytes.count, offset + content.count)
                bytes.replaceSubrange(offset..<end, with: Array(content[..<(end - offset)]))
                bytes += content[(end - offset)...]
            }
        }
    }

    private(set) var bytes: [UInt8] = []
    private var durable: [UInt8] = []
    private var pending: [Change] = []

    mutating func write(_ content: [UInt8], at offset: Int) { add(.write(content, at: offset)) }

    mutating func truncate(to count: Int) { add(.truncate(to: count)) }

    mutating func sync() {
        for change in pending { change.apply(to: &durable) }
        pending = []
    }

    /// A sync failed: what was pending never reaches the disk by itself.
    mutating func forgetPending() { pending = [] }

    mutating func overwrite(_ change: (inout [UInt8]) -> Void) {
        change(&bytes)
        durable = bytes
        pending = []
    }

    func afterPowerLoss(_ choose: (inout Bool) -> Void) -> ModelNode {
        var node = self
        node.pending = []
        for change in pending {
            switch change {
            case .truncate:
                if chosen(choose) { change.apply(to: &node.durable) }
            case .write(let content, let offset):
                // Sectors of 512 bytes reach the disk whole, in any order.
                var start = 0
                while start < content.count {
                    let end = min(content.count, ((offset + start) / 512 + 1) * 512 - offset)
                    if chosen(choose) {
                        Change.write(Array(content[start..<end]), at: offset + start).apply(to: &node.durable)
                    }
                    start = end
                }
            }
        }
        node.bytes = node.durable
        return node
    }

    private mutating func add(_ change: Change) {
        change.apply(to: &bytes)
        pending.append(change)
    }
}

struct ModelFolder: Sendable {
    /// Names that are set or removed at once.
    private typealias Change = [(name: String, id: Int?)]

    private(set) var names: [String: Int] = [:]
    private var durable: [String: Int] = [:]
    private var pending: [Change] = []
    /// Whether the folder itself is named on the disk.
    var isDurable = false

    mutating func set(_ name: String, _ id: Int?) { add([(name, id)]) }

    /// One change: both names or none.
    mutating func rename(_ name: String, to newName: String, _ id: Int) { add([(name, nil), (newName, id)]) }

    mutating func sync() {
        durable = names
        pending = []
    }

    func afterPowerLoss(_ choose: (inout Bool) -> Void) -> ModelFolder {
        var folder = self
        folder.names = durable
        for change in pending where chosen(choose) {
            for (name, id) in change { folder.names[name] = id }
        }
        folder.sync()
        return folder
    }

    private mutating func add(_ change: Change) {
        for (name, id) in change { names[name] = id }
        pending.append(change)
    }
}

private func chosen(_ choose: (inout Bool) -> Void) -> Bool {
    var isKept = false
    choose(&isKept)
    return isKept
}

extension [UInt8] {
    fileprivate mutating func resize(to count: Int) {
        if count < self.count {
            removeLast(self.count - count)
        } else {
            self += [UInt8](repeating: 0, count: count - self.count)
        }
    }
}
