//! `token`: who may use a server. What is kept of a token is its digest: nobody can read it again.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use intentbox_catalog::period::Period;
use intentbox_engine::Principal;
use intentbox_jobs::{JobFilter, JobQuotas, JobState, JobStore, NewToken, SCHEDULES_MAX, TokenRecord, is_revoked};
use intentbox_listen::{GivenToken, Scope, Scopes, TokenDigest, Tokens, token_digest};
use serde_json::json;

use crate::answer::Answer;
use crate::arguments::{Sources, Token, TokenCommand};
use crate::error::{Class, Classify as _, CommandError};
use crate::jobs::{SHORT_ID_MIN, kept_flags, reworded, store, time};
use crate::{process, setup, show, table};

/// What a token begins with, so that people and programs that look for secrets know what it is.
const PREFIX: &str = "ibx_";

/// The most waiting jobs that are counted.
const WAITING_MAX: u32 = 1_000;

pub(crate) async fn run(sources: &Sources, command: TokenCommand) -> Result<Answer, CommandError> {
    let TokenCommand { database, command } = command;
    let flags = kept_flags(sources, &database);
    let store = store(&setup::store_place(sources, &database)?, process::name(), JobQuotas::default()).await?;
    let answer = match command {
        Token::Create { name, scopes, expires } => {
            let scopes = if scopes.is_empty() { Scopes::of([Scope::Read, Scope::Run]) } else { Scopes::of(scopes) };
            create(&store, &name, scopes, expires.map(Period::seconds)).await
        }
        Token::List => list(&store).await,
        Token::Revoke { id } => revoke(&store, &id).await,
    };
    store.close().await;
    reworded(answer, &flags)
}

async fn create(store: &JobStore, name: &str, scopes: Scopes, expires_s: Option<u64>) -> Result<Answer, CommandError> {
    if !Principal::is_name(name) {
        let message = format!("{name:?} is no name: write 1 to 64 letters, digits, `_`, `-`, `.` or `@`");
        return Err(Class::Usage.error(message));
    }
    let mut bytes = [0; 40];
    getrandom::fill(&mut bytes).map_err(|_| Class::Unavailable.error("the system gives no randomness"))?;
    let (id, secret) = bytes.split_at(8);
    let (id, token) = (hex(id), format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(secret)));
    let new = NewToken {
        id: id.clone(),
        principal: Principal::named(name).as_str().to_owned(),
        scopes: scopes.to_string(),
        digest: hex(&token_digest(&token)),
        ttl_ms: expires_s.map(|seconds| i64::try_from(seconds.saturating_mul(1_000)).unwrap_or(i64::MAX / 4)),
    };
    let is_first = store.tokens().await.class(Class::Unavailable)?.is_empty();
    store.add_token(new).await.class(Class::Unavailable)?;
    let closes = "; from now on every request needs a token";
    let closes = if is_first { closes } else { "" };
    let note = format!(
        "token {id} of {name} for {scopes}: it is shown this once; send it as `Authorization: Bearer TOKEN`{closes}"
    );
    Ok(Answer::new(format!("{token}\n"))
        .noting(note)
        .with("token", token)
        .with("id", id)
        .with("name", name)
        .with("scopes", scopes.to_string()))
}

async fn list(store: &JobStore) -> Result<Answer, CommandError> {
    let tokens = store.tokens().await.class(Class::Unavailable)?;
    let objects: Vec<_> = tokens
        .iter()
        .map(|token| {
            json!({
                "id": token.id, "name": name(token), "scopes": token.scopes, "created_at": time(token.created_ms),
                "expires_at": token.expires_ms.map(time), "revoked_at": token.revoked_ms.map(time),
            })
        })
        .collect();
    if tokens.is_empty() {
        let hint = "there are no tokens: make one with `intentbox token create NAME`";
        return Ok(Answer::default().noting(hint.to_owned()).with("tokens", objects));
    }
    let now_ms = store.now_unix_ms();
    let row = |token: &TokenRecord| {
        let accepted = match (token.revoked_ms, token.expires_ms) {
            (Some(at), _) => format!("no: revoked {}", time(at)),
            (None, Some(at)) if at <= now_ms => format!("no: expired {}", time(at)),
            (None, Some(at)) => format!("until {}", time(at)),
            (None, None) => "until it is revoked".to_owned(),
        };
        let (id, name, scopes) = (&token.id, name(token), &token.scopes);
        json!({"id": id, "name": name, "scopes": scopes, "created": time(token.created_ms), "accepted": accepted})
    };
    let rows: Vec<_> = tokens.iter().map(row).collect();
    Ok(Answer::new(table::shown(&json!(rows).to_string())).with("tokens", objects))
}

