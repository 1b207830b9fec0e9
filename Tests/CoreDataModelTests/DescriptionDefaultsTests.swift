import CoreData
import Foundation
import Testing

struct DescriptionDefaultsTests {
    @Test func aNewRelationshipIsAnUnboundedToManyThatNullifies() {
        let relationship = NSRelationshipDescription()
        #expect(relationship.minCount == 0)
        #expect(relationship.maxCount == 0)
        #expect(relationship.deleteRule == .nullifyDeleteRule)
        #expect(!relationship.isOrdered)
        #expect(relationship.isToMany)
        #expect(relationship.isOptional)
        #expect(relationship.inverseRelationship == nil)
    }

    @Test(arguments: [(-1, true), (0, true), (1, false), (2, true)])
    func onlyAMaximumOfOneMakesAToOne(_ maxCount: Int, _ isToMany: Bool) {
        let relationship = NSRelationshipDescription()
        relationship.maxCount = maxCount
        relationship.minCount = 1
        #expect(relationship.isToMany == isToMany)
    }

    @Test func aNewAttributeIsOptionalAndUndefined() {
        let attribute = NSAttributeDescription()
        #expect(attribute.attributeType == .undefinedAttributeType)
        #expect(attribute.type == .undefined)
        #expect(attribute.isOptional)
        #expect(!attribute.isTransient)
        #expect(attribute.name == "")
        #expect(attribute.defaultValue == nil)
        #expect(attribute.attributeValueClassName == nil)
        #expect(attribute.validationPredicates.isEmpty)
        #expect(!attribute.allowsExternalBinaryDataStorage)
    }

