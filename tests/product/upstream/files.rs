//! The files of servers: whose they are, what a person approves, and that nothing else is written.

use serde_json::{Value, json};

use super::{Upstream, program};
use crate::product::{Run, run_in};

fn project(upstream: &Upstream, fault: &str) {
    let entries = json!({"mcpServers": {"faulty": {"command": "python3", "args": [program(), fault]}}});
    std::fs::write(upstream.path(".mcp.json"), entries.to_string()).expect("written");
}

#[test]
fn m15_a_projects_file_starts_nothing_until_a_person_approved_it() {
    let upstream = Upstream::of(&json!({}));
    project(&upstream, "none");
    let before = std::fs::read(upstream.path(".mcp.json")).expect("it is there");
    let listed = upstream.run_with(&["tools", "list"], b"");
    assert!(listed.stdout.starts_with("faulty  NOT APPROVED: "), "{}", listed.stdout);
    let report = upstream.run_with(&["--json", "tools", "call", "faulty", "echo", "text=a"], b"").report();
    assert_eq!(report["outcome"], "upstream_failed");
    assert_eq!(report["error"]["hint"], "read what it would run and approve it with `intentbox tools trust faulty`");
    // Nobody is there to ask.
    let refused = upstream.run_with(&["tools", "trust"], b"");
    assert_eq!(refused.code, 2);
    let command = format!("would run  python3 {} none", program().display());
    assert!(refused.stderr.contains(&command), "the exact command is shown: {}", refused.stderr);
    let here = upstream.home.path().canonicalize().expect("it is there");
    let writes = format!("may write  {} (where it runs, with .git and this file)", here.display());
    assert!(refused.stderr.contains(&writes), "{}", refused.stderr);
    let caches = "every program may write the caches of launchers too: ~/.npm, ~/.cache, ~/.local/share/uv\n";
    assert!(refused.stderr.contains(caches), "{}", refused.stderr);
    let trusted = upstream.run_with(&["tools", "trust", "--yes"], b"");
    assert_eq!(
        (trusted.code, trusted.stdout.as_str()),
        (0, "approved faulty, discovering; see `intentbox tools list`\n")
    );
    let called = upstream.run_with(&["tools", "call", "faulty", "echo", "text=a"], b"");
    assert_eq!((called.code, called.stdout.as_str()), (0, "a\n"));
    assert_eq!(std::fs::read(upstream.path(".mcp.json")).expect("it is there"), before, "nothing was written into it");
    // Another command is another thing to approve.
    project(&upstream, "banner");
    let report = upstream.run_with(&["--json", "tools", "call", "faulty", "echo", "text=a"], b"").report();
    assert_eq!(report["outcome"], "upstream_failed");
    // And what has changed is shown.
    let refused = upstream.run_with(&["tools", "trust"], b"").stderr;
    let run = |with: &str| format!("would run  python3 {} {with}", program().display());
    let shown = format!(
        "+ {}\n  {writes}\n  network    yes\n- {}\n  + and - say what has changed since it was approved\n",
        run("banner"),
        run("none")
    );
    assert!(refused.contains(&shown), "{refused}");
}

#[test]
fn a_server_of_a_project_is_removed_from_its_file_and_known_in_other_folders() {
    let upstream = Upstream::of(&json!({}));
    project(&upstream, "none");
    assert_eq!(upstream.run_with(&["tools", "trust", "--yes"], b"").code, 0);
    let removed = upstream.run_with(&["tools", "remove", "faulty"], b"");
    let file = upstream.home.path().canonicalize().expect("it is there").join(".mcp.json").display().to_string();
    assert_eq!(removed.code, 2);
    let hint = format!("it is in {file}: run `intentbox tools remove faulty --file {file}`");
    assert!(removed.stderr.contains(" has no server `faulty`") && removed.stderr.contains(&hint), "{}", removed.stderr);
    // The policy is the user's, and the server is of one folder.
    std::fs::create_dir(upstream.path("elsewhere")).expect("made");
    let checked =
        run_in(&upstream.path("elsewhere"), &["--json", "policy", "check"], b"", &[("HOME", &upstream.shown(""))]);
    assert_eq!(checked.report()["faults"], json!([]), "{checked:?}");
    assert_eq!(upstream.run_with(&["tools", "remove", "faulty", "--file", ".mcp.json"], b"").code, 0);
    let absent = upstream.run_with(&["tools", "remove", "faulty"], b"");
    assert!(absent.stderr.contains("`intentbox tools list --json` names each server with its file"), "{absent:?}");
}

