//! Fields and limits that models send and that there are not, each with the one that is meant.

/// The hint about the field `offset`.
pub(super) const OFFSET: &str = "`offset` counts characters: leave it out for the first page, and send the `next` of a \
                                 page as the `offset` of the one after it";

const TIME: &str = "the time limit is `wall_ms` of `limits`, in milliseconds: {\"code\": \"…\", \"limits\": {\"wall_ms\": \
                    30000}} allows 30 seconds";

const MEMORY: &str = "the memory limit is `memory_bytes` of `limits`, in bytes: {\"code\": \"…\", \"limits\": \
                      {\"memory_bytes\": 134217728}} allows 128 MiB";

/// What a field is that a tool does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meant {
    /// This field of the tool, under another name.
    Field(&'static str),
    /// The same, or a value for the template where that field is there itself.
    FieldOrValue(&'static str),
    /// A value for the template, which belongs in `params`.
    Value,
    /// Something else, with what to send instead where that is known.
    Unknown(Option<&'static str>),
}

/// What a field is that `execute_code` does not have.
pub(super) fn meant_of_execute(name: &str) -> Meant {
    match letters(name).as_str() {
        "script" | "source" | "python" | "program" | "snippet" => Meant::Field("code"),
        "args" | "arguments" | "param" | "parameters" | "variables" | "inputs" | "input" | "data" => {
            Meant::Field("params")
        }
        _ => Meant::Unknown(of_execute(name)),
    }
}

/// What a field is that `run_intent` does not have. A name that nobody knows is most likely a parameter.
pub(super) fn meant_of_intent(name: &str) -> Meant {
    match letters(name).as_str() {
        "" => Meant::Unknown(None),
        "query" | "question" | "text" | "prompt" | "request" | "message" | "sentence" | "input" | "q" => {
            Meant::FieldOrValue("intent")
        }
        "parameters" | "arguments" | "args" => Meant::Field("params"),
        "code" | "script" | "source" | "python" => Meant::Unknown(Some("only execute_code runs code")),
        "limits" => Meant::Unknown(Some(NO_LIMITS)),
        name if of_letters(name).is_some() => Meant::Unknown(Some(NO_LIMITS)),
        _ => Meant::Value,
    }
}

const NO_LIMITS: &str = "only execute_code takes limits: leave them out";

/// The hint for a field that `execute_code` does not have.
fn of_execute(name: &str) -> Option<&'static str> {
    let name = letters(name);
    let limit = of_letters(&name);
    limit.or(match name.as_str() {
        "wallms" => Some(TIME),
        "memorybytes" => Some(MEMORY),
        "fuel" | "hostcalls" | "limit" => {
            Some("limits belong in `limits`, by name: {\"code\": \"…\", \"limits\": {\"wall_ms\": 30000}}")
        }
        _ => None,
    })
}

/// What a field is that `read_result` does not have.
pub(super) fn meant_of_read(name: &str) -> Meant {
    match letters(name).as_str() {
        "id" | "result" | "resultid" | "resulthandle" => Meant::Field("handle"),
        _ => Meant::Unknown(of_read(name)),
    }
}

fn of_read(name: &str) -> Option<&'static str> {
    match letters(name).as_str() {
        "page" | "pagenumber" | "cursor" | "start" | "position" | "from" | "skip" | "next" => Some(OFFSET),
        "limit" | "length" | "count" | "size" | "pagesize" | "characters" => {
            Some("pages have one size: `offset` alone says which is read")
        }
        _ => None,
    }
}

/// The hint for a limit that there is not.
pub(super) fn of_limits(name: &str) -> Option<&'static str> {
    of_letters(&letters(name))
}

fn of_letters(name: &str) -> Option<&'static str> {
    match name {
        "timeout" | "timeouts" | "timeoutms" | "timeoutsec" | "timeoutsecs" | "timeoutseconds" | "timelimit"
        | "time" | "maxtime" | "maxseconds" | "maxruntime" | "walltime" | "wall" | "seconds" | "deadline" => Some(TIME),
        "memory" | "memorymb" | "memorylimit" | "maxmemory" => Some(MEMORY),
        _ => None,
    }
}

/// A name without case and separators: `timeoutMs` is `timeout_ms`. No name here has more than 16 letters.
fn letters(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric).take(16);
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
}
