//! Callbacks: the ends of jobs, told to those who want to hear of them, until they are taken.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use intentbox_engine::{CALLBACK_HEADERS, Engine, Principal, SendError, TraceContext};
use intentbox_store::{Delivery, Job, JobStore, Told};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::broadcast::error::RecvError;
use tokio::task::{Id, JoinSet};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::signature::{self, MasterKey};

/// How often it is looked for what is due, besides when a job changes.
const LOOK_PAUSE: Duration = Duration::from_secs(1);

/// How many callbacks are sent at the same time.
const AT_ONCE: usize = 32;

/// How many are begun at once, and from how many of its own on a principal waits: it has less than twice as many at any time, so
/// that receivers which are slow to answer hold up nobody else's.
const SHARE: usize = 4;

/// After how long another server begins one again of which nothing was heard: longer than one may take.
const LEASE: Duration = Duration::from_mins(1);

/// The pauses between attempts, in seconds: a receiver that is away for a day hears of it. After the last it is given up.
const PAUSES_S: [i64; 9] = [5, 30, 120, 600, 1_800, 7_200, 21_600, 43_200, 86_400];

/// The largest report that is sent along. A larger one is fetched by the job's id.
const REPORT_BYTES_MAX: usize = 256 << 10;

/// The body of a callback.
#[derive(Serialize)]
struct Body<'a> {
    r#type: String,
    timestamp: String,
    data: Data<'a>,
}

#[derive(Serialize)]
struct Data<'a> {
    id: &'a str,
    state: &'static str,
    outcome: &'a str,
    attempt: u32,
    created_at: String,
    finished_at: String,
    labels: BTreeMap<&'a str, &'a str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    trouble: &'a str,
    /// Left out where there is none, and where it is large.
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<&'a RawValue>,
}

/// Tells the ends of jobs until `stop`. Any number of servers may do so.
pub async fn keep_telling(store: JobStore, engine: Arc<Engine>, stop: CancellationToken) {
    let mut changes = store.changes();
    let master = loop {
        tokio::select! {
            () = stop.cancelled() => return,
            made = signature::master(&store) => match made {
                Ok(master) => break Arc::new(master),
                Err(_) => sleep(LOOK_PAUSE).await,
            }
        }
    };
    let mut sending = JoinSet::new();
    let mut principals: HashMap<Id, String> = HashMap::new();
    while !stop.is_cancelled() {
        let room = SHARE.min(AT_ONCE - sending.len());
        if room > 0 {
            let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
            for principal in principals.values() {
                *counts.entry(principal).or_default() += 1;
            }
            let full: Vec<&str> = counts.iter().filter(|(_, count)| **count >= SHARE).map(|(name, _)| *name).collect();
            // What fails now is still due with the next look.
            let due = store.claim_deliveries(u32::try_from(room).unwrap_or(1), LEASE, &full).await.unwrap_or_default();
            let has_begun = !due.is_empty();
            for delivery in due {
                let (store, engine, master) = (store.clone(), Arc::clone(&engine), Arc::clone(&master));
                let principal = delivery.job.principal.clone();
                let begun = sending.spawn(async move {
                    let told = tell(&engine, &master, &delivery).await;
                    // Where that cannot be written, it is told again: receivers know it by its id.
                    let _ = store.end_delivery(&delivery, told).await;
                });
                principals.insert(begun.id(), principal);
            }
            if has_begun {
                continue;
            }
        }
        tokio::select! {
            () = stop.cancelled() => {}
            Some(told) = sending.join_next_with_id() => {
                principals.remove(&told.map_or_else(|error| error.id(), |(id, ())| id));
            }
            _ = timeout(LOOK_PAUSE, ended(&mut changes)), if room > 0 => {}
        }
    }
    while sending.join_next().await.is_some() {}
}

/// Waits until a job changes. Changes come in bursts: one look serves those of a moment.
async fn ended(changes: &mut tokio::sync::broadcast::Receiver<i64>) {
    if let Err(RecvError::Closed) = changes.recv().await {
        std::future::pending::<()>().await;
    }
    sleep(Duration::from_millis(20)).await;
    while changes.try_recv().is_ok() {}
}

async fn tell(engine: &Engine, master: &MasterKey, delivery: &Delivery) -> Told {
    let Delivery { job, attempt } = delivery;
    let Some(principal) = Principal::kept(&job.principal) else {
        return Told::Failed { trouble: "the job is of a principal that no version knows".to_owned() };
    };
    let at = Timestamp::now();
    let body = body(job, at);
    // The same for each attempt: receivers know by it what they have.
    let id = format!("msg_{}", job.id);
    let (at_s, signature) = (at.as_second(), master.key(&principal).sign(&id, at.as_second(), &body));
    let at_s = at_s.to_string();
    let [id_name, at_name, signature_name] = CALLBACK_HEADERS;
    let headers = [(id_name, id.as_str()), (at_name, at_s.as_str()), (signature_name, signature.as_str())];
    let trace = TraceContext::of_kept(&job.trace);
    told(engine.send_callback(&principal, &job.callback_url, headers, &body, trace.as_ref()).await, *attempt)
}

/// What an answer means for the next attempt.
fn told(answer: Result<u16, SendError>, attempt: u32) -> Told {
    let trouble = match answer {
        Ok(200..=299) => return Told::Delivered,
        // The receiver wants no more of them.
        Ok(410) => return Told::Failed { trouble: "status 410".to_owned() },
        Ok(status) => format!("status {status}"),
        // The policy may be another one tomorrow, and what leads to a refused place may lead elsewhere.
        Err(SendError::Refused(refusal)) => refusal.to_string(),
        Err(error) => error.to_string(),
    };
    let place = usize::try_from(attempt.saturating_sub(1)).unwrap_or(usize::MAX);
    match PAUSES_S.get(place) {
        Some(pause_s) => Told::Again { delay_ms: pause_s * 1_000, trouble },
        None => Told::Failed { trouble },
    }
}

fn body(job: &Job, at: Timestamp) -> Vec<u8> {
    let time = |ms: i64| Timestamp::from_millisecond(ms).map(|time| time.to_string()).unwrap_or_default();
    let report = Some(job.report.as_str()).filter(|report| report.len() <= REPORT_BYTES_MAX);
    let data = Data {
        id: &job.id,
        state: job.state.as_str(),
        outcome: &job.outcome,
        attempt: job.attempt,
        created_at: time(job.created_ms),
        finished_at: job.finished_ms.map(time).unwrap_or_default(),
        labels: job.labels.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect(),
        trouble: &job.trouble,
        report: report.and_then(|report| serde_json::from_str::<&RawValue>(report).ok()),
    };
    let body = Body { r#type: format!("job.{}", job.state.as_str()), timestamp: at.to_string(), data };
    serde_json::to_vec(&body).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_taken_is_told_again_for_some_two_days() {
        assert_eq!(told(Ok(204), 1), Told::Delivered);
        assert_eq!(told(Ok(410), 1), Told::Failed { trouble: "status 410".to_owned() });
        let pauses: Vec<i64> = (1..)
            .map_while(|attempt| match told(Ok(500), attempt) {
                Told::Again { delay_ms, .. } => Some(delay_ms / 1_000),
                _ => None,
            })
            .collect();
        assert_eq!(pauses, PAUSES_S);
        assert!(pauses.iter().sum::<i64>() > 86_400);
        let failed = SendError::Failed { kind: "connect", message: "refused".to_owned() };
        assert_eq!(told(Err(failed), 10), Told::Failed { trouble: "connect: refused".to_owned() });
    }
}
