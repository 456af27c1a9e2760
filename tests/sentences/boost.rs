//! Gradient boosting: grows decision trees, each of which corrects what those before it get wrong.

use std::fmt::Write as _;

/// How many trees are grown, and with how many leaves each.
const TREES: usize = 60;
const LEAVES: usize = 8;

/// How much of its correction a tree makes.
const RATE: f64 = 0.15;

/// The fewest rows of a leaf, and what holds its value down.
const ROWS_MIN: usize = 25;
const PENALTY: f64 = 1.0;

/// Into how many steps the values of a fact are cut at most.
const STEPS_MAX: usize = 64;

/// What trees are grown from: facts, whether it is so, and how much the row counts.
pub(crate) struct Row {
    pub(crate) facts: Vec<f64>,
    pub(crate) is_so: bool,
    pub(crate) weight: f64,
}

/// Trees that together give the logarithm of the odds.
pub(crate) struct Grown(Vec<Node>);

enum Node {
    Leaf(f64),
    Split { fact: usize, most: f64, smaller: Box<Node>, other: Box<Node> },
}

/// A leaf that may be split yet.
struct Open {
    rows: Vec<usize>,
    /// The best split: what it gains, by which fact, and after which step.
    split: Option<(f64, usize, usize)>,
}

/// A tree while it grows: its inner nodes, and its leaves by their places.
enum Growing {
    Leaf(usize),
    Split { fact: usize, most: f64, smaller: Box<Growing>, other: Box<Growing> },
}

/// The rows of a training, with each fact as the number of its step.
struct Table<'a> {
    rows: &'a [Row],
    /// By fact and row.
    steps: Vec<Vec<u8>>,
    /// By fact: the greatest value of each step.
    ends: Vec<Vec<f64>>,
}

pub(crate) fn grow(rows: &[Row]) -> Grown {
    let table = Table::new(rows);
    let weight: f64 = rows.iter().map(|row| row.weight).sum();
    let so: f64 = rows.iter().filter(|row| row.is_so).map(|row| row.weight).sum();
    let base = (so / (weight - so)).ln();
    let mut odds = vec![base; rows.len()];
    let mut trees = vec![Node::Leaf(base)];
    for _ in 0..TREES {
        let slopes: Vec<(f64, f64)> = rows
            .iter()
            .zip(&odds)
            .map(|(row, odds)| {
                let likely = 1.0 / (1.0 + (-odds).exp());
                let error = likely - f64::from(u8::from(row.is_so));
                (row.weight * error, row.weight * likely * (1.0 - likely))
            })
            .collect();
        trees.push(table.tree(&slopes, &mut odds));
    }
    Grown(trees)
}

impl Grown {
    pub(crate) fn odds(&self, facts: &[f64]) -> f64 {
        self.0.iter().map(|tree| tree.value(facts)).sum()
    }

    /// The trees as the router reads them.
    pub(crate) fn text(&self, names: &[&str]) -> String {
        let mut text = String::new();
        for tree in &self.0 {
            tree.write(names, &mut text);
            text.push('\n');
        }
        text
    }
}

impl Node {
    fn value(&self, facts: &[f64]) -> f64 {
        match self {
            Node::Leaf(value) => *value,
            Node::Split { fact, most, smaller, .. } if facts[*fact] <= *most => smaller.value(facts),
            Node::Split { other, .. } => other.value(facts),
        }
    }

    fn write(&self, names: &[&str], text: &mut String) {
        match self {
            Node::Leaf(value) => {
                let _ = write!(text, "={value:.4}");
            }
            Node::Split { fact, most, smaller, other } => {
                let _ = write!(text, "{}<={most}\t", names[*fact]);
                smaller.write(names, text);
                text.push('\t');
                other.write(names, text);
            }
        }
    }
}

impl<'a> Table<'a> {
    fn new(rows: &'a [Row]) -> Self {
        let facts = rows[0].facts.len();
        let (mut steps, mut ends) = (Vec::new(), Vec::new());
        for fact in 0..facts {
            let mut values: Vec<f64> = rows.iter().map(|row| row.facts[fact]).collect();
            values.sort_by(f64::total_cmp);
            let every = values.len().div_ceil(STEPS_MAX);
            let mut unique = values.clone();
            unique.dedup();
            if unique.len() > STEPS_MAX {
                unique = values.chunks(every).map(|chunk| chunk[chunk.len() - 1]).collect();
                unique.dedup();
            }
            let step = |row: &Row| unique.partition_point(|end| *end < row.facts[fact]).min(unique.len() - 1);
            steps.push(rows.iter().map(|row| u8::try_from(step(row)).expect("there are few steps")).collect());
            ends.push(unique);
        }
        Self { rows, steps, ends }
    }

