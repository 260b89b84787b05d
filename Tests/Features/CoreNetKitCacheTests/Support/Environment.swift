import CoreNetKitEssentials

/// How many rounds of a random test to run: from the environment, or as many as fit into every test run.
func environment(_ name: String, _ standard: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? standard
}
