//! Parses CSV: detects the delimiter in the first lines, reads quotes, and bounds a row.

use csv_core::{ReadFieldResult, ReadRecordResult, Reader, ReaderBuilder};
use memchr::memchr_iter;

use crate::problem::Problem;
use crate::query::Format;
use crate::row::Cells;
use crate::{ROW_BYTES_MAX, count};

/// Lines that show the delimiter.
const LINES_FOR_DELIMITER: usize = 20;

/// Bytes of them. Lines so long that twenty have more show it as well.
const BYTES_FOR_DELIMITER: usize = 1 << 20;

/// Lines above the header that are recognised as such.
const TITLE_LINES_MAX: usize = 3;

/// What is read out of a file: its header first, then its rows.
pub(crate) trait Intake {
    fn header(&mut self, cells: Cells<'_>, delimiter: u8) -> Result<(), Problem>;
    fn row(&mut self, cells: Cells<'_>) -> Result<(), Problem>;
}

/// A reader of delimited text in pieces.
#[derive(Debug)]
pub(crate) struct Csv {
    format: Format,
    /// The first lines, until there are enough of them.
    start: Start,
    reader: Option<Reader>,
    delimiter: u8,
    has_header: bool,
    /// The row that is being read: the text of its cells, where they end, and how much of both is used.
    text: Vec<u8>,
    text_used: usize,
    ends: Vec<usize>,
    ends_used: usize,
}

/// The first lines of a file.
#[derive(Debug, Default)]
struct Start {
    text: String,
    /// How far it was looked through for ends of lines, and how many there were.
    looked: usize,
    lines: usize,
}

impl Start {
    /// The length of the first lines, once all of them are there.
    fn length(&mut self) -> Option<usize> {
        let bytes = self.text.as_bytes();
        while self.looked < bytes.len().min(BYTES_FOR_DELIMITER) {
            let is_end = match bytes[self.looked] {
                b'\n' => true,
                // The other half of the end may be in the next piece.
                b'\r' => *bytes.get(self.looked + 1)? != b'\n',
                _ => false,
            };
            self.looked += 1;
            self.lines += usize::from(is_end);
            if self.lines == LINES_FOR_DELIMITER {
                return Some(self.looked);
            }
        }
        (self.looked == BYTES_FOR_DELIMITER).then_some(self.looked)
    }
}

impl Csv {
    pub(crate) fn new(format: Format) -> Self {
        Self {
            format,
            start: Start::default(),
            reader: None,
            delimiter: b',',
            has_header: false,
            text: vec![0; 4096],
            text_used: 0,
            ends: vec![0; 64],
            ends_used: 0,
        }
    }

    /// Reads the next text.
    pub(crate) fn feed(&mut self, text: &str, into: &mut impl Intake) -> Result<(), Problem> {
        if self.reader.is_some() {
            return self.read(text.as_bytes(), into);
        }
        self.start.text.push_str(text);
        match self.start.length() {
            Some(length) => self.begin(length, false, into),
            None => Ok(()),
        }
    }

    /// Reads what is left.
    pub(crate) fn end(&mut self, into: &mut impl Intake) -> Result<(), Problem> {
        if self.reader.is_none() {
            self.begin(self.start.text.len(), true, into)?;
        }
        // The end of the last line. Inside quotes it is text like other text.
        let mut end: &[u8] = b"\n";
        while !end.is_empty() {
            let used = self.text_used;
            let read = self.read_step(end, into)?;
            end = &end[read..];
            if self.text_used > used {
                return Err(self.open_quote());
            }
        }
        Ok(())
    }

    /// Chooses the delimiter by the first lines, and reads what is there.
    fn begin(&mut self, length: usize, is_all: bool, into: &mut impl Intake) -> Result<(), Problem> {
        let text = std::mem::take(&mut self.start).text;
        self.delimiter = delimiter(self.format, &text.as_bytes()[..length], is_all)?;
        self.reader = Some(reader(self.delimiter));
        self.read(text.as_bytes(), into)
    }

    fn read(&mut self, mut bytes: &[u8], into: &mut impl Intake) -> Result<(), Problem> {
        while !bytes.is_empty() {
            let read = self.read_step(bytes, into)?;
            bytes = &bytes[read..];
        }
        Ok(())
    }

    /// Reads up to the end of a row, or until there is no more room, and gives the bytes read.
    fn read_step(&mut self, bytes: &[u8], into: &mut impl Intake) -> Result<usize, Problem> {
        let reader = self.reader.as_mut().expect("`begin` made it");
        let (result, read, text, ends) =
            reader.read_record(bytes, &mut self.text[self.text_used..], &mut self.ends[self.ends_used..]);
        self.text_used += text;
        self.ends_used += ends;
        match result {
            ReadRecordResult::InputEmpty | ReadRecordResult::End => {}
            ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull => {
                if self.text_used + self.ends_used >= ROW_BYTES_MAX {
                    return Err(self.too_long());
                }
                if result == ReadRecordResult::OutputFull {
                    self.text.resize(self.text.len() * 2, 0);
                } else {
                    self.ends.resize(self.ends.len() * 2, 0);
                }
            }
            ReadRecordResult::Record => {
                self.pass(into)?;
                self.text_used = 0;
                self.ends_used = 0;
            }
        }
        Ok(read)
    }

    fn pass(&mut self, into: &mut impl Intake) -> Result<(), Problem> {
        // The text was UTF-8, and is cut at ASCII only.
        let text = std::str::from_utf8(&self.text[..self.text_used]).map_err(|_| Problem::NotText)?;
        let cells = Cells { text, ends: &self.ends[..self.ends_used] };
        if self.has_header {
            return into.row(cells);
        }
        self.has_header = true;
        into.header(cells, self.delimiter)
    }

    /// What to say about a row that has no end. Mostly a quote was opened and never closed: a delimiter is text like other
    /// text then. The reader is of no use after this.
    fn too_long(&mut self) -> Problem {
        let reader = self.reader.as_mut().expect("`begin` made it");
        let (result, ..) = reader.read_field(&[self.delimiter], &mut [0; 1]);
        if matches!(result, ReadFieldResult::Field { .. }) { Problem::RowTooLong } else { self.open_quote() }
    }

    /// The line on which the cell begins that is being read.
    fn open_quote(&self) -> Problem {
        let start = if self.ends_used == 0 { 0 } else { self.ends[self.ends_used - 1] };
        let inside = memchr_iter(b'\n', &self.text[start..self.text_used]).count();
        Problem::OpenQuote { line: self.reader.as_ref().map_or(1, Reader::line).saturating_sub(count(inside)) }
    }
}

fn reader(delimiter: u8) -> Reader {
    ReaderBuilder::new().delimiter(delimiter).build()
}

/// The character that splits the first lines into the most columns, and alike.
fn delimiter(format: Format, start: &[u8], is_all: bool) -> Result<u8, Problem> {
    let usual = if format == Format::Tsv { b'\t' } else { b',' };
    let (mut best, mut most) = (usual, 0.0);
    for delimiter in [usual, b',', b';', b'\t', b'|'] {
        let widths = widths(start, delimiter);
        let Some(&first) = widths.first().filter(|width| **width > 1) else { continue };
        let alike = widths.iter().filter(|width| **width == first).count();
        let score = share(alike, widths.len()) + share(first, 1000);
        if score > most {
            (best, most) = (delimiter, score);
        }
    }
    if most == 0.0
        && let Some(title) = title(start, is_all)
    {
        return Err(title);
    }
    Ok(best)
}

/// One cell in the first lines, and several in all that follow: not one of these is the header that it seems to be.
fn title(start: &[u8], is_all: bool) -> Option<Problem> {
    for delimiter in [b',', b';', b'\t', b'|'] {
        let mut widths = widths(start, delimiter);
        if !is_all {
            // The last one may be cut.
            widths.pop();
        }
        let titles = widths.iter().take_while(|width| **width == 1).count();
        let below = &widths[titles..];
        if (1..=TITLE_LINES_MAX).contains(&titles) && below.len() >= 2 && below.iter().all(|width| *width == below[0]) {
            let blank = start.split(|byte| *byte == b'\n').take_while(|line| line.trim_ascii().is_empty()).count();
            return Some(Problem::Title { line: count(blank + 1), cells: below[0] });
        }
    }
    None
}

/// How many cells each row has if this is the delimiter.
fn widths(mut bytes: &[u8], delimiter: u8) -> Vec<usize> {
    let mut reader = reader(delimiter);
    let (mut text, mut ends) = (vec![0; 4096], vec![0; 256]);
    let (mut widths, mut width) = (Vec::new(), 0);
    loop {
        let (result, read, _, found) = reader.read_record(bytes, &mut text, &mut ends);
        bytes = &bytes[read..];
        width += found;
        match result {
            ReadRecordResult::Record => {
                widths.push(width);
                width = 0;
            }
            ReadRecordResult::End => return widths,
            // Room is used again: nobody looks at the cells.
            _ => {}
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "both are numbers of cells and lines in a mebibyte")]
fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Default, PartialEq)]
    struct Rows(Vec<Vec<String>>, u8);