#[test]
fn m10_what_is_approved_in_one_project_says_nothing_in_another() {
    let upstream = Upstream::of(&json!({}));
    let run = |folder: &str, arguments: &[&str]| upstream.run_at(folder, arguments);
    for (folder, fault) in [("one", "none"), ("two", "shadow")] {
        std::fs::create_dir(upstream.path(folder)).expect("made");
        let entry = json!({"mcpServers": {"faulty": {"command": "python3", "args": [program(), fault]}}});
        std::fs::write(upstream.path(folder).join(".mcp.json"), entry.to_string()).expect("written");
        if folder == "two" {
            // A policy goes by names, and so it holds for this one too: nothing is what it cannot have.
            let refused = run(folder, &["tools", "trust", "--yes", "--allow", "none"]);
            let told = "the policy allows tools of this name already: `faulty: read-only`";
            assert_eq!((refused.code, refused.stderr.contains(told)), (2, true), "{}", refused.stderr);
        }
        assert_eq!(run(folder, &["tools", "trust", "--yes"]).code, 0);
        let called = run(folder, &["tools", "call", "faulty", "echo", "text=a"]);
        assert_eq!((called.code, called.stdout.as_str()), (0, "a\n"), "{folder}: {called:?}");
        let listed = run(folder, &["tools", "list"]).stdout;
        assert!(!listed.contains("CHANGED"), "each is new in its folder: {listed}");
    }
}

#[test]
fn a_faulty_entry_leaves_the_others_and_keeps_its_name() {
    let upstream = Upstream::of(&json!({
        "faulty": {"command": "python3", "args": [program(), "none"], "env": {"A": "${UNSET_HERE}"}},
        "fine": {"command": "python3", "args": [program(), "none"]},
    }));
    project(&upstream, "none");
    let why = "`env.A`: the variable `UNSET_HERE` is not set; set it, or give a default as in `${UNSET_HERE:-VALUE}`";
    let called = upstream.run(&["tools", "call", "fine", "echo", "text=a"]);
    assert_eq!((called.code, called.stdout.as_str()), (0, "a\n"));
    assert!(called.stderr.contains(&format!("servers.json: `faulty`: {why}")), "{}", called.stderr);
    let listed = upstream.run(&["tools", "list"]);
    let row = listed.stdout.lines().next().unwrap_or_default();
    assert!(row.starts_with("faulty  INVALID in ") && row.ends_with(&format!("servers.json: {why}")), "{row}");
    assert_eq!(listed.stdout.matches("faulty  ").count(), 1, "the project's does not take its place");
    assert!(!listed.stderr.contains(why), "it is said once: {}", listed.stderr);
    let report = upstream.object(&["tools", "call", "faulty", "echo", "text=a"]);
    assert_eq!(
        (&report["outcome"], &report["error"]["hint"]),
        (&json!("configuration"), &json!("correct the entry, or set the variable"))
    );
    std::fs::write(upstream.path("policy.toml"), "[exec]\ntools = [\"faulty: *\"]\n").expect("written");
    std::fs::write(upstream.path("config.toml"), "").expect("written");
    std::fs::write(upstream.path("calls.py"), "tools.faulty.echo(text='a')").expect("written");
    let report = upstream.object(&["--config", "config.toml", "exec", "calls.py"]);
    assert!(report["error"]["message"].as_str().is_some_and(|message| message.contains(why)), "{report}");
    let set = upstream.run_where(
        &[("UNSET_HERE", "x")],
        &["--servers", "servers.json", "tools", "call", "faulty", "echo", "text=a"],
        b"",
    );
    assert_eq!((set.code, set.stdout.as_str()), (0, "a\n"));
}

