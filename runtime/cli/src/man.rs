//! `man`: the manual page.

use anyhow::Context as _;
use clap::CommandFactory as _;

use crate::answer::Answer;
use crate::arguments::Arguments;
use crate::error::{Class, Classify as _, CommandError};

pub(crate) fn run() -> Result<Answer, CommandError> {
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(Arguments::command()).render(&mut page);
    rendered.context("the manual page").class(Class::Internal)?;
    let page = String::from_utf8_lossy(&page).into_owned();
    Ok(Answer::new(page.as_str()).with("manual", page))
}
