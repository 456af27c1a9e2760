//! What is kept beside the jobs: deliveries, schedules, tokens, policies and settings; and jobs that are accepted together.

use std::time::Duration;

use intentbox_store::{
    Ending, Firing, JobQuotas, JobState, JobStore, NewJob, NewSchedule, NewToken, POLICIES_MAX, PublishedTemplates,
    Quota, Start, Submitted, Told,
};

use crate::jobs::{Hand, LEASE, accepted, finished, job, leased, nobody, place, store};

/// How long a delivery is given out for.
const DELIVERY: Duration = Duration::from_mins(1);

fn with_callback(id: &str) -> NewJob {
    NewJob { callback_url: Some("https://hooks.example/a".to_owned()), ..job(id) }
}

#[tokio::test]
async fn the_end_of_a_job_is_given_out_until_it_was_told() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let store = store(folder.path(), &hand).await;
    accepted(&store, with_callback("a")).await;
    accepted(&store, job("nobody hears of it")).await;
    let lease = leased(&store).await;
    assert_eq!(store.claim_deliveries(9, DELIVERY, &[]).await.expect("written"), [], "it has not ended");
    assert_eq!(store.delivery(&lease.job).await.expect("read"), None);
    for lease in [lease, leased(&store).await] {
        store.end(lease.key(), finished()).await.expect("written");
    }
    let first = store.claim_deliveries(9, DELIVERY, &[]).await.expect("written");
    assert_eq!(first.len(), 1);
    assert_eq!((first[0].job.id.as_str(), first[0].job.outcome.as_str(), first[0].attempt), ("a", "ok", 1));
    assert_eq!(store.claim_deliveries(9, DELIVERY, &[]).await.expect("written"), [], "somebody has it");
    // Whoever had it is lost.
    hand.advance(DELIVERY);
    let second = store.claim_deliveries(9, DELIVERY, &[]).await.expect("written");
    assert_eq!(second[0].attempt, 2);
    assert!(!store.end_delivery(&first[0], Told::Delivered).await.expect("written"), "another has begun");
    let again = Told::Again { delay_ms: 5_000, trouble: "status 500".to_owned() };
    assert!(store.end_delivery(&second[0], again).await.expect("written"));
    assert_eq!(store.claim_deliveries(9, DELIVERY, &[]).await.expect("written"), []);
    hand.advance(Duration::from_secs(5));
    let third = store.claim_deliveries(9, DELIVERY, &[]).await.expect("written");
    assert!(store.end_delivery(&third[0], Told::Delivered).await.expect("written"));
    let status = store.delivery(&third[0].job).await.expect("read").expect("it is there");
    assert_eq!((status.state.as_str(), status.attempt, status.trouble.as_str()), ("delivered", 3, ""));
    hand.advance(Duration::from_hours(24));
    assert_eq!(store.claim_deliveries(9, DELIVERY, &[]).await.expect("written"), []);
}

#[tokio::test]
async fn every_end_of_a_job_is_told() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let store = store(folder.path(), &hand).await;
    accepted(&store, NewJob { attempts_max: 1, ..with_callback("dead") }).await;
    let lease = leased(&store).await;
    let again = Ending::Again { delay_ms: 0, trouble: "no room".to_owned() };
    assert_eq!(store.end(lease.key(), again).await.expect("written"), Some(JobState::Dead));
    accepted(&store, NewJob { attempts_max: 1, ..with_callback("lost") }).await;
    leased(&store).await;
    accepted(&store, with_callback("cancelled")).await;
    store.cancel("cancelled").await.expect("written");
    accepted(&store, NewJob { ttl_ms: Some(1_000), start: Start::AfterMs(1_000), ..with_callback("expired") }).await;
    hand.advance(LEASE * 2);
    let mut told = Vec::new();
    while told.len() < 4 {
        for delivery in store.claim_deliveries(9, DELIVERY, &[]).await.expect("written") {
            told.push((delivery.job.id, delivery.job.state.as_str()));
        }
        tokio::task::yield_now().await;
    }
    told.sort();
    assert_eq!(
        told,
        [("cancelled", "cancelled"), ("dead", "dead"), ("expired", "expired"), ("lost", "dead")]
            .map(|(id, state)| (id.to_owned(), state))
    );
}

