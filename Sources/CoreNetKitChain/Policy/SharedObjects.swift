import CoreNetKitSystem

extension ChainParts {
    /// Objects of which a client and all its copies have one each: the retry budget, exchanges in flight, refreshes.
    public final class SharedObjects: Sendable {
        private let objects: Locked<[ObjectIdentifier: any AnyObject & Sendable]>

        package init(_ objects: [ObjectIdentifier: any AnyObject & Sendable] = [:]) {
            self.objects = Locked(objects)
        }

        /// The one object of a type, made when it is first asked for.
        ///
        /// - Parameters:
        ///   - type: The type; one object is kept of each.
        ///   - make: Makes it; called at most once, and must not ask for other objects.
        /// - Returns: The object.
        public func object<Object: AnyObject & Sendable>(_ type: Object.Type, make: () -> Object) -> Object {
            objects.withLock { objects in
                if let known = objects[ObjectIdentifier(type)] as? Object { return known }
                let made = make()
                objects[ObjectIdentifier(type)] = made
                return made
            }
        }

        /// The same objects but for one, which is replaced.
        package func replacing<Object: AnyObject & Sendable>(_ object: Object) -> SharedObjects {
            var all = objects.withLock { $0 }
            all[ObjectIdentifier(Object.self)] = object
            return SharedObjects(all)
        }

        /// The objects that keep something for users.
        var keepers: [any SessionKeeper] {
            objects.withLock { $0.values.compactMap { $0 as? any SessionKeeper } }
        }

        /// Ends what the objects do beside calls: those that are ``Stoppable``.
        public func shutDown() async {
            for case let object as any Stoppable in objects.withLock({ Array($0.values) }) { await object.shutDown() }
        }
    }
}

extension ChainParts {
    /// Something that works beside calls and can be told to end.
    public protocol Stoppable: Sendable {
        /// Ends the work and returns when it has ended.
        func shutDown() async
    }
}