    @Test func attributeTypesHaveTheirPublicNumbers() {
        let numbers: [(NSAttributeDescription.AttributeType, UInt)] = [
            (.undefined, 0), (.integer16, 100), (.integer32, 200), (.integer64, 300), (.decimal, 400), (.double, 500),
            (.float, 600), (.string, 700), (.boolean, 800), (.date, 900), (.binaryData, 1000), (.uuid, 1100),
            (.uri, 1200), (.transformable, 1800), (.objectID, 2000), (.composite, 2100),
        ]
        for (type, number) in numbers { #expect(type.rawValue.rawValue == number) }
        #expect(NSAttributeType(rawValue: 123) == nil)
    }

    @Test func theValueClassFollowsFromTheType() {
        let attribute = NSAttributeDescription()
        let classes: [(NSAttributeDescription.AttributeType, String?)] = [
            (.string, "NSString"), (.integer16, "NSNumber"), (.boolean, "NSNumber"), (.double, "NSNumber"),
            (.decimal, "NSDecimalNumber"), (.date, "NSDate"), (.binaryData, "NSData"), (.uuid, "NSUUID"),
            (.uri, "NSURL"), (.transformable, nil),
        ]
        for (type, name) in classes {
            attribute.type = type
            #expect(attribute.attributeValueClassName == name)
        }
        attribute.attributeValueClassName = "Cover"
        #expect(attribute.attributeValueClassName == "Cover")
    }

    @Test func aDefaultValueIsKeptAsTheVeryObject() {
        let attribute = NSAttributeDescription()
        let value = NSMutableArray()
        attribute.defaultValue = value
        #expect(attribute.defaultValue as? NSMutableArray === value)
    }

    @Test func aNewModelHasNothing() {
        let model = NSManagedObjectModel()
        #expect(model.entities.isEmpty)
        #expect(model.entitiesByName.isEmpty)
        #expect(model.configurations.isEmpty)
        #expect(model.versionIdentifiers.isEmpty)
        #expect(model.localizationDictionary == nil)
        #expect(model.fetchRequestTemplatesByName.isEmpty)
    }

    @Test func aNewEntityHasManagedObjectsAndNoConstraints() {
        let entity = NSEntityDescription()
        #expect(entity.name == nil)
        #expect(entity.managedObjectClassName == "NSManagedObject")
        #expect(entity.uniquenessConstraints.isEmpty)
        #expect(entity.indexes.isEmpty)
        #expect(!entity.isAbstract)
        #expect(entity.superentity == nil)
        entity.managedObjectClassName = nil
        #expect(entity.managedObjectClassName == "NSManagedObject")
    }

    @Test func theRenamingIdentifierIsTheNameUnlessSet() {
        let entity = entity("Book", [attribute("title")])
        #expect(entity.renamingIdentifier == "Book")
        #expect(entity.properties[0].renamingIdentifier == "title")
        entity.renamingIdentifier = "Volume"
        #expect(entity.renamingIdentifier == "Volume")
        entity.renamingIdentifier = nil
        #expect(entity.renamingIdentifier == "Book")
    }

    @Test func uniquenessConstraintsAreReportedAsNames() {
        let title = attribute("title")
        let entity = entity("Book", [title, attribute("isbn")])
        entity.uniquenessConstraints = [[title, "isbn"], ["isbn"]]
        #expect(entity.uniquenessConstraints as? [[String]] == [["title", "isbn"], ["isbn"]])
    }

    @Test func aNewIndexElementIsBinaryAndAscending() {
        let title = attribute("title")
        let element = NSFetchIndexElementDescription(property: title, collationType: .binary)
        #expect(element.isAscending)
        #expect(element.collationType == .binary)
        #expect(element.property === title)
        #expect(element.propertyName == "title")
        let index = NSFetchIndexDescription(name: "byTitle", elements: [element])
        #expect(element.indexDescription === index)
        #expect(index.partialIndexPredicate == nil)
    }

    @Test func indexesBelongToTheEntityThatDeclaresThem() {
        let library = Library()
        let element = NSFetchIndexElementDescription(
            property: library.book.propertiesByName["title"]!, collationType: .binary)
        library.book.indexes = [NSFetchIndexDescription(name: "byTitle", elements: [element])]
        #expect(library.book.indexes[0].entity === library.book)
        #expect(library.novel.indexes.isEmpty)
    }

    @Test func indexesGoWhenTheHierarchyChanges() {
        let library = Library()
        let element = NSFetchIndexElementDescription(
            property: library.book.propertiesByName["title"]!, collationType: .binary)
        library.book.indexes = [NSFetchIndexDescription(name: "byTitle", elements: [element])]
        library.author.properties.append(attribute("born", .date))
        #expect(library.book.indexes.count == 1)
        library.novel.properties.append(attribute("chapters", .integer16))
        #expect(library.book.indexes.isEmpty)
    }

    @Test func validationPredicatesKeepTheirWarnings() {
        let title = attribute("title")
        title.setValidationPredicates([NSPredicate(format: "length > 0")], withValidationWarnings: ["empty"])
        #expect(title.validationPredicates.count == 1)
        #expect(title.validationWarnings as? [String] == ["empty"])
        title.setValidationPredicates(nil, withValidationWarnings: nil)
        #expect(title.validationPredicates.isEmpty)
    }

    @Test func inheritedPropertiesComeFirstAndStayWhereTheyAre() {
        let library = Library()
        #expect(library.novel.properties.map(\.name) == ["title", "pageCount", "author", "genre"])
        #expect(library.novel.attributesByName.keys.sorted() == ["genre", "pageCount", "title"])
        #expect(library.novel.relationshipsByName.keys.sorted() == ["author"])
        library.novel.properties += [attribute("chapters", .integer16)]
        #expect(library.novel.propertiesByName["title"]?.entity === library.book)
        #expect(library.novel.propertiesByName["chapters"]?.entity === library.novel)
        #expect(library.book.properties.map(\.name) == ["title", "pageCount", "author"])
    }

    @Test func relationshipsAreFoundByTheirDestination() {
        let library = Library()
        #expect(library.author.relationships(forDestination: library.book).map(\.name) == ["books"])
        #expect(library.novel.relationships(forDestination: library.author).map(\.name) == ["author"])
        #expect(library.author.relationships(forDestination: library.novel).isEmpty)
    }

    @Test func subentitiesOfAListedEntityBelongToTheModel() {
        let parent = entity("Parent")
        let child = entity("Child")
        parent.subentities = [child]
        let model = model(parent)
        #expect(model.entitiesByName["Child"] === child)
        #expect(child.managedObjectModel === model)
        #expect(child.superentity === parent)
        #expect(parent.subentitiesByName["Child"] === child)
    }
}
