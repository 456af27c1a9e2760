use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::server::{Bounds, Endpoint, Program, Transport};

fn variable(name: &str) -> Option<String> {
    (name == "TOKEN").then(|| "s3cr3t".to_owned())
}

fn context() -> FileContext<'static> {
    FileContext {
        path: Path::new("/projects/app/.mcp.json"),
        origin: FileOrigin::Project,
        variable: &variable,
        home: Some(Path::new("/users/me")),
    }
}

fn parsed(text: &str) -> Result<ParsedFile, FileErrors> {
    parse(text, &context())
}

/// The one server of a file with this entry.
fn server(entry: &str) -> ServerConfig {
    let mut file = parsed(&format!(r#"{{"mcpServers":{{"s":{entry}}}}}"#)).expect(entry);
    assert_eq!(file.servers.len(), 1);
    file.servers.remove(0)
}

/// What is wrong with an entry.
fn faults(entry: &str) -> Vec<String> {
    let errors = parsed(&format!(r#"{{"mcpServers":{{"s":{entry}}}}}"#)).expect_err(entry);
    errors.0.into_iter().map(|error| error.reason).collect()
}

#[test]
fn the_files_of_the_clients_are_read() {
    let claude = r#"{"globalShortcut": "", "mcpServers": {"git": {"command": "uvx", "args": ["mcp-server-git", "--repository", "."]},
        "linear": {"type": "http", "url": "https://mcp.linear.example/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}}}}"#;
    let code = "{\n // servers of this project\n \"inputs\": [], \"servers\": {\"files\": {\"type\": \"stdio\", \"command\": \"npx\",\n\
        \"args\": [\"-y\", \"server-filesystem\", \"${workspaceFolder}\"], \"env\": {\"N\": 5, \"ON\": true}},},\n}";
    let cursor = r#"{"mcpServers": {"db": {"command": "node", "args": ["db.js"], "cwd": "tools", "envFile": ".env", "disabled": true}}}"#;
    let files: Vec<ParsedFile> = [claude, code, cursor].into_iter().map(|text| parsed(text).expect(text)).collect();
    let commands: Vec<String> =
        files.iter().flat_map(|file| &file.servers).map(|one| one.transport.summary()).collect();
    assert_eq!(
        commands,
        [
            "uvx mcp-server-git --repository .",
            "https://mcp.linear.example/mcp (sends authorization)",
            "npx -y server-filesystem /projects/app (sets N=5, ON=true)",
            "node db.js (in /projects/app/tools)",
        ]
    );
    assert_eq!(files[2].warnings, ["/projects/app/.mcp.json: `db`: `envFile` is ignored"]);
    assert!(!files[2].servers[0].is_enabled && files[0].servers[0].is_enabled);
    let Transport::Http(Endpoint { headers, .. }) = &files[0].servers[1].transport else { panic!("it is HTTP") };
    assert_eq!(headers["authorization"], "Bearer s3cr3t");
    let Transport::Stdio(Program { env, .. }) = &files[1].servers[0].transport else { panic!("it is a program") };
    assert_eq!(*env, BTreeMap::from([("N".to_owned(), "5".to_owned()), ("ON".to_owned(), "true".to_owned())]));
}

#[test]
fn our_own_settings_have_bounds() {
    let own = |settings: &str| server(&format!(r#"{{"command":"a","intentbox":{settings}}}"#));
    let all = own(
        r#"{"trusted":true,"network":false,"namespaces":false,"memory_mib":64,"discovery_s":120,"call_s":600,"write":["out","/tmp/x"]}"#,
    );
    let expected = Bounds {
        discovery_max: Duration::from_mins(2),
        call_max: Duration::from_mins(10),
        memory_bytes: 64 << 20,
        network: false,
        namespaces: false,
        writable: vec!["/projects/app/out".into(), "/tmp/x".into()],
    };
    assert_eq!((all.is_trusted, all.bounds), (true, expected));
    assert_eq!(own("{}").bounds, Bounds::default());
    for (settings, is_fine) in [
        (r#"{"memory_mib":32}"#, true),
        (r#"{"memory_mib":31}"#, false),
        (r#"{"memory_mib":65536}"#, true),
        (r#"{"memory_mib":65537}"#, false),
        (r#"{"discovery_s":1}"#, true),
        (r#"{"discovery_s":0}"#, false),
        (r#"{"discovery_s":121}"#, false),
        (r#"{"call_s":601}"#, false),
        (r#"{"call_s":1.5}"#, false),
        (r#"{"network":"no"}"#, false),
        (r#"{"write":"out"}"#, false),
        (r#"{"nettwork":false}"#, false),
        ("5", false),
    ] {
        let text = format!(r#"{{"mcpServers":{{"s":{{"command":"a","intentbox":{settings}}}}}}}"#);
        assert_eq!(parsed(&text).is_ok(), is_fine, "{settings}");
    }
}

#[test]
fn an_invalid_entry_says_what_to_write() {
    for (entry, reason) in [
        ("5", "it is not an object"),
        ("{}", "it has neither `command` nor `url`"),
        (r#"{"command":"a","url":"http://a"}"#, "it has both `command` and `url`; keep one"),
        (r#"{"type":"sse","url":"http://a"}"#, "the old transport `sse` is not supported"),
        (r#"{"type":"ws","url":"http://a"}"#, "`type` is \"stdio\" or \"http\", and not \"ws\""),
        (r#"{"type":"http","command":"a"}"#, "\"type\": \"http\" needs a `url`, and it has a `command`"),
        (r#"{"type":"stdio","url":"http://a"}"#, "\"type\": \"stdio\" needs a `command`"),
        (r#"{"command":5}"#, "`command` is a text"),
        (r#"{"command":" "}"#, "`command` is empty"),
        (r#"{"command":"npx -y x"}"#, r#"no shell splits `command`: write "command": "npx", "args": ["-y", "x"]"#),
        (r#"{"command":"a","args":"b"}"#, "`args` is a list of at most 256 texts"),
        (r#"{"command":"a","args":[{}]}"#, "`args[0]`: it is not a text"),
        (r#"{"command":"a","env":[]}"#, "`env` is an object of at most 256 texts"),
        (r#"{"command":"a","env":{"A=B":"c"}}"#, "`env`: \"A=B\" is no variable"),
        (r#"{"command":"a","env":{"A":"${NONE}"}}"#, "`env.A`: the variable `NONE` is not set"),
        (r#"{"command":"a","args":["${input:key}"]}"#, "`args[0]`: `${input:key}` is asked for by VS Code only"),
        (r#"{"command":"a","headers":{}}"#, "`headers` is for a `url`"),
        (r#"{"command":"a","command":"b"}"#, "it has `command` twice"),
        (r#"{"command":"a","enabled":true,"disabled":true}"#, "`enabled` and `disabled` contradict each other"),
        (r#"{"command":"a","disabled":1}"#, "`disabled` is true or false"),
        (r#"{"url":"a"}"#, "`url` is not a URL"),
        (r#"{"url":"file:///etc/passwd"}"#, "`url` begins with http:// or https:// and names a host"),
        (r#"{"url":"http://me:pw@a/"}"#, "`url` holds a user or password"),
        (r#"{"url":"http://a","headers":{"a b":"c"}}"#, "`headers`: \"a b\" is no name of a header"),
        (r#"{"url":"http://a","headers":{"A":"c\nd"}}"#, "`headers`: the value of `a` is not plain ASCII"),
        (r#"{"url":"http://a","headers":{"A":"c","a":"d"}}"#, "`headers`: `a` is there twice"),
        (r#"{"url":"http://a","env":{}}"#, "`env` is for a `command`"),
        (
            r#"{"command":"a","intentbox":{"token_env":"A"}}"#,
            "`intentbox`: `token_…`, `auth` and `ca_file` are for a `url`",
        ),
        (r#"{"url":"http://a","intentbox":{"auth":"bearer"}}"#, "`intentbox.auth`: there is no secret to send"),
        (
            r#"{"url":"http://a","intentbox":{"token_env":"A","auth":"s3cr3t"}}"#,
            "`intentbox.auth` is \"bearer\", or an object with basic, header, query or oauth",
        ),
        (
            r#"{"url":"http://a","intentbox":{"token_env":"A","token_file":"b"}}"#,
            "`intentbox`: more than one of token_env, token_file and token_credential is set",
        ),
        (r#"{"url":"http://a","intentbox":{"token_file":5}}"#, "`intentbox.token_file` is a path"),
    ] {
        let faults = faults(entry);
        assert!(faults.len() == 1 && faults[0].starts_with(reason), "{entry}: {faults:?}");
    }
}

#[test]
fn all_faults_of_a_file_are_told_at_once_and_nothing_of_it_is_used() {
    let text =
        r#"{"mcpServers": {"a b": {"command": "x"}, "good": {"command": "x"}, "good": {"command": "y"}, "bad": {}}}"#;
    let told = parsed(text).expect_err("three faults").to_string();
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines.len(), 3, "{told}");
    assert!(lines[0].starts_with("/projects/app/.mcp.json: `a b`: a server's name is 1 to 64"), "{told}");
    assert_eq!(
        lines[1],
        "/projects/app/.mcp.json: `good`: the file has two servers of this name, so neither is used: remove one"
    );
    assert_eq!(lines[2], "/projects/app/.mcp.json: `bad`: it has neither `command` nor `url`");
    for (text, part) in [
        ("", "it is not a JSON object"),
        ("[]", "it is not a JSON object"),
        (r#"{"mcpServers": []}"#, "its `mcpServers` is not an object of servers"),
        (r#"{"servers": {}, "servers": {}}"#, "it has `servers` twice"),
        (r#"{"mcpServers": {"a": {"command":"x"}}, "servers": {"a": {"command":"x"}}}"#, "two servers of this name"),
    ] {
        let told = parsed(text).expect_err(text).to_string();
        assert!(told.contains(part), "{text}: {told}");
    }
    let entries = r#"{"servers": {"a": {"command":"x"}, "b": {"command":"x"}, "a": {}, "a": {"command":"y"}}}"#;
    let valid = parse_valid(entries, &context()).expect("an object");
    let names: Vec<&str> = valid.servers.iter().map(|server| server.id.as_str()).collect();
    assert_eq!((names, valid.faults.len()), (vec!["b"], 1), "neither of two counts, and it is told once");
    let none = parsed("{}").expect("an object");
    assert_eq!(none.warnings, ["/projects/app/.mcp.json: it has neither `mcpServers` nor `servers`"]);
    let many = |count: usize| {
        let entries: Vec<String> = (0..count).map(|number| format!(r#""s{number}":{{"command":"x"}}"#)).collect();
        parsed(&format!(r#"{{"servers":{{{}}}}}"#, entries.join(",")))
    };
    assert!(many(SERVERS_MAX).is_ok() && many(SERVERS_MAX + 1).is_err());
}

#[test]
fn the_valid_entries_of_a_file_are_used_where_others_are_not() {
    let context = FileContext {
        path: Path::new("/projects/app/.mcp.json"),
        origin: FileOrigin::Project,
        variable: &|_| None,
        home: None,
    };
    let text = r#"{"mcpServers": {"a": {"command": 5}, "time": {"command": "uvx"}, "b": {"command": "x", "env": {"N": "${UNSET}"}}}}"#;
    let read = parse_valid(text, &context).expect("a file");
    let ids: Vec<&str> = read.servers.iter().map(|server| server.id.as_str()).collect();
    assert_eq!((ids, read.warnings.len()), (vec!["time"], 0));
    let faults: Vec<String> = read.faults.iter().map(ToString::to_string).collect();
    assert_eq!(
        faults,
        [
            "/projects/app/.mcp.json: `a`: `command` is a text",
            "/projects/app/.mcp.json: `b`: `env.N`: the variable `UNSET` is not set; set it, or give a default as in \
             `${UNSET:-VALUE}`",
        ]
    );
    assert!(parse_valid("[]", &context).is_err());
}

#[test]
fn the_first_file_that_has_a_name_keeps_it() {
    let file = |path: &str, origin: FileOrigin, names: &[&str]| {
        let server = |name: &&str| {
            let program = Program { command: path.to_owned(), ..Program::default() };
            ServerConfig {
                id: name.parse().expect("an id"),
                told: Transport::Stdio(program.clone()),
                transport: Transport::Stdio(program),
                secrets: Vec::new(),
                is_enabled: true,
                is_trusted: false,
                bounds: Bounds::default(),
                file: path.into(),
                origin,
            }
        };
        ParsedFile { servers: names.iter().map(server).collect(), ..ParsedFile::default() }
    };
    let own = file("/own", FileOrigin::Own, &["git", "b"]);
    let project = file("/project", FileOrigin::Project, &["GIT", "git", "a"]);
    let merged = merge(vec![own, project]);
    let used: Vec<(&str, &Path)> = merged.servers.iter().map(|one| (one.id.as_str(), one.file.as_path())).collect();
    let (own, project) = (Path::new("/own"), Path::new("/project"));
    assert_eq!(used, [("GIT", project), ("a", project), ("b", own), ("git", own)]);
    let id: ServerId = "git".parse().expect("an id");
    assert_eq!(merged.overridden, [Overridden { id, used: own.into(), ignored: project.into() }]);
    assert_eq!(merged.warnings, ["the servers `GIT` and `git` differ by case only"]);
    // Nor does it take over a name whose entry cannot be used, and what is wrong with an entry that is not used anyhow says nobody.
    let fault =
        |file: &Path, id: &str| FileError { file: file.to_owned(), id: Some(id.to_owned()), reason: "x".to_owned() };
    let faulty = |path: &Path, id: &str| ParsedFile { faults: vec![fault(path, id)], ..ParsedFile::default() };
    let merged = merge(vec![
        faulty(own, "git"),
        file("/own", FileOrigin::Own, &["b"]),
        file("/project", FileOrigin::Project, &["git"]),
        faulty(project, "b"),
    ]);
    let used: Vec<&str> = merged.servers.iter().map(|one| one.id.as_str()).collect();
    assert_eq!((used, merged.faults), (vec!["b"], vec![fault(own, "git")]));
    assert_eq!((merged.overridden[0].used.as_path(), merged.overridden[0].ignored.as_path()), (own, project));
}

#[test]
fn a_person_is_told_variables_by_name_and_approves_them_by_name() {
    let entry = |token: &'static str| {
        let variable = move |name: &str| match name {
            "TOKEN" => Some(token.to_owned()),
            "HOME" => Some("/users/me".to_owned()),
            "RUNNER" => Some("node".to_owned()),
            _ => None,
        };
        let context = FileContext {
            path: Path::new("/projects/app/.mcp.json"),
            origin: FileOrigin::Project,
            variable: &variable,
            home: None,
        };
        let text = r#"{"mcpServers": {
            "a": {"command": "${RUNNER}", "args": ["--key=${TOKEN}", "${HOME}/x", "${UNSET:-y}"], "env": {"A_TOKEN": "${TOKEN}"}},
            "b": {"url": "https://x.example/${TOKEN}?key=${TOKEN}", "headers": {"Authorization": "Bearer ${TOKEN}", "X": "abc"}}
        }}"#;
        parse(text, &context).expect("a file").servers
    };
    let servers = entry("s3cr3t");
    let told: Vec<String> = servers.iter().map(|server| server.told.summary()).collect();
    assert_eq!(
        told,
        [
            r#"node "--key=${TOKEN}" /users/me/x y (sets A_TOKEN="${TOKEN}")"#,
            r#""https://x.example/${TOKEN}?key=${TOKEN}" (sends authorization="Bearer ${TOKEN}", x)"#,
        ]
    );
    for (server, other) in servers.iter().zip(entry("another")) {
        assert_eq!(server.approval_hash(), other.approval_hash(), "{server:?}");
        assert_ne!(server.hash(), other.hash(), "{server:?}");
        assert!(!format!("{server:?} {}", server.told.shown()).contains("s3cr3t"), "{server:?}");
    }
    let Transport::Http(Endpoint { url, .. }) = &servers[1].transport else { panic!("it is HTTP") };
    assert_eq!(url, "https://x.example/s3cr3t?key=s3cr3t");
}

#[test]
fn an_entry_is_copied_with_all_that_restricts_it_and_with_absolute_paths() {
    let file = r#"{"mcpServers": {
        "a": {"command": "node", "args": ["a.js"], "env": {"T": "${TOKEN}"}, "disabled": true, "envFile": ".env",
              "intentbox": {"network": false, "write": ["out", "/tmp/x", "${HOME}/y"]}},
        "b": {"url": "https://b.example/mcp", "intentbox": {"token_file": "token", "ca_file": "/etc/ca.pem"}},
        "c": {"command": "c", "cwd": "tools"}
    }}"#;
    let exists = |path: &Path| path == Path::new("/projects/a.js");
    let place = Path::new("/projects/.vscode/mcp.json");
    let copied = |id: &str| match super::copied(file, &id.parse().expect("an id"), place, &exists) {
        Some(NewEntry::Copied(entry)) => serde_json::Value::Object(entry),
        other => panic!("{id}: {other:?}"),
    };
    assert_eq!(
        copied("a"),
        serde_json::json!({"command": "node", "args": ["a.js"], "env": {"T": "${TOKEN}"}, "disabled": true, "cwd": "/projects",
            "intentbox": {"network": false, "write": ["/projects/out", "/tmp/x", "${HOME}/y"]}})
    );
    assert_eq!(
        copied("b"),
        serde_json::json!({"url": "https://b.example/mcp", "intentbox": {"token_file": "/projects/token", "ca_file": "/etc/ca.pem"}})
    );
    assert_eq!(copied("c"), serde_json::json!({"command": "c", "cwd": "/projects/tools"}));
    assert!(super::copied(file, &"d".parse().expect("an id"), place, &exists).is_none());
}

#[test]
fn m15_a_copied_program_runs_in_the_folder_of_its_file_only_if_it_names_a_path_there() {
    let runs_there = |words: &[&str]| {
        let entry = serde_json::json!({"mcpServers": {"a": {"command": words[0], "args": words[1..]}}});
        let there = ["/srv/me/server.py", "/srv/me/", "/srv/me/go", "/srv/me/run", "/srv/me/bin/x"];
        let exists = |path: &Path| there.iter().any(|known| path == Path::new(known));
        let copied =
            super::copied(&entry.to_string(), &"a".parse().expect("an id"), Path::new("/srv/me/.claude.json"), &exists);
        let copied = copied.expect("it is there");
        let writable = copied.writable().expect("a program");
        assert!(writable.is_empty() || writable == ["/srv/me"], "{words:?}: {writable:?}");
        !writable.is_empty()
    };
    for words in [
        &["npx", "-y", "@modelcontextprotocol/server-filesystem", "/srv/me"][..],
        &["uvx", "mcp-server-time", ""],
        &["node", "${HOME}/x.js", "~/y.js", "--root=/srv"],
        &["go", "run", "example.com/x@latest"],
    ] {
        assert!(!runs_there(words), "{words:?}");
    }
    for words in [
        &["python3", "server.py"][..],
        &["./server"],
        &["bin/x"],
        &["node", "../x/index.js"],
        &["npx", "-y", "server-filesystem", "."],
        &["node", "/x.js", "--root=./data"],
        &["uv", "run", "--script=server.py"],
    ] {
        assert!(runs_there(words), "{words:?}");
    }
}

fn entry() -> NewEntry {
    let env = BTreeMap::from([("TOKEN".to_owned(), "${TOKEN}".to_owned())]);
    let args = vec!["-y".to_owned(), "x".to_owned()];
    NewEntry::Stdio { command: "npx".to_owned(), args, env, cwd: None, write: Vec::new() }
}

#[test]
fn an_entry_is_added_and_removed_and_all_else_stays() {
    let id: ServerId = "git".parse().expect("an id");
    let new = add("", &id, &entry()).expect("a new file");
    let expected = "{\n  \"mcpServers\": {\n    \"git\": {\n      \"command\": \"npx\",\n      \"args\": [\n        \"-y\",\n        \
                    \"x\"\n      ],\n      \"env\": {\n        \"TOKEN\": \"${TOKEN}\"\n      }\n    }\n  }\n}\n";
    assert_eq!(new, expected);
    assert_eq!(add(&new, &id, &entry()), Err(EditError::Exists(id.clone())));
    assert_eq!(remove(&new, &id).as_deref(), Ok("{\n  \"mcpServers\": {}\n}\n"));
    let code = "{\n  \"z\": 1,\n  \"servers\": {\n    \"b\": {},\n    \"a\": {}\n  },\n  \"y\": 2\n}\n";
    let with = add(code, &id, &entry()).expect("it is added");
    assert!(
        with.starts_with("{\n  \"z\": 1,\n  \"servers\": {\n    \"b\": {},\n    \"a\": {},\n    \"git\""),
        "{with}"
    );
    assert_eq!(remove(&with, &id).as_deref(), Ok(code));
    let other: ServerId = "other".parse().expect("an id");
    assert_eq!(remove(code, &other), Err(EditError::Absent(other)));
    let told = add("{ // mine\n}", &id, &entry()).expect_err("comments").to_string();
    assert!(told.contains("edit it by hand, and add\n{\n  \"git\""), "{told}");
    assert!(matches!(add("[]", &id, &entry()), Err(EditError::Invalid(_))));
}

#[test]
fn a_file_keeps_its_indentation_and_its_ends_of_lines() {
    let id: ServerId = "git".parse().expect("an id");
    for before in [
        "{\n\t\"servers\": {\n\t\t\"a\": {}\n\t}\n}\n",
        "{\r\n    \"mcpServers\": {\r\n        \"a\": {}\r\n    }\r\n}\r\n",
    ] {
        let with = add(before, &id, &entry()).expect("it is added");
        assert_eq!(remove(&with, &id).as_deref(), Ok(before), "{with:?}");
    }
}

proptest! {
    #[test]
    fn any_text_is_a_file_or_not(text in ".{0,200}") {
        let _ = parsed(&text);
        let _ = parsed(&format!(r#"{{"mcpServers":{text}}}"#));
        let _ = parsed(&format!(r#"{{"mcpServers":{{"a":{text}}}}}"#));
    }

    #[test]
    fn what_is_added_is_read_back(command in "[a-z]{1,8}", args in prop::collection::vec("[^$]{0,12}", 0..4)) {
        prop_assume!(args.iter().all(|argument| !argument.contains('\0')));
        let id: ServerId = "x".parse().expect("an id");
        let entry = NewEntry::Stdio {
            command: command.clone(),
            args: args.clone(),
            env: BTreeMap::new(),
            cwd: None,
            write: Vec::new(),
        };
        let text = add("", &id, &entry).expect("a new file");
        let read = parsed(&text).expect("it is a file");
        let program = Program { command, args, ..Program::default() };
        prop_assert_eq!(&read.servers[0].transport, &Transport::Stdio(program));
    }
}
