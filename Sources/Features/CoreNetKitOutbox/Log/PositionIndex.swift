/// Positions of entries' records, in ascending order of number, because new numbers are usually the highest.
struct PositionIndex: Sendable {
    private struct Item: Sendable {
        let number: UInt64
        let position: OutboxLog.Position
    }

    private var items: [Item] = []

    subscript(number: UInt64) -> OutboxLog.Position? {
        get {
            let index = index(of: number)
            return index < items.count && items[index].number == number ? items[index].position : nil
        }
        set {
            guard let newValue else { return }
            let item = Item(number: number, position: newValue)
            if items.last.map({ $0.number < number }) ?? true { return items.append(item) }
            let index = index(of: number)
            if items[index].number == number { items[index] = item } else { items.insert(item, at: index) }
        }
    }

    /// The positions in one segment, merged with others.
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

    /// The index of a number, or where it would be inserted.
    private func index(of number: UInt64) -> Int {
        var (low, high) = (0, items.count)
        while low < high {
            let middle = (low + high) / 2
            if items[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
