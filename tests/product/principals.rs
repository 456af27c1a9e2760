//! What the policy's table of a principal changes, as `policy explain` says it. Over HTTP: `mcp/http.rs`.

use std::path::Path;

use crate::product::run_in;

const CONFIGURATION: &str =
    "[origins.sentry]\nbase_url = \"http://127.0.0.1:9\"\nprivate_addresses = [\"127.0.0.1\"]\n";

/// Everybody may read everything, Alice what is of one organization, and Bob nothing.
const POLICY: &str = "[packs.sentry]\nhttp = [\"sentry: GET /api/0/**\"]\n\
                      [exec]\nhttp = [\"sentry: GET /api/0/**\"]\n\
                      [principals.\"bob@example.com\"]\n\
                      [principals.alice]\nhttp = [\"sentry: GET /api/0/organizations/acme/**\"]\n";

/// The issues of an organization that is not Alice's.
const OTHERS: &str = "sentry:/api/0/organizations/other/issues/";

/// The exit code, stdout and stderr of `policy explain`.
fn explain(home: &Path, arguments: &[&str]) -> (i32, String, String) {
    let arguments = [&["policy", "explain"], arguments, &["--config", "c.toml"]].concat();
    let run = run_in(home, &arguments, b"", &[]);
    (run.code, run.stdout, run.stderr)
}

fn of(code: i32, stdout: &str, stderr: &str) -> (i32, String, String) {
    (code, stdout.to_owned(), stderr.to_owned())
}

#[test]
fn a_request_is_explained_as_the_principal_would_make_it() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| std::fs::write(home.path().join(name), text).expect("written");
    write("c.toml", CONFIGURATION);
    write("policy.toml", POLICY);
    let own = "sentry:/api/0/organizations/acme/issues/";
    let everybody = "sentry: GET /api/0/** under [exec]";
    let alice = "sentry: GET /api/0/organizations/acme/** under [principals.alice]";
    for (arguments, expected) in [
        (&["GET", OTHERS][..], of(0, &format!("permitted by\n  {everybody}\n  = GET {OTHERS}\n"), "")),
        (
            &["GET", own, "--principal", "alice"],
            of(0, &format!("permitted by\n  {everybody}\n  {alice}\n  = GET {own}\n"), ""),
        ),
        (
            &["GET", OTHERS, "--principal", "alice"],
            of(
                3,
                "GET sentry:/api/0/organizations/other/issues/ was refused: the run is granted `sentry: GET \
                 /api/0/organizations/acme/**`\nhint: add \"sentry: GET /api/0/organizations/other/issues/\" to http under \
                 [principals.alice] in policy.toml\n",
                "",
            ),
        ),
        (
            &["GET", OTHERS, "--for", "sentry/list_errors", "--principal", "alice"],
            of(
                3,
                "GET sentry:/api/0/organizations/other/issues/ was refused: the run is granted `sentry: GET \
                 /api/0/organizations/acme/issues/`, `sentry: GET /api/0/organizations/acme/releases/`\nhint: add \
                 \"sentry: GET /api/0/organizations/*/issues/\" to http under [principals.alice] in policy.toml\n",
                "",
            ),
        ),
        (
            &["PUT", own, "--principal", "bob@example.com"],
            of(
                3,
                "PUT sentry:/api/0/organizations/acme/issues/ was refused: the run is granted nothing under `sentry`\n\
                 hint: add \"sentry: PUT /api/0/organizations/acme/issues/\" to http under [exec] and \
                 [principals.\"bob@example.com\"] in policy.toml\n",
                "",
            ),
        ),
        (
            &["GET", own, "--principal", "carol"],
            of(
                2,
                "",
                "usage: the policy has no table for the principal `carol`\nhint: name one of these: alice, bob@example.com\n",
            ),
        ),
    ] {
        assert_eq!(explain(home.path(), arguments), expected, "{arguments:?}");
    }
    // The line of the hint is enough.
    let line = "\"sentry: GET /api/0/organizations/other/issues/\"";
    write("policy.toml", &format!("{}, {line}]\n", POLICY.trim_end().trim_end_matches(']')));
    assert_eq!(explain(home.path(), &["GET", OTHERS, "--principal", "alice"]).0, 0);

    write("policy.toml", "");
    let nobody = "usage: the policy has no table for the principal `alice`\nhint: leave out --principal: the policy has no table \
                  [principals.NAME]\n";
    assert_eq!(explain(home.path(), &["GET", own, "--principal", "alice"]), of(2, "", nobody));
}
