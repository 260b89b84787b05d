import Synchronization

/// The position of an object's container, which moves from object to object, because the standard library's box is expensive.
final class JsonCursor: @unchecked Sendable {
    // Sendable: only the thread of the `JsonCursorPool` writes, and only while no one else has the container.

    private(set) var document: JsonDocument
    /// The same, for reading a member without retaining it.
    private(set) var unretained: Unmanaged<JsonDocument>
    private(set) var object: UInt32
    /// The values of the object by name, if a linear search would be slow.
    private(set) var names: [String: UInt32]?
    private(set) var hasNames: Bool

    /// The factory of the container; `nil` if the container is not to be reused.
    let factory: Unmanaged<AnyKeyedFactory>?
    /// The previous cursor of the document; `ordinal` counts the cursors before this one.
    private(set) var next: Unmanaged<JsonCursor>?
    private var ordinal = 0
    /// The box in which the standard library keeps the container.
    private(set) var box: AnyObject?

    init(_ document: JsonDocument, object: UInt32, names: [String: UInt32]?, factory: AnyKeyedFactory?) {
        self.document = document
        self.object = object
        self.names = names
        self.factory = factory.map { .passUnretained($0) }
        unretained = .passUnretained(document)
        hasNames = names != nil
    }

    @inline(__always)
    func isMade(by other: AnyKeyedFactory) -> Bool { factory?.toOpaque() == Unmanaged.passUnretained(other).toOpaque() }

    @inline(__always)
    var isFree: Bool { isKnownUniquelyReferenced(&box) }

    /// Moves the unused container to another object of its document.
    @inline(__always)
    func move(to object: UInt32, names: [String: UInt32]?) {
        self.object = object
        if hasNames || names != nil {
            self.names = names
            hasNames = names != nil
        }
    }

    /// Moves the unused container to an object of another document.
    func move(to document: consuming JsonDocument, object: UInt32, names: [String: UInt32]?) {
        move(to: object, names: names)
        unretained = .passUnretained(document)
        self.document = document
    }

    /// Keeps a container, which consists only of a reference to its box.
    func keep<Container>(_ container: Container) {
        if factory != nil, Self.canKeep { box = unsafeBitCast(container, to: AnyObject.self) }
    }

    /// Puts it in front of the document's other cursors.
    func join(_ others: Unmanaged<JsonCursor>?) {
        next = others
        ordinal = others.map { $0._withUnsafeGuaranteedRef { $0.ordinal + 1 } } ?? 0
    }

    /// Whether there are so many cursors before it that a search would take longer than creating one.
    var isLast: Bool { ordinal >= 63 }

    /// Leaves the document, for the next one with such objects or for good: container and cursor refer to each other.
    static func leave(_ reference: Unmanaged<JsonCursor>) {
        var last: Unmanaged<JsonCursor>? = reference
        reference._withUnsafeGuaranteedRef { cursor in
            cursor.next = nil
            guard let factory = cursor.factory, cursor.isFree, let nothing = JsonDocument.nothing else { return }
            cursor.move(to: nothing, object: 0, names: nil)
            last = factory._withUnsafeGuaranteedRef { $0.spare.exchange(reference, ordering: .acquiringAndReleasing) }
        }
        last?._withUnsafeGuaranteedRef { $0.box = nil }
        last?.release()
    }

    /// Whether a container consists of one reference and no more; with another runtime the slow path is used.
    private static let canKeep: Bool = {
        guard let document = JsonDocument.nothing else { return false }
        let cursor = JsonCursor(document, object: 0, names: nil, factory: nil)
        let container = KeyedDecodingContainer(JsonKeyedContainer<AnyKey>(cursor: cursor))
        let parts = Array(Mirror(reflecting: container).children)
        guard parts.count == 1, type(of: parts[0].value) is AnyClass,
            MemoryLayout<KeyedDecodingContainer<AnyKey>>.size == MemoryLayout<UInt>.size
        else { return false }
        return withUnsafeBytes(of: container) { bytes in
            bytes.load(as: UInt.self) == UInt(bitPattern: ObjectIdentifier(parts[0].value as AnyObject))
        }
    }()
}
