extension SQLiteStore: StoreEngine {}
