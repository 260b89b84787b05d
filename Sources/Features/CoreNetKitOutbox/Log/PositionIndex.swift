/// Where the records of entries lie, by their numbers: a line in ascending order, for what comes is newer than what is there.
struct PositionIndex: Sendable {
    private struct Item: Sendable {
        let number: UInt64
        let position: OutboxLog.Position
    }

    private var items: [Item] = []

    subscript(number: UInt64) -> OutboxLog.Position? {
        get {
            let index = place(of: number)
            return index < items.count && items[index].number == number ? items[index].position : nil
        }
        set {
            guard let newValue else { return }
            let item = Item(number: number, position: newValue)
            if items.last.map({ $0.number < number }) ?? true { return items.append(item) }
            let index = place(of: number)
            if items[index].number == number { items[index] = item } else { items.insert(item, at: index) }
        }
    }

    /// Those of one segment, and others beside them.
    func ofSegment(_ segment: UInt64?, with others: PositionIndex) -> PositionIndex {
        let own = items.filter { $0.position.segment == segment }
        var all = PositionIndex()
        all.items.reserveCapacity(own.count + others.items.count)
        var rest = others.items[...]
        for item in own {
            while let first = rest.first, first.number < item.number { all.items.append(rest.removeFirst()) }
            if rest.first?.number == item.number { rest.removeFirst() }
            all.items.append(item)
        }
        all.items += rest
        return all
    }

    /// Where a number stands, or would stand.
    private func place(of number: UInt64) -> Int {
        var (low, high) = (0, items.count)
        while low < high {
            let middle = (low + high) / 2
            if items[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
