import CoreData
import CoreDataBenchmarkRaw
import Foundation

/// The yardstick's entities: 1,000 teams, N persons, an index on the team key and one on the age.
enum PersonModel {
    static func make() -> NSManagedObjectModel {
        let team = NSEntityDescription()
        team.name = "Team"
        team.managedObjectClassName = NSStringFromClass(Team.self)
        let person = NSEntityDescription()
        person.name = "Person"
        person.managedObjectClassName = NSStringFromClass(Person.self)
        let teamOfPerson = relationship("team", to: team, maxCount: 1)
        let members = relationship("members", to: person, maxCount: 0)
        teamOfPerson.inverseRelationship = members
        members.inverseRelationship = teamOfPerson
        team.properties = [attribute("name", .stringAttributeType), members]
        person.properties = [
            attribute("name", .stringAttributeType), attribute("email", .stringAttributeType),
            attribute("age", .integer32AttributeType), attribute("score", .doubleAttributeType),
            attribute("createdAt", .dateAttributeType), attribute("isActive", .booleanAttributeType),
            attribute("uuid", .UUIDAttributeType), teamOfPerson,
        ]
        let age = NSFetchIndexElementDescription(property: person.propertiesByName["age"]!, collationType: .binary)
        person.indexes = [NSFetchIndexDescription(name: "byAge", elements: [age])]
        let model = NSManagedObjectModel()
        model.entities = [team, person]
        return model
    }

    static func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        return attribute
    }

    static func relationship(
        _ name: String, to destination: NSEntityDescription, maxCount: Int, rule: NSDeleteRule = .nullifyDeleteRule
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.maxCount = maxCount
        relationship.isOptional = true
        relationship.deleteRule = rule
        return relationship
    }
}

/// A team with its persons.
final class Team: NSManagedObject {
    private static let membersProperty = _ManagedProperty("members")

    var members: Set<Person> { _get(Self.membersProperty) }
}

/// A typed class as generated code would write it.
final class Person: NSManagedObject {
    private static let nameProperty = _ManagedProperty("name")
    private static let emailProperty = _ManagedProperty("email")
    private static let ageProperty = _ManagedProperty("age")
    private static let scoreProperty = _ManagedProperty("score")
    private static let createdAtProperty = _ManagedProperty("createdAt")
    private static let isActiveProperty = _ManagedProperty("isActive")
    private static let uuidProperty = _ManagedProperty("uuid")
    private static let teamProperty = _ManagedProperty("team")

    var name: String? {
        get { _get(Self.nameProperty) }
        set { _set(Self.nameProperty, newValue) }
    }
    var email: String? {
        get { _get(Self.emailProperty) }
        set { _set(Self.emailProperty, newValue) }
    }
    var age: Int32 {
        get { _get(Self.ageProperty) }
        set { _set(Self.ageProperty, newValue) }
    }
    var score: Double {
        get { _get(Self.scoreProperty) }
        set { _set(Self.scoreProperty, newValue) }
    }
    var createdAt: Date? {
        get { _get(Self.createdAtProperty) }
        set { _set(Self.createdAtProperty, newValue) }
    }
    var isActive: Bool {
        get { _get(Self.isActiveProperty) }
        set { _set(Self.isActiveProperty, newValue) }
    }
    var uuid: UUID? {
        get { _get(Self.uuidProperty) }
        set { _set(Self.uuidProperty, newValue) }
    }
    var team: NSManagedObject? {
        get { _get(Self.teamProperty) }
        set { _set(Self.teamProperty, newValue) }
    }

    func fill(_ row: raw_row) {
        name = row.nameText
        email = row.emailText
        age = row.age
        score = row.score
        createdAt = Date(timeIntervalSinceReferenceDate: row.created_at)
        isActive = row.is_active != 0
        uuid = UUID(uuid: row.uuid)
    }

    /// The sum the raw side makes of the same fields.
    var checksum: Double {
        let name = name ?? ""
        let email = email ?? ""
        var sum = Double(name.utf8.count) + Double(name.utf8.last ?? 0)
        sum += Double(email.utf8.count) + Double(email.utf8.last ?? 0)
        sum += Double(age) + score + (createdAt?.timeIntervalSinceReferenceDate ?? 0) / 1e6 + (isActive ? 1 : 0)
        if let uuid { sum += Double(uuid.uuid.0) + Double(uuid.uuid.15) }
        return sum + (team != nil ? 1 : 0)
    }
}