fn schedule(id: &str, next_ms: i64) -> NewSchedule {
    NewSchedule {
        id: id.to_owned(),
        principal: "alice".to_owned(),
        cron: "* * * * *".to_owned(),
        zone: "UTC".to_owned(),
        request: r#"{"code":"1"}"#.to_owned(),
        next_ms,
    }
}

#[tokio::test]
async fn a_schedule_submits_one_job_whoever_sees_it_due_and_none_while_the_last_runs() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let stores = [store(folder.path(), &hand).await, store(folder.path(), &hand).await];
    let first_ms = hand.now() + 60_000;
    assert!(stores[0].add_schedule(schedule("s", first_ms), 1).await.expect("written").is_some());
    assert_eq!(stores[0].add_schedule(schedule("t", first_ms), 1).await.expect("written"), None, "one may be kept");
    assert_eq!(stores[1].schedules_due(9).await.expect("read").0, []);
    let mut fired = Vec::new();
    for minute in 0..3 {
        hand.advance(Duration::from_mins(1));
        for (number, store) in stores.iter().enumerate() {
            let (due, now_ms) = store.schedules_due(9).await.expect("read");
            assert_eq!((due.len(), now_ms), (1 - number, hand.now()), "the first one did it");
            for schedule in due {
                let (due_ms, next_ms) = (schedule.next_ms, schedule.next_ms + 60_000);
                let (job, is_revoked) = (job(&format!("m{minute}")), false);
                let firing = Firing { number: schedule.number, due_ms, next_ms, job, is_revoked };
                fired.push((
                    store.fire(firing.clone()).await.expect("written"),
                    stores[1].fire(firing).await.expect("written"),
                ));
            }
        }
        if minute == 1 {
            let lease = leased(&stores[0]).await;
            assert_eq!(lease.job.id, "m0");
            stores[0].end(lease.key(), finished()).await.expect("written");
        }
    }
    assert_eq!(fired, [(true, false); 3]);
    let kept = stores[0].schedules("alice", 9).await.expect("read").remove(0);
    assert_eq!((kept.submitted, kept.skipped, kept.last_job.as_str()), (2, 1, "m2"));
    assert!(!stores[0].remove_schedule("bob", "s").await.expect("written"), "it is not his");
    assert!(stores[0].remove_schedule("alice", "s").await.expect("written"));
    assert_eq!(stores[0].schedules("alice", 9).await.expect("read"), []);
}

#[tokio::test]
async fn tokens_and_settings_are_kept_for_every_server() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let stores = [store(folder.path(), &hand).await, store(folder.path(), &hand).await];
    let token = NewToken {
        id: "t".to_owned(),
        principal: "alice".to_owned(),
        scopes: "read run".to_owned(),
        digest: "00".to_owned(),
        ttl_ms: Some(1_000),
    };
    assert!(stores[0].add_token(token.clone()).await.expect("written"));
    assert!(!stores[1].add_token(token).await.expect("written"), "there is one");
    let kept = stores[1].tokens().await.expect("read");
    assert_eq!((kept[0].expires_ms, kept[0].revoked_ms), (Some(hand.now() + 1_000), None));
    assert!(stores[1].revoke_token("t").await.expect("written"));
    assert!(!stores[0].revoke_token("t").await.expect("written"), "it is");
    assert_eq!(stores[0].tokens().await.expect("read")[0].revoked_ms, Some(hand.now()));
    assert_eq!(stores[0].setting("key", "first".to_owned()).await.expect("written"), "first");
    assert_eq!(stores[1].setting("key", "second".to_owned()).await.expect("written"), "first");
}

