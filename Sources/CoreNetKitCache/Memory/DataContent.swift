package import CoreNetKitEssentials

/// Content that is in memory.
package struct DataContent: CacheContent {
    package let data: Data

    package init(_ data: Data) { self.data = data }

    package var length: Int64 { Int64(data.count) }

    package func read(_ range: Range<Int64>) async -> Data? {
        guard range.lowerBound >= 0, range.upperBound <= length else { return nil }
        if range.upperBound - range.lowerBound == length { return data }
        let start = data.startIndex + Int(range.lowerBound)
        return data[start..<start + Int(range.upperBound - range.lowerBound)]
    }
}