#[test]
fn a_server_of_ones_own_runs_here_and_writes_where_it_was_told() {
    let upstream = Upstream::of(&json!({}));
    let path = program().display().to_string();
    std::fs::create_dir(upstream.path("here")).expect("made");
    let here = upstream.path("here").canonicalize().expect("it is there");
    let added = |name: &str, flags: &[&str]| {
        let command = ["--", "python3", &path, "folder"];
        upstream.run_at("here", &[&["tools", "add", name][..], flags, &command].concat())
    };
    let called = |name: &str| {
        let report = upstream.run_at("here", &["--json", "tools", "call", name, "echo", "text=a"]).report();
        (report["result"].as_str().unwrap_or_default().to_owned(), report["error"].clone())
    };
    let told = added("reads", &[]).stdout;
    assert!(told.contains("it runs in the folder that intentbox runs in, and may write none"), "{told}");
    assert_eq!(called("reads").0, format!("{} denied", here.display()));
    let told = added("writes", &["--write", "."]).stdout;
    assert!(told.contains(&format!("it may write {}\n", here.display())), "{told}");
    assert_eq!(called("writes").0, format!("{} written", here.display()));
}

#[test]
fn a_disabled_server_is_said_to_be_disabled() {
    let upstream =
        Upstream::of(&json!({"faulty": {"command": "python3", "args": [program(), "none"], "disabled": true}}));
    let report = upstream.object(&["tools", "call", "faulty", "echo", "text=a"]);
    let file = upstream.home.path().canonicalize().expect("it is there").join("servers.json");
    assert_eq!(report["outcome"], "upstream_failed");
    assert_eq!(report["error"]["message"], format!("the server `faulty` failed: it is disabled in {}", file.display()));
    let hint = "remove `\"disabled\": true` from its entry, or set `\"enabled\": true`";
    assert_eq!(report["error"]["hint"], hint);
}

#[test]
fn m15_what_a_server_may_use_is_shown_and_approved_as_its_command_is() {
    let upstream = Upstream::of(&json!({}));
    let write = |own: &serde_json::Value| {
        let entry = json!({"command": "python3", "args": [program(), "none"], "env": {"A\n b": "1"}, "intentbox": own});
        std::fs::write(upstream.path(".mcp.json"), json!({"mcpServers": {"faulty": entry}}).to_string())
            .expect("written");
    };
    let outcome = || {
        let report = upstream.run_with(&["--json", "tools", "call", "faulty", "echo", "text=a"], b"").report();
        report["outcome"].as_str().expect("an outcome").to_owned()
    };
    write(&json!({"network": false}));
    let trusted = upstream.run_with(&["tools", "trust", "--yes"], b"");
    assert_eq!(trusted.code, 0, "{}", trusted.stderr);
    assert!(trusted.stderr.contains("network    no"), "{}", trusted.stderr);
    assert!(trusted.stderr.contains("(sets \"A\\n b\"=1)"), "a name forges no line: {}", trusted.stderr);
    assert_eq!(outcome(), "ok");
    for wider in [
        json!({"network": true}),
        json!({"network": false, "write": ["/"]}),
        json!({"network": false, "trusted": true}),
    ] {
        write(&wider);
        assert_eq!(outcome(), "upstream_failed", "{wider}");
    }
    // A bound of time is nobody's privilege.
    write(&json!({"network": false, "call_s": 30}));
    assert_eq!(outcome(), "ok");
}

#[test]
fn m15_a_project_cannot_take_over_a_name_of_the_user() {
    let upstream = Upstream::with("none", &[]);
    project(&upstream, "error-flag");
    let run = upstream.run(&["tools", "call", "faulty", "echo", "text=a"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "a\n"));
    assert!(run.stderr.contains("the server `faulty` is ignored, because "), "{}", run.stderr);
    // A file that is invalid keeps nobody from working.
    std::fs::write(upstream.path(".mcp.json"), "{").expect("written");
    let run = upstream.run(&["tools", "call", "faulty", "echo", "text=a"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "a\n"));
    assert!(
        run.stderr.contains("ignored: ") && run.stderr.contains(".mcp.json: it is not a JSON object"),
        "{}",
        run.stderr
    );
}

#[test]
fn an_entry_that_starts_this_program_is_not_its_own_upstream() {
    let upstream = Upstream::of(&json!({"me": {"command": "/usr/local/bin/intentbox", "args": ["mcp"]}}));
    let run = upstream.run(&["tools", "list"]);
    assert!(run.code == 0 && run.stderr.contains("no upstream servers are configured"), "{run:?}");
}

