//! `templates render`: the script that a template becomes.

use std::collections::BTreeMap;

use intentbox_catalog::ParamError;
use intentbox_engine::remedy_for_values;

use crate::answer::Answer;
use crate::arguments::Sources;
use crate::error::{Class, Classify as _, CommandError};
use crate::setup;
use crate::words::words;

pub(crate) async fn run(sources: &Sources, id: &str, params: &[(String, String)]) -> Result<Answer, CommandError> {
    let configured = setup::configured(sources).await?;
    let catalog = configured.catalog()?;
    let template = super::find(&catalog, id)?;
    let invalid = |error: ParamError| Class::Usage.error(&error).hint(words(&remedy_for_values(&error)));
    let mut given = BTreeMap::new();
    for (name, text) in params {
        given.insert(name.clone(), template.read_text(name, text).map_err(invalid)?);
    }
    let arguments = template.check(&given, &configured.configuration.settings).map_err(invalid)?;
    let script = template.render(&arguments).class(Class::Configuration)?;
    Ok(Answer::new(script.source()).with("template", id).with("script", script.source()))
}
