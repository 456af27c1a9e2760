//! Tools: what one process keeps of upstream servers, another that shares the folder knows. With `INTENTBOX_TEST_POSTGRES`, as in `jobs`,
//! they are in a database that two machines share.

use std::path::Path;

use intentbox_store::{
    Claim, Clock, DISCOVERIES_MAX, DISCOVERY_LAPSES_MS, Discovered, DiscoveryStatus, LearnedWord, ListedDefinition,
    Owner, Place, ToolShape, ToolStore, ToolUse, Trusted, Used,
};

use crate::jobs::place;
use crate::{NOON, at};

const ONE: Owner = Owner { place: 7, pid: 1, start: 1 };
const OTHER: Owner = Owner { place: -8, pid: 1, start: 1 };

/// One of the processes that share what is kept.
async fn store(folder: &Path, clock: Clock) -> ToolStore {
    match place(folder) {
        Place::Folder(folder) => ToolStore::open(Some(&folder), clock).await.expect("it opens"),
        Place::Postgres(url) => ToolStore::connect(&url, clock).await.expect("it connects"),
    }
}

fn everybody_lives(_: Owner) -> bool {
    true
}

fn definition<'a>(name: &'a str, hash: &'a str) -> ListedDefinition<'a> {
    ListedDefinition { name, hash, definition: hash }
}

/// Discovers `git` with these tools, the listing being their names.
async fn list(store: &ToolStore, tools: &[ListedDefinition<'_>]) {
    let claimed = store.claim("git", "config", ONE, &everybody_lives).await.expect("it is written");
    assert_eq!(claimed, Claim::Claimed);
    let names: Vec<&str> = tools.iter().map(|tool| tool.name).collect();
    let names = names.join("\0");
    let listed = Discovered::Listed { listing: names.as_bytes(), definitions: tools, is_trusted: false };
    assert!(store.finish("git", ONE, &listed).await.expect("it is written"), "it is still his");
}

#[tokio::test]
async fn what_one_process_lists_and_approves_another_knows() {
    let folder = tempfile::tempdir().expect("a folder");
    let (here, there) = (store(folder.path(), at(NOON)).await, store(folder.path(), at(NOON)).await);
    list(&here, &[definition("log", "h1"), definition("show", "h2")]).await;
    let known = there.server("git").await.expect("it is read").expect("it is known");
    assert_eq!((known.status, known.config_hash.as_str(), known.owner), (DiscoveryStatus::Success, "config", ONE));
    let listing = there.listing("git").await.expect("it is read").expect("it is known");
    assert_eq!((listing.encoded.as_slice(), listing.discovered_ms), (&b"log\0show"[..], known.discovered_ms));
    let first = there.definition("git", "log").await.expect("it is read").expect("it is known");
    assert_eq!((first.hash.as_str(), first.approved_hash.as_str(), first.is_listed), ("h1", "h1", true));

    list(&there, &[definition("log", "h3"), definition("new", "h4")]).await;
    let changed = there.changed_names().await.expect("it is read");
    let git = |name: &str, is_new| ("git".to_owned(), name.to_owned(), is_new);
    assert_eq!(changed, [git("log", false), git("new", true)], "what changed or is new waits for a person");
    let seen = [("log".to_owned(), "h3".to_owned()), ("new".to_owned(), "another".to_owned())];
    assert_eq!(there.approve("git", &seen).await.expect("it is written"), 1, "only what was seen is approved");
    assert_eq!(there.changed_names().await.expect("it is read"), [git("new", true)]);
    let again = here.server("git").await.expect("it is read").expect("it is known");
    assert!(again.discovered_ms > known.discovered_ms, "no two listings have one time");
    let gone = there.definition("git", "show").await.expect("it is read").expect("what was approved is kept");
    assert!(!gone.is_listed);

    there.forget("git").await.expect("it is written");
    let known =
        (here.server("git").await.expect("it is read"), there.definition("git", "log").await.expect("it is read"));
    // Another machine may have the server still, and what it lists then is not the first that anybody sees.
    let is_left = matches!(place(folder.path()), Place::Postgres(_));
    assert_eq!((known.0.is_some(), known.1.is_some()), (is_left, is_left));
}

#[tokio::test]
async fn one_process_discovers_a_server_at_a_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let (here, there) = (store(folder.path(), at(NOON)).await, store(folder.path(), at(NOON)).await);
    let claim = async |store: &ToolStore, id: &str, owner: Owner, lives: bool| {
        store.claim(id, "config", owner, &move |_| lives).await.expect("it is written")
    };
    assert_eq!(claim(&here, "git", ONE, true).await, Claim::Claimed);
    assert_eq!(claim(&there, "git", OTHER, true).await, Claim::Busy);
    assert_eq!(claim(&here, "git", ONE, true).await, Claim::Claimed, "it is his");
    for number in 0..DISCOVERIES_MAX {
        assert_eq!(claim(&there, &format!("s{number}"), OTHER, true).await, Claim::Claimed);
    }
    assert_eq!(claim(&there, "more", OTHER, true).await, Claim::Full);
    assert_eq!(claim(&here, "more", ONE, true).await, Claim::Claimed, "each machine has its own places");
    assert_eq!(claim(&there, "git", OTHER, false).await, Claim::Claimed, "its owner has ended");
    let failed = Discovered::Failed { status: DiscoveryStatus::Timeout, failure: "late" };
    assert!(!here.finish("git", ONE, &failed).await.expect("it is read"), "it is his no more");
    assert!(there.finish("git", OTHER, &failed).await.expect("it is written"));
    let known = here.server("git").await.expect("it is read").expect("it is known");
    assert_eq!((known.status, known.failure.as_str(), known.discovered_ms), (DiscoveryStatus::Timeout, "late", 0));
}

