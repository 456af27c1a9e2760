//! What a manifest may say, and at which line it is refused.

use super::*;

const HEAD: &str = "summary = \"Lists.\"\nphrases = [\"list\"]\neffects = \"read\"\n";

fn parse(rest: &str) -> Result<Manifest, CatalogError> {
    Manifest::parse("template.toml", &format!("{HEAD}{rest}"))
}

/// Expects the manifest to be refused at this line below the head, with a message that holds `expected`.
fn refused(rest: &str, line: usize, expected: &str) {
    let error = parse(rest).expect_err(rest);
    assert_eq!(error.line, 3 + line, "{rest}: {error}");
    assert!(error.to_string().contains(expected), "{rest}: {error}");
}

#[test]
fn parameters_keep_the_order_of_the_file() {
    let manifest = parse(
        "[params.zebra]\ntype = \"string\"\ndescription = \"Z.\"\n\
         [params.ant]\ntype = \"duration\"\ndescription = \"A.\"\ndefault = \"2 weeks\"\nwords = [\"{}\"]\n\
         [params.mole]\ntype = \"enum\"\ndescription = \"M.\"\nvalues = [\"a\", \"b\"]\nsynonyms = { a = [\"x\"] }\n",
    )
    .unwrap_or_else(|error| panic!("{error}"));
    let names: Vec<&str> = manifest.parameters.iter().map(ParamSpec::name).collect();
    assert_eq!(names, ["zebra", "ant", "mole"]);
    assert_eq!(manifest.parameters[1].default(), Some(&Value::from("14d")));
    assert_eq!(manifest.parameters[2].read("X"), Ok(Value::from("a")));
}

#[test]
fn what_it_wants_is_a_line_or_a_table() {
    let table = "{ rule = \"a: GET /x\", headers = [\"x-a\"], body = true }";
    let manifest = parse(&format!("wants = [\"a: POST /y\", {table}]\n")).unwrap_or_else(|error| panic!("{error}"));
    let wants: Vec<String> = manifest.wants.http.iter().map(ToString::to_string).collect();
    assert_eq!(wants, ["a: POST /y", table]);
}

#[test]
fn tools_that_it_wants_are_rules() {
    let manifest = parse("tools = [\"git: git_log, git_diff\"]\n").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(manifest.wants.lines(), ["git: git_diff,git_log TOOL"]);
    refused("tools = [\"git\"]\n", 1, "`server: tool[,tool]`");
}

#[test]
fn what_writes_is_never_served_again() {
    let writing = HEAD.replace("read", "write");
    let parse = |rest: &str| Manifest::parse("template.toml", &format!("{writing}{rest}"));
    assert_eq!(parse("").map(|manifest| manifest.cache_s).ok(), Some(0));
    assert_eq!(parse("cache_s = 0\n").map(|manifest| manifest.cache_s).ok(), Some(0));
    assert!(parse("cache_s = 1\n").is_err());
    assert_eq!(super::Manifest::parse("t", HEAD).map(|manifest| manifest.cache_s).ok(), Some(CACHE_S_DEFAULT));
}

