/// A dictionary whose entries expire; expired ones are removed when the number of entries has doubled.
struct Shelf<Thing: Sendable>: Sendable {
    private struct Place: Sendable {
        let thing: Thing
        let end: Duration
    }

    private var places: [SharedKey: Place] = [:]
    private var sweepsAt = 1024

    var count: Int { places.count }

    func find(_ key: SharedKey, at now: Duration) -> Thing? {
        guard let place = places[key], now < place.end else { return nil }
        return place.thing
    }

    mutating func put(_ thing: Thing, under key: SharedKey, until end: Duration, at now: Duration) {
        places[key] = Place(thing: thing, end: end)
        guard places.count >= sweepsAt else { return }
        places = places.filter { now < $0.value.end }
        sweepsAt = max(1024, places.count * 2)
    }

    mutating func remove(_ key: SharedKey) { places[key] = nil }
}