#[tokio::test]
async fn a_discovery_that_takes_too_long_has_lapsed() {
    let folder = tempfile::tempdir().expect("a folder");
    // A database counts by its own clock, which no test sets.
    if matches!(place(folder.path()), Place::Postgres(_)) {
        return;
    }
    for (later, expected) in [(DISCOVERY_LAPSES_MS, Claim::Busy), (DISCOVERY_LAPSES_MS + 1, Claim::Claimed)] {
        let (here, there) = (store(folder.path(), at(NOON)).await, store(folder.path(), at(NOON + later)).await);
        here.forget("git").await.expect("it is written");
        here.claim("git", "config", ONE, &everybody_lives).await.expect("it is written");
        let claimed = there.claim("git", "config", OTHER, &everybody_lives).await.expect("it is written");
        assert_eq!(claimed, expected);
    }
}

#[tokio::test]
async fn uses_and_words_of_all_processes_are_added_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let (here, there) = (store(folder.path(), at(NOON)).await, store(folder.path(), at(NOON)).await);
    let used = |calls, last_ms, shape: Option<&str>| Used {
        server: "git".to_owned(),
        name: "log".to_owned(),
        calls,
        last_ms,
        shape: shape.map(|hash| ToolShape { hash: hash.to_owned(), encoded: hash.as_bytes().to_vec() }),
    };
    here.add_uses(&[used(2, 20, Some("h1"))]).await.expect("it is written");
    there.add_uses(&[used(3, 10, None)]).await.expect("it is written");
    let all = there.uses().await.expect("it is read");
    assert_eq!(all, [ToolUse { server: "git".to_owned(), name: "log".to_owned(), calls: 5, last_ms: 20 }]);
    let shape = there.shape("git", "log").await.expect("it is read");
    assert_eq!(shape, Some(ToolShape { hash: "h1".to_owned(), encoded: b"h1".to_vec() }));

    let words = ["history".to_owned()];
    here.learn("git", "log", &words).await.expect("it is written");
    assert_eq!(here.learned().await.expect("it is read"), [], "one run may be chance");
    there.learn("git", "log", &words).await.expect("it is written");
    let learned = LearnedWord { server: "git".to_owned(), name: "log".to_owned(), word: "history".to_owned() };
    assert_eq!(there.learned().await.expect("it is read"), [learned]);
    let many: Vec<String> = (0..40).map(|number| format!("word{number:02}")).collect();
    for _ in 0..2 {
        there.learn("git", "log", &many).await.expect("it is written");
    }
    assert_eq!(there.learned().await.expect("it is read").len(), 32);
}

#[tokio::test]
async fn what_a_person_approved_of_a_project_is_replaced_as_a_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let (here, there) = (store(folder.path(), at(NOON)).await, store(folder.path(), at(NOON)).await);
    let trusted = |hash: &str| Trusted {
        file: "/srv/.mcp.json".into(),
        server: "git".to_owned(),
        config_hash: hash.to_owned(),
        told: format!("runs {hash}"),
    };
    here.trust(&trusted("a")).await.expect("it is written");
    there.trust(&trusted("b")).await.expect("it is written");
    assert_eq!(here.trusted().await.expect("it is read"), [trusted("b")]);
}
