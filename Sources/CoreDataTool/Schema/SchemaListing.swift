import Foundation

/// A model for people.
struct SchemaListing {
    private let schema: Schema
    private let console: Console
    private let style: Style

    init(_ schema: Schema, _ console: Console) {
        self.schema = schema
        self.console = console
        style = console.style
    }

    func print() {
        console.print(style.bold(schema.path.printable(limit: 4096)))
        let identifiers = schema.versionIdentifiers.filter { !$0.isEmpty }.map(text)
        console.print("  version identifiers  \(identifiers.isEmpty ? "none" : identifiers.joined(separator: ", "))")
        console.print("  checksum             \(schema.checksum)")
        schema.entities.forEach(print)
    }

    private func print(_ entity: Schema.Entity) {
        console.print()
        var title = style.bold(text(entity.name))
        if let parent = entity.parent { title += " : " + text(parent) }
        if entity.isAbstract { title += "  (abstract)" }
        console.print(title)
        var facts: [String] = []
        if let table = entity.table { facts.append("table \(text(table))") }
        if let number = entity.number { facts.append("Z_ENT \(number)") }
        if let name = entity.className { facts.append("class \(text(name))") }
        if !facts.isEmpty { console.print("  " + style.dim(facts.joined(separator: ", "))) }
        var table = Table([("", .left), ("", .left), ("", .left), ("", .left)])
        for attribute in entity.attributes { table.add(cells(attribute)) }
        for relationship in entity.relationships { table.add(cells(relationship)) }
        for property in entity.fetchedProperties { table.add([text(property), "fetched property", "", ""]) }
        table.lines(style).forEach(console.print)
        for names in entity.uniquenessConstraints {
            console.print("  unique: " + names.map(text).joined(separator: ", "))
        }
        for index in entity.indexes {
            console.print("  index \(text(index.name)): " + index.elements.map(text).joined(separator: ", "))
        }
    }

    private func cells(_ attribute: Schema.Attribute) -> [String] {
        var facts = attribute.isOptional ? [] : ["required"]
        if let value = attribute.defaultValue { facts.append("default \(MetadataValue.text(value))") }
        facts += attribute.notes.map(text)
        return [text(attribute.name), attribute.type, text(attribute.column ?? ""), facts.joined(separator: ", ")]
    }

    private func cells(_ relationship: Schema.Relationship) -> [String] {
        var facts = relationship.isOptional ? [] : ["required"]
        if relationship.isToMany, relationship.minimum > 0 || relationship.maximum > 0 {
            facts.append(
                "\(relationship.minimum) to \(relationship.maximum > 0 ? "\(relationship.maximum)" : "any number")")
        }
        facts.append(relationship.inverse.map { "inverse \(text($0))" } ?? "no inverse")
        facts.append(relationship.deleteRule)
        if relationship.isTransient { facts.append("transient") }
        let arrow = relationship.isToMany ? (relationship.isOrdered ? "→→ ordered " : "→→ ") : "→ "
        let place = relationship.column ?? relationship.place.map { "\($0.table).\($0.member ?? $0.owner)" } ?? ""
        return [
            text(relationship.name), arrow + text(relationship.destination), text(place), facts.joined(separator: ", "),
        ]
    }

    private func text(_ text: String) -> String { text.printable(limit: 200) }
}
