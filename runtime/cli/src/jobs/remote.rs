//! The jobs of a server, through its HTTP API.

use std::time::Duration;

use anyhow::Context as _;
use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use intentbox_egress::{
    Credential, HeaderMap, HeaderValue, Secret, Upstream, UpstreamFault, UpstreamMethod, UpstreamReply,
};
use intentbox_jobs::{JobState, REQUEST_BYTES_MAX};
use serde::Deserialize;
use sse_stream::{Sse, SseStream};
use tokio::time::{sleep, timeout};

use super::view::{EventView, JobView, Received, ReceivedSchedule, ScheduleView};
use crate::error::{Class, Classify as _, CommandError, Hint as _};
use crate::show;

/// How long a server may take to answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);

/// The largest answer: a request and its report with the largest result.
const ANSWER_BYTES_MAX: usize = 64 << 20;

/// The largest event, in bytes.
const EVENT_BYTES_MAX: usize = 1 << 20;

/// How many jobs the API lists at once.
const PAGE_MAX: usize = 100;

/// How often a stream of events that broke off is opened again without news.
const RECONNECTS_MAX: u32 = 10;

/// The pause before that.
const RECONNECT_PAUSE: Duration = Duration::from_secs(1);

/// A server.
pub(crate) struct Remote {
    upstream: Upstream,
    url: String,
    has_token: bool,
}

#[derive(Deserialize)]
struct Page<'a> {
    #[serde(borrow)]
    jobs: Vec<Received<'a>>,
    next: Option<String>,
}

#[derive(Deserialize)]
struct Schedules<'a> {
    #[serde(borrow)]
    schedules: Vec<ReceivedSchedule<'a>>,
}

/// Why a server did not do as it was asked, as far as it says.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Problem {
    title: String,
    detail: String,
    field: String,
}

impl Remote {
    pub(super) fn new(url: &str, token: Option<String>) -> Result<Self, CommandError> {
        let has_token = token.is_some();
        let credential = token.map(|token| Credential::bearer(Secret::new(token))).transpose();
        let credential = credential.context("the token").class(Class::Configuration)?;
        // One of the addresses that `serve` prints ends with the path of the API.
        let url = url.trim_end_matches('/');
        let url = url.strip_suffix("/v1").unwrap_or(url);
        let shown = show::line(url);
        let upstream = Upstream::new(url, [], credential, &[]).with_context(|| format!("--server {shown}"));
        let upstream = upstream.class(Class::Usage).hint("a URL begins with `http://` or `https://`")?;
        Ok(Self { upstream, url: shown, has_token })
    }

    pub(super) async fn submit(&self, text: &str, key: Option<String>) -> Result<JobView, CommandError> {
        let mut headers = of_json();
        let has_key = key.is_some();
        if let Some(key) = key {
            let key = HeaderValue::from_str(&key).context("--key is visible ASCII characters").class(Class::Usage)?;
            headers.insert("idempotency-key", key);
        }
        let body = Some(text.as_bytes().to_vec());
        let reply = self.reply(UpstreamMethod::Post, &["v1", "jobs"], &[], headers, body).await;
        let advice = if has_key {
            "run the same command again: with the same --key it is the same job"
        } else {
            "see `intentbox jobs list`: whether the job was accepted is not known; with --key the command can be repeated"
        };
        // What never arrived has a hint of its own, and what the server said no to was not accepted.
        let unknown = |error: CommandError| if error.advice().is_some() { error } else { error.hint(advice) };
        let reply = reply.map_err(unknown)?;
        if !(200..300).contains(&reply.status()) {
            return Err(self.refused(reply).await);
        }
        job(&self.body(reply).await.map_err(unknown)?)
    }

    pub(super) async fn list(
        &self,
        state: Option<JobState>,
        label: Option<&(String, String)>,
        most: u32,
    ) -> Result<Vec<JobView>, CommandError> {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let (mut jobs, mut cursor) = (Vec::new(), None);
        loop {
            let mut query = vec![("limit", (most - jobs.len()).min(PAGE_MAX).to_string())];
            query.extend(state.map(|state| ("state", state.as_str().to_owned())));
            query.extend(label.map(|(name, value)| ("label", format!("{name}={value}"))));
            query.extend(cursor.map(|cursor| ("cursor", cursor)));
            let pairs: Vec<(&str, &str)> = query.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let body = self.send(UpstreamMethod::Get, &["v1", "jobs"], &pairs, HeaderMap::new(), None).await?;
            let page = serde_json::from_slice::<Page<'_>>(&body).map_err(|_| foreign())?;
            let before = jobs.len();
            for job in page.jobs {
                jobs.push(JobView::received(job).ok_or_else(foreign)?);
            }
            cursor = page.next;
            if cursor.is_none() || jobs.len() == before || jobs.len() >= most {
                return Ok(jobs);
            }
        }
    }

