//! Fields and limits that models send and that there are not, each with the one that is meant.

/// The hint about the field `offset`.
pub(super) const OFFSET: &str = "`offset` counts characters: leave it out for the first page, and send the `next` of a \
                                 page as the `offset` of the one after it";

const TIME: &str = "the time limit is `wall_ms` of `limits`, in milliseconds: {\"code\": \"…\", \"limits\": {\"wall_ms\": \
                    30000}} allows 30 seconds";

const MEMORY: &str = "the memory limit is `memory_bytes` of `limits`, in bytes: {\"code\": \"…\", \"limits\": \
                      {\"memory_bytes\": 134217728}} allows 128 MiB";

/// The hint for a field that `execute_code` does not have.
pub(super) fn of_execute(name: &str) -> Option<&'static str> {
    let name = letters(name);
    let limit = of_letters(&name);
    limit.or(match name.as_str() {
        "wallms" => Some(TIME),
        "memorybytes" => Some(MEMORY),
        "fuel" | "hostcalls" | "limit" => {
            Some("limits belong in `limits`, by name: {\"code\": \"…\", \"limits\": {\"wall_ms\": 30000}}")
        }
        "script" | "source" | "python" | "program" | "snippet" => Some("the script belongs in `code`"),
        "args" | "arguments" | "param" | "parameters" | "variables" | "inputs" | "input" | "data" => Some(
            "values for the script belong in `params`, an object that the script reads as `params`: {\"code\": \"result = \
             params['limit']\", \"params\": {\"limit\": 5}}",
        ),
        _ => None,
    })
}

/// The hint for a field that `run_intent` does not have. A name that nobody knows is most likely a parameter.
pub(super) fn of_intent(name: &str) -> Option<&'static str> {
    match letters(name).as_str() {
        "" => None,
        "query" | "question" | "text" | "prompt" | "request" | "message" | "sentence" | "input" | "q" => {
            Some("the request belongs in `intent`: {\"intent\": \"list errors\"}")
        }
        "code" | "script" | "source" | "python" => Some("only execute_code runs code"),
        "limits" => Some("only execute_code takes limits: leave them out"),
        name if of_letters(name).is_some() => Some("only execute_code takes limits: leave them out"),
        _ => Some(
            "values for the template belong in `params`: {\"intent\": \"list errors\", \"params\": {\"limit\": 2}}",
        ),
    }
}

/// The hint for a field that `read_result` does not have.
pub(super) fn of_read(name: &str) -> Option<&'static str> {
    match letters(name).as_str() {
        "page" | "pagenumber" | "cursor" | "start" | "position" | "from" | "skip" | "next" => Some(OFFSET),
        "limit" | "length" | "count" | "size" | "pagesize" | "characters" => {
            Some("pages have one size: `offset` alone says which is read")
        }
        "id" | "result" | "resultid" | "resulthandle" => Some("the handle of an earlier answer belongs in `handle`"),
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
