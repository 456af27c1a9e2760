//! The columns of a table and the different texts in them, for a router that reads sentences about it.

use std::collections::BTreeSet;

use crate::answer::{ColumnVocabulary, Vocabulary as Answer, short};
use crate::describe::Described;
use crate::row::{Columns, Kept, Row};

/// Characters of a text that anybody would say. A longer one is no name.
const TEXT_CHARS_MAX: usize = 60;

/// The columns of a table and the different texts in its first rows.
#[derive(Debug)]
pub(crate) struct Vocabulary {
    columns: Vec<Spoken>,
    rows: u64,
    rows_max: u64,
    values_max: usize,
}

#[derive(Debug)]
struct Spoken {
    described: Described,
    texts: BTreeSet<String>,
}

impl Vocabulary {
    pub(crate) fn new(columns: &Columns, rows_max: u64, values_max: usize, usual: char, start: &[Kept]) -> Self {
        let described = Described::each(columns.iter().cloned().collect(), columns, usual, start);
        let spoken = |described| Spoken { described, texts: BTreeSet::new() };
        Self { columns: described.into_iter().map(spoken).collect(), rows: 0, rows_max, values_max }
    }

    /// Whether no more rows are looked at.
    pub(crate) fn is_done(&self) -> bool {
        self.rows >= self.rows_max
    }

    pub(crate) fn take(&mut self, row: Row<'_>) {
        if self.is_done() {
            return;
        }
        self.rows += 1;
        for column in &mut self.columns {
            column.described.take(row);
            let cell = row.cell(column.described.column());
            if column.texts.len() >= self.values_max || cell.is_blank() {
                continue;
            }
            let text = cell.text();
            let text = text.trim();
            let is_short = text.len() <= TEXT_CHARS_MAX * 4 && text.chars().nth(TEXT_CHARS_MAX).is_none();
            if is_short && !text.is_empty() && !text.contains(char::is_control) && !column.texts.contains(text) {
                column.texts.insert(text.to_owned());
            }
        }
    }

    pub(crate) fn answer(self, file: String) -> Answer {
        let column = |spoken: Spoken| {
            let kind = spoken.described.kind();
            // Numbers and dates say themselves.
            let texts = if kind == "text" { spoken.texts.into_iter().collect() } else { Vec::new() };
            ColumnVocabulary { column: short(&spoken.described.column().label, 80), kind, texts }
        };
        Answer { file, rows_looked_at: self.rows, columns: self.columns.into_iter().map(column).collect() }
    }
}
