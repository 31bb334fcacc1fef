//! Every operation on the files of the store, except SQLite's own, fails once.

use forge_memory_core::journal::OsDisk;
use forge_memory_sqlite_store::EmbeddedStore;
use forge_memory_test_disk::{Fault, FaultyDisk, Torn};

use super::support::*;

#[test]
fn a_store_that_cannot_be_created_is_reported_and_created_the_next_time() {
    let openings: [fn(&FaultyDisk, &Shop) -> forge_memory_core::Result<bool>; 2] = [
        |disk, shop| EmbeddedStore::open(disk, &shop.path()).map(|_| true),
        |disk, shop| EmbeddedStore::open_existing(disk, &shop.path()).map(|store| store.is_some()),
    ];
    let mut failed = 0;
    for (number, open) in openings.into_iter().enumerate() {
        for at in 1.. {
            let shop = Shop::new();
            if number == 1 {
                put(&mut shop.open(), thought("mem_old", "an older pump"));
            }
            let disk = FaultyDisk::of(Fault {
                at,
                torn: Torn::Half,
                dead: false,
            });
            let outcome = open(&disk, &shop);
            if !disk.has_failed() {
                assert!(outcome.unwrap());
                break;
            }
            // A failed inspection does not mean that the file is missing: the store is opened anyway, or returns
            // an error.
            match outcome {
                Ok(is_there) => assert!(is_there, "operation {at}: what is there was taken for nothing"),
                Err(error) => assert_eq!(error.code(), "IO", "operation {at}"),
            }
            failed += 1;
            let mut store = EmbeddedStore::open(&OsDisk, &shop.path()).unwrap();
            put(&mut store, thought("mem_1", "pump"));
            assert!(found(&mut store, "pump").contains(&"mem_1".to_owned()));
        }
    }
    assert!(failed >= 5, "{failed} operations were seen to fail");
}
