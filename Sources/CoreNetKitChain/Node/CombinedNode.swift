/// A node that takes several steps of the chain at once; the chain is drawn with all of them.
///
/// Between two nodes a value passes through code that learns about its types at run time; steps that always follow each
/// other need not pay for that.
package protocol CombinedNode: Node {
    /// The names of the steps, the first one first.
    var steps: [NodeID] { get }
}
