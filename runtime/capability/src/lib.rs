//! Decides what a run may access.
//!
//! A template *wants*, the operator's policy *permits*, and the grant is the intersection. This crate defines the rules,
//! intersects them, and turns a script's URL into an [`AllowedUrl`], the proof that the grant covers it. It is pure: it
//! opens no socket, resolves no name, reads no file, knows no secret and has no `async`. `intentbox-egress` sends requests,
//! and accepts an `AllowedUrl` and nothing else.
//!
//! Reading order: [`HttpRule`] (methods and paths of an origin), [`Origin`] (an alias and its base URL), [`Grant`] (rules in
//! layers), [`AllowedUrl`] (an admitted request), [`HeaderName`] (the headers it may have) and `tunnel` (method overrides),
//! [`Reads`] and [`AllowedFile`] (directories), [`Tools`] (tools of other servers), [`Access`] and [`Grants`] (all kinds of
//! host calls), [`Refusal`] (why a call is refused, and what it needs), and [`PrivateAddresses`] (IP addresses).
//!
//! ```
//! use intentbox_capability::{Grant, Origin, Origins};
//!
//! let origins = Origins::new([Origin::new("sentry".parse()?, "https://sentry.example")?])?;
//! let wants = Grant::of(["sentry: GET /api/0/organizations/*/issues/".parse()?]);
//! let grant = wants.and(["sentry: GET,PUT /api/0/**".parse()?]);
//!
//! let url = grant.admit(&origins, "GET", "sentry:/api/0/organizations/acme/issues/?limit=5")?;
//! assert_eq!(url.url().as_str(), "https://sentry.example/api/0/organizations/acme/issues/?limit=5");
//!
//! let refusal = grant.admit(&origins, "GET", "https://evil.example/").unwrap_err();
//! assert_eq!(
//!     refusal.to_string(),
//!     "GET https://evil.example/ was refused: it is not below the base URL of a granted origin (this run may access: sentry)"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod access;
mod address;
mod admit;
mod file;
mod grant;
mod header;
#[cfg(any(test, fuzzing))]
pub mod oracle;
mod origin;
mod path;
mod refusal;
mod rule;
mod tool;
mod tunnel;

pub use access::{Access, Asked, Grants};
pub use address::{Network, NetworkError, PrivateAddresses, is_public};
pub use admit::AllowedUrl;
pub use file::{AllowedFile, PATH_BYTES_MAX, PathFlaw, Reads, is_plain_name};
pub use grant::Grant;
pub use header::{HeaderName, HeaderNameError};
pub use origin::{Origin, OriginError, Origins};
pub use path::{Flaw, PathPattern, URL_BYTES_MAX};
pub use refusal::{Needs, Place, Refusal, shown_url};
pub use rule::{Alias, HttpRule, Method, RuleError, WrittenRule};
pub use tool::{AllowedTool, READ_ONLY, ServerId, ToolEffect, ToolRule, Tools, is_tool_name};
