//! A scan: decodes pieces, parses rows, and passes them to the query.

use crate::answer::{Answer, Names};
use crate::csv::{Csv, Intake};
use crate::describe::Describe;
use crate::filter::Matchers;
use crate::find::Find;
use crate::json::{Json, Objects};
use crate::problem::{Problem, TableError};
use crate::query::{Format, Query, QueryError, Want};
use crate::rank::Ranking;
use crate::row::{Cells, Columns, Kept, Object, Row};
use crate::summary::{Summarize, usual};
use crate::text::Text;
use crate::top::Top;
use crate::vocabulary::Vocabulary;

/// Objects of a JSON file that say which columns there are.
const OBJECTS_FOR_COLUMNS: usize = 100;

/// Rows, or bytes of them, that say how the numbers of a column are written.
const ROWS_FOR_NOTATION: usize = 1000;
const BYTES_FOR_NOTATION: usize = 4 << 20;

/// One pass over the file of a table.
///
/// ```
/// use intentbox_tables::{Measures, Query, Scan, Want};
///
/// let measures = Measures { sum: Some("amount".to_owned()), ..Measures::default() };
/// let mut scan = Scan::new(Query::new("sales.csv", Want::Summary(measures)))?;
/// scan.feed(b"id,amount\n1,0.1\n2,\"1,0")?;
/// scan.feed(b"00.20\"\n")?;
/// let answer = serde_json::to_string(&scan.answer()?)?;
/// assert_eq!(answer, r#"{"file":"sales.csv","columns":{"sum":"amount"},"groups":[{"rows":2,"sum":1000.3}]}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Scan {
    file: String,
    text: Text,
    source: Source,
    work: Work,
}

/// What makes rows of text.
#[derive(Debug)]
enum Source {
    Csv(Box<Csv>),
    Json(Json),
}

/// What is done with rows.
#[derive(Debug)]
struct Work {
    query: Query,
    /// The header of CSV, until the first rows are there.
    columns: Option<Columns>,
    delimiter: Option<u8>,
    /// The first rows, until there are enough of them.
    start: Vec<Kept>,
    start_bytes: usize,
    filter: Matchers,
    job: Option<Job>,
}

/// What makes the answer.
#[derive(Debug)]
enum Job {
    Columns(Vec<String>),
    Describe(Describe),
    Find(Box<Find>),
    Summarize(Box<Summarize>),
    Top(Box<Top>),
    Vocabulary(Vocabulary),
}

impl Scan {
    /// Starts a scan.
    ///
    /// # Errors
    ///
    /// When the query is out of its bounds, or the file's name is not that of a table.
    pub fn new(query: Query) -> Result<Self, QueryError> {
        query.check()?;
        let format = Format::of(&query.file).ok_or_else(|| QueryError::Format { file: query.file.clone() })?;
        let source = match format {
            Format::Csv | Format::Tsv => Source::Csv(Box::new(Csv::new(format))),
            Format::Json | Format::JsonLines => Source::Json(Json::new(format)),
        };
        Ok(Self {
            file: query.file.clone(),
            text: Text::new(),
            source,
            work: Work {
                query,
                columns: None,
                delimiter: None,
                start: Vec::new(),
                start_bytes: 0,
                filter: Matchers::default(),
                job: None,
            },
        })
    }

    /// Reads the next piece of the file. Pieces may be cut anywhere, and may be empty. False once nothing more is needed
    /// for the answer.
    ///
    /// # Errors
    ///
    /// When the file cannot be read as what its name says, or the question does not fit it. The scan has no answer then.
    pub fn feed(&mut self, piece: &[u8]) -> Result<bool, TableError> {
        if self.work.is_done() {
            return Ok(false);
        }
        let Self { file, text, source, work } = self;
        let read = match source {
            Source::Csv(csv) => text.feed(piece, &mut |text| csv.feed(text, work)),
            Source::Json(json) => text.feed(piece, &mut |text| json.feed(text, work)),
        };
        if work.is_done() {
            // What is behind the answer is not read, and so neither are its faults: an answer does not depend on the cuts.
            return Ok(false);
        }
        read.map_err(|problem| TableError { file: file.clone(), problem })?;
        Ok(true)
    }

    /// Ends the file and gives the answer.
    ///
    /// # Errors
    ///
    /// When the file does not end well, the question does not fit it, or more values would be left out than an answer
    /// may leave out.
    pub fn answer(self) -> Result<Answer, TableError> {
        let file = self.file.clone();
        self.ended().map_err(|problem| TableError { file, problem })
    }

