//! What was read of tools lately from a database that other machines write too.
//!
//! Each intent asks what is known of all servers, and on a network each question is a round trip. So the answers are kept for a second:
//! what another machine writes is known that much later. What this process writes, it knows at once.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::tools::{DefinitionRecord, ServerRecord};
use crate::uses::{LearnedWord, ToolUse};

/// How long an answer is kept.
pub(crate) const KEPT_FOR: Duration = Duration::from_secs(1);

/// The most definitions that are kept. An intent asks for six.
const DEFINITIONS_MAX: usize = 256;

/// One answer, and when it was read.
#[derive(Debug)]
pub(crate) struct Answer<T>(Option<(Instant, T)>);

impl<T> Default for Answer<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: Clone> Answer<T> {
    /// The answer, if it is kept.
    pub(crate) fn get(&self, now: Instant) -> Option<T> {
        let (read, answer) = self.0.as_ref()?;
        (now.saturating_duration_since(*read) < KEPT_FOR).then(|| answer.clone())
    }

    pub(crate) fn keep(&mut self, now: Instant, answer: &T) {
        self.0 = Some((now, answer.clone()));
    }
}

/// The answers that are kept.
#[derive(Debug, Default)]
pub(crate) struct Remembered {
    pub(crate) servers: Answer<Vec<ServerRecord>>,
    pub(crate) changed_names: Answer<Vec<(String, String, bool)>>,
    pub(crate) uses: Answer<Vec<ToolUse>>,
    pub(crate) learned: Answer<Vec<LearnedWord>>,
    definitions: HashMap<(String, String), Answer<Option<DefinitionRecord>>>,
}

impl Remembered {
    /// The answer about the definition of a tool, which may be that there is none.
    pub(crate) fn definition(&mut self, server: &str, tool: &str) -> &mut Answer<Option<DefinitionRecord>> {
        let key = (server.to_owned(), tool.to_owned());
        if self.definitions.len() >= DEFINITIONS_MAX && !self.definitions.contains_key(&key) {
            self.definitions.clear();
        }
        self.definitions.entry(key).or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_kept_for_a_second() {
        let read = Instant::now();
        let mut answer = Answer::default();
        assert_eq!(answer.get(read), None);
        answer.keep(read, &7);
        let almost = KEPT_FOR.saturating_sub(Duration::from_nanos(1));
        assert_eq!(answer.get(read + almost), Some(7));
        assert_eq!(answer.get(read + KEPT_FOR), None);
    }

    #[test]
    fn no_more_definitions_are_kept_than_a_few_intents_ask_for() {
        let (read, mut kept) = (Instant::now(), Remembered::default());
        for number in 0..DEFINITIONS_MAX {
            kept.definition("s", &number.to_string()).keep(read, &None);
        }
        assert_eq!(kept.definition("s", "0").get(read), Some(None));
        kept.definition("s", "new").keep(read, &None);
        assert_eq!((kept.definition("s", "0").get(read), kept.definitions.len()), (None, 2));
    }
}