#[tokio::test]
async fn a_batch_is_accepted_whole_or_not_at_all() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let quotas = JobQuotas { waiting_of_principal_max: 5, ..JobQuotas::default() };
    let store = JobStore::open(&place(folder.path()), hand.clock(), quotas, nobody()).await.expect("it opens");
    let batch = |name: &str, count: usize| (0..count).map(|number| job(&format!("{name}{number}"))).collect();
    let all = store.submit_all(batch("a", 3)).await.expect("written");
    assert!(all.iter().all(|submitted| matches!(submitted, Submitted::New(_))), "{all:?}");
    let all = store.submit_all(batch("b", 3)).await.expect("written");
    assert_eq!(all, vec![Submitted::Full(Quota::Waiting(5)); 3]);
    let all = store.submit_all(batch("c", 2)).await.expect("written");
    assert!(all.iter().all(|submitted| matches!(submitted, Submitted::New(_))), "{all:?}");
}

#[tokio::test]
async fn an_attempt_names_the_policy_that_was_kept_before_it() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let store = store(folder.path(), &hand).await;
    assert_eq!(store.policies().await.expect("read"), []);
    let mut told = Vec::new();
    // The one that comes back is the newest again.
    for (id, policy) in [("a", ""), ("b", "one"), ("c", "two"), ("d", "one")] {
        if !policy.is_empty() {
            let digest = policy.repeat(22)[..64].to_owned();
            store.keep_policy(digest, policy.to_owned()).await.expect("written");
        }
        let number = accepted(&store, job(id)).await.number;
        leased(&store).await;
        let events = store.events(number, 0, 9).await.expect("read");
        told.push(events.last().expect("it runs").data.clone());
        hand.advance(Duration::from_secs(1));
    }
    let expected =
        ["", r#","policy":"oneoneoneoneoneo""#, r#","policy":"twotwotwotwotwot""#, r#","policy":"oneoneoneoneoneo""#];
    assert_eq!(told, expected.map(|policy| format!("{{\"attempt\":1{policy}}}")));
    let kept = store.policies().await.expect("read");
    let kept: Vec<(&str, i64)> = kept.iter().map(|one| (one.text.as_str(), one.last_ms - one.first_ms)).collect();
    assert_eq!(kept, [("one", 2_000), ("two", 0)]);
}

#[tokio::test]
async fn what_is_published_last_counts_also_where_it_was_published_before() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let store = store(folder.path(), &hand).await;
    assert_eq!(store.published("").await.expect("read"), None);
    let set = |name: &str| PublishedTemplates { digest: name.to_owned(), files: format!("files of {name}") };
    for name in ["b", "a", "b"] {
        // At one moment.
        store.publish(set(name)).await.expect("written");
        assert_eq!(store.published("").await.expect("read"), Some(set(name)));
        assert_eq!(store.published(name).await.expect("read"), None, "it is known");
    }
    for number in 0..20 {
        store.publish(set(&format!("{number:02}"))).await.expect("written");
    }
    assert_eq!(store.published("b").await.expect("read"), Some(set("19")));
}

#[tokio::test]
async fn the_last_policies_are_kept() {
    let (folder, hand) = (tempfile::tempdir().expect("a folder"), Hand::new());
    let store = store(folder.path(), &hand).await;
    for number in 0..=POLICIES_MAX {
        store.keep_policy(format!("{number:064}"), "text".to_owned()).await.expect("written");
        hand.advance(Duration::from_secs(1));
    }
    let kept = store.policies().await.expect("read");
    let ends = [kept.first(), kept.last()].map(|one| one.expect("one").digest.parse::<u32>().expect("a number"));
    assert_eq!((kept.len(), ends), (POLICIES_MAX as usize, [POLICIES_MAX, 1]));
}
