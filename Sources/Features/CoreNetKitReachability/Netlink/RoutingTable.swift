/// The interfaces of a machine and its default routes, built from the kernel's messages.
struct RoutingTable {
    private var links: [Int32: Bool] = [:]
    private var routes: Set<DefaultRoute> = []

    /// Whether there is a default route over a working interface.
    var isReachable: Bool {
        routes.contains { route in
            route.links.isEmpty ? links.values.contains(true) : route.links.contains { links[$0] == true }
        }
    }

    /// Applies one message.
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
