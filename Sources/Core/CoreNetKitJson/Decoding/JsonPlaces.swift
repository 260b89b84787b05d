import Synchronization

/// The containers of a document while a thread decodes it: one that is no longer in use serves the next object.
///
/// They belong to that thread: other threads get containers of their own.
struct JsonPlaces: ~Copyable, Sendable {
    /// Zero means none.
    private let thread = Atomic<UInt>(0)
    private let first = Atomic<Unmanaged<JsonPlace>?>(nil)

    /// Keeps containers from now on, for this thread.
    ///
    /// - Returns: Whether no thread did so before; the caller must then call ``end()``.
    func begin() -> Bool {
        thread.compareExchange(expected: 0, desired: ThreadIdentity.current, ordering: .acquiring).exchanged
    }

    /// Releases all containers: they and the document refer to each other.
    func end() {
        var place = first.exchange(nil, ordering: .relaxed)
        while let found = place {
            place = found._withUnsafeGuaranteedRef { $0.next }
            JsonPlace.leave(found)
        }
        thread.store(0, ordering: .releasing)
    }

    /// Finds a container that is no longer in use, or creates one.
    @inline(__always)
    func container<Key>(
        of document: JsonDocument,
        at object: UInt32,
        names: [String: UInt32]?,
        maker: KeyedMaker<Key, KeyedDecodingContainer<Key>>
    ) -> KeyedDecodingContainer<Key> {
        guard thread.load(ordering: .relaxed) == ThreadIdentity.current else {
            return maker.decoding(at: JsonPlace(document, object: object, names: names, maker: nil))
        }
        var place = first.load(ordering: .relaxed)
        while let found = place {
            // Not retained: the list retains it, and no other thread uses it.
            let box: AnyObject? = found._withUnsafeGuaranteedRef {
                place = $0.next
                guard $0.isMade(by: maker), $0.isFree else { return nil }
                $0.move(to: object, names: names)
                return $0.box
            }
            if let box { return maker.decoding(box) }
        }
        if let spare = spare(for: document, at: object, names: names, maker: maker),
            let box = spare._withUnsafeGuaranteedRef({ $0.box })
        {
            return maker.decoding(box)
        }
        let another = JsonPlace(document, object: object, names: names, maker: hasRoom ? maker : nil)
        if hasRoom { add(Unmanaged.passRetained(another)) }
        return maker.decoding(at: another)
    }

    /// Takes the container that an earlier document left behind.
    @inline(never)
    private func spare(
        for document: JsonDocument,
        at object: UInt32,
        names: [String: UInt32]?,
        maker: AnyKeyedMaker
    ) -> Unmanaged<JsonPlace>? {
        guard hasRoom, let spare = maker.spare.exchange(nil, ordering: .acquiringAndReleasing) else { return nil }
        spare._withUnsafeGuaranteedRef { $0.move(to: document, object: object, names: names) }
        add(spare)
        return spare
    }

    private var hasRoom: Bool {
        first.load(ordering: .relaxed)?._withUnsafeGuaranteedRef { !$0.isLast } ?? true
    }

    private func add(_ place: Unmanaged<JsonPlace>) {
        place._withUnsafeGuaranteedRef { $0.join(first.load(ordering: .relaxed)) }
        first.store(place, ordering: .relaxed)
    }
}