async fn revoke(store: &JobStore, typed: &str) -> Result<Answer, CommandError> {
    let tokens = store.tokens().await.class(Class::Unavailable)?;
    let is_short = typed.len() >= SHORT_ID_MIN;
    let mut meant = tokens.iter().filter(|token| token.id == typed || (is_short && token.id.starts_with(typed)));
    // Of several, none: somebody would lose a token that works.
    let id = match (meant.next(), meant.next()) {
        (Some(token), None) => token.id.as_str(),
        _ => typed,
    };
    if !store.revoke_token(id).await.class(Class::Unavailable)? {
        let message = format!("there is no token {} that is accepted", show::line(typed));
        let own = tokens.iter().filter(|token| token.revoked_ms.is_none() && name(token) == typed);
        let ids: Vec<&str> = own.map(|token| token.id.as_str()).collect();
        let hint = match ids.as_slice() {
            [] => "run `intentbox token list`".to_owned(),
            ids => format!("a token is named by its id, and {} has {}", show::line(typed), ids.join(", ")),
        };
        return Err(Class::Absent.error(message).hint(hint));
    }
    let tokens = store.tokens().await.class(Class::Unavailable)?;
    let whose = tokens.iter().find(|token| token.id == id).map(|token| token.principal.as_str()).unwrap_or_default();
    let answer =
        Answer::new(format!("revoked {}: servers know it within a few seconds\n", show::line(id))).with("id", id);
    if !is_revoked(&tokens, whose, store.now_unix_ms()) {
        return Ok(answer);
    }
    let kept = store.schedules(whose, SCHEDULES_MAX).await.class(Class::Unavailable)?.len();
    let mut waiting = 0;
    for state in [JobState::Scheduled, JobState::Ready] {
        let filter = JobFilter { principal: Some(whose.to_owned()), state: Some(state), ..JobFilter::default() };
        waiting += store.list(&filter, WAITING_MAX).await.class(Class::Unavailable)?.len();
    }
    let name = tokens.iter().find(|token| token.id == id).map(name).unwrap_or_default();
    let mut notes = Vec::new();
    if waiting > 0 {
        notes.push(format!(
            "this client has {} that waits, and each still runs: see `intentbox jobs list --principal {name}` and `intentbox jobs cancel ID \
             --principal {name}`",
            show::count(waiting, "job")
        ));
    }
    if kept > 0 {
        notes.push(format!(
            "this client has {}: no job is submitted by that any more, unless it gets another token",
            show::count(kept, "schedule")
        ));
    }
    let answer = if notes.is_empty() { answer } else { answer.noting(notes.join("\n")) };
    Ok(answer.with("schedules", kept).with("waiting", waiting))
}

fn name(token: &TokenRecord) -> String {
    Principal::kept(&token.principal).and_then(|principal| principal.name().map(str::to_owned)).unwrap_or_default()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

/// Has a server accept what the store says now. From the first token on, a token is needed.
pub(crate) async fn accept(store: &JobStore, tokens: &Tokens) -> Result<(), CommandError> {
    let kept = store.tokens().await.class(Class::Unavailable)?;
    let is_needed = !kept.is_empty();
    let given = kept.into_iter().filter(|token| token.revoked_ms.is_none()).filter_map(|token| {
        let given = GivenToken {
            principal: Principal::kept(&token.principal)?,
            scopes: Scopes::parse(&token.scopes),
            expires_unix_ms: token.expires_ms,
        };
        Some((digest(&token.digest)?, given))
    });
    let given: HashMap<TokenDigest, GivenToken> = given.collect();
    tokens.give(given, is_needed);
    Ok(())
}

fn digest(hex: &str) -> Option<TokenDigest> {
    let mut digest = [0; 32];
    if hex.len() != 64 || !hex.is_ascii() {
        return None;
    }
    for (place, byte) in digest.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&hex[place * 2..place * 2 + 2], 16).ok()?;
    }
    Some(digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_read_as_it_was_written() {
        let of = token_digest("a token");
        assert_eq!(digest(&hex(&of)), Some(of));
        for wrong in ["", "00", &"zz".repeat(32), &"0".repeat(63)] {
            assert_eq!(digest(wrong), None);
        }
    }
}
