import CoreNetKitSystem

extension JsonDocument {
    package func string(at index: UInt32) -> String {
        let bytes = bytes(of: index)
        guard self[index].traits.contains(.escaped) else {
            // A short one needs neither an allocation nor a call this way.
            if bytes.count > 15 { return String(decoding: bytes, as: UTF8.self) }
            return String(unsafeUninitializedCapacity: bytes.count) { text in
                if let start = bytes.baseAddress { text.baseAddress?.update(from: start, count: bytes.count) }
                return bytes.count
            }
        }
        return String(unsafeUninitializedCapacity: bytes.count) { Self.unescape(bytes, into: $0) }
    }

    @inline(__always)
    func text(at index: UInt32) -> String? { self[index].kind == .string ? string(at: index) : nil }

    @inline(__always)
    func bool(at index: UInt32) -> Bool? {
        switch self[index].kind {
        case .no: false
        case .yes: true
        default: nil
        }
    }

    /// Writes a text, which the scanner has checked, without its escapes, which can only make it shorter.
    private static func unescape(
        _ bytes: UnsafeBufferPointer<UInt8>,
        into text: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        guard let source = bytes.baseAddress, let target = text.baseAddress else { return 0 }
        var length = 0
        var next = 0
        while next < bytes.count {
            // Eight bytes at a time, while there is room; after a document's text there is more than that.
            if length + 8 <= text.count {
                let word = UnsafeRawPointer(source + next).loadUnaligned(as: UInt64.self)
                UnsafeMutableRawPointer(target + length).storeBytes(of: word, as: UInt64.self)
                let plain = min(JsonEscape.plainBytes(word), bytes.count - next)
                length += plain
                next += plain
                if plain == 8 { continue }
            } else if source[next] != UInt8(ascii: "\\") {
                target[length] = source[next]
                length += 1
                next += 1
                continue
            }
            guard next + 1 < bytes.count else { break }
            let code = source[next + 1]
            next += 2
            if code != UInt8(ascii: "u") {
                target[length] = unescaped(code)
                length += 1
                continue
            }
            let scalar = Unicode.Scalar(unicode(in: bytes, at: &next))
            for unit in scalar.flatMap(UTF8.encode) ?? UTF8.encodedReplacementCharacter {
                target[length] = unit
                length += 1
            }
        }
        return length
    }

    @inline(__always)
    private static func unescaped(_ code: UInt8) -> UInt8 {
        switch code {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: code
        }
    }

    /// The character of one escape or of a pair, after the first `\u`.
    private static func unicode(in bytes: UnsafeBufferPointer<UInt8>, at next: inout Int) -> UInt32 {
        func unit(at start: Int) -> UInt32 {
            guard start + 4 <= bytes.count else { return 0 }
            return bytes[start..<start + 4].reduce(0) { $0 << 4 | UInt32(Hex.value(of: $1) ?? 0) }
        }
        let first = unit(at: next)
        next += 4
        guard 0xD800..<0xDC00 ~= first else { return first }
        let second = unit(at: next + 2)
        next += 6
        return 0x10000 + (first & 0x3FF) << 10 + (second & 0x3FF)
    }

    // MARK: - Members

    /// From this size on a table finds a member faster than a linear search.
    private static let indexedSize: UInt32 = 32

    /// Whether comparing bytes is not enough to find a member, or slower than a table.
    @inline(__always)
    func isIndexed(_ object: UInt32) -> Bool {
        let token = self[object]
        return token.size > Self.indexedSize || !token.traits.isEmpty
    }

    /// The values of an object by name, the first of each; `nil` if comparing bytes is enough and faster.
    package func index(of object: UInt32) -> [String: UInt32]? { isIndexed(object) ? index(of: object) { $0 } : nil }

    /// The values of an object by converted name, the first of each.
    package func index(of object: UInt32, name: (String) -> String) -> [String: UInt32] {
        var values = [String: UInt32](minimumCapacity: Int(size(of: object)))
        forEachName(of: object) { index in
            let name = name(string(at: index))
            if values[name] == nil { values[name] = index + 1 }
        }
        return values
    }

    package func forEachName(of object: UInt32, _ body: (UInt32) throws -> Void) rethrows {
        var name = object + 2
        let end = end(of: object)
        while name < end {
            try body(name)
            name = self.end(of: name + 1)
        }
    }

    /// The first value with that name in an object that has no index.
    @inline(never)
    package func value(of name: String, in object: UInt32) -> UInt32? {
        let found = name.utf8.withContiguousStorageIfAvailable { name in value(of: name, in: object) }
        if let found, let found { return found }
        return value(ofUnfound: name, in: object, isContiguous: found != nil)
    }

    @inline(never)
    private func value(ofUnfound name: String, in object: UInt32, isContiguous: Bool) -> UInt32? {
        // Non-ASCII characters may be equal to ASCII ones.
        guard !isContiguous || !name.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        return index(of: object) { $0 }[name]
    }

    @inline(__always)
    private func value(of name: UnsafeBufferPointer<UInt8>, in object: UInt32) -> UInt32? {
        guard name.count < JsonToken.largeSize else { return nil }
        let size = UInt32(truncatingIfNeeded: name.count)
        let (start, mask) = Self.start(of: name)
        let end = self[object].start
        var index = object &+ 2
        while index < end {
            // A document's memory extends further beyond its text.
            if self[index].size == size,
                UInt64(littleEndian: text(of: index).loadUnaligned(as: UInt64.self)) & mask == start,
                size <= 8 || Self.areEqual(name, text(of: index))
            {
                return index &+ 1
            }
            index = self.end(of: index &+ 1)
        }
        return nil
    }

    @inline(__always)
    private func text(of name: UInt32) -> UnsafeRawPointer { UnsafeRawPointer(bytes) + Int(self[name].start) }

    /// A name's first eight bytes, and the mask of those it has.
    @inline(__always)
    private static func start(of name: UnsafeBufferPointer<UInt8>) -> (bytes: UInt64, mask: UInt64) {
        guard let bytes = UnsafeRawPointer(name.baseAddress), !name.isEmpty else { return (0, 0) }
        let count = name.count
        if count >= 8 { return (UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)), .max) }
        // Overlapping words: fewer steps than bytes.
        let last = UInt64(truncatingIfNeeded: count &- 1)
        let mask = UInt64.max &>> (56 &- last &* 8)
        if count >= 4 {
            let low = UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))
            let high = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self))
            return (UInt64(low) | UInt64(high) &<< (last &* 8 &- 24), mask)
        }
        let middle = count / 2
        let ends = UInt64(name[0]) | UInt64(name[count &- 1]) &<< (last &* 8)
        return (ends | UInt64(name[middle]) &<< (UInt64(truncatingIfNeeded: middle) &* 8), mask)
    }

    /// Compares names of equal length above eight bytes whose first eight bytes are equal.
    @inline(__always)
    private static func areEqual(_ name: UnsafeBufferPointer<UInt8>, _ text: UnsafeRawPointer) -> Bool {
        guard
            let name = UnsafeRawPointer(name.baseAddress).map({ UnsafeRawBufferPointer(start: $0, count: name.count) })
        else { return true }
        var place = 8
        while place < name.count {
            // The last word ends with the name.
            let next = min(place, name.count &- 8)
            let word = text.loadUnaligned(fromByteOffset: next, as: UInt64.self)
            if name.loadUnaligned(fromByteOffset: next, as: UInt64.self) != word { return false }
            place &+= 8
        }
        return true
    }
}