#[test]
fn a_server_is_added_discovered_and_removed() {
    let upstream = Upstream::of(&json!({}));
    let path = program().display().to_string();
    let added = upstream.run_with(&["tools", "add", "mine", "--env", "A=${B:-c}", "--", "python3", &path, "none"], b"");
    assert_eq!(added.code, 0, "{added:?}");
    let file = upstream.path(".config/intentbox/mcp.json");
    let text = std::fs::read_to_string(&file).expect("it was written");
    assert!(text.contains("\"A\": \"${B:-c}\""), "a variable stays one: {text}");
    // The discovery goes on in another process; a second one waits for it.
    let refreshed = upstream.run_with(&["--json", "tools", "refresh", "mine"], b"").report();
    assert_eq!(refreshed["servers"][0]["status"], "success", "{refreshed}");
    let again = upstream.run_with(&["tools", "add", "mine", "--", "true"], b"");
    assert!(again.code == 2 && again.stderr.contains("there is a server `mine` already"), "{again:?}");
    assert_eq!(std::fs::read_to_string(&file).expect("it is there"), text, "nothing was written");
    let removed = upstream.run_with(&["tools", "remove", "mine"], b"");
    assert_eq!(removed.code, 0, "{removed:?}");
    let listed = upstream.run_with(&["--json", "tools", "list"], b"").report();
    assert_eq!((&listed["servers"], &listed["tools"]), (&json!([]), &json!([])));
}

#[test]
fn servers_are_imported_from_another_clients_file_without_their_secrets() {
    let upstream = Upstream::of(&json!({}));
    let path = program().display().to_string();
    let other = json!({"theme": "dark", "mcpServers": {
        "a": {"command": "python3", "args": [path, "none"], "env": {"TOKEN": "${THE_TOKEN}"}, "disabled": true},
        "b": {"command": "python3", "args": [path, "none"]},
    }});
    std::fs::write(upstream.path("other.json"), other.to_string()).expect("written");
    let imported = upstream.run_with(&["tools", "import", "other.json", "b"], b"");
    assert_eq!(imported.code, 0, "{imported:?}");
    let text = std::fs::read_to_string(upstream.path(".config/intentbox/mcp.json")).expect("it was written");
    assert!(text.contains("\"b\"") && !text.contains("\"a\""), "{text}");
    // What is switched off stays so, and is not started.
    let token = [("THE_TOKEN", "s3cr3t")];
    let disabled = upstream.run_where(&token, &["tools", "import", "other.json", "a"], b"");
    assert!(disabled.code == 0 && disabled.stdout.contains("added a, disabled"), "{disabled:?}");
    let started = upstream.run_where(&token, &["--json", "tools", "refresh", "a"], b"").report();
    let told = started["servers"][0]["error"]["message"].as_str().expect("a message");
    assert!(told.starts_with("the server `a` failed: it is disabled in "), "{started}");
    let text = std::fs::read_to_string(upstream.path(".config/intentbox/mcp.json")).expect("it was written");
    assert!(text.contains("${THE_TOKEN}") && text.contains("\"disabled\": true"), "{text}");
    let all = upstream.run_where(&token, &["tools", "import", "other.json"], b"");
    assert!(all.code == 2 && all.stderr.contains("there is a server `a` already"), "{all:?}");
    assert!(all.stderr.contains("hint: `intentbox tools remove NAME` makes room"), "{all:?}");
}

#[test]
fn m15_an_import_says_what_the_new_servers_run_and_may_and_what_is_missing() {
    let upstream = Upstream::of(&json!({}));
    std::fs::write(upstream.path("server.py"), "").expect("written");
    let write = |servers: Value| {
        std::fs::write(upstream.path("other.json"), json!({"mcpServers": servers}).to_string()).expect("written");
    };
    let import = || upstream.run_with(&["tools", "import", "other.json"], b"");
    write(json!({}));
    let none = import();
    assert!(none.code == 2 && none.stdout.is_empty(), "{none:?}");
    assert!(none.stderr.contains("other.json has no server that can be used\nhint: servers stand under"), "{none:?}");
    write(json!({"a": {"command": "x", "disabled": true}}));
    let lines = |run: Run| -> Vec<String> {
        run.stdout.lines().skip(1).filter(|line| !line.contains("policy.toml")).map(str::to_owned).collect()
    };
    assert_eq!(lines(import()), ["a  runs  x", "  network    yes"]);
    let home = upstream.home.path().canonicalize().expect("it is there").display().to_string();
    write(json!({
        "a": {"command": "x"},
        "b": {"command": "python3", "args": ["server.py"], "disabled": true},
        "c": {"command": "npx", "args": ["-y", "server"], "disabled": true},
    }));
    let refused = import();
    let hint = "hint: `intentbox tools import other.json b c` adds those that are not there";
    assert!(refused.code == 2 && refused.stderr.contains(hint), "{refused:?}");
    assert_eq!(
        lines(upstream.run_with(&["tools", "import", "other.json", "b", "c"], b"")),
        [
            format!("b  runs  python3 server.py (in {home})"),
            format!("  may write  {home} (where it runs, with .git and this file)"),
            "  network    yes".to_owned(),
            "c  runs  npx -y server".to_owned(),
            "  network    yes".to_owned(),
        ]
    );
}

