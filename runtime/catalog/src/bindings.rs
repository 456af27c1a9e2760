//! The script of a case as the lines in which it differs from that of the case `default`.
//!
//! Scripts of one template differ in the values that are bound in them: `limit = 10` in one, `limit = 2` in another. A line that
//! binds a value is known by what stands before the value, so that a change of any other line changes no case but `default`.

/// The lines of `script` that differ from those of `default`, each of which binds another value to the same name. `None` if the
/// scripts differ in anything else, or if a name is bound twice: then the whole script must be kept.
pub(crate) fn bindings(default: &str, script: &str) -> Option<String> {
    let differing: Vec<&str> =
        default.split('\n').zip(script.split('\n')).filter(|(old, new)| old != new).map(|(_, new)| new).collect();
    let text: String = differing.iter().flat_map(|line| [line, "\n"]).collect();
    (with_bindings(default, &text).as_deref() == Some(script)).then_some(text)
}

/// The script that differs from `default` in these lines. `None` if one of them binds no name that `default` binds once.
pub(crate) fn with_bindings(default: &str, bindings: &str) -> Option<String> {
    let mut lines: Vec<&str> = default.split('\n').collect();
    for line in bindings.lines() {
        let name = bound(line)?;
        let mut places = (0..lines.len()).filter(|place| bound(lines[*place]) == Some(name));
        let (Some(place), None) = (places.next(), places.next()) else { return None };
        lines[place] = line;
    }
    Some(lines.join("\n"))
}

/// What stands before the value in a line: `limit =`, or `"limit":` in a dictionary.
fn bound(line: &str) -> Option<&str> {
    let end = [" = ", ": "].iter().filter_map(|sign| line.find(sign)).min()?;
    let name = &line[..end];
    let is_name = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '"' | ' ');
    (!name.trim().is_empty() && name.chars().all(is_name)).then_some(name)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DEFAULT: &str =
        "import pack\n\nfile = None\nwhere = {\n    \"column\": None,\n}\nlimit = 10\n\nresult = pack.of(file)\n";

    #[test]
    fn values_are_all_that_bindings_hold() {
        let script = DEFAULT.replace("10", "'a = b: c'").replace("\"column\": None", "\"column\": 'x'");
        let lines = "    \"column\": 'x',\nlimit = 'a = b: c'\n";
        assert_eq!(bindings(DEFAULT, &script).as_deref(), Some(lines));
        assert_eq!(with_bindings(DEFAULT, lines), Some(script));
        assert_eq!(bindings(DEFAULT, DEFAULT).as_deref(), Some(""));
    }

    #[test]
    fn what_differs_in_anything_else_is_kept_whole() {
        for script in [
            DEFAULT.replace("import pack", "import json"),
            DEFAULT.replace("limit", "most"),
            DEFAULT.replace("\n\n", "\n"),
            format!("{DEFAULT}limit = 3\n"),
            String::new(),
        ] {
            assert_eq!(bindings(DEFAULT, &script), None, "{script}");
        }
        assert_eq!(bindings("a = 1\na = 2\n", "a = 1\na = 3\n"), None);
        for lines in ["no binding", "other = 3", "\n"] {
            assert_eq!(with_bindings(DEFAULT, lines), None, "{lines:?}");
        }
    }

    proptest! {
        #[test]
        fn bindings_give_back_the_script(
            default in "([ab]( = |: |=)[ab:=]{0,2}\n){0,4}",
            script in "([ab]( = |: |=)[ab:=]{0,2}\n){0,4}",
        ) {
            if let Some(lines) = bindings(&default, &script) {
                prop_assert_eq!(with_bindings(&default, &lines), Some(script));
            }
        }
    }
}
