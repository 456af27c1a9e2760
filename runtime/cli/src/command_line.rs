//! Parses the command line into [`Arguments`], or into an error that says what is wrong.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory as _, Parser as _};

use crate::arguments::Arguments;
use crate::error::{Class, CommandError};
use crate::words::sentence;

/// A command line that is no command to run.
#[derive(Debug)]
pub(crate) enum Unparsed {
    /// It asks for the help or the version.
    Help(clap::Error),
    /// It is invalid.
    Invalid(CommandError),
}

/// Whether `--json` was typed. Whoever typed it wants an object also where the rest is invalid.
pub(crate) fn wants_json(typed: &[OsString]) -> bool {
    let mut flags =
        typed.iter().skip(1).map(|argument| argument.to_str()).take_while(|argument| *argument != Some("--"));
    flags.any(|argument| argument == Some("--json"))
}

/// Parses what was typed, the program's name first.
pub(crate) fn parse(typed: &[OsString]) -> Result<Arguments, Unparsed> {
    Arguments::try_parse_from(typed).map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Unparsed::Help(error),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand if !wants_json(typed) => Unparsed::Help(error),
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            Unparsed::Invalid(Class::Usage.error("the command is incomplete").hint(see_help(typed)))
        }
        kind => Unparsed::Invalid(invalid(kind, error, typed)),
    })
}

/// The parser's message in one line, and one hint.
fn invalid(kind: ErrorKind, mut error: clap::Error, typed: &[OsString]) -> CommandError {
    let intent = intent(kind, &error, typed);
    // What the parser prints below its message becomes the hint, and its general advice is left out.
    let usage = error.remove(ContextKind::Usage).map(|usage| usage.to_string());
    error.remove(ContextKind::Suggested);
    let similar = [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue];
    let similar = similar.into_iter().find_map(|kind| error.remove(kind)).and_then(best);
    let usage = usage.as_deref().and_then(|usage| usage.strip_prefix("Usage: "));
    let hint = match (similar, usage) {
        // A sentence is no misspelled command; two words may be a command and its argument.
        (similar, _) if intent.as_ref().is_some_and(|intent| intent.is_sure || similar.is_none()) => {
            intent.map(|intent| intent.hint).unwrap_or_default()
        }
        (Some(similar), _) => format!("did you mean `{similar}`?"),
        (None, Some(usage)) if kind == ErrorKind::MissingRequiredArgument => format!("write `{}`", on_one_line(usage)),
        _ => see_help(typed),
    };
    let text = error.render().to_string();
    let message = text.strip_prefix("error: ").unwrap_or(&text);
    let message = message.rsplit_once("\n\nFor more information, try").map_or(message, |(message, _)| message);
    Class::Usage.error(on_one_line(message)).hint(hint)
}

/// An intent that was typed without its quotes or without `run-intent`.
struct Intent {
    hint: String,
    /// Whether it cannot be anything else.
    is_sure: bool,
}

/// The intent in a command line that the parser rejects, if there is one.
fn intent(kind: ErrorKind, error: &clap::Error, typed: &[OsString]) -> Option<Intent> {
    let rejected = match kind {
        ErrorKind::InvalidSubcommand => error.get(ContextKind::InvalidSubcommand),
        ErrorKind::UnknownArgument => error.get(ContextKind::InvalidArg),
        _ => None,
    };
    let Some(ContextValue::String(rejected)) = rejected else { return None };
    let typed: Vec<&str> = typed.iter().skip(1).filter_map(|argument| argument.to_str()).collect();
    let root = Arguments::command();
    let verb = typed.iter().position(|argument| root.find_subcommand(argument).is_some());
    let words = |from: usize| -> Vec<&str> {
        typed[from..].iter().copied().take_while(|argument| !argument.starts_with('-')).collect()
    };
    // The verbs that take an intent.
    let asking = verb.and_then(|verb| match (typed[verb], typed.get(verb + 1)) {
        ("run-intent", _) => Some((verb + 1, "run-intent")),
        ("jobs", Some(&"submit")) => Some((verb + 2, "jobs submit")),
        ("schedules", Some(&"add")) => Some((verb + 2, "schedules add")),
        _ => None,
    });
    let mut before = "run-intent";
    let (words, is_sure) = match (kind, verb) {
        (ErrorKind::UnknownArgument, _) if !rejected.starts_with('-') => {
            let (from, verbs) = asking?;
            before = verbs;
            let words = words(from);
            // What was quoted is whole: the words that are too many are of a flag.
            if words.first().is_some_and(|first| first.contains(char::is_whitespace)) {
                let is_of_cron = typed.contains(&"--cron");
                let hint = "put the times in quotes: --cron \"0 8 * * *\"".to_owned();
                return is_of_cron.then_some(Intent { hint, is_sure: true });
            }
            (words, true)
        }
        (ErrorKind::InvalidSubcommand, verb) => {
            let at = typed.iter().position(|argument| *argument == rejected.as_str())?;
            // Below a verb it is another thing that the verb does not know.
            if verb.is_some_and(|verb| verb < at) {
                return None;
            }
            (words(at), rejected.contains(char::is_whitespace))
        }
        _ => return None,
    };
    let text = on_one_line(&words.join(" "));
    let command = format!("intentbox {before} {}", sentence(&text));
    let hint = match kind {
        ErrorKind::UnknownArgument => format!("put the intent in quotes: `{command}`"),
        _ => format!("run `{command}`"),
    };
    // One word alone may be anything.
    text.contains(' ').then_some(Intent { hint, is_sure })
}

