extension Array {
    /// The index, from a start, of the first element that is not before another one, in ascending order.
    @inlinable
    package func sortedIndex(from start: Int = 0, isBefore: (Element) -> Bool) -> Int {
        var (low, high) = (start, count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
