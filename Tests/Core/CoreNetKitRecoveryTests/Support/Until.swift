import CoreNetKit

/// Yields to other tasks until a condition holds; the suite's time limit ends a wait for what never comes.
func until(_ holds: () -> Bool) async {
    while !holds() { await Task.yield() }
}

extension TokenRefresher {
    /// Lets tests wait until this many calls wait for the refresh.
    func waiting(_ count: Int) async { await until { callsWaiting == count } }
}
