//! The commands in the consoles of a document, and what it shows below each.

/// A command in a console.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// Its line in the document, from 1.
    pub(crate) line: usize,
    /// What is typed: several lines where one ends in a backslash or begins a here-document.
    pub(crate) command: String,
    /// The lines below it, up to the next command.
    pub(crate) shown: Vec<String>,
}

/// The commands in all consoles of a Markdown text, in order.
///
/// # Panics
///
/// When a console begins with something else than a command.
pub(crate) fn steps(text: &str) -> Vec<Step> {
    let mut lines = (1..).zip(text.lines());
    let mut steps = Vec::new();
    while let Some((_, line)) = lines.next() {
        // A block within a list is indented.
        if let Some(indent) = line.strip_suffix("```console").filter(|indent| indent.trim().is_empty()) {
            let unindented = lines.by_ref().map(|(number, line)| (number, line.strip_prefix(indent).unwrap_or(line)));
            let block = unindented.take_while(|(_, line)| *line != "```");
            steps.extend(steps_of_block(block));
        }
    }
    steps
}

/// The commands in one console, given as its lines and their numbers.
fn steps_of_block<'text>(mut lines: impl Iterator<Item = (usize, &'text str)>) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    while let Some((number, line)) = lines.next() {
        let Some(typed) = line.strip_prefix("$ ") else {
            let step = steps.last_mut();
            let step = step.unwrap_or_else(|| panic!("line {number}: a console begins with `$ ` and a command"));
            step.shown.push(line.to_owned());
            continue;
        };
        let mut command = typed.to_owned();
        let mut last = typed;
        let end = end_of_here_document(typed);
        while last.ends_with('\\') || end.is_some_and(|end| last != end) {
            let Some((_, line)) = lines.next() else { break };
            command = format!("{command}\n{line}");
            last = line;
        }
        steps.push(Step { line: number, command, shown: Vec::new() });
    }
    steps
}

/// The line that ends the here-document of a command, if it has one: `END` for `<<'END'`.
fn end_of_here_document(command: &str) -> Option<&str> {
    let (_, behind) = command.split_once("<<")?;
    let end = behind.trim_start_matches(['\'', '"']).split(|letter: char| !letter.is_ascii_alphanumeric()).next();
    end.filter(|end| !end.is_empty())
}

#[test]
fn a_console_is_cut_into_commands_and_what_they_print() {
    let text = "Text.\n\n```console\n$ one | two # says\nthree\n\n  four\n$ five\n```\n\n```sh\n$ no\n```\n\n- Item\n\n  \
                ```console\n  $ six\n  seven\n\n    eight\n  ```\n$ no\n";
    let step = |line, command: &str, shown: &[&str]| Step {
        line,
        command: command.to_owned(),
        shown: shown.iter().map(|&line| line.to_owned()).collect(),
    };
    let expected = [
        step(4, "one | two # says", &["three", "", "  four"]),
        step(8, "five", &[]),
        step(18, "six", &["seven", "", "  eight"]),
    ];
    assert_eq!(steps(text), expected);
}

#[test]
fn a_command_may_have_several_lines() {
    for (text, command, shown) in [
        ("$ one \\\n  two\nthree", "one \\\n  two", "three"),
        ("$ cat > a <<'END'\none\n$ two\nEND\nthree", "cat > a <<'END'\none\n$ two\nEND", "three"),
        ("$ cat <<END | wc\none\nEND\nthree", "cat <<END | wc\none\nEND", "three"),
        ("$ cat < a\nthree", "cat < a", "three"),
    ] {
        let expected = Step { line: 2, command: command.to_owned(), shown: vec![shown.to_owned()] };
        assert_eq!(steps(&format!("```console\n{text}\n```\n")), [expected]);
    }
}

#[test]
#[should_panic(expected = "line 2: a console begins with `$ ` and a command")]
fn a_console_that_begins_with_no_command_is_refused() {
    steps("```console\nintentbox stats\n```\n");
}
