import CoreNetKitSystem

extension ChainParts {
    /// Objects that a client shares with all its copies: the retry budget, exchanges in flight, refreshes.
    public final class SharedObjects: Sendable {
        private let objects: Locked<[ObjectIdentifier: any AnyObject & Sendable]>

        package init(_ objects: [ObjectIdentifier: any AnyObject & Sendable] = [:]) {
            self.objects = Locked(objects)
        }

        /// The single object of a type, created on first access.
        ///
        /// - Parameters:
        ///   - type: The type; one object of each is kept.
        ///   - make: Creates the object; called at most once, and must not access other shared objects.
        /// - Returns: The object.
        public func object<Object: AnyObject & Sendable>(_ type: Object.Type, make: () -> Object) -> Object {
            objects.withLock { objects in
                if let known = objects[ObjectIdentifier(type)] as? Object { return known }
                let made = make()
                objects[ObjectIdentifier(type)] = made
                return made
            }
        }

        /// The same objects, with one replaced.
        package func replacing<Object: AnyObject & Sendable>(_ object: Object) -> SharedObjects {
            var all = objects.withLock { $0 }
            all[ObjectIdentifier(Object.self)] = object
            return SharedObjects(all)
        }

        /// The objects that keep users' data.
        var keepers: [any SessionDataOwner] {
            objects.withLock { $0.values.compactMap { $0 as? any SessionDataOwner } }
        }

        /// Ends the background work of all objects that are ``Stoppable``.
        public func shutDown() async {
            for case let object as any Stoppable in objects.withLock({ Array($0.values) }) { await object.shutDown() }
        }
    }
}

extension ChainParts {
    /// An object with background work that can be stopped.
    public protocol Stoppable: Sendable {
        /// Ends the work and returns when it has ended.
        func shutDown() async
    }
}