    impl Intake for Rows {
        fn header(&mut self, cells: Cells<'_>, delimiter: u8) -> Result<(), Problem> {
            self.1 = delimiter;
            self.row(cells)
        }

        fn row(&mut self, cells: Cells<'_>) -> Result<(), Problem> {
            self.0.push(cells.iter().map(str::to_owned).collect());
            Ok(())
        }
    }

    /// The rows of a text, with `|` between the cells and `/` between the rows.
    fn read(text: &str) -> Result<String, Problem> {
        let whole = pieces(text, usize::MAX)?;
        assert_eq!(pieces(text, 1)?, whole, "cut after each byte");
        Ok(whole.0.iter().map(|row| row.join("|")).collect::<Vec<_>>().join("/"))
    }

    fn pieces(text: &str, size: usize) -> Result<Rows, Problem> {
        let (mut csv, mut rows) = (Csv::new(Format::Csv), Rows::default());
        let letters: Vec<char> = text.chars().collect();
        for piece in letters.chunks(size) {
            csv.feed(&piece.iter().collect::<String>(), &mut rows)?;
        }
        csv.end(&mut rows)?;
        Ok(rows)
    }

    #[test]
    fn rows_are_read_as_people_write_them() {
        for (text, rows) in [
            ("", ""),
            ("\n\n", ""),
            ("a,b", "a|b"),
            ("a,b\n1,2\n", "a|b/1|2"),
            ("a,b\r\n1,2\r\n", "a|b/1|2"),
            ("a,b\r1,2\r3,4", "a|b/1|2/3|4"),
            ("a,b\n\n1,2\n\n", "a|b/1|2"),
            ("a,b\n\"1,\"\"x\"\"\",\"2\n3\"\n", "a|b/1,\"x\"|2\n3"),
            ("a,b\n\"\",\n", "a|b/|"),
            ("a,b\n5\",2\n", "a|b/5\"|2"),
            ("a,b\n\"1\"x,2\n", "a|b/1x|2"),
            ("a;b;c\n1,5;2;3\n", "a|b|c/1,5|2|3"),
            ("a\tb\n1,5\t2\n", "a|b/1,5|2"),
            ("a|b\n1|2\n", "a|b/1|2"),
            ("\"a;x\",b\n1,2\n", "a;x|b/1|2"),
            ("a,b\n1,2,3\n4\n", "a|b/1|2|3/4"),
            ("a\n1\n2", "a/1/2"),
            ("a\n\"x\"", "a/x"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(rows), "{text:?}");
        }
    }