#[test]
fn names_say_which_count_and_what_else_they_give() {
    let source = "values_from = \"columns.value\"\n";
    let manifest = parse(&format!(
        "patterns = [\"above <above:number> <column=?measure>\"]\nimplied = [\"<column>\"]\none_of = [\"column\", \"above\"]\n\
         [params.column]\ntype = \"string\"\ndescription = \"C.\"\n{source}values_where = {{ role = [\"measure\"] }}\n\
         [params.above]\ntype = \"text\"\ndescription = \"A.\"\n{source}values_give = {{ column = \"of\" }}\n",
    ))
    .unwrap_or_else(|error| panic!("{error}"));
    let [column, above] = &manifest.parameters[..] else { panic!("two parameters") };
    let only = ValuesWhere { field: "role".to_owned(), is: vec!["measure".to_owned()] };
    assert_eq!((column.values_where(), above.values_where()), (Some(&only), None));
    assert_eq!(above.values_give().get("column").map(String::as_str), Some("of"));
    assert_eq!((manifest.implied.len(), manifest.one_of), (1, vec!["column".to_owned(), "above".to_owned()]));

    let text = "[params.a]\ntype = \"text\"\ndescription = \"A.\"\n";
    refused("one_of = [\"b\"]\n", 1, "a parameter of this template");
    refused(&format!("second = {{ a = \"b\" }}\n{text}"), 1, "a parameter of this template");
    refused(&format!("second = {{ b = \"a\" }}\n{text}"), 1, "a parameter of this template");
    refused(&format!("or = {{ a = \"b\" }}\n{text}"), 1, "a parameter of this template");
    refused(&format!("not = {{ b = \"a\" }}\n{text}"), 1, "a parameter of this template");
    let second = parse(&format!("second = {{ a = \"a\" }}\n{text}")).map(|manifest| manifest.companions);
    let expected = Companions { second: BTreeMap::from([("a".to_owned(), "a".to_owned())]), ..Companions::default() };
    assert_eq!(second.ok(), Some(expected));
    refused(&format!("{text}values_where = {{ role = [\"x\"] }}\n"), 4, "`values_from` with a template");
    refused(&format!("{text}{source}values_where = {{ a = [\"x\"], b = [\"x\"] }}\n"), 5, "one field");
    refused(&format!("{text}{source}values_give = {{ b = \"of\" }}\n"), 5, "`b` is none");
    refused(&format!("patterns = [\"over <a=?x>\"]\n{text}"), 1, "`a` with `values_from` a template");
    refused(&format!("{text}{source}values_where = {{ a = [] }}\n"), 5, "one field");
    refused(&format!("patterns = [\"over <a:rest>\"]\n{text}"), 1, "belong to `implied`");
    refused(&format!("patterns = [\"over !total <a>\"]\n{text}"), 1, "belong to `implied`");
    assert!(parse(&format!("implied = [\"over !total <a:rest>\"]\n{text}")).is_ok());
}

#[test]
fn a_whole_phrase_has_no_slots() {
    let text = "[params.a]\ntype = \"text\"\ndescription = \"A.\"\n";
    let manifest = parse(&format!("whole_phrases = [\"which logs\"]\n{text}")).expect("it is well formed");
    assert_eq!(manifest.whole_phrases, ["which logs"]);
    refused(&format!("whole_phrases = [\"which <a>\"]\n{text}"), 1, "words without slots");
}

#[test]
fn a_template_confirms_texts_alone() {
    let text = |more: &str| format!("[params.a]\ntype = \"text\"\ndescription = \"A.\"\n{more}");
    let by = "confirmed_by = \"mentions.text\"\n";
    let phrases = "confirmed_phrases = [\"how many <a>\"]\n";
    let manifest = parse(&format!("{phrases}{}", text(by))).expect("it is well formed");
    assert_eq!(manifest.confirmed_phrases, ["how many <a>"]);
    refused(&format!("{phrases}{}", text("")), 1, "a parameter with `confirmed_by`");
    refused(&format!("confirmed_phrases = [\"<b>\"]\n{}", text(by)), 1, "slots that are parameters");
    refused(&format!("confirmed_patterns = [\"<a:rest>\"]\n{}", text(by)), 1, "no `!word` and no `:rest`");
    refused(&text("confirmed_by = \"files\""), 4, "the type `text`");
    refused(&text(by).replace("text\"\ndesc", "string\"\ndesc"), 4, "the type `text`");
}

#[test]
fn faults_are_found_at_their_line() {
    refused("colour = 1\n", 1, "unknown field `colour`");
    refused("cache_s = \"soon\"\n", 1, "invalid type");
    refused("\nwants = [\n  \"sentry: GET\",\n]\n", 3, "expected `alias: METHOD[,METHOD] /path/pattern`");
    refused("wants = [\"a: GET,POST /x\", \"a: GET,PUT /x\"]\n", 1, "`effects = \"write\"` above");
    refused("wants = [{ rule = \"a: PUT /x\" }]\n", 1, "`effects = \"write\"` above");
    refused("\nwants = [\n  { rule = \"a: GET /x\", header = \"X-A\" },\n]\n", 3, "unknown field `header`");
    refused("wants = [{ rule = \"a: GET /x\", headers = [\"Cookie\"] }]\n", 1, "is not for scripts to set");
    refused("[limits]\nram = 1\n", 2, "unknown field `ram`");
    refused("reads = [\"a\", \"/etc\"]\n", 1, "the alias of a directory");
    refused("\ncache_s = 86401\n", 2, "at most 86400 seconds");
    refused("[result]\ntype = \"text\"\n", 1, "a JSON Schema as a table");
}

