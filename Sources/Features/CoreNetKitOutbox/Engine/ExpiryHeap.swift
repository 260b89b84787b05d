/// Entries by expiry time, the earliest first.
struct ExpiryHeap: Sendable {
    private struct Item: Sendable {
        let time: Int64
        let number: UInt64
    }

    private var items: [Item] = []

    var first: UInt64? { items.first?.number }

    mutating func insert(_ number: UInt64, at time: Int64) {
        items.append(Item(time: time, number: number))
        var index = items.count - 1
        while index > 0, items[index].time < items[(index - 1) / 2].time {
            items.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func removeFirst() {
        guard let last = items.popLast(), !items.isEmpty else { return }
        items[0] = last
        var index = 0
        while true {
            let children = (2 * index + 1...2 * index + 2).filter(items.indices.contains)
            guard let child = children.min(by: { items[$0].time < items[$1].time }),
                items[child].time < items[index].time
            else { return }
            items.swapAt(index, child)
            index = child
        }
    }
}