    #[test]
    fn an_open_quote_is_found_with_its_line() {
        for (text, line) in [
            ("id,note\n1,\"said \"\"yes\"\"\"\n2,\"never closed\n3,fine\n", 3),
            ("a,b\n\"x\ny\",\"z", 3),
            ("\"", 1),
            ("a,b\n1,\"", 2),
            ("a,b\n5\",2\n1,\"2\n", 3),
        ] {
            assert_eq!(read(text), Err(Problem::OpenQuote { line }), "{text:?}");
        }
        let long = format!("a,b\n1,\"2\n{}", "3,4\n".repeat(ROW_BYTES_MAX / 2));
        assert_eq!(pieces(&long, 1 << 16), Err(Problem::OpenQuote { line: 2 }));
        let long = format!("a,b\n1,{}", "2".repeat(ROW_BYTES_MAX + 1));
        assert_eq!(pieces(&long, 1 << 16), Err(Problem::RowTooLong));
    }

    #[test]
    fn a_title_above_the_header_is_no_header() {
        assert_eq!(read("Sales\n\na,b\n1,2\n3,4\n"), Err(Problem::Title { line: 1, cells: 2 }));
        assert_eq!(read("\nSales\n2026\na;b;c\n1;2;3\n"), Err(Problem::Title { line: 2, cells: 3 }));
        // One column, with a comma in one of its texts.
        assert_eq!(read("note\nhello\nhello, you\n").as_deref(), Ok("note/hello/hello| you"));
    }
}
