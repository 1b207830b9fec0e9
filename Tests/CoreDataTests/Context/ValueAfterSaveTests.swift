import CoreData
import Foundation
import TestSupport
import Testing

/// A person whose accessors read the record's memory.
final class PaidPerson: NSManagedObject {
    private static let salaryProperty = _ManagedProperty("salary")
    private static let noteProperty = _ManagedProperty("note")

    var salary: Int32 {
        get { _get(Self.salaryProperty) }
        set { _set(Self.salaryProperty, newValue) }
    }
    var note: String? {
        get { _get(Self.noteProperty) }
        set { _set(Self.noteProperty, newValue) }
    }
}

/// What an object shows of values that others or it itself have saved.
@Suite struct ValueAfterSaveTests {
    private let stack: OfficeStack
    private let writer: NSManagedObjectContext
    private let written: PaidPerson
    private let reader: NSManagedObjectContext
    private let read: PaidPerson

    init() throws {
        stack = try OfficeStack(.file, personClass: NSStringFromClass(PaidPerson.self))
        writer = stack.makeContext()
        written = try #require(writer.person("Ann", 30) as? PaidPerson)
        written.note = Self.text(1)
        try writer.save()
        reader = stack.makeContext()
        read = try #require(try reader.one("Ann") as? PaidPerson)
    }

    /// Too long to be part of a `String` itself.
    private static func text(_ number: Int) -> String { "a text of more than fifteen bytes, number \(number)" }

    /// Reads often enough for the text to be kept.
    private func expectNote(_ text: String?) {
        for _ in 0..<3 {
            #expect(read.note == text)
            #expect(read.value(forKey: "note") as? String == text)
        }
    }

    @Test(arguments: [true, false])
    func aTextThatWasReadOftenIsTheNewOneAfterARefresh(_ merges: Bool) throws {
        expectNote(Self.text(1))
        written.note = Self.text(2)
        try writer.save()
        expectNote(Self.text(1))
        reader.refresh(read, mergeChanges: merges)
        expectNote(Self.text(2))
        written.note = nil
        try writer.save()
        reader.refresh(read, mergeChanges: merges)
        expectNote(nil)
    }

    @Test func aTextThatWasReadOftenIsTheNewOneAfterASave() throws {
        expectNote(Self.text(1))
        read.note = Self.text(2)
        expectNote(Self.text(2))
        try reader.save()
        expectNote(Self.text(2))
        read.note = nil
        try reader.save()
        expectNote(nil)
        #expect(try sqlite3(stack.path, "SELECT quote(ZNOTE), Z_OPT FROM ZPERSON") == "NULL|3")
    }

    @Test func aTextThatWasReadOftenIsTheOneOfBeforeAfterARollback() throws {
        expectNote(Self.text(1))
        read.note = Self.text(2)
        reader.rollback()
        expectNote(Self.text(1))
    }

    @Test func aNumberThatWasSavedAsNilReadsAsZeroAndAsNil() throws {
        #expect(read.salary == 30)
        read.setValue(nil, forKey: "salary")
        try reader.save()
        #expect(read.salary == 0 && read.value(forKey: "salary") == nil)
        #expect(try sqlite3(stack.path, "SELECT quote(ZSALARY), Z_OPT FROM ZPERSON") == "NULL|2")
        writer.refresh(written, mergeChanges: false)
        #expect(written.salary == 0 && written.value(forKey: "salary") == nil)
    }
}
