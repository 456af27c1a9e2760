//! What a script template may contain. **This file is a boundary**, checked once when a template is loaded.
//!
//! Invariant: in a template that passes, every place for a value is `{{ name | py }}` standing alone where Python
//! expects an expression: outside strings and comments, and glued to no other word. With [`crate::literal`] it follows
//! that the syntax of a script is the same whatever the values are.
//!
//! Statements (`{% if %}`, `{% for %}`) are refused altogether. They would let a value choose among programs, and
//! would need bounds of their own for loops and repetition; a script decides and repeats in Python, where the sandbox
//! meters it. What is left is so small that it is read here, instead of trusting a list of forbidden features to stay
//! complete.
//!
//! The Python side tracks strings and comments and does not parse Python: an f-string that nests its own kind of quote
//! would confuse it. It protects honest authors from mistakes. An author who wants to run other code needs no trick,
//! and the sandbox contains that code.

/// Why a script template is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DialectError {
    /// A `{% … %}`.
    #[error("statements are not part of this dialect: bind the values with `{{{{ name | py }}}}` and decide in Python")]
    Statement,
    /// An expression that is not a name and the filter `py`.
    #[error("expected `{{{{ name | py }}}}`, found `{{{{{found}}}}}`")]
    Expression {
        /// The text between the braces.
        found: String,
    },
    /// A place for a value inside a Python string.
    #[error("`{{{{ … }}}}` inside a Python string: the value brings its own quotes, so bind it to a name first")]
    InString,
    /// A place for a value inside a Python comment.
    #[error("`{{{{ … }}}}` inside a Python comment: remove it, or bind the value to a name")]
    InComment,
    /// A place for a value directly beside a word or a quote, as in `f{{ name | py }}`.
    #[error("`{{{{ … }}}}` must not touch {touched:?}: put a space between, or bind the value to a name first")]
    Glued {
        /// The neighbour.
        touched: char,
    },
    /// A `{#-` or `-#}`: it would take away the white space around it, and with it the distance between two things.
    #[error("`{{#-` and `-#}}` join what stands around them: write `{{# … #}}`")]
    TrimmingComment,
    /// A tag or comment without its end.
    #[error("expected the closing `{expected}`")]
    Unclosed {
        /// What would close it.
        expected: &'static str,
    },
}

/// Where in the Python source the text before a tag ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Code,
    Comment,
    /// Inside a string that ends at this quote, once or three times.
    String {
        quote: char,
        triple: bool,
    },
}

/// Checks a whole template, and returns the first fault with its byte offset.
pub(crate) fn check(template: &str) -> Result<(), (usize, DialectError)> {
    let mut place = Place::Code;
    let mut rest = template;
    while let Some(start) = find_tag(rest) {
        place = walk(place, &rest[..start]);
        let tag = &rest[start..];
        let at = template.len() - tag.len();
        // From behind the opening: `{#}` is not a whole comment.
        let after = if let Some(inside) = tag.strip_prefix("{#") {
            let end = inside.find("#}").ok_or((at, DialectError::Unclosed { expected: "#}" }))?;
            if inside.starts_with(['-', '+']) || inside[..end].ends_with(['-', '+']) {
                return Err((at, DialectError::TrimmingComment));
            }
            &inside[end + 2..]
        } else if tag.starts_with("{%") {
            return Err((at, DialectError::Statement));
        } else {
            let end = tag.find("}}").ok_or((at, DialectError::Unclosed { expected: "}}" }))?;
            let after = &tag[end + 2..];
            check_expression(&tag[2..end])
                .and_then(|()| check_place(place))
                .and_then(|()| check_neighbours(&template[..at], after))
                .map_err(|error| (at, error))?;
            after
        };
        rest = after;
    }
    Ok(())
}

fn find_tag(text: &str) -> Option<usize> {
    ["{{", "{%", "{#"].into_iter().filter_map(|opening| text.find(opening)).min()
}

