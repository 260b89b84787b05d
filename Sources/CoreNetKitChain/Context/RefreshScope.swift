/// Which token refreshers the running task works for: its calls must not wait for what waits for them.
///
/// A task-local, because the refresh is a closure of the user's that calls chains of its own: no value of the call that
/// started it reaches them.
package enum RefreshScope {
    @TaskLocal package static var current: Set<ObjectIdentifier> = []
}
