import CoreNetKitSystem
import Synchronization

/// The containers of the one thread that decodes a document: one that is no longer in use serves the next object.
struct JsonCursorPool: ~Copyable, Sendable {
    /// Zero means none.
    private let thread = Atomic<UInt>(0)
    private let first = Atomic<Unmanaged<JsonCursor>?>(nil)

    /// Keeps containers from now on, for this thread, until ``end()``; `false` if a thread does so already.
    func begin() -> Bool {
        thread.compareExchange(expected: 0, desired: Self.thisThread, ordering: .acquiring).exchanged
    }

    /// Releases all containers: they and the document refer to each other.
    func end() {
        var cursor = first.exchange(nil, ordering: .relaxed)
        while let found = cursor {
            cursor = found._withUnsafeGuaranteedRef { $0.next }
            JsonCursor.leave(found)
        }
        thread.store(0, ordering: .releasing)
    }

    /// Finds a container that is no longer in use, or creates one.
    @inline(__always)
    func container<Key>(
        of document: JsonDocument,
        at object: UInt32,
        names: [String: UInt32]?,
        factory: KeyedFactory<Key, KeyedDecodingContainer<Key>>
    ) -> KeyedDecodingContainer<Key> {
        guard thread.load(ordering: .relaxed) == Self.thisThread else {
            return factory.decoding(at: JsonCursor(document, object: object, names: names, factory: nil))
        }
        var cursor = first.load(ordering: .relaxed)
        while let found = cursor {
            // Not retained: the list retains it, and no other thread uses it.
            let box: AnyObject? = found._withUnsafeGuaranteedRef {
                cursor = $0.next
                guard $0.isMade(by: factory), $0.isFree else { return nil }
                $0.move(to: object, names: names)
                return $0.box
            }
            if let box { return factory.decoding(box) }
        }
        if let spare = spare(for: document, at: object, names: names, factory: factory),
            let box = spare._withUnsafeGuaranteedRef({ $0.box })
        {
            return factory.decoding(box)
        }
        let another = JsonCursor(document, object: object, names: names, factory: hasRoom ? factory : nil)
        if hasRoom { add(Unmanaged.passRetained(another)) }
        return factory.decoding(at: another)
    }

    /// Takes the container that an earlier document left behind.
    @inline(never)
    private func spare(
        for document: JsonDocument,
        at object: UInt32,
        names: [String: UInt32]?,
        factory: AnyKeyedFactory
    ) -> Unmanaged<JsonCursor>? {
        guard hasRoom, let spare = factory.spare.exchange(nil, ordering: .acquiringAndReleasing) else { return nil }
        spare._withUnsafeGuaranteedRef { $0.move(to: document, object: object, names: names) }
        add(spare)
        return spare
    }

    private var hasRoom: Bool {
        first.load(ordering: .relaxed)?._withUnsafeGuaranteedRef { !$0.isLast } ?? true
    }

    private func add(_ cursor: Unmanaged<JsonCursor>) {
        cursor._withUnsafeGuaranteedRef { $0.join(first.load(ordering: .relaxed)) }
        first.store(cursor, ordering: .relaxed)
    }

    /// The calling thread; never zero.
    @inline(__always)
    private static var thisThread: UInt {
        // A number on some platforms, a pointer on others.
        let thread: pthread_t = pthread_self()
        return withUnsafeBytes(of: thread) { $0.load(as: UInt.self) }
    }
}