/// A name, a bar and `py`. The whitespace control of minijinja (`{{-`) is refused too: it would join lines.
fn check_expression(inside: &str) -> Result<(), DialectError> {
    match inside.split_once('|') {
        Some((name, filter)) if crate::id::is_name(name.trim()) && filter.trim() == "py" => Ok(()),
        _ => Err(DialectError::Expression { found: inside.to_owned() }),
    }
}

fn check_place(place: Place) -> Result<(), DialectError> {
    match place {
        Place::Code => Ok(()),
        Place::Comment => Err(DialectError::InComment),
        Place::String { .. } => Err(DialectError::InString),
    }
}

fn check_neighbours(before: &str, after: &str) -> Result<(), DialectError> {
    let sticky = |neighbour: &char| {
        neighbour.is_alphanumeric() || !neighbour.is_ascii() || matches!(neighbour, '_' | '\'' | '"' | '\\' | '{' | '}')
    };
    match before.chars().next_back().filter(sticky).or(after.chars().next().filter(sticky)) {
        Some(touched) => Err(DialectError::Glued { touched }),
        None => Ok(()),
    }
}

/// Follows Python's strings and comments through `text`.
fn walk(mut place: Place, text: &str) -> Place {
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let mut length = character.len_utf8();
        place = match (place, character) {
            (Place::Code, '#') => Place::Comment,
            (Place::Code, quote @ ('\'' | '"')) => {
                let triple = is_triple(rest, quote);
                length = if triple { 3 } else { 1 };
                Place::String { quote, triple }
            }
            (Place::Comment, '\n') => Place::Code,
            // Raw strings too keep the quote after a backslash, so the prefix does not matter.
            (Place::String { .. }, '\\') => {
                length += rest[length..].chars().next().map_or(0, char::len_utf8);
                place
            }
            (Place::String { quote, triple: true }, _) if character == quote && is_triple(rest, quote) => {
                length = 3;
                Place::Code
            }
            (Place::String { quote, triple: false }, _) if character == quote || character == '\n' => Place::Code,
            _ => place,
        };
        rest = &rest[length..];
    }
    place
}

