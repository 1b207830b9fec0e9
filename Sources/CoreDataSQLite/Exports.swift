@_exported import CoreDataCSQLite
