//! Tests of what values are compared with, and of what dates are cut to.

use crate::tests::{check, summary};

#[test]
fn dates_are_cut_to_days_weeks_and_quarters() {
    let text = "at,n\n2026-11-30T23:59:00-05:00,1\n2026-11-29,2\n2026-12-01,4\n2026-10-26,8\n";
    for (by, groups) in [
        ("day", "2026-10-26 8 2026-11-29 2 2026-11-30 1 2026-12-01 4"),
        ("weekday", "Monday 9 Tuesday 4 Sunday 2"),
        ("week", "2026-W44 8 2026-W48 2 2026-W49 5"),
        ("Quarter", "2026-Q4 15"),
        ("year", "2026 15"),
    ] {
        let groups: Vec<&str> = groups.split(' ').collect();
        let sums = groups.chunks(2).map(|group| {
            let rows = group[1].parse::<u32>().expect("a sum").count_ones();
            format!(r#"{{"group":"{}","rows":{rows},"sum":{}}}"#, group[0], group[1])
        });
        let sums = sums.collect::<Vec<_>>().join(",");
        let label = by.to_lowercase();
        summary(
            "d.csv",
            &format!(r#""sum": "n", "by": ["{by}"]"#),
            text,
            &format!(r#"{{"file":"d.csv","columns":{{"group":"{label} of at","sum":"n"}},"groups":[{sums}]}}"#),
        );
    }
    // A month without a day is no day, and what is in parentheses comes first.
    summary(
        "d.csv",
        r#""by": ["weekday"], "date_column": "at""#,
        "at\n2026-11\n2026-11-30\n\n2026-11-29\n",
        r#"{"left_out":"1 of 3 values of at are no dates, for example 2026-11; they are in (no date)","file":"d.csv","columns":{"group":"weekday of at"},"groups":[{"group":"(no date)","rows":1},{"group":"Monday","rows":1},{"group":"Sunday","rows":1}]}"#,
    );
}

#[test]
fn a_column_equals_one_of_several_values_or_none() {
    let text = "id,k,rate,sold\n1,A,12%,2026-01-05\n2,b,5%,2026-02-01\n3,,7%,\n4,c,12.0%,2025-12-31\n";
    for (filter, ids) in [
        (r#""column": "k", "equals": ["a", " B"]"#, "1 2"),
        (r#""column": "k", "not_equals": "a""#, "2 3 4"),
        (r#""column": "k", "not_equals": ["a", "c", "x"]"#, "2 3"),
        (r#""column": "k", "not_equals": "a", "missing": false"#, "2 4"),
        (r#""column": "k", "equals": ["a", "b"], "not_equals": "b""#, "1"),
        (r#""column": "rate", "equals": ["12", "7%"]"#, "1 3 4"),
        (r#""column": "rate", "not_equals": "12""#, "2 3"),
        (r#""column": "sold", "not_equals": ["2026-01"]"#, "2 3 4"),
        (r#""column": "sold", "equals": ["2025", "2026-02-01"]"#, "2 4"),
        (r#""equals": ["a", "5%"]"#, "1 2"),
        (r#""column": "k", "equals": []}, {"column": "k", "equals": "a""#, "nothing"),
        (r#""not_equals": "a""#, "which column"),
        (r#""column": "rate", "equals": ["12", "high"]"#, "rate holds numbers, and high is none"),
        (r#""column": "rate", "not_equals": "high""#, "rate holds numbers, and high is none"),
    ] {
        let want = r#"{"rows": {"limit": 5, "columns": ["id"]}}"#;
        let expected = match ids {
            "nothing" => {
                "nothing is compared with column k; say what it equals or contains, what it is above or below, or whether it is \
                 missing"
                    .to_owned()
            }
            "which column" => "which column? bounds, missing and not_equals need one".to_owned(),
            text if text.starts_with("rate") => format!("e.csv: {text}"),
            ids => {
                let ids: Vec<String> = ids.split(' ').map(|id| format!(r#"{{"id":"{id}"}}"#)).collect();
                format!(r#"{{"rows":[{}],"matching":{},"more":false}}"#, ids.join(","), ids.len())
            }
        };
        check("e.csv", want, filter, text, &expected);
    }
    let many = format!(r#""column": "k", "equals": [{}]"#, vec![r#""a""#; 21].join(","));
    let bound = "expected the number of texts to compare to be between 0 and 20, found 21";
    check("e.csv", r#"{"summary": {}}"#, &many, text, bound);
}