/// The most similar of what the parser suggests.
fn best(similar: ContextValue) -> Option<String> {
    match similar {
        ContextValue::Strings(mut worst_first) => worst_first.pop(),
        one => Some(one.to_string()),
    }
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A hint to the help of the command that was typed.
fn see_help(typed: &[OsString]) -> String {
    let root = Arguments::command();
    let (mut command, mut path) = (&root, "intentbox".to_owned());
    for argument in typed.iter().skip(1).filter_map(|argument| argument.to_str()) {
        if let Some(inner) = command.find_subcommand(argument) {
            path = format!("{path} {argument}");
            command = inner;
        }
    }
    format!("run `{path} --help`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(arguments: &[&str]) -> Vec<OsString> {
        [&["intentbox"], arguments].concat().into_iter().map(OsString::from).collect()
    }

    /// The message and the hint of an invalid command line.
    fn told(arguments: &[&str]) -> (String, String) {
        match parse(&typed(arguments)) {
            Err(Unparsed::Invalid(error)) => {
                assert_eq!(error.class(), Class::Usage);
                (error.message(), error.advice().unwrap_or_default().to_owned())
            }
            other => panic!("{arguments:?}: {other:?}"),
        }
    }

    #[test]
    fn what_the_parser_says_is_one_line_and_a_hint() {
        for (arguments, message, hint) in [
            (&["xyz"][..], "unrecognized subcommand 'xyz'", "run `intentbox --help`"),
            (&["doctr"], "unrecognized subcommand 'doctr'", "did you mean `doctor`?"),
            (&["list errors"], "unrecognized subcommand 'list errors'", "run `intentbox run-intent \"list errors\"`"),
            (
                &["--json", "list", "errors", "--log", "debug"],
                "unrecognized subcommand 'list'",
                "run `intentbox run-intent \"list errors\"`",
            ),
            (&["doctr", "now"], "unrecognized subcommand 'doctr'", "did you mean `doctor`?"),
            (&["templates", "list errors"], "unrecognized subcommand 'list errors'", "did you mean `list`?"),
            (
                &["run-intent", "list", "errors", "--json"],
                "unexpected argument 'errors' found",
                "put the intent in quotes: `intentbox run-intent \"list errors\"`",
            ),
            (
                &["jobs", "submit", "list", "errors", "--watch"],
                "unexpected argument 'errors' found",
                "put the intent in quotes: `intentbox jobs submit \"list errors\"`",
            ),
            (
                &["schedules", "add", "list", "errors", "--cron", "0 7 * * *"],
                "unexpected argument 'errors' found",
                "put the intent in quotes: `intentbox schedules add \"list errors\"`",
            ),
            (
                &["schedules", "add", "list errors", "--cron", "0", "8", "*", "*", "*"],
                "unexpected argument '8' found",
                "put the times in quotes: --cron \"0 8 * * *\"",
            ),
            (&["jobs", "show", "a", "b"], "unexpected argument 'b' found", "run `intentbox jobs show --help`"),
            (
                &["run-intent", "list errors", "--limits"],
                "unexpected argument '--limits' found",
                "did you mean `--limit`?",
            ),
            (
                &["templates", "list", "--colour"],
                "unexpected argument '--colour' found",
                "run `intentbox templates list --help`",
            ),
            (
                &["exec", "-", "--memory-mb", "9"],
                "unexpected argument '--memory-mb' found",
                "did you mean `--memory-mib`?",
            ),
            (
                &["templates", "show"],
                "the following required arguments were not provided: <ID>",
                "write `intentbox templates show <ID>`",
            ),
            (
                &["exec", "-", "--isolation", "proces"],
                "invalid value 'proces' for '--isolation <PLACE>' [possible values: in-process, process]",
                "did you mean `process`?",
            ),
            (
                &["demo-tracker", "--port", "a\n\nb"],
                "invalid value 'a b' for '--port <PORT>': invalid digit found in string",
                "run `intentbox demo-tracker --help`",
            ),
            (
                &["run-intent", "x", "--param", "limit"],
                "invalid value 'limit' for '--param <NAME=VALUE>': write it as NAME=VALUE, such as limit=5",
                "run `intentbox run-intent --help`",
            ),
            (&["--json"], "'intentbox' requires a subcommand but one was not provided", "run `intentbox --help`"),
            (&["--json", "policy"], "the command is incomplete", "run `intentbox policy --help`"),
        ] {
            let (found, advice) = told(arguments);
            // The list of commands would be one more thing to keep up to date.
            let found = found.split(" [subcommands:").next().unwrap_or_default();
            assert_eq!((found, advice.as_str()), (message, hint), "{arguments:?}");
        }
    }

    #[test]
    fn help_and_version_are_text() {
        for arguments in [&["--help"][..], &["--version"], &["exec", "--help", "--json"], &[], &["templates"]] {
            assert!(matches!(parse(&typed(arguments)), Err(Unparsed::Help(_))), "{arguments:?}");
        }
    }

    #[test]
    fn json_is_wanted_wherever_it_stands_before_the_end_of_flags() {
        for (arguments, wanted) in [
            (&["--json", "doctor"][..], true),
            (&["templates", "list", "--nonsense", "--json"], true),
            (&["exec", "--", "--json"], false),
            (&["--jsonl"], false),
            (&[], false),
        ] {
            assert_eq!(wants_json(&typed(arguments)), wanted, "{arguments:?}");
        }
        let arguments = parse(&typed(&["templates", "list", "--json"])).expect("a command");
        assert!(arguments.json, "the flag is every command's");
    }
}