    /// A job; nothing if this client has none of this id.
    pub(super) async fn job(&self, id: &str) -> Result<Option<JobView>, CommandError> {
        self.one(UpstreamMethod::Get, id).await
    }

    /// Cancels a job, and gives it as it is then.
    pub(super) async fn cancel(&self, id: &str) -> Result<Option<JobView>, CommandError> {
        self.one(UpstreamMethod::Delete, id).await
    }

    pub(super) async fn add_schedule(&self, text: &str) -> Result<ScheduleView, CommandError> {
        let body = Some(text.as_bytes().to_vec());
        let sent = self.send(UpstreamMethod::Post, &["v1", "schedules"], &[], of_json(), body).await?;
        serde_json::from_slice::<ReceivedSchedule<'_>>(&sent).map(ScheduleView::from).map_err(|_| foreign())
    }

    pub(super) async fn schedules(&self) -> Result<Vec<ScheduleView>, CommandError> {
        let body = self.send(UpstreamMethod::Get, &["v1", "schedules"], &[], HeaderMap::new(), None).await?;
        let page = serde_json::from_slice::<Schedules<'_>>(&body).map_err(|_| foreign())?;
        Ok(page.schedules.into_iter().map(ScheduleView::from).collect())
    }

    /// Removes a schedule. Returns whether it was there.
    pub(super) async fn remove_schedule(&self, id: &str) -> Result<bool, CommandError> {
        let path = ["v1", "schedules", id];
        let reply = self.reply(UpstreamMethod::Delete, &path, &[], HeaderMap::new(), None).await?;
        match reply.status() {
            404 => Ok(false),
            200..=299 => Ok(true),
            _ => Err(self.refused(reply).await),
        }
    }

    /// Tells what happens to a job until it has ended. A stream that breaks off is opened again where it was.
    pub(super) async fn follow(&self, id: &str, tell: &mut dyn FnMut(&EventView)) -> Result<(), CommandError> {
        let (mut last, mut failures) = (None, 0);
        loop {
            let read = self.follow_once(id, &mut last, tell).await;
            match read {
                Ok(true) => return Ok(()),
                Ok(false) => failures = 0,
                // What the server said no to, it says no to again.
                Err(error) if failures >= RECONNECTS_MAX || error.class() != Class::Unavailable => return Err(error),
                Err(_) => failures += 1,
            }
            sleep(RECONNECT_PAUSE).await;
        }
    }

    /// Reads one stream of events to its end. Returns whether the job has ended.
    async fn follow_once(
        &self,
        id: &str,
        last: &mut Option<String>,
        tell: &mut dyn FnMut(&EventView),
    ) -> Result<bool, CommandError> {
        let mut headers = HeaderMap::new();
        headers.insert("accept", HeaderValue::from_static("text/event-stream"));
        if let Some(id) = last.as_ref().and_then(|id| HeaderValue::from_str(id).ok()) {
            headers.insert("last-event-id", id);
        }
        let path = ["v1", "jobs", id, "events"];
        let reply = self.reply(UpstreamMethod::Get, &path, &[], headers, None).await?;
        if reply.status() != 200 {
            return Err(self.refused(reply).await);
        }
        let mut events = events(reply);
        while let Some(event) = events.next().await {
            let event = event.map_err(|error| Class::Unavailable.error(format!("{}: {error}", self.url)))?;
            let (Some(kind), Some(data)) = (event.event, event.data) else { continue };
            *last = event.id.or(last.take());
            tell(&EventView::received(&kind, &data));
            if JobState::of(&kind).is_some_and(JobState::is_final) {
                return Ok(true);
            }
        }
        // The server has stopped, or the job had ended before.
        Ok(self.job(id).await?.is_none_or(|job| job.state.is_final()))
    }

    async fn one(&self, method: UpstreamMethod, id: &str) -> Result<Option<JobView>, CommandError> {
        let reply = self.reply(method, &["v1", "jobs", id], &[], HeaderMap::new(), None).await?;
        match reply.status() {
            404 => Ok(None),
            200..=299 => job(&self.body(reply).await?).map(Some),
            _ => Err(self.refused(reply).await),
        }
    }