fn is_triple(text: &str, quote: char) -> bool {
    text.chars().take(3).filter(|character| *character == quote).count() == 3
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(template: &str, expected: impl Into<Option<DialectError>>) {
        let expected = expected.into();
        assert_eq!(super::check(template).err().map(|(_, error)| error), expected, "{template}");
    }

    #[test]
    fn a_value_may_stand_where_python_expects_an_expression() {
        for template in [
            "limit = {{ limit | py }}\n",
            "limit={{limit|py}}",
            "f(a, {{ b | py }}, [{{ c | py }}])",
            "x = {{ a | py }}  # the {# hidden #} rest",
            "'''text'''\nx = {{ a | py }}",
            "\"\"\"It's \"text\".\n\"\"\"\nx = {{ a | py }}",
            "s = 'it\\'s'\nx = {{ a | py }}",
            "s = r'\\'\nx = 1",
            "# don't\nx = {{ a | py }}",
            "s = '#'\nx = {{ a | py }}",
            "{# don't #}x = {{ a | py }}",
            "d = {'a': 1}\ns = f'{d}'\n",
            "",
        ] {
            check(template, None);
        }
    }

    #[test]
    fn a_value_may_not_stand_where_its_text_would_mean_something_else() {
        for (template, error) in [
            ("s = '{{ a | py }}'", DialectError::InString),
            ("s = \"{{ a | py }}\"", DialectError::InString),
            ("s = f\"x { {{ a | py }} }\"", DialectError::InString),
            ("\"\"\"\n{{ a | py }}\n\"\"\"", DialectError::InString),
            ("s = 'it\\'s {{ a | py }}'", DialectError::InString),
            ("s = '\\\n{{ a | py }}'", DialectError::InString),
            ("''' ' '' {{ a | py }}'''", DialectError::InString),
            ("x = 1  # {{ a | py }}", DialectError::InComment),
            ("s = f{{ a | py }}", DialectError::Glued { touched: 'f' }),
            ("s = {{ a | py }}b", DialectError::Glued { touched: 'b' }),
            ("s = 'a'{{ a | py }}", DialectError::Glued { touched: '\'' }),
            ("s = {{ a | py }}'a'", DialectError::Glued { touched: '\'' }),
            ("s = {{ a | py }}{{ b | py }}", DialectError::Glued { touched: '{' }),
        ] {
            check(template, Some(error));
        }
    }

    #[test]
    fn nothing_but_a_name_and_py_is_an_expression() {
        for inside in [
            " a ",
            " a | safe ",
            " a | py | upper ",
            " a | upper | py ",
            " 'a' * 9 | py ",
            " a.b | py ",
            " a() | py ",
            "- a | py ",
            " a | py -",
            " [a] | py ",
            "",
            " | py ",
            " a | PY ",
            " debug() ",
        ] {
            check(&format!("x = {{{{{inside}}}}}"), Some(DialectError::Expression { found: inside.to_owned() }));
        }
    }

    #[test]
    fn statements_and_open_tags_are_refused() {
        for template in ["{% if a %}x{% endif %}", "{%- for i in range(9) %}", "{% include 'x' %}", "'{% raw %}'"] {
            check(template, Some(DialectError::Statement));
        }
        check("x = {{ a | py", Some(DialectError::Unclosed { expected: "}}" }));
        check("x = {# a", Some(DialectError::Unclosed { expected: "#}" }));
    }

    #[test]
    fn the_offset_is_that_of_the_tag() {
        assert_eq!(super::check("a\nb {% x %}"), Err((4, DialectError::Statement)));
    }

    /// The renderer has its own idea of a comment: it ends at the first `#}` after both characters of its beginning,
    /// and a `-` at either end takes the space beside it away. A template that is read otherwise here would put a value
    /// into a string, or glue it to the letter of an f-string, where the value would be a program.
    #[test]
    fn t06_a_comment_is_read_as_the_renderer_reads_it() {
        for template in
            ["{#}", "{#}\nx = {{ a | py }}", "s = f\"\"\" {#} \"\"\" #}\n{{ a | py }} \"\"\"", "# {#}\n#} {{ a | py }}"]
        {
            assert!(super::check(template).is_err(), "{template:?} was accepted");
        }
        for template in [
            "x = f {#- note -#} {{ a | py }}",
            "x = f {# note -#} {{ a | py }}",
            "x = f {#- note #}{{ a | py }}",
            "x = {{ a | py }} {#- note -#} b",
            "# it's {#- note -#} \nx = {{ a | py }}",
        ] {
            check(template, Some(DialectError::TrimmingComment));
        }
    }

    #[test]
    fn t06_nothing_but_a_declared_name_and_one_filter_is_part_of_the_dialect() {
        for inside in [
            "debug()",
            "self",
            "loop.index | py",
            "a.__class__ | py",
            "a['b'] | py",
            "a.b.c | py",
            "(a) | py",
            "a | py(1)",
            "a | attr('x') | py",
            "a | map('py') | py",
            "a | tojson",
            "a is defined | py",
            "a if b else c | py",
            "namespace() | py",
            "dict(a=1) | py",
            "lipsum() | py",
            "range(10) | py",
            "'{{' | py",
            "a ~ b | py",
            "a, b | py",
            "*a | py",
            "a\u{a0}b | py",
        ] {
            assert!(super::check(&format!("x = {{{{ {inside} }}}}")).is_err(), "{inside}");
        }
        for statement in [
            "if a",
            "for x in a",
            "set x = 1",
            "include 'x'",
            "extends 'x'",
            "import 'x' as y",
            "macro m()",
            "call m()",
            "filter py",
            "raw",
            "autoescape false",
            "block b",
            "do a",
            "with",
        ] {
            for open in ["{%", "{%-", "{%+"] {
                assert_eq!(super::check(&format!("{open} {statement} %}}")), Err((0, DialectError::Statement)));
            }
        }
    }
}
