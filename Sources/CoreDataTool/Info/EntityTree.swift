/// The rows of `Z_PRIMARYKEY` as a tree. A file may claim anything: an unknown parent, itself, a circle.
struct EntityTree {
    private var entities: [(entity: StoreSnapshot.Entity, parentNumber: Int64)] = []
    private var indexes: [Int64: Int] = [:]

    var count: Int { entities.count }

    mutating func add(number: Int64, name: String, parent: Int64, lastKey: Int64) {
        indexes[number] = entities.count
        entities.append((StoreSnapshot.Entity(name: name, number: number, lastKey: lastKey), parent))
    }

    /// Parents before their children, and these in order of their numbers; what stands in a circle comes as roots.
    ///
    /// Cost: proportional to the number of entities.
    func inOrder() -> [StoreSnapshot.Entity] {
        var children = [[Int]](repeating: [], count: entities.count)
        var pending: [(index: Int, parent: Int?, depth: Int)] = []
        for index in entities.indices {
            if let parent = indexes[entities[index].parentNumber], parent != index {
                children[parent].append(index)
            } else {
                pending.append((index, nil, 0))
            }
        }
        pending.reverse()
        var result: [StoreSnapshot.Entity] = []
        var placed = [Bool](repeating: false, count: entities.count)
        func place() {
            while let (index, parent, depth) = pending.popLast() {
                if placed[index] { continue }
                placed[index] = true
                var entity = entities[index].entity
                entity.parent = parent
                entity.depth = depth
                let position = result.count
                result.append(entity)
                pending += children[index].reversed().map { ($0, position, depth + 1) }
            }
        }
        place()
        for index in entities.indices where !placed[index] {
            pending.append((index, nil, 0))
            place()
        }
        return result
    }
}
