//! Scripts that call tools, under the policy.

use serde_json::{Value, json};

use super::{LATE, Upstream};

/// A server with this fault, and a policy that permits scripts these tools.
pub(super) fn permitted(fault: &str, arguments: &[&str], tools: &[&str]) -> Upstream {
    let folder = json!({"discovery_s": LATE, "call_s": LATE});
    let upstream = Upstream::bounded(fault, arguments, &folder);
    std::fs::write(upstream.path("policy.toml"), format!("[exec]\ntools = {}\n", json!(tools))).expect("written");
    std::fs::write(upstream.path("config.toml"), "").expect("written");
    upstream
}

/// The report of a script.
pub(super) fn exec(upstream: &Upstream, script: &str) -> Value {
    std::fs::write(upstream.path("script.py"), script).expect("written");
    upstream.object(&["--config", "config.toml", "exec", "script.py"])
}

#[test]
fn a_script_calls_tools_and_joins_what_they_answer() {
    let upstream = permitted("none", &[], &["faulty: echo,add"]);
    let script = "words = [tools.faulty.echo(text=word) for word in ('a', 'b')]\n\
                  result = {'words': words, 'sum': tools['faulty']['add'](a=2, b=3)['sum']}";
    let report = exec(&upstream, script);
    assert_eq!(report["result"], json!({"words": ["a", "b"], "sum": 5}), "{report}");
    assert_eq!(report["spent"]["tool_calls"], 3);
    assert_eq!(report["grant"], json!(["faulty: add,echo TOOL"]));
}

#[test]
fn m16_what_no_line_names_is_refused_with_the_line_that_would_allow_it() {
    let upstream = permitted("none", &[], &["faulty: echo"]);
    let report = exec(&upstream, "tools.faulty.add(a=1, b=2)");
    assert_eq!(report["outcome"], "capability_denied");
    assert_eq!(report["error"]["message"], "calling faulty: add was refused: the run may call faulty: echo");
    assert_eq!(report["error"]["hint"], "add \"faulty: add\" to tools under [exec] in policy.toml");
    let caught = "from intentbox import CapabilityDenied\ntry:\n    tools.faulty.add(a=1, b=2)\nexcept CapabilityDenied as denied:\n    result = denied.hint";
    let report = exec(&upstream, caught);
    assert_eq!(report["result"], "add \"faulty: add\" to tools under [exec] in policy.toml");
    assert_eq!(report["refusals"][0]["message"], "calling faulty: add was refused: the run may call faulty: echo");
}

#[test]
fn a_call_that_fails_is_an_exception_and_the_outcome_of_the_run() {
    for (fault, script, outcome, kind) in [
        ("error-flag", "tools.faulty.echo(text='a')", "upstream_failed", "tool_failed"),
        ("exit-1-call", "tools.faulty.write(text='a')", "unknown_outcome", "unknown_outcome"),
        ("none", "tools.faulty.add(a=1)", "param_invalid", "arguments"),
        ("none", "tools.faulty.ad(a=1, b=2)", "param_invalid", "no_such_tool"),
    ] {
        let upstream = permitted(fault, &[], &["faulty: *"]);
        let report = exec(&upstream, script);
        assert_eq!(report["outcome"], outcome, "{fault}: {report}");
        let caught = format!(
            "from intentbox.tools import ToolError\ntry:\n    {script}\nexcept ToolError as error:\n    result = error.kind"
        );
        assert_eq!(exec(&upstream, &caught)["result"], kind, "{fault}");
    }
}

#[test]
fn the_policy_says_what_tools_it_permits() {
    let upstream = permitted("none", &[], &["faulty: echo"]);
    let explain = |target: &str| upstream.object(&["--config", "config.toml", "policy", "explain", "TOOL", target]);
    assert_eq!(explain("faulty:echo")["permitted_by"], json!(["faulty: echo TOOL under [exec]"]));
    assert_eq!(explain("faulty:add")["outcome"], "capability_denied");
    let checked = upstream.object(&["--config", "config.toml", "policy", "check"]);
    assert_eq!(checked["faults"], json!([]));
    let upstream = permitted("none", &[], &["other: echo"]);
    let checked = upstream.object(&["--config", "config.toml", "policy", "check"]);
    assert_eq!(
        checked["faults"],
        json!(["[exec]: `other: echo` names the server `other`, and none of this name is configured"])
    );
}

#[test]
fn a_trace_goes_on_to_servers_with_the_run_as_parent() {
    const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
    let upstream = permitted("trace", &[], &["faulty: echo"]);
    std::fs::write(upstream.path("script.py"), "result = tools.faulty.echo(text='')").expect("written");
    let parent = format!("00-{TRACE}-b7ad6b7169203331-01");
    let came_through = |variables: &[(&str, &str)]| -> (Value, Value) {
        let arguments = ["--json", "--servers", "servers.json", "--config", "config.toml", "exec", "script.py"];
        let report = upstream.run_where(variables, &arguments, b"").report();
        let told = serde_json::from_str(report["result"].as_str().expect("a text")).expect("JSON");
        (told, report["run_id"].clone())
    };
    let (told, run_id) = came_through(&[("TRACEPARENT", &parent), ("TRACESTATE", "vendor=1")]);
    let span = &run_id.as_str().expect("an id")[16..];
    assert_eq!(told, json!({"traceparent": format!("00-{TRACE}-{span}-01"), "tracestate": "vendor=1"}));
    assert_eq!(came_through(&[]).0, json!({}), "nothing is made up");
    assert_eq!(came_through(&[("TRACEPARENT", "00-none")]).0, json!({}));
}
