/// One netlink message about interfaces or routes (RFC 3549).
///
/// Numbers are in native byte order.
enum NetlinkMessage: Hashable {
    /// An interface: whether packets can leave by it.
    case link(index: Int32, isUp: Bool, isRunning: Bool)
    case linkGone(index: Int32)
    case route(DefaultRoute)
    case routeGone(DefaultRoute)
    /// The end of a requested list.
    case done
    /// The kernel rejects the request, with a number of `errno`.
    case failed(Int32)
    case overrun
}

/// A route whose destination is every address of a family.
struct DefaultRoute: Hashable {
    let family: UInt8
    let table: UInt32
    let priority: UInt32
    let gateway: [UInt8]
    /// The interfaces of the route; empty if the kernel stores them elsewhere, in a next-hop object.
    let links: [Int32]
}

extension NetlinkMessage {
    /// Parses all messages of one datagram; other messages and malformed ones are skipped.
    static func all(in bytes: UnsafeRawBufferPointer) -> [NetlinkMessage] {
        bytes.items(UInt32.self, head: 16).compactMap { item in
            item.number(at: 4).flatMap { NetlinkMessage(type: $0, UnsafeRawBufferPointer(rebasing: item[16...])) }
        }
    }

    private init?(type: UInt16, _ content: UnsafeRawBufferPointer) {
        switch type {
        case 2:
            guard let code: Int32 = content.number(at: 0), code != 0 else { return nil }
            self = .failed(code == .min ? .max : -code)
        case 3: self = .done
        case 4: self = .overrun
        case 16, 17:
            // The loopback interface is ignored, because no packet leaves the machine by it.
            guard let index: Int32 = content.number(at: 4), let flags: UInt32 = content.number(at: 8), flags & 0x8 == 0
            else { return nil }
            let (isUp, isRunning) = (flags & 0x1 != 0, flags & 0x40 != 0)
            self = type == 17 ? .linkGone(index: index) : .link(index: index, isUp: isUp, isRunning: isRunning)
        case 24, 25:
            guard let route = DefaultRoute(content) else { return nil }
            self = type == 24 ? .route(route) : .routeGone(route)
        default: return nil
        }
    }
}

extension DefaultRoute {
    private static let unicast: UInt8 = 1
    private static let localTable: UInt32 = 255
    private static let clonedFlag: UInt32 = 0x200

    /// Parses a default route to other machines; `nil` for any other route.
    fileprivate init?(_ content: UnsafeRawBufferPointer) {
        guard content.count >= 12, let flags: UInt32 = content.number(at: 8) else { return nil }
        let (family, prefix, kind) = (content[0], content[1], content[7])
        guard prefix == 0, kind == Self.unicast, flags & Self.clonedFlag == 0 else { return nil }
        var (table, priority, gateway, links) = (UInt32(content[4]), UInt32(0), [UInt8](), [Int32]())
        for item in content.items(UInt16.self, from: 12, head: 4) {
            let value = UnsafeRawBufferPointer(rebasing: item[4...])
            switch item.number(at: 2) as UInt16? {
            case 4: if let link: Int32 = value.number(at: 0) { links.append(link) }
            case 5: gateway = Array(value)
            case 6: priority = value.number(at: 0) ?? 0
            case 9: links += value.items(UInt16.self, head: 8).compactMap { $0.number(at: 4) }
            case 15: table = value.number(at: 0) ?? table
            default: break
            }
        }
        guard table != Self.localTable else { return nil }
        self.init(family: family, table: table, priority: priority, gateway: gateway, links: links)
    }
}

extension UnsafeRawBufferPointer {
    /// A number in native byte order; `nil` beyond the end.
    fileprivate func number<Number: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Number? {
        guard offset >= 0, offset <= count - MemoryLayout<Number>.size else { return nil }
        return loadUnaligned(fromByteOffset: offset, as: Number.self)
    }

    /// Whole items that begin with their length, which counts a head, at multiples of four; a malformed one ends them.
    fileprivate func items<Length: FixedWidthInteger & BitwiseCopyable>(
        _: Length.Type,
        from start: Int = 0,
        head: Int
    ) -> [UnsafeRawBufferPointer] {
        var (items, start) = ([UnsafeRawBufferPointer](), start)
        while let length: Length = number(at: start), length >= head, Int(length) <= count - start {
            items.append(UnsafeRawBufferPointer(rebasing: self[start..<(start + Int(length))]))
            start = (start + Int(length) + 3) & ~3
        }
        return items
    }
}

/// The interfaces of a machine and its default routes, built from the kernel's messages.
struct RoutingTable {
    private var links: [Int32: Bool] = [:]
    private var routes: Set<DefaultRoute> = []

    var isReachable: Bool {
        routes.contains { route in
            route.links.isEmpty ? links.values.contains(true) : route.links.contains { links[$0] == true }
        }
    }

    mutating func apply(_ message: NetlinkMessage) {
        switch message {
        case .link(let index, let isUp, let isRunning):
            links[index] = isUp && isRunning
            // The kernel sends no message when it drops the routes of a disabled interface.
            if !isUp { forgetRoutes(over: index) }
        case .linkGone(let index):
            links[index] = nil
            forgetRoutes(over: index)
        case .route(let route): routes.insert(route)
        case .routeGone(let route): routes.remove(route)
        case .done, .failed, .overrun: break
        }
    }

    private mutating func forgetRoutes(over link: Int32) {
        routes = routes.filter { $0.links.isEmpty || $0.links.contains { $0 != link } }
    }
}
