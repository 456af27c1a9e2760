//! Queries and their whole answers.

use crate::{COLUMNS_MAX, GROUPS_MAX, Query, Scan, VALUES_COUNTED_MAX, VALUES_KEPT_MAX};

const SALES: &str = "id,country,amount,note\n1,Norway,10.5,ok\n2,Sweden,2,\"late, very\"\n3,Norway,4.5,\n";
const ORDERS: &str = "{\"id\": 1, \"status\": \"open\", \"customer\": {\"name\": \"Ada\"}}\n\n\
    {\"id\": 2, \"status\": \"paid\", \"customer\": {\"name\": \"Bo\"}}\n{\"id\": 3, \"status\": \"open\"}\n";
const ODD: &str = "\u{feff}name;city;city;\n\"Müller; Anna\";\"New\nYork\";x;y\nBo\n\nEva;Rome;a;b;more\n";
const DATED: &str = "sold,country,amount\n2026-01-05,NO,1\n2026-02-07,SE,2\n2026-01-31,NO,4\nn/a,NO,8\n,SE,16\n";

/// The answer as JSON, or what is wrong.
fn ask(file: &str, want: &str, filter: &str, bytes: &[u8]) -> String {
    let query = format!(r#"{{"file": "{file}", "want": {want}, "filters": [{{{filter}}}]}}"#);
    let query = match Query::from_json(&query) {
        Ok(query) => query,
        Err(error) => return error.to_string(),
    };
    let mut scan = Scan::new(query).expect("the query was checked");
    let answer = scan.feed(bytes).and_then(|_| scan.answer());
    answer.map_or_else(|error| error.to_string(), |answer| serde_json::to_string(&answer).expect("it is JSON"))
}

pub(crate) fn check(file: &str, want: &str, filter: &str, text: &str, expected: &str) {
    assert_eq!(ask(file, want, filter, text.as_bytes()), expected, "{want} with {filter} of {text:?}");
}

/// A summary of rows of one column after the id.
pub(crate) fn summary(file: &str, measures: &str, text: &str, expected: &str) {
    check(file, &format!(r#"{{"summary": {{{measures}}}}}"#), "", text, expected);
}

#[test]
fn what_is_behind_the_answer_has_no_faults() {
    let rows = "1,Norway,10.5,ok\n".repeat(2_000);
    let text = format!("id,country,amount,note\n{rows}\0");
    check(
        "sales.csv",
        r#"{"columns": {}}"#,
        "",
        &text,
        r#"{"file":"sales.csv","columns":["id","country","amount","note"]}"#,
    );
    check(
        "sales.csv",
        r#"{"description": {"sample": 5}}"#,
        "",
        &text,
        "sales.csv: this is no text, since it holds zero bytes",
    );
}

#[test]
fn a_vocabulary_has_types_and_the_texts_of_text_columns() {
    let want = r#"{"vocabulary": {"rows": 100, "texts": 5}}"#;
    check(
        "sales.csv",
        want,
        "",
        SALES,
        r#"{"file":"sales.csv","rows_looked_at":3,"columns":[{"column":"id","type":"integer","texts":[]},{"column":"country","type":"text","texts":["Norway","Sweden"]},{"column":"amount","type":"number","texts":[]},{"column":"note","type":"text","texts":["late, very","ok"]}]}"#,
    );
    // One row and one text of each column.
    check(
        "o.jsonl",
        r#"{"vocabulary": {"rows": 2, "texts": 1}}"#,
        "",
        ORDERS,
        r#"{"file":"o.jsonl","rows_looked_at":2,"columns":[{"column":"id","type":"integer","texts":[]},{"column":"status","type":"text","texts":["open"]},{"column":"customer.name","type":"text","texts":["Ada"]}]}"#,
    );
}

#[test]
fn columns_are_named() {
    let want = r#"{"columns": {}}"#;
    check("a.csv", want, "", SALES, r#"{"file":"a.csv","columns":["id","country","amount","note"]}"#);
    check("a.csv", want, "", ODD, r#"{"file":"a.csv","columns":["name","city#1","city#2","column_4"]}"#);
    check("a.jsonl", want, "", ORDERS, r#"{"file":"a.jsonl","columns":["id","status","customer.name"]}"#);
    check("a.tsv", want, "", "", r#"{"file":"a.tsv","columns":[]}"#);
}

#[test]
fn a_description_has_types_ranges_and_examples() {
    let want = r#"{"description": {"sample": 20000}}"#;
    check(
        "sales.csv",
        want,
        "",
        SALES,
        r#"{"file":"sales.csv","rows":3,"rows_looked_at":3,"columns":[{"column":"id","type":"integer","missing":0,"min":1,"max":3,"examples":"1 | 2 | 3"},{"column":"country","type":"text","missing":0,"examples":"Norway | Sweden"},{"column":"amount","type":"number","missing":0,"min":2,"max":10.5,"examples":"10.5 | 2 | 4.5"},{"column":"note","type":"text","missing":1,"examples":"ok | late, very"}]}"#,
    );
    check(
        "odd.csv",
        want,
        "",
        ODD,
        r#"{"file":"odd.csv","rows":3,"rows_looked_at":3,"columns":[{"column":"name","type":"text","missing":0,"examples":"Müller; Anna | Bo | Eva"},{"column":"city#1","type":"text","missing":1,"examples":"New\nYork | Rome"},{"column":"city#2","type":"text","missing":1,"examples":"x | a"},{"column":"column_4","type":"text","missing":1,"examples":"y | b"}],"rows_of_another_width":2}"#,
    );
    check(
        "o.jsonl",
        r#"{"description": {"sample": 2, "columns": ["Customer.Name", "id", "ID"]}}"#,
        "",
        ORDERS,
        r#"{"file":"o.jsonl","rows":3,"rows_looked_at":2,"columns":[{"column":"customer.name","type":"text","missing":0,"examples":"Ada | Bo"},{"column":"id","type":"integer","missing":0,"min":1,"max":2,"examples":"1 | 2"}],"columns_not_shown":1}"#,
    );
    let kinds = "code;n;d;b;m;f\n007;1,5;2026-02-03;true;1;1.0\n008;-2;2026-01-31T10:00;False;x;2\n";
    check(
        "k.csv",
        want,
        "",
        kinds,
        r#"{"file":"k.csv","rows":2,"rows_looked_at":2,"columns":[{"column":"code","type":"text","missing":0,"examples":"007 | 008"},{"column":"n","type":"number","missing":0,"min":-2,"max":1.5,"examples":"1,5 | -2"},{"column":"d","type":"date","missing":0,"min":"2026-01-31T10:00","max":"2026-02-03","examples":"2026-02-03 | 2026-01-31T10:00"},{"column":"b","type":"boolean","missing":0,"examples":"true | False"},{"column":"m","type":"mixed","missing":0,"examples":"1 | x"},{"column":"f","type":"number","missing":0,"min":1,"max":2,"examples":"1.0 | 2"}]}"#,
    );
}

#[test]
fn a_number_is_described_as_a_sum_reads_it() {
    let want = r#"{"description": {"sample": 20000}}"#;
    check(
        "p.csv",
        want,
        "",
        "price,discount,amount,salary,both\n\"$1,299.99\",12%,\"1,000\",500,1\n$5,8.5%,\"2,500\",n/a,soon\n",
        r#"{"file":"p.csv","rows":2,"rows_looked_at":2,"assumed":"amount: 1,000 is read as 1000","columns":[{"column":"price","type":"number","missing":0,"min":5,"max":1299.99,"examples":"$1,299.99 | $5"},{"column":"discount","type":"number","missing":0,"min":8.5,"max":12,"examples":"12% | 8.5%"},{"column":"amount","type":"integer","missing":0,"min":1000,"max":2500,"examples":"1,000 | 2,500"},{"column":"salary","type":"integer","missing":1,"min":500,"max":500,"examples":"500"},{"column":"both","type":"mixed","missing":0,"examples":"1 | soon"}]}"#,
    );
    check(
        "eu.csv",
        want,
        "",
        "id;amount\n1;1.234\n2;2.500\n",
        r#"{"file":"eu.csv","rows":2,"rows_looked_at":2,"assumed":"amount: 1.234 is read as 1234","columns":[{"column":"id","type":"integer","missing":0,"min":1,"max":2,"examples":"1 | 2"},{"column":"amount","type":"integer","missing":0,"min":1234,"max":2500,"examples":"1.234 | 2.500"}]}"#,
    );
    let vocabulary = r#"{"vocabulary": {"rows": 100, "texts": 5}}"#;
    check(
        "p.csv",
        vocabulary,
        "",
        "price,code\n$5,007\n$6,008\n",
        r#"{"file":"p.csv","rows_looked_at":2,"columns":[{"column":"price","type":"integer","texts":[]},{"column":"code","type":"text","texts":["007","008"]}]}"#,
    );
}

#[test]
fn na_is_no_number_and_a_text_like_any_other() {
    check(
        "r.csv",
        r#"{"description": {"sample": 20000}}"#,
        "",
        "region,units\nNA,1\nEMEA,NA\n,3\n",
        r#"{"file":"r.csv","rows":3,"rows_looked_at":3,"columns":[{"column":"region","type":"text","missing":1,"examples":"EMEA | NA"},{"column":"units","type":"integer","missing":1,"min":1,"max":3,"examples":"1 | 3"}]}"#,
    );
}

#[test]
fn a_number_is_found_however_its_column_writes_it() {
    let text = "id,rate,amount,code\n1,12%,\"1,000\",007\n2,12.0%,999.5,7\n3,1.2%,1000,70\n";
    for (filter, ids) in [
        (r#""column": "rate", "equals": "12""#, &["1", "2"][..]),
        (r#""column": "rate", "equals": "12%""#, &["1", "2"]),
        (r#""column": "amount", "equals": "1000""#, &["1", "3"]),
        (r#""column": "amount", "equals": "999.50""#, &["2"]),
        (r#""column": "code", "equals": "7""#, &["2"]),
        (r#""column": "code", "equals": "007""#, &["1"]),
        (r#""equals": "12""#, &[]),
    ] {
        let rows: Vec<String> = ids.iter().map(|id| format!(r#"{{"id":"{id}"}}"#)).collect();
        let expected = format!(r#"{{"rows":[{}],"matching":{},"more":false}}"#, rows.join(","), ids.len());
        check("n.csv", r#"{"rows": {"limit": 5, "columns": ["id"]}}"#, filter, text, &expected);
    }
}

#[test]
fn a_mean_of_fewer_values_than_rows_says_of_how_many() {
    let text = "k,n\na,1\na,\nb,3\n";
    let columns = r#""columns":{"group":"k","mean":"n"}"#;
    summary(
        "g.csv",
        r#""mean": "n", "by": ["k"]"#,
        text,
        &format!(
            r#"{{"file":"g.csv",{columns},"groups":[{{"group":"b","rows":1,"values":1,"mean":3}},{{"group":"a","rows":2,"values":1,"mean":1}}]}}"#
        ),
    );
    summary("g.csv", r#""sum": "n""#, text, r#"{"file":"g.csv","columns":{"sum":"n"},"groups":[{"rows":3,"sum":4}]}"#);
}

#[test]
fn rows_are_found_by_what_they_hold() {
    let want = r#"{"rows": {"limit": 5, "columns": ["id"]}}"#;
    let ids = |filter: &str, ids: &[u8]| {
        let rows: Vec<String> = ids.iter().map(|id| format!("{{\"id\":\"{id}\"}}")).collect();
        let expected = format!(r#"{{"rows":[{}],"matching":{},"more":false}}"#, rows.join(","), ids.len());
        check("sales.csv", want, filter, SALES, &expected);
    };
    ids("", &[1, 2, 3]);
    ids(r#""column": "Country", "equals": " norway ""#, &[1, 3]);
    ids(r#""column": "country", "equals": "norway", "contains": "X""#, &[]);
    ids(r#""contains": "LATE""#, &[2]);
    ids(r#""equals": "2""#, &[2]);
    ids(r#""column": "amount", "above": "2""#, &[1, 3]);
    ids(r#""column": "amount", "above": "2", "below": "10.5""#, &[3]);
    ids(r#""column": "amount", "below": "$2.01""#, &[2]);
    ids(r#""column": "amount", "at_least": "4.5", "at_most": "10.50""#, &[1, 3]);
    ids(r#""column": "amount", "at_least": "4.51", "at_most": "10.49""#, &[]);
    ids(r#""column": "note", "missing": true"#, &[3]);
    ids(r#""column": "note", "missing": false"#, &[1, 2]);
    check(
        "sales.csv",
        r#"{"rows": {"limit": 1}}"#,
        r#""contains": "norway""#,
        SALES,
        r#"{"rows":[{"id":"1","country":"Norway","amount":"10.5","note":"ok"}],"matching":2,"more":true}"#,
    );
    check(
        "odd.csv",
        r#"{"rows": {"limit": 3}}"#,
        "",
        ODD,
        r#"{"rows":[{"name":"Müller; Anna","city#1":"New\nYork","city#2":"x","column_4":"y"},{"name":"Bo","city#1":null,"city#2":null,"column_4":null},{"name":"Eva","city#1":"Rome","city#2":"a","column_4":"b"}],"matching":3,"more":false,"rows_of_another_width":2}"#,
    );
    check(
        "o.jsonl",
        r#"{"rows": {"limit": 5}}"#,
        r#""contains": "ADA""#,
        ORDERS,
        r#"{"rows":[{"id":1,"status":"open","customer.name":"Ada"}],"matching":1,"more":false}"#,
    );
    check(
        "i.json",
        r#"{"rows": {"limit": 5}}"#,
        r#""column": "a", "above": "1""#,
        "[\n {\"a\": 1, \"b\": [{\"c\":1}, {\"c\": 2}]},\n {\"a\": 2.50, \"b\": \"x},{y\"}, {\"a\": 1e999}, {\"a\": true}]",
        r#"{"left_out":"2 of 4 values of a are not compared, since they are not numbers like the others; left out is for example 1e999","rows":[{"a":2.50,"b":"x},{y"}],"matching":1,"more":false}"#,
    );
}

#[test]
fn dates_are_compared_as_exactly_as_they_are_asked_for() {
    let want = r#"{"rows": {"limit": 5, "columns": ["amount"]}}"#;
    for (filter, amounts) in [
        (r#""above": "2026-01-05""#, &[2, 4][..]),
        (r#""above": "2026-01", "below": "2027-01-01""#, &[2]),
        (r#""below": "2026-01-31""#, &[1]),
        (r#""above": "2025""#, &[1, 2, 4]),
        (r#""above": "2026""#, &[]),
        (r#""at_least": "2026-01-05", "at_most": "2026-01""#, &[1, 4]),
        (r#""at_least": "2026-01-06""#, &[2, 4]),
        (r#""at_most": "2025""#, &[]),
        (r#""equals": "2026""#, &[1, 2, 4]),
        (r#""equals": "2026-01""#, &[1, 4]),
        (r#""equals": "05.01.2026""#, &[1]),
        (r#""missing": true"#, &[8, 16]),
    ] {
        let rows: Vec<String> = amounts.iter().map(|amount| format!("{{\"amount\":\"{amount}\"}}")).collect();
        let expected = format!(r#"{{"rows":[{}],"matching":{},"more":false}}"#, rows.join(","), amounts.len());
        check("d.csv", want, &format!(r#""column": "sold", {filter}"#), DATED, &expected);
    }
    check(
        "d.csv",
        want,
        r#""column": "country", "above": "2026-01-05""#,
        DATED,
        "d.csv: column country holds no dates such as 2026-11-30, 2026/11/30, 30.11.2026 or 2026-11-30T09:00:00Z, but \
         for example NO",
    );
}

#[test]
fn sums_are_those_of_the_digits() {
    summary(
        "prices.csv",
        r#""sum": "price", "max": "price", "mean": "discount""#,
        "item,price,discount\nsaw,\"$1,299.99\",12%\ndrill,$582.99,8.5%\nrefund,($5.00),0%\n",
        r#"{"file":"prices.csv","columns":{"sum":"price","mean":"discount","max":"price"},"groups":[{"rows":3,"sum":1877.98,"mean":6.83333333333333,"max":1299.99}],"units":{"price":"$","discount":"%"}}"#,
    );
    summary(
        "exact.csv",
        r#""sum": "tiny", "mean": "id", "median": "id", "min": "tiny", "max": "id""#,
        "id,tiny\n9007199254740993,1e-9\n9007199254740993,2e-9\n",
        r#"{"file":"exact.csv","columns":{"sum":"tiny","mean":"id","median":"id","min":"tiny","max":"id"},"groups":[{"rows":2,"sum":0.000000003,"mean":9007199254740993,"median":9007199254740993,"min":0.000000001,"max":9007199254740993}]}"#,
    );
    summary(
        "kunden.csv",
        r#""sum": "umsatz", "by": ["ORT"]"#,
        "Kunde;Ort;Umsatz\n1;Bonn;13969,97\n2;Bonn;55.962,23\n3;Ulm;1.234\n4;Ulm;\n",
        r#"{"file":"kunden.csv","columns":{"group":"Ort","sum":"Umsatz"},"groups":[{"group":"Bonn","rows":2,"sum":69932.2},{"group":"Ulm","rows":2,"sum":1234}]}"#,
    );
    summary(
        "e.csv",
        r#""sum": "a", "min": "a""#,
        "a,b\n",
        r#"{"file":"e.csv","columns":{"sum":"a","min":"a"},"groups":[{"rows":0,"sum":0,"min":null}]}"#,
    );
}

#[test]
fn groups_have_an_order() {
    for (more, groups) in [
        ("", r#"[{"group":"Norway","rows":2,"sum":15},{"group":"Sweden","rows":1,"sum":2}]"#),
        (r#", "order": "ascending""#, r#"[{"group":"Sweden","rows":1,"sum":2},{"group":"Norway","rows":2,"sum":15}]"#),
        (r#", "limit": 1"#, r#"[{"group":"Norway","rows":2,"sum":15}],"groups_not_shown":1"#),
    ] {
        summary(
            "s.csv",
            &format!(r#""sum": "amount", "by": ["country"]{more}"#),
            SALES,
            &format!(r#"{{"file":"s.csv","columns":{{"group":"country","sum":"amount"}},"groups":{groups}}}"#),
        );
    }
    summary(
        "o.jsonl",
        r#""by": ["customer.name", "status"]"#,
        ORDERS,
        r#"{"file":"o.jsonl","columns":{"group":"customer.name","group_2":"status"},"groups":[{"group":"(missing)","group_2":"open","rows":1},{"group":"Ada","group_2":"open","rows":1},{"group":"Bo","group_2":"paid","rows":1}]}"#,
    );
    summary(
        "x.csv",
        r#""max": "n", "by": ["k"]"#,
        "k,n\na,\nb,1\nc,2\n",
        r#"{"file":"x.csv","columns":{"group":"k","max":"n"},"groups":[{"group":"c","rows":1,"max":2},{"group":"b","rows":1,"max":1},{"group":"a","rows":1,"max":null}]}"#,
    );
}

#[test]
fn months_are_groups_in_their_order() {
    let columns = r#""columns":{"group":"month of sold","sum":"amount"}"#;
    summary(
        "d.csv",
        r#""sum": "amount", "by": ["Month"]"#,
        DATED,
        &format!(
            r#"{{"file":"d.csv",{columns},"groups":[{{"group":"(missing)","rows":2,"sum":24}},{{"group":"2026-01","rows":2,"sum":5}},{{"group":"2026-02","rows":1,"sum":2}}]}}"#
        ),
    );
    summary(
        "d.csv",
        r#""sum": "amount", "by": ["month"], "limit": 2"#,
        DATED,
        &format!(
            r#"{{"file":"d.csv",{columns},"groups":[{{"group":"2026-01","rows":2,"sum":5}},{{"group":"2026-02","rows":1,"sum":2}}],"groups_not_shown":1}}"#
        ),
    );
    summary(
        "d.csv",
        r#""by": ["country", "month"], "order": "descending", "limit": 1"#,
        DATED,
        r#"{"file":"d.csv","columns":{"group":"country","group_2":"month of sold"},"groups":[{"group":"NO","group_2":"2026-01","rows":2}],"groups_not_shown":3}"#,
    );
    summary(
        "d.csv",
        r#""by": ["month"]"#,
        "a,b,c\n2026-01-01,2026-01-02,x\n2026-01-01,,y\n",
        "d.csv: a and b hold dates; name one with date_column",
    );
    summary(
        "d.csv",
        r#""by": ["month"], "date_column": "B""#,
        "a,b,c\n2026-01-01,30.11.2026,x\n2026-01-01,soon,y\n",
        r#"{"left_out":"1 of 2 values of b are no dates, for example soon; they are in (no date)","file":"d.csv","columns":{"group":"month of b"},"groups":[{"group":"(no date)","rows":1},{"group":"2026-11","rows":1}]}"#,
    );
    summary(
        "d.csv",
        r#""by": ["month"]"#,
        SALES,
        "d.csv: no column holds dates such as 2026-11-30, 2026/11/30, 30.11.2026 or 2026-11-30T09:00:00Z (it has id, \
         country, amount, note)",
    );
    // A column with this name is that column.
    summary(
        "m.csv",
        r#""by": ["month"]"#,
        "month,d\nMay,2026-01-01\n",
        r#"{"file":"m.csv","columns":{"group":"month"},"groups":[{"group":"May","rows":1}]}"#,
    );
}

#[test]
fn rows_pass_each_of_several_filters() {
    let want = r#"{"rows": {"limit": 5, "columns": ["id"]}}"#;
    let two = r#""column": "country", "equals": "norway"}, {"column": "amount", "above": "5""#;
    check("s.csv", want, two, SALES, r#"{"rows":[{"id":"1"}],"matching":1,"more":false}"#);
    let none = r#""contains": "late"}, {"column": "country", "equals": "norway""#;
    check("s.csv", want, none, SALES, r#"{"rows":[],"matching":0,"more":false}"#);
    // Whether the rows that are left hold numbers is no fault of the question.
    let tbd = "k,n\na,tbd\nb,7\n";
    let after = r#""column": "k", "equals": "a"}, {"column": "n", "above": "5""#;
    check(
        "s.csv",
        r#"{"rows": {"limit": 5, "columns": ["k"]}}"#,
        after,
        tbd,
        r#"{"left_out":"1 of 1 values of n are not compared, since they are not numbers like the others; left out is for example tbd","rows":[],"matching":0,"more":false}"#,
    );
    let many = [r#""contains": "a""#; 5].join("}, {");
    check("s.csv", want, &many, SALES, "expected the number of filters to be between 0 and 4, found 5");
    // What both take for granted is said once.
    let money = "k,a,b\nx,$1,$2\nx,$3,oops\n";
    let both = r#""column": "a", "above": "0"}, {"column": "b", "above": "0""#;
    check(
        "s.csv",
        r#"{"rows": {"limit": 1, "columns": ["k"]}}"#,
        both,
        money,
        r#"{"left_out":"1 of 2 values of b are not compared, since they are not numbers like the others; left out is for example oops","rows":[{"k":"x"}],"matching":1,"more":false}"#,
    );
}

#[test]
fn the_last_rows_are_those_at_the_end_of_the_file() {
    let text = "id,n\n1,9\n2,10\n3,9\n4,9\n";
    for (asked, filter, expected) in [
        (r#""limit": 2, "last": true"#, "", r#"{"rows":[{"id":"3"},{"id":"4"}],"matching":4,"more":true}"#),
        (
            r#""limit": 1, "last": true"#,
            r#""column": "n", "equals": "10""#,
            r#"{"rows":[{"id":"2"}],"matching":1,"more":false}"#,
        ),
        (r#""limit": 2"#, "", r#"{"rows":[{"id":"1"},{"id":"2"}],"matching":4,"more":true}"#),
    ] {
        check("n.csv", &format!(r#"{{"rows": {{"columns": ["id"], {asked}}}}}"#), filter, text, expected);
    }
}

#[test]
fn rows_are_ordered_by_numbers_dates_or_texts() {
    let ids = |file: &str, text: &str, order: &str, ids: &[u8]| {
        let want = format!(r#"{{"rows": {{"limit": {}, "columns": ["id"], {order}}}}}"#, ids.len());
        let rows: Vec<String> = ids.iter().map(|id| format!("{{\"id\":\"{id}\"}}")).collect();
        let told = ask(file, &want, "", text.as_bytes());
        assert!(told.contains(&format!(r#""rows":[{}]"#, rows.join(","))), "{order}: {told}");
    };
    ids("s.csv", SALES, r#""order_by": "Amount""#, &[1, 3, 2]);
    ids("s.csv", SALES, r#""order_by": "amount""#, &[1, 3]);
    ids("s.csv", SALES, r#""order_by": "amount", "order": "ascending""#, &[2, 3]);
    // Equal rows stay in the order of the file, whichever end is first.
    ids("s.csv", SALES, r#""order_by": "country""#, &[2, 1, 3]);
    ids("s.csv", SALES, r#""order_by": "country", "order": "ascending""#, &[1, 3, 2]);
    let days = "id,day\n1,n/a\n2,05.01.2026\n3,2026-02-01\n4,\n5,2026-01-31\n";
    ids("d.csv", days, r#""order_by": "day""#, &[3, 5, 2, 1, 4]);
    ids("d.csv", days, r#""order_by": "day", "order": "ascending""#, &[2, 5, 3, 1, 4]);
    ids("n.csv", "id,n\n1,9\n2,10\n3,-2\n", r#""order_by": "n""#, &[2, 1, 3]);
    // Most values say what a column is.
    ids("n.csv", "id,n\n1,9\n2,soon\n3,10\n", r#""order_by": "n""#, &[3, 1, 2]);
    check(
        "n.csv",
        r#"{"rows": {"limit": 3, "columns": ["id"], "order_by": "n"}}"#,
        "",
        "id,n\n1,9\n2,soon\n3,late\n",
        r#"{"assumed":"n is ordered as text, since few of its values are numbers or dates","rows":[{"id":"2"},{"id":"3"},{"id":"1"}],"matching":3,"more":false}"#,
    );
    let wrong = format!("id,n\n{}7,soon\n", "1,9\n".repeat(1_000));
    check(
        "n.csv",
        r#"{"rows": {"limit": 1, "columns": ["id"], "order_by": "n", "order": "ascending"}}"#,
        "",
        &wrong,
        r#"{"left_out":"1 value of n comes last, not being numbers; for example soon","rows":[{"id":"1"}],"matching":1001,"more":true}"#,
    );
    check(
        "s.csv",
        r#"{"rows": {"limit": 1, "order_by": "amout"}}"#,
        "",
        SALES,
        "s.csv has no column amout; did you mean amount? (it has id, country, amount, note)",
    );
}

#[test]
fn what_no_value_of_a_column_can_equal_is_refused() {
    for (filter, error) in [
        (r#""column": "amount", "equals": "refunded""#, "s.csv: amount holds numbers, and refunded is none"),
        (r#""column": "sold", "equals": "norway""#, "s.csv: sold holds dates, and norway is none"),
    ] {
        let text = if filter.contains("sold") { DATED } else { SALES };
        check("s.csv", r#"{"rows": {"limit": 1}}"#, filter, text, error);
    }
    // A text in a later row is one that somebody can ask for.
    let later = format!("id,n\n{}7,soon\n", "1,9\n".repeat(2_000));
    for (value, expected) in [
        ("soon", r#"{"rows":[{"id":"7"}],"matching":1,"more":false}"#),
        ("late", r#"{"rows":[],"matching":0,"more":false}"#),
    ] {
        let filter = format!(r#""column": "n", "equals": "{value}""#);
        check("n.csv", r#"{"rows": {"limit": 1, "columns": ["id"]}}"#, &filter, &later, expected);
    }
    for filter in [
        r#""column": "amount", "equals": "n/a""#,
        r#""column": "amount", "equals": "$3""#,
        r#""column": "note", "equals": "x""#,
    ] {
        let none = r#"{"rows":[],"matching":0,"more":false}"#;
        check("s.csv", r#"{"rows": {"limit": 1, "columns": ["id"]}}"#, filter, SALES, none);
    }
}

#[test]
fn a_filter_goes_with_every_question() {
    check(
        "s.csv",
        r#"{"summary": {"sum": "amount"}}"#,
        r#""column": "country", "equals": "norway""#,
        SALES,
        r#"{"file":"s.csv","columns":{"sum":"amount"},"groups":[{"rows":2,"sum":15}]}"#,
    );
    check(
        "s.csv",
        r#"{"top": {"column": "Country", "limit": 5}}"#,
        r#""column": "amount", "above": "3""#,
        SALES,
        r#"{"file":"s.csv","column":"country","rows":2,"missing":0,"values":[{"value":"Norway","rows":2}],"different_values":1}"#,
    );
    check(
        "s.csv",
        r#"{"summary": {}}"#,
        r#""contains": "nobody""#,
        SALES,
        r#"{"file":"s.csv","columns":{},"groups":[{"rows":0}]}"#,
    );
    for (filter, error) in [
        (
            r#""column": "country""#,
            "nothing is compared with column country; say what it equals or contains, what it is above or below, or whether it is missing",
        ),
        (r#""above": "1""#, "which column? bounds, missing and not_equals need one"),
        (
            r#""column": "amount", "above": "1,234""#,
            "above: expected a number such as 1299.5 or a date such as 2026-11-30, found 1,234",
        ),
        (
            r#""column": "contry", "equals": "x""#,
            "s.csv has no column contry; did you mean country? (it has id, country, amount, note)",
        ),
        (r#""column": "country", "above": "1""#, "s.csv: column country holds no numbers, but for example Norway"),
    ] {
        check("s.csv", r#"{"summary": {}}"#, filter, SALES, error);
    }
    check(
        "s.csv",
        r#"{"description": {"sample": 1}}"#,
        r#""equals": "x""#,
        SALES,
        "a description is of all rows; leave the filter out",
    );
}

#[test]
fn frequent_values_come_first() {
    let want = |column: &str| format!(r#"{{"top": {{"column": "{column}", "limit": 1}}}}"#);
    check(
        "o.jsonl",
        &want("Status"),
        "",
        ORDERS,
        r#"{"file":"o.jsonl","column":"status","rows":3,"missing":0,"values":[{"value":"open","rows":2}],"different_values":2}"#,
    );
    check(
        "odd.csv",
        &want("column_4"),
        "",
        ODD,
        r#"{"file":"odd.csv","column":"column_4","rows":3,"missing":1,"values":[{"value":"b","rows":1}],"different_values":2}"#,
    );
    // One more than is counted: the rarer half is let go, and the answer says so.
    let mut text = "n,x\nmany,\nmany,\nmany,\n".to_owned();
    for number in 0..VALUES_COUNTED_MAX {
        text += &(number.to_string() + ",\n");
    }
    let rows = VALUES_COUNTED_MAX + 3;
    check(
        "n.csv",
        &want("n"),
        "",
        &text,
        &format!(
            r#"{{"file":"n.csv","column":"n","rows":{rows},"missing":0,"values":[{{"value":"many","rows":2}}],"too_low_by_at_most":1}}"#
        ),
    );
}

#[test]
fn what_is_left_out_is_said_first_and_much_of_it_is_no_answer() {
    summary(
        "a.tsv",
        r#""sum": "n""#,
        "n\tm\n1,5\tx\nn/a\ty\n\tz\n",
        r#"{"left_out":"sum of 1 of 2 values of n; left out is for example n/a","file":"a.tsv","columns":{"sum":"n"},"groups":[{"rows":3,"sum":1.5}]}"#,
    );
    let rows = |wrong: usize, all: usize| {
        let mut text = "id,amount\n".to_owned();
        for row in 0..all {
            text += if row < wrong { "1,x\n" } else { "1,1\n" };
        }
        text
    };
    summary(
        "a.csv",
        r#""sum": "amount""#,
        &rows(1, 20),
        r#"{"left_out":"sum of 19 of 20 values of amount; left out is for example x","file":"a.csv","columns":{"sum":"amount"},"groups":[{"rows":20,"sum":19}]}"#,
    );
    summary(
        "a.csv",
        r#""sum": "amount""#,
        &rows(1, 19),
        "a.csv: 1 of 19 values of amount are no numbers like the others, for example x; nothing was added up",
    );
    check(
        "a.csv",
        r#"{"summary": {}}"#,
        r#""column": "amount", "above": "0""#,
        &rows(1, 19),
        "a.csv: 1 of 19 values of amount cannot be compared, for example x; nothing was added up",
    );
    let wide = format!("id,amount\n{}20,5,0\n", "1,1\n".repeat(19));
    let odd = "1 of 20 rows have another number of cells than the header, which has 2";
    summary(
        "w.csv",
        r#""sum": "amount""#,
        &wide,
        &format!(
            r#"{{"left_out":"{odd}; they are left out, first row 20 with 3 cells: 20,5,0","file":"w.csv","columns":{{"sum":"amount"}},"groups":[{{"rows":19,"sum":19}}]}}"#
        ),
    );
    summary(
        "w.csv",
        "",
        &wide,
        &format!(
            r#"{{"left_out":"{odd}; they are counted, first row 20 with 3 cells: 20,5,0","file":"w.csv","columns":{{}},"groups":[{{"rows":20}}]}}"#
        ),
    );
    for (file, measures, text, error) in [
        (
            "s.csv",
            r#""sum": "amount""#,
            "id,country,amount\n0,Norway,50,924\n1,Sweden,2\n",
            "s.csv: 1 of 2 rows have another number of cells than the header, which has 3, first row 1 with 4 cells: \
          0,Norway,50,924; likely the cause is a number with a comma that is not quoted; nothing was added up",
        ),
        ("s.csv", r#""mean": "country""#, SALES, "s.csv: column country holds no numbers, but for example Norway"),
        ("b.csv", r#""sum": "b""#, "a,b\n1,\n2,\n", "b.csv: column b holds no values; every cell of it is empty"),
        (
            "m.csv",
            r#""sum": "amount""#,
            "id,amount\n1,\"1,299.99\"\n2,\"1.299,99\"\n3,20\n",
            "m.csv: 1 of 3 values of amount are no numbers like the others, for example 1.299,99; nothing was added up",
        ),
        ("s.csv", r#""mean": "price""#, SALES, "s.csv has no column price (it has id, country, amount, note)"),
        ("e.jsonl", r#""mean": "a""#, "", "e.jsonl has no column a (it is empty)"),
        ("d.csv", r#""sum": "n""#, "n,n\n1,2\n", "d.csv has 2 columns n; name one as n#1 or n#2"),
        ("a.txt", r#""sum": "n""#, "", "a.txt: the name does not end in .csv, .tsv, .tab, .json, .jsonl or .ndjson"),
    ] {
        summary(file, measures, text, error);
    }
    summary(
        "d.csv",
        r#""sum": "n#2""#,
        "n,n\n1,2\n",
        r#"{"file":"d.csv","columns":{"sum":"n#2"},"groups":[{"rows":1,"sum":2}]}"#,
    );
}

#[test]
fn what_is_taken_for_granted_is_said() {
    summary(
        "odd.csv",
        r#""sum": "amount""#,
        "id,amount\n1,\"1,234\"\n2,\"5,678\"\n3,900\n4,\"12,500\"\n5,\"1,2\"\n",
        r#"{"assumed":"amount: 1,234 is read as 1.234","file":"odd.csv","columns":{"sum":"amount"},"groups":[{"rows":5,"sum":920.612}]}"#,
    );
    summary(
        "eu.csv",
        r#""sum": "amount""#,
        "id;amount\n1;1.234\n2;2.500\n3;3.000\n",
        r#"{"assumed":"amount: 1.234 is read as 1234","file":"eu.csv","columns":{"sum":"amount"},"groups":[{"rows":3,"sum":6734}]}"#,
    );
}

#[test]
fn a_percentile_is_the_least_value_that_so_many_percent_do_not_exceed() {
    let values = |count: usize| (1..=count).rev().fold(String::new(), |rows, value| format!("{rows}{value},\n"));
    let percentile = |percent: &str, count: usize| {
        let query = format!(r#"{{"summary": {{"percentile": "n"{percent}}}}}"#);
        ask("m.csv", &query, "", format!("n,\n{}", values(count)).as_bytes())
    };
    for (percent, count, found) in
        [(1, 100, 1), (50, 100, 50), (95, 100, 95), (99, 100, 99), (95, 10, 10), (90, 10, 9), (99, 1, 1)]
    {
        assert_eq!(
            percentile(&format!(r#", "percent": {percent}"#), count),
            format!(
                r#"{{"file":"m.csv","columns":{{"percentile":"n"}},"percent":{percent},"groups":[{{"rows":{count},"percentile":{found}}}]}}"#
            )
        );
    }
    assert!(percentile("", 200).contains(r#""percent":95,"groups":[{"rows":200,"percentile":190}]"#));
    for percent in [0, 100] {
        let query =
            format!(r#"{{"file": "m.csv", "want": {{"summary": {{"percentile": "n", "percent": {percent}}}}}}}"#);
        let error = Query::from_json(&query).expect_err("it is out of bounds").to_string();
        assert_eq!(error, format!("expected the percent of a percentile to be between 1 and 99, found {percent}"));
    }
}

#[test]
fn medians_are_exact_up_to_the_values_that_are_kept() {
    let median = |values: &str| ask("m.csv", r#"{"summary": {"median": "n"}}"#, "", format!("n,\n{values}").as_bytes());
    let answer = |rows: usize, median: &str| {
        format!(r#"{{"file":"m.csv","columns":{{"median":"n"}},"groups":[{{"rows":{rows},"median":{median}}}]}}"#)
    };
    assert_eq!(median("3,\n1,\n2,\n"), answer(3, "2"));
    assert_eq!(median("0.2,\n9,\n0.1,\n-5,\n"), answer(4, "0.15"));
    assert_eq!(median(&"7,\n".repeat(VALUES_KEPT_MAX)), answer(VALUES_KEPT_MAX, "7"));
    assert_eq!(
        median(&"7,\n".repeat(VALUES_KEPT_MAX + 1)),
        "m.csv: column n has more than 1000000 values, and a median or percentile keeps them all; filter the rows"
    );
}

#[test]
fn there_are_as_many_groups_as_memory_has_room_for() {
    let groups = |groups: usize| {
        let rows: Vec<String> = (0..groups).map(|group| format!("{group},1\n")).collect();
        let rows = rows.concat();
        ask("g.csv", r#"{"summary": {"sum": "n", "by": ["k"], "limit": 1}}"#, "", format!("k,n\n{rows}").as_bytes())
    };
    let not_shown = GROUPS_MAX - 1;
    assert_eq!(
        groups(GROUPS_MAX),
        format!(
            r#"{{"file":"g.csv","columns":{{"group":"k","sum":"n"}},"groups":[{{"group":"0","rows":1,"sum":1}}],"groups_not_shown":{not_shown}}}"#
        )
    );
    assert_eq!(groups(GROUPS_MAX + 1), "g.csv: column k has more than 100000 different values; group by another");
}

#[test]
fn a_table_has_as_many_columns_as_a_spreadsheet() {
    let header = |columns: usize| ask("c.csv", r#"{"columns": {}}"#, "", ",".repeat(columns - 1).as_bytes());
    let objects = |columns: usize| {
        let members: Vec<String> = (0..columns).map(|column| format!("\"c{column}\": 1")).collect();
        ask("c.jsonl", r#"{"columns": {}}"#, "", format!("{{{}}}", members.join(",")).as_bytes())
    };
    assert!(header(COLUMNS_MAX).ends_with(r#""column_16383","column_16384"]}"#));
    assert!(objects(COLUMNS_MAX).ends_with(r#""c16382","c16383"]}"#));
    assert_eq!(header(COLUMNS_MAX + 1), "c.csv: there are more than 16384 columns");
    assert_eq!(objects(COLUMNS_MAX + 1), "c.jsonl: there are more than 16384 columns");
    // Objects in objects are columns up to a depth, and below it one.
    check(
        "d.jsonl",
        r#"{"columns": {}}"#,
        "",
        r#"{"a": {"b": {"c": {"d": {"e": {"f": 1}}}}}, "g": {}, "h.i": 1}"#,
        r#"{"file":"d.jsonl","columns":["a.b.c.d.e","g","h.i"]}"#,
    );
}

#[test]
fn names_of_formats_are_read_in_any_case() {
    for file in ["A.CSV", "a.Tab", "a.b.tsv.gz", "x/y.JSON", "a.ndjson", "a.jsonl.xz"] {
        assert!(crate::Format::of(file).is_some(), "{file}");
    }
    for file in ["csv", "a.txt", "a.gz", "a.csv.zip", ""] {
        assert_eq!(crate::Format::of(file), None, "{file}");
    }
}
