//! `demo-tracker`: serves the demo error tracker until it is interrupted.

use std::net::{Ipv4Addr, SocketAddr};

use anyhow::Context as _;
use intentbox_demo_tracker::{DemoTracker, StartError};

use crate::answer::Answer;
use crate::arguments;
use crate::error::{Class, Classify as _, CommandError, Hint as _};
use crate::show::Show;

pub(crate) async fn run(command: &arguments::DemoTracker, show: &mut Show) -> Result<Answer, CommandError> {
    let demo = start(command.port).await?;
    let (base, organization, token) = (demo.base_url(), demo.organization(), demo.token());
    let text = format!(
        "A demo error tracker with generated data; it implements a part of the Sentry API.\n\n\
         base url      {base}\n\
         organization  {organization}\n\
         token         {token}\n\n\
         curl -H 'Authorization: Bearer {token}' {base}/api/0/organizations/{organization}/issues/\n"
    );
    let answer = Answer::new(text).noting("\nserving until interrupted; press Ctrl-C to stop");
    let base_url = base.as_str();
    show.ready(&answer.with("base_url", base_url).with("organization", organization).with("token", token))?;
    tokio::select! {
        closed = demo.closed() => closed.context("the demo tracker stopped").class(Class::Unavailable)?,
        interrupted = tokio::signal::ctrl_c() => interrupted.context("interrupts").class(Class::Internal)?,
    }
    Ok(Answer::default())
}

/// Starts a demo tracker on a port of this machine; 0 is any free one.
pub(crate) async fn start(port: u16) -> Result<DemoTracker, CommandError> {
    let started = DemoTracker::start(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await;
    let in_use = matches!(&started, Err(StartError::Bind { .. }));
    let class = if in_use { Class::Unavailable } else { Class::Internal };
    let started = started.context("the demo tracker").class(class);
    if in_use && port != 0 { started.hint("choose another port, or a free one with --port 0") } else { started }
}