    fn ended(self) -> Result<Answer, Problem> {
        let Self { file, mut text, source, mut work } = self;
        if !work.is_done() {
            let ended = match source {
                Source::Csv(mut csv) => {
                    text.end(&mut |text| csv.feed(text, &mut work)).and_then(|()| csv.end(&mut work))
                }
                Source::Json(mut json) => {
                    text.end(&mut |text| json.feed(text, &mut work)).and_then(|()| json.end(&mut work))
                }
            };
            if !work.is_done() {
                ended?;
            }
        }
        if work.job.is_none() {
            work.begin()?;
        }
        let filter = &work.filter;
        Ok(match work.job.expect("`begin` made it") {
            Job::Columns(columns) => Answer::Columns(Names { file, columns }),
            Job::Describe(describe) => Answer::Description(describe.answer(file)),
            Job::Find(find) => Answer::Rows(find.answer(filter)?),
            Job::Summarize(summarize) => Answer::Summary(summarize.answer(file, filter)?),
            Job::Top(top) => Answer::Top(top.answer(file, filter)?),
            Job::Vocabulary(vocabulary) => Answer::Vocabulary(vocabulary.answer(file)),
        })
    }
}

impl Work {
    /// Whether nothing more is needed for the answer.
    fn is_done(&self) -> bool {
        match &self.job {
            Some(Job::Columns(_)) => true,
            Some(Job::Vocabulary(vocabulary)) => vocabulary.is_done(),
            _ => false,
        }
    }

    /// Takes a row that is kept until there are enough to begin, or gives it back.
    fn keep(&mut self, row: Kept) -> Result<(), Problem> {
        self.start_bytes += row.bytes();
        self.start.push(row);
        let rows_max = match self.query.want {
            // Rows that only say which columns there are.
            Want::Columns {} => OBJECTS_FOR_COLUMNS,
            _ => ROWS_FOR_NOTATION,
        };
        if self.start.len() == rows_max || self.start_bytes > BYTES_FOR_NOTATION { self.begin() } else { Ok(()) }
    }

    /// Begins to answer, with the first rows.
    fn begin(&mut self) -> Result<(), Problem> {
        let start = std::mem::take(&mut self.start);
        self.start_bytes = 0;
        let columns = match self.columns.take() {
            Some(columns) => columns,
            None => Columns::of_objects(&start[..start.len().min(OBJECTS_FOR_COLUMNS)])?,
        };
        let usual = usual(self.delimiter);
        self.filter = Matchers::new(&self.query.filters, &columns, usual, &start)?;
        self.job = Some(match &self.query.want {
            Want::Columns {} => Job::Columns(columns.labels()),
            Want::Description { columns: asked, sample } => {
                Job::Describe(Describe::new(columns, asked, *sample, usual, &start)?)
            }
            Want::Vocabulary { rows, texts } => {
                Job::Vocabulary(Vocabulary::new(&columns, *rows, *texts, usual, &start))
            }
            Want::Rows { columns: asked, limit, order_by, order, last } => {
                let ranking = order_by.as_deref().map(|name| Ranking::new(name, *order, &columns, usual, &start));
                Job::Find(Box::new(Find::new(columns, asked, *limit, ranking.transpose()?, *last)?))
            }
            Want::Summary(measures) => {
                let is_filtered = !self.filter.is_empty();
                let summarize = Summarize::new(columns, measures, self.delimiter, &start, is_filtered)?;
                Job::Summarize(Box::new(summarize))
            }
            Want::Top { column, limit } => Job::Top(Box::new(Top::new(&columns, column, *limit)?)),
        });
        for row in &start {
            row.with(|row| self.take(row)).transpose()?;
        }
        Ok(())
    }

    fn take(&mut self, row: Row<'_>) -> Result<(), Problem> {
        if let Some(Job::Summarize(summarize)) = &mut self.job
            && !summarize.sees(row)
        {
            return Ok(());
        }
        if !self.filter.matches(row)? {
            return Ok(());
        }
        match &mut self.job {
            None | Some(Job::Columns(_)) => {}
            Some(Job::Describe(describe)) => describe.take(row),
            Some(Job::Find(find)) => find.take(row)?,
            Some(Job::Summarize(summarize)) => summarize.take(row)?,
            Some(Job::Top(top)) => top.take(row),
            Some(Job::Vocabulary(vocabulary)) => vocabulary.take(row),
        }
        Ok(())
    }
}

impl Intake for Work {
    fn header(&mut self, cells: Cells<'_>, delimiter: u8) -> Result<(), Problem> {
        self.delimiter = Some(delimiter);
        self.columns = Some(Columns::of_header(cells)?);
        if self.query.want == (Want::Columns {}) { self.begin() } else { Ok(()) }
    }

    fn row(&mut self, cells: Cells<'_>) -> Result<(), Problem> {
        if self.job.is_some() {
            return self.take(Row::Cells(cells));
        }
        self.keep(Kept::Cells { text: cells.text.to_owned(), ends: cells.ends.to_vec() })
    }
}

impl Objects for Work {
    fn object(&mut self, text: &str, object: &Object<'_>) -> Result<(), Problem> {
        if self.job.is_some() {
            return self.take(Row::Object(object));
        }
        self.keep(Kept::Json(text.to_owned()))
    }
}