    async fn send(
        &self,
        method: UpstreamMethod,
        path: &[&str],
        query: &[(&str, &str)],
        headers: HeaderMap,
        body: Option<Vec<u8>>,
    ) -> Result<Vec<u8>, CommandError> {
        let reply = self.reply(method, path, query, headers, body).await?;
        if (200..300).contains(&reply.status()) { self.body(reply).await } else { Err(self.refused(reply).await) }
    }

    async fn reply(
        &self,
        method: UpstreamMethod,
        path: &[&str],
        query: &[(&str, &str)],
        headers: HeaderMap,
        body: Option<Vec<u8>>,
    ) -> Result<UpstreamReply, CommandError> {
        let sending = self.upstream.send_below(method, path, query, headers, body);
        match timeout(ANSWER_WITHIN, sending).await {
            Ok(Ok(reply)) => Ok(reply),
            Ok(Err(fault)) => Err(self.unreached(&fault)),
            Err(_) => {
                let told = format!("{} did not answer within {} s", self.url, ANSWER_WITHIN.as_secs());
                Err(Class::Unavailable.error(told))
            }
        }
    }

    async fn body(&self, reply: UpstreamReply) -> Result<Vec<u8>, CommandError> {
        reply.body(ANSWER_BYTES_MAX).await.map_err(|fault| self.unreached(&fault))
    }

    fn unreached(&self, fault: &UpstreamFault) -> CommandError {
        let error = Class::Unavailable.error(format!("{} was not reached: {fault}", self.url));
        if fault.may_have_arrived() {
            error
        } else {
            error.hint("nothing was sent: is `intentbox serve` running there?")
        }
    }

    /// Why the server did not do as it was asked.
    async fn refused(&self, reply: UpstreamReply) -> CommandError {
        let status = reply.status();
        let body = reply.body(REQUEST_BYTES_MAX).await.unwrap_or_default();
        let problem = serde_json::from_slice::<Problem>(&body).unwrap_or_default();
        let parts = [problem.title.as_str(), &problem.field, &problem.detail];
        let told =
            parts.into_iter().filter(|part| !part.is_empty()).fold(String::new(), |told, part| told + ": " + part);
        let told = show::line(&format!("{} answered {status}{told}", self.url));
        match status {
            401 if self.has_token => Class::Configuration.error(told).hint(
                "the token that was sent is not accepted there: it has expired, was revoked, or is for another server",
            ),
            401 => Class::Configuration
                .error(told)
                .hint("name a file with the token in --token-file, or set INTENTBOX_TOKEN"),
            403 => Class::Configuration.error(told),
            400..=499 if status != 429 => Class::Usage.error(told),
            _ => Class::Unavailable.error(told),
        }
    }
}

/// The headers of a request with a body.
fn of_json() -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert("content-type", HeaderValue::from_static("application/json"));
    headers
}

fn job(body: &[u8]) -> Result<JobView, CommandError> {
    let received = serde_json::from_slice::<Received<'_>>(body).map_err(|_| foreign())?;
    JobView::received(received).ok_or_else(foreign)
}

/// An answer that this program does not give.
fn foreign() -> CommandError {
    let error = Class::Unavailable.error("the answer is none of the jobs API");
    error.hint("--server is the address that `intentbox serve` printed, such as http://127.0.0.1:8360")
}

/// The events of an answer. One that is too large ends them.
fn events(reply: UpstreamReply) -> BoxStream<'static, Result<Sse, sse_stream::Error>> {
    let bytes = stream::unfold((Some(reply), 0_usize), |(reply, mut held)| async move {
        let mut reply = reply?;
        match reply.chunk().await {
            Ok(None) => None,
            Ok(Some(chunk)) => {
                // What came since the last end of an event.
                held = match chunk.windows(2).rposition(|two| two == b"\n\n") {
                    Some(end) => chunk.len() - end,
                    None => held + chunk.len(),
                };
                if held > EVENT_BYTES_MAX {
                    let told = format!("an event has more than {EVENT_BYTES_MAX} bytes");
                    return Some((Err(std::io::Error::other(told)), (None, held)));
                }
                Some((Ok(Bytes::from(chunk)), (Some(reply), held)))
            }
            Err(fault) => Some((Err(std::io::Error::other(fault)), (None, held))),
        }
    });
    SseStream::from_bytes_stream(bytes.boxed()).boxed()
}