#[test]
fn a_refresh_that_may_start_nothing_says_why() {
    let upstream = Upstream::of(&json!({}));
    let refresh = || upstream.run_with(&["tools", "refresh"], b"");
    assert!(refresh().stderr.contains("no upstream servers are configured"));
    std::fs::write(upstream.path(".mcp.json"), r#"{"mcpServers": {"a": {"command": "x"}}}"#).expect("written");
    let refused = refresh();
    assert_eq!((refused.code, refused.stdout.as_str()), (7, ""), "{refused:?}");
    let told =
        "no server can be discovered: `a` is not approved\nhint: run `intentbox tools trust` to see and approve them\n";
    assert!(refused.stderr.ends_with(told), "{refused:?}");
}

#[test]
fn the_configuration_names_files_and_a_changed_entry_is_discovered_by_itself() {
    let upstream = Upstream::with("none", &[]);
    let folder = upstream.path("etc");
    std::fs::create_dir(&folder).expect("made");
    std::fs::write(folder.join("config.toml"), "[tools]\nservers = [\"../servers.json\"]\nrefresh = \"daily\"\n")
        .expect("written");
    let list = || upstream.run_with(&["--config", "etc/config.toml", "tools", "list"], b"").stdout;
    // Waits for the process in the background, as a person would.
    let refresh = || upstream.run_with(&["--config", "etc/config.toml", "tools", "refresh"], b"");
    assert_eq!(list(), "faulty  discovering\n");
    assert_eq!(refresh().code, 0);
    let known = list();
    assert!(known.starts_with("faulty  ") && known.contains(" tools, listed "), "{known}");
    let args = [program().display().to_string(), "none".to_owned(), "--modern".to_owned()];
    upstream.configure(&json!({"faulty": {"command": "python3", "args": args}}));
    assert!(list().starts_with("faulty  discovering\n"), "another command may have other tools");
    assert_eq!(refresh().code, 0);
    std::fs::remove_file(upstream.path("servers.json")).expect("it is there");
    let missing = upstream.run_with(&["--config", "etc/config.toml", "tools", "list"], b"");
    assert_eq!(missing.code, 2);
    assert!(missing.stderr.contains("correct `servers` under [tools] in the configuration"), "{}", missing.stderr);
}

#[test]
fn a_file_of_tools_that_is_damaged_is_put_aside_and_begun_anew() {
    let upstream = Upstream::with("none", &[]);
    let folder = upstream.path("state");
    std::fs::create_dir(&folder).expect("made");
    std::fs::write(folder.join("tools.db"), "not a database, but long enough to be read as one".repeat(100))
        .expect("written");
    let run = upstream.run(&["--state", "state", "tools", "call", "faulty", "echo", "text=a"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "a\n"), "{run:?}");
    assert!(run.stderr.contains("it is kept as ") && run.stderr.contains("tools.db.damaged-"), "{}", run.stderr);
    let again = upstream.run(&["--state", "state", "tools", "list"]);
    assert!(again.stderr.is_empty() && again.stdout.contains("5 tools"), "{again:?}");
}

#[test]
fn without_a_state_folder_that_can_be_written_tools_are_kept_in_memory() {
    let upstream = Upstream::with("none", &[]);
    std::fs::write(upstream.path("file"), "").expect("written");
    let run = upstream.run(&["--state", "file/below", "tools", "call", "faulty", "echo", "text=a"]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "a\n"), "{run:?}");
    assert!(run.stderr.contains("tools are kept in memory"), "{}", run.stderr);
}