    fn tree(&self, slopes: &[(f64, f64)], odds: &mut [f64]) -> Node {
        let mut leaves = vec![self.open((0..self.rows.len()).collect(), slopes)];
        let mut tree = Growing::Leaf(0);
        while leaves.len() < LEAVES {
            let gain = |open: &Open| open.split.map_or(0.0, |(gain, ..)| gain);
            let best = (0..leaves.len()).max_by(|left, right| gain(&leaves[*left]).total_cmp(&gain(&leaves[*right])));
            let Some((place, (_, fact, step))) = best.and_then(|place| Some((place, leaves[place].split?))) else {
                break;
            };
            let rows = std::mem::take(&mut leaves[place].rows);
            let is_smaller = |row: &usize| usize::from(self.steps[fact][*row]) <= step;
            let (smaller, other): (Vec<usize>, Vec<usize>) = rows.into_iter().partition(is_smaller);
            leaves[place] = self.open(smaller, slopes);
            leaves.push(self.open(other, slopes));
            tree.split(place, fact, self.between(fact, step), leaves.len() - 1);
        }
        let values: Vec<f64> = leaves
            .iter()
            .map(|open| {
                let slope: f64 = open.rows.iter().map(|row| slopes[*row].0).sum();
                let bend: f64 = open.rows.iter().map(|row| slopes[*row].1).sum();
                -RATE * slope / (bend + PENALTY)
            })
            .collect();
        for (open, value) in leaves.iter().zip(&values) {
            for row in &open.rows {
                odds[*row] += value;
            }
        }
        tree.grown(&values)
    }

    /// A value between two steps, in few digits where those are enough.
    fn between(&self, fact: usize, step: usize) -> f64 {
        let (end, next) = (self.ends[fact][step], self.ends[fact][step + 1]);
        let middle = f64::midpoint(end, next);
        let short = (middle * 1e4).round() / 1e4;
        if (end..next).contains(&short) { short } else { end }
    }

    fn open(&self, rows: Vec<usize>, slopes: &[(f64, f64)]) -> Open {
        let score = |slope: f64, bend: f64| slope * slope / (bend + PENALTY);
        let mut best: Option<(f64, usize, usize)> = None;
        for (fact, steps) in self.steps.iter().enumerate() {
            let mut sums = [(0.0, 0.0, 0_usize); STEPS_MAX];
            for row in &rows {
                let (slope, bend) = slopes[*row];
                let sum = &mut sums[usize::from(steps[*row])];
                *sum = (sum.0 + slope, sum.1 + bend, sum.2 + 1);
            }
            let all = sums.iter().fold((0.0, 0.0), |all, sum| (all.0 + sum.0, all.1 + sum.1));
            let mut below = (0.0, 0.0, 0);
            for (step, sum) in sums.iter().enumerate().take(self.ends[fact].len() - 1) {
                below = (below.0 + sum.0, below.1 + sum.1, below.2 + sum.2);
                if below.2 < ROWS_MIN || rows.len() - below.2 < ROWS_MIN {
                    continue;
                }
                let gain = score(below.0, below.1) + score(all.0 - below.0, all.1 - below.1) - score(all.0, all.1);
                if gain > best.map_or(1e-9, |(most, ..)| most) {
                    best = Some((gain, fact, step));
                }
            }
        }
        Open { rows, split: best }
    }
}

impl Growing {
    /// Splits the leaf at a place: the smaller side takes its place.
    fn split(&mut self, place: usize, at: usize, most: f64, new: usize) {
        match self {
            Growing::Leaf(leaf) if *leaf == place => {
                let (smaller, other) = (Box::new(Growing::Leaf(place)), Box::new(Growing::Leaf(new)));
                *self = Growing::Split { fact: at, most, smaller, other };
            }
            Growing::Leaf(_) => {}
            Growing::Split { smaller, other, .. } => {
                smaller.split(place, at, most, new);
                // The smaller side may hold the leaf by now.
                if smaller.has(new) {
                    return;
                }
                other.split(place, at, most, new);
            }
        }
    }

    fn has(&self, place: usize) -> bool {
        match self {
            Growing::Leaf(leaf) => *leaf == place,
            Growing::Split { smaller, other, .. } => smaller.has(place) || other.has(place),
        }
    }

    fn grown(self, values: &[f64]) -> Node {
        match self {
            Growing::Leaf(place) => Node::Leaf(values[place]),
            Growing::Split { fact, most, smaller, other } => Node::Split {
                fact,
                most,
                smaller: Box::new(smaller.grown(values)),
                other: Box::new(other.grown(values)),
            },
        }
    }
}
