import CoreNetKitEssentials

/// How many rounds of a random test are run: what the environment says, or as many as fit into every run of the tests.
func environment(_ name: String, _ standard: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? standard
}
