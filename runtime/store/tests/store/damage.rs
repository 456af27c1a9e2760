//! Files that are not state files: they are recognised and not changed.

use std::collections::BTreeMap;
use std::fs::{self, create_dir, read_dir, symlink_metadata};
use std::os::unix::fs::symlink;
use std::path::Path;

use intentbox_store::{Store, StoreError, read_stats};

use crate::{NOON, at, run};

fn kind(error: &StoreError) -> &'static str {
    match error {
        StoreError::Folder { .. } => "folder",
        StoreError::NotAFile { found, .. } => found,
        StoreError::Unopened { .. } => "unopened",
        StoreError::Damaged { .. } => "damaged",
        StoreError::Foreign { .. } => "foreign",
        StoreError::Newer { .. } => "newer",
        StoreError::Busy { .. } => "busy",
        StoreError::ReadOnly { .. } => "read only",
        StoreError::Full { .. } => "full",
        StoreError::Unreachable { .. } => "unreachable",
        StoreError::Database { .. } | StoreError::Failed { .. } => "failed",
    }
}

/// The bytes of a state file with 500 runs.
async fn sound() -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open(&folder.path().into(), at(NOON)).await.expect("it opens");
    store.add(&vec![run(NOON); 500], 0).await.expect("it is written");
    store.close().await;
    fs::read(folder.path().join("state.db")).expect("it is there")
}

/// All that lies in a folder: the bytes of files, and what else there is by its kind.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = read_dir(folder).expect("it can be listed").map(|entry| entry.expect("an entry").path());
    let content = |path: &Path| {
        let entry = symlink_metadata(path).expect("it is there");
        if entry.is_file() {
            fs::read(path).expect("it can be read")
        } else {
            format!("{:?}", entry.file_type()).into()
        }
    };
    entries.map(|path| (path.display().to_string(), content(&path))).collect()
}

/// Puts something into a folder, opens it for writing and for reading, and compares the errors and what lies there afterwards.
async fn check(what: &str, put: impl Fn(&Path), expected: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    put(folder.path());
    let before = contents(folder.path());
    let opened = match Store::open(&folder.path().into(), at(NOON)).await {
        Ok(store) => {
            store.close().await;
            Ok(())
        }
        Err(error) => Err(error),
    };
    let read = read_stats(&folder.path().into(), None, &at(NOON)).await.map(|_| ());
    let told = |ended: Result<(), StoreError>| ended.as_ref().map_or_else(kind, |()| "opened");
    assert_eq!((told(opened), told(read)), (expected, expected), "{what}");
    assert!(contents(folder.path()) == before, "{what}: the folder is another one");
}

async fn check_bytes(what: &str, bytes: &[u8], expected: &str) {
    check(what, |folder| fs::write(folder.join("state.db"), bytes).expect("written"), expected).await;
}

#[tokio::test]
async fn d09_what_is_no_state_is_told_apart_and_left_alone() {
    let sound = sound().await;
    let noise: Vec<u8> =
        (0..12_288_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 24).to_le_bytes()[0]).collect();
    check_bytes("noise", &noise, "damaged").await;
    check_bytes("a little noise", &noise[..7], "damaged").await;
    check_bytes("text", b"[origins.sentry]\nbase_url = \"https://sentry.example.com\"\n", "damaged").await;
    for bytes in [16, 50, 100, 4_096, sound.len() / 2, sound.len() - 4_096] {
        check_bytes(&format!("cut after {bytes} bytes"), &sound[..bytes], "damaged").await;
    }
    // The version and the owner are four bytes each of the file's header.
    let mut newer = sound.clone();
    newer[60..64].copy_from_slice(&2_u32.to_be_bytes());
    check_bytes("a newer version", &newer, "newer").await;
    let mut foreign = sound.clone();
    foreign[68..72].copy_from_slice(&0_u32.to_be_bytes());
    check_bytes("a database of nobody", &foreign, "foreign").await;
    foreign[68..72].copy_from_slice(&1_u32.to_be_bytes());
    check_bytes("a database of somebody else", &foreign, "foreign").await;

    check("a directory", |folder| create_dir(folder.join("state.db")).expect("made"), "directory").await;
    check("a link to nothing", |folder| symlink("nowhere", folder.join("state.db")).expect("made"), "symbolic link")
        .await;
    let to_a_state = |folder: &Path| {
        fs::write(folder.join("other.db"), &sound).expect("written");
        symlink("other.db", folder.join("state.db")).expect("made");
    };
    check("a link to a state", to_a_state, "symbolic link").await;
}

#[tokio::test]
async fn d10_what_a_newer_version_wrote_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut newer = sound().await;
    newer[60..64].copy_from_slice(&7_u32.to_be_bytes());
    let file = folder.path().join("state.db");
    fs::write(&file, newer).expect("written");
    let error = Store::open(&folder.path().into(), at(NOON)).await.expect_err("it is newer");
    assert_eq!(
        error.to_string(),
        format!(
            "the state file {} has version 7, and this program reads versions up to 1: update intentbox",
            file.display()
        )
    );
}

#[tokio::test]
async fn a_sound_file_opens_as_often_as_one_likes() {
    let sound = sound().await;
    check_bytes("a sound file", &sound, "opened").await;
}

#[tokio::test]
async fn what_is_no_folder_is_told() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("file");
    fs::write(&file, "a file").expect("written");
    for place in [&file, &file.join("below")] {
        let opened = Store::open(&place.as_path().into(), at(NOON)).await.expect_err("it is no folder");
        let read = read_stats(&place.as_path().into(), None, &at(NOON)).await.expect_err("it is no folder");
        assert_eq!((kind(&opened), kind(&read)), ("folder", "folder"), "{}", place.display());
    }
    assert_eq!(fs::read(&file).expect("it is there"), b"a file");
    // Nobody makes a folder here, root included.
    let nowhere = Path::new("/proc/intentbox");
    let opened = Store::open(&nowhere.into(), at(NOON)).await.expect_err("it cannot be made");
    assert_eq!(kind(&opened), "folder");
    assert_eq!(read_stats(&nowhere.into(), None, &at(NOON)).await.expect("there is nothing"), None);
}

#[tokio::test]
async fn d09_a_damaged_table_is_an_error_of_the_batch_and_not_a_panic() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut damaged = sound().await;
    damaged[4_096..].fill(0xa5);
    fs::write(folder.path().join("state.db"), damaged).expect("written");
    let store = Store::open(&folder.path().into(), at(NOON)).await.expect("its header is sound");
    for _ in 0..2 {
        let error = store.add(&[run(NOON)], 0).await.expect_err("its tables are not");
        assert_eq!(kind(&error), "damaged");
        let error = store.stats(None).await.expect_err("nor can they be read");
        assert_eq!(kind(&error), "damaged");
    }
}
