//! Templates: what each one asks for, how the values given to it are checked, and how its script is rendered.
//!
//! A template is a folder of `templates/<pack>/<name>/`: `template.toml` says what it does, which parameters it takes
//! and which capabilities it wants, `script.py.j2` is the Python script with places for the values, and `cases/` holds
//! examples that are also its tests. This crate turns the folders into a [`Catalog`], parameters into [`Arguments`],
//! and arguments into a [`Script`].
//!
//! It is *not* for choosing a template for a text (that is `intentbox-router`), for granting what a template wants
//! (that is policy, in the engine over `intentbox-capability`), or for running anything. It does no I/O: the templates
//! are compiled in, and other sources hand their files to [`Catalog::from_files`].
//!
//! In reading order: [`catalog`] loads the folders, `manifest` reads `template.toml`, [`template`] checks and renders,
//! [`param`] holds the parameter types with [`period`], [`window`], [`instant`] and [`words`], [`result`] the declared shape of
//! the answer, `dialect` says what a script template may
//! contain, [`script`] renders it, [`literal`] writes the values, and [`case`] reads the examples. [`json`] reads JSON from
//! outside and [`terminal`] makes it safe to print, for this crate and those above it.
//!
//! ```
//! use std::collections::BTreeMap;
//! use intentbox_catalog::Catalog;
//!
//! let catalog = Catalog::embedded()?;
//! let template = catalog.get("sentry/list_errors").expect("it is part of the sentry pack");
//!
//! let given = BTreeMap::from([("limit".to_owned(), template.read_text("limit", "5")?)]);
//! let settings = BTreeMap::from([("sentry.organization".to_owned(), "acme".to_owned())]);
//! let script = template.render(&template.check(&given, &settings)?)?;
//!
//! assert_eq!(script.name(), "sentry/list_errors.py");
//! assert!(script.source().contains("limit = 5\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bindings;
pub mod case;
pub mod catalog;
mod dialect;
mod embedded;
pub mod id;
pub mod instant;
pub mod json;
pub mod literal;
mod manifest;
#[cfg(any(test, fuzzing))]
pub mod oracle;
pub mod param;
pub mod param_error;
pub mod period;
pub mod result;
pub mod script;
pub mod template;
pub mod terminal;
#[cfg(test)]
mod tests;
pub mod window;
pub mod words;

pub use case::{Case, CaseFile};
pub use catalog::{Catalog, CatalogError};
pub use dialect::DialectError;
pub use id::TemplateId;
pub use param::{ParamKind, ParamSpec};
pub use param_error::{ParamError, closest};
pub use result::{ResultError, ResultSchema};
pub use script::{RenderError, Script};
pub use template::{Arguments, Companions, Effects, Limits, Pack, Template};