#[test]
fn parameters_that_cannot_work_are_refused() {
    let param = |rest: &str| format!("[params.p]\ndescription = \"P.\"\n{rest}");
    for (rest, line, expected) in [
        ("type = \"words\"", 3, "unknown variant `words`"),
        ("type = \"string\"\nvalues_from = \"list\"", 4, "`files`, or a template of the pack"),
        ("type = \"string\"\nvalues_from = \"A.b\"", 4, "`files`, or a template of the pack"),
        ("type = \"integer\"\npattern = \"a\"", 4, "`pattern` with string only"),
        ("type = \"string\"\nmin = 1", 4, "`min` with integer, number, duration, window or datetime only"),
        ("type = \"string\"\npattern = \"(\"", 4, "a regular expression"),
        ("type = \"string\"\npattern_says = \"a name\"", 4, "`pattern_says` beside `pattern` only"),
        ("type = \"string\"\nlength_max = 0", 4, "a length between 1 and 10000"),
        ("type = \"integer\"\nmin = 1.5", 4, "expected an integer"),
        ("type = \"integer\"\nmin = 2\nmax = 1", 5, "a `max` that is not below `min`"),
        ("type = \"integer\"\nmax = 5\ndefault = 6", 5, "a value that fits: parameter `p` must be at most 5"),
        ("type = \"integer\"\ndefault = \"6\"", 4, "a value that fits"),
        ("type = \"number\"\ndefault = nan", 4, "a value that fits"),
        ("type = \"duration\"\nmax = \"soon\"", 4, "a duration such as"),
        ("type = \"enum\"", 1, "`values`"),
        ("type = \"datetime\"\nmin = \"soon\"", 4, "a time such as"),
        ("type = \"list\"", 1, "`items`"),
        ("type = \"list\"\nitems = \"list\"", 4, "not itself a list"),
        ("type = \"list\"\nitems = \"string\"\nitems_max = 0", 5, "between 1 and 1000"),
        ("type = \"list\"\nitems = \"string\"\nmin = 1", 5, "`min` with integer"),
        ("type = \"string\"\nitems = \"string\"", 4, "`items` with list only"),
        ("type = \"enum\"\nvalues = [\"a\"]\nsynonyms = { b = [] }", 5, "which has no `b`"),
        ("type = \"string\"\nwords = [\n  \"last\",\n]", 5, "expected one slot"),
        ("type = \"string\"\nwords = [\"{}\"]", 4, "words around the slot"),
        ("type = \"string\"\ndefault = \"a\"\ndefault_from = \"a.b\"", 4, "either `default` or `default_from`"),
        ("type = \"string\"\ndefault_from = \"A B\"", 4, "the name of a setting"),
    ] {
        refused(&param(rest), line, expected);
    }
    refused("[params.P]\ntype = \"string\"\ndescription = \"P.\"\n", 1, "expected a name");
}

#[test]
fn a_synonym_stands_for_one_word_only() {
    let parse = |synonyms: &str| PackManifest::parse("pack.toml", &format!("summary = \"P.\"\n[synonyms]\n{synonyms}"));
    assert!(parse("error = [\"bug\"]\nlist = [\"show\"]\n").is_ok());
    for (synonyms, line, expected) in [
        ("error = [\"bug\"]\nlist = [\"bug\"]\n", 4, "does not also stand for `error`"),
        ("error = [\"list\"]\nlist = [\"show\"]\n", 4, "does not also stand for `error`"),
        ("error = [\n  \"went wrong\",\n]\n", 4, "one lower-case word"),
    ] {
        let error = parse(synonyms).expect_err(synonyms);
        assert_eq!(error.line, line, "{error}");
        assert!(error.to_string().contains(expected), "{error}");
    }
}
