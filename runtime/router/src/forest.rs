//! Decision trees, as data: how facts about a reading together say whether it is right.
//!
//! A line is a tree, its nodes with tabs between: `covered<=0.5`, then the nodes of the smaller side, then those of the other; or
//! `=-0.31`, a leaf. The leaves that are reached add up. Which facts matter depends on others, and no sum of weights says that. It is
//! *not* for training: `cargo bench --bench sentences -- --train` grows the trees.

use rustc_hash::FxHashMap;

/// The most trees of one text, and the most nodes of a tree. Training grows fewer.
const TREES_MAX: usize = 1_000;
const NODES_MAX: usize = 100;

/// Trees, of which each adds a number.
#[derive(Debug, Default)]
pub(crate) struct Forest {
    /// The facts that the trees are about.
    names: Vec<String>,
    trees: Vec<Vec<Node>>,
}

#[derive(Debug, Clone, Copy)]
enum Node {
    Leaf(f64),
    /// Where a fact is at most `most`, the next node decides, otherwise the one at `otherwise`.
    Split {
        fact: usize,
        most: f64,
        otherwise: usize,
    },
}

impl Forest {
    /// Reads a tree from each line. What is no tree says nothing.
    pub(crate) fn parse(text: &str) -> Self {
        let mut forest = Self::default();
        for line in text.lines().take(TREES_MAX) {
            let mut nodes = Vec::new();
            let mut tokens = line.split('\t');
            if forest.node(&mut tokens, &mut nodes).is_some() && tokens.next().is_none() {
                forest.trees.push(nodes);
            }
        }
        forest
    }

    /// Reads one node with all below it.
    fn node<'a>(&mut self, tokens: &mut impl Iterator<Item = &'a str>, nodes: &mut Vec<Node>) -> Option<()> {
        let token = tokens.next().filter(|_| nodes.len() < NODES_MAX)?;
        let number = |text: &str| text.parse().ok().filter(|number: &f64| number.is_finite());
        if let Some(value) = token.strip_prefix('=') {
            nodes.push(Node::Leaf(number(value)?));
            return Some(());
        }
        let (name, most) = token.rsplit_once("<=")?;
        let (place, most) = (nodes.len(), number(most)?);
        let fact = self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        nodes.push(Node::Leaf(0.0));
        self.node(tokens, nodes)?;
        nodes[place] = Node::Split { fact, most, otherwise: nodes.len() };
        self.node(tokens, nodes)
    }

    /// The sum of the leaves that facts reach. One that is not there is 0.
    pub(crate) fn sum(&self, facts: &[(&str, f64)]) -> f64 {
        let by_name: FxHashMap<&str, f64> = facts.iter().copied().collect();
        let values: Vec<f64> =
            self.names.iter().map(|name| by_name.get(name.as_str()).copied().unwrap_or(0.0)).collect();
        self.trees.iter().map(|nodes| leaf(nodes, &values)).sum()
    }
}

fn leaf(nodes: &[Node], values: &[f64]) -> f64 {
    let mut place = 0;
    loop {
        match nodes[place] {
            Node::Leaf(value) => return value,
            Node::Split { fact, most, .. } if values[fact] <= most => place += 1,
            Node::Split { otherwise, .. } => place = otherwise,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_leaves_that_facts_reach_add_up() {
        let forest = Forest::parse("=0.5\na<=1\t=1\ta b<=-0.5\t=10\t=100\n");
        for (a, b, sum) in [(1.0, 0.0, 1.5), (1.5, -0.5, 10.5), (1.5, 0.0, 100.5)] {
            assert!((forest.sum(&[("a", a), ("a b", b)]) - sum).abs() < 1e-9, "{a} {b}");
        }
        assert!((forest.sum(&[]) - 1.5).abs() < 1e-9, "a fact that is not there is 0");
    }

    #[test]
    fn what_is_no_tree_says_nothing() {
        let deep = "a<=1\t".repeat(200);
        for text in ["", "=", "=NaN", "a<=x\t=1\t=2", "a<=1\t=1", "a<=1", "=1\t=2", "a\t=1\t=2", deep.as_str()] {
            assert!(Forest::parse(text).trees.is_empty(), "{text:.20}");
        }
    }
}
