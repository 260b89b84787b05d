import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

extension OutboxEngine {
    /// Ends an entry as dead or in doubt, for the app to decide.
    func fail(_ number: UInt64, _ state: OutboxEntry.State, _ status: Int? = nil) {
        guard let entry = index[number] else { return }
        index.update(number) { entry in
            entry.state = state
            entry.history.lastStatus = status ?? entry.history.lastStatus
            entry.history.wait = nil
        }
        if let record = index[number]?.marks.first { append(record) }
        switch state {
        case .dead(let text): report(.dead(entry.id, text))
        case .inDoubt(let text): report(.inDoubt(entry.id, text))
        default: break
        }
        changed(number)
        callers.receipts.removeValue(forKey: entry.id)?.end(state, nil)
    }

    /// Ends an entry for good; the caller writes the record.
    func end(_ number: UInt64, _ state: OutboxEntry.State, _ response: TransportResponse? = nil) {
        guard let entry = index[number] else { return }
        let followers = index.dependencies.isEmpty ? [] : index.dependencies.followers(of: entry)
        index.update(number) { $0.state = state }
        if let blob = entry.blob { syncing.finishedBlobs.append(blob.name) }
        let delivery = response.map { OutboxDelivery(entry: entry.summary, state: state, response: $0) }
        callers.receipts.removeValue(forKey: entry.id)?.end(state, delivery)
        release(followers, of: state)
    }

    /// Writes a mark whose loss would only cause a harmless repetition.
    func append(_ record: LogRecord) {
        guard let log else { return }
        do throws(LogError) {
            try log.append([record])
            syncing.marks += 1
        } catch {
            report(.storage("\(error)"))
        }
    }

    func report(_ report: OutboxReport) {
        published.add(report)
    }

    /// Updates the receipt of an entry.
    func changed(_ number: UInt64) {
        guard let entry = index[number] else { return }
        callers.receipts[entry.id]?.set(entry.state)
    }

    // MARK: Compaction

    func compactIfWorthwhile() {
        guard let log, log.totalCount > max(2 * index.keptBytes, 0) + log.segmentLimit else { return }
        try? compact()
    }

    func compact() throws(LogError) {
        guard let log else { return }
        let live = index.entries.values.sorted { $0.number < $1.number }.map { ($0.number, $0.marks) }
        do throws(LogError) { try log.compact(keeping: live) } catch {
            report(.storage("\(error)"))
            throw error
        }
        published.totals.compactions += 1
    }
}
