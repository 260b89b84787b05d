/// What the kernel's news add up to: the interfaces of a machine and its ways to everywhere.
struct RouteTable {
    private var links: [Int32: Bool] = [:]
    private var routes: Set<DefaultRoute> = []

    /// Whether there is a way to everywhere over an interface that works.
    var isReachable: Bool {
        routes.contains { route in
            route.links.isEmpty ? links.values.contains(true) : route.links.contains { links[$0] == true }
        }
    }

    /// Takes in one piece of news.
    mutating func apply(_ message: NetlinkMessage) {
        switch message {
        case .link(let index, let isUp, let isRunning):
            links[index] = isUp && isRunning
            // The kernel forgets the routes of an interface that is switched off, and does not say so.
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
