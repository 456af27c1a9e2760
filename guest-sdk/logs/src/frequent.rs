//! The most frequent keys of a stream in bounded memory: the Space-Saving count of Metwally, Agrawal and El Abbadi.
//!
//! Up to its capacity it counts exactly. After that a new key takes the place of the rarest one and inherits its count
//! as an error: a count is then at most too high, by its error, and no key that is more frequent than the smallest
//! count is missing.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

/// A counted key and what its owner keeps with it.
#[derive(Debug)]
pub(crate) struct Entry<T> {
    pub(crate) count: u64,
    pub(crate) value: T,
    pub(crate) key: Box<[u8]>,
    /// Where in the heap it is.
    place: usize,
}

/// Counts of the most frequent keys.
///
/// The hash has no secret: who floods it burns the run's own fuel, and equal input gives equal answers.
#[derive(Debug)]
pub(crate) struct Frequency<T> {
    entries: Vec<Entry<T>>,
    slots: HashMap<Box<[u8]>, usize, BuildHasherDefault<DefaultHasher>>,
    /// Slots, the rarest at the root: no entry has a smaller count than the one above it.
    heap: Vec<usize>,
    capacity: usize,
    exact: bool,
}

impl<T> Frequency<T> {
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            entries: Vec::new(),
            slots: HashMap::default(),
            heap: Vec::new(),
            capacity: capacity.max(1),
            exact: true,
        }
    }

    /// Whether every count is the true one.
    pub(crate) fn is_exact(&self) -> bool {
        self.exact
    }

    /// Counts a key; `seen` updates the value of a known key, `first` makes that of a new one.
    pub(crate) fn add(&mut self, key: &[u8], seen: impl FnOnce(&mut T), first: impl FnOnce() -> T) {
        let slot = if let Some(&slot) = self.slots.get(key) {
            let entry = &mut self.entries[slot];
            entry.count = entry.count.saturating_add(1);
            seen(&mut entry.value);
            slot
        } else if self.entries.len() < self.capacity {
            let (slot, place) = (self.entries.len(), self.heap.len());
            self.entries.push(Entry { count: 1, value: first(), key: key.into(), place });
            self.slots.insert(key.into(), slot);
            self.heap.push(slot);
            self.rise(place);
            return;
        } else {
            self.exact = false;
            let slot = self.heap[0];
            let entry = &mut self.entries[slot];
            self.slots.remove(&entry.key);
            entry.count = entry.count.saturating_add(1);
            entry.key = key.into();
            entry.value = first();
            self.slots.insert(key.into(), slot);
            slot
        };
        self.sink(self.entries[slot].place);
    }

    /// The entries, the most frequent first; of equals, in the order of their keys.
    pub(crate) fn into_sorted(self) -> Vec<Entry<T>> {
        let mut entries = self.entries;
        entries.sort_by(|one, other| other.count.cmp(&one.count).then_with(|| one.key.cmp(&other.key)));
        entries
    }

    fn count_at(&self, place: usize) -> u64 {
        self.entries[self.heap[place]].count
    }

    fn swap(&mut self, one: usize, other: usize) {
        self.heap.swap(one, other);
        self.entries[self.heap[one]].place = one;
        self.entries[self.heap[other]].place = other;
    }

    /// Moves what has become more frequent away from the root.
    fn sink(&mut self, mut place: usize) {
        loop {
            let (left, right) = (2 * place + 1, 2 * place + 2);
            let mut least = place;
            for child in [left, right] {
                if child < self.heap.len() && self.count_at(child) < self.count_at(least) {
                    least = child;
                }
            }
            if least == place {
                return;
            }
            self.swap(place, least);
            place = least;
        }
    }

    /// Moves a new entry towards the root.
    fn rise(&mut self, mut place: usize) {
        while place > 0 && self.count_at(place) < self.count_at((place - 1) / 2) {
            self.swap(place, (place - 1) / 2);
            place = (place - 1) / 2;
        }
    }
}

#[cfg(test)]
impl<T> Frequency<T> {
    pub(crate) fn values(&self) -> impl Iterator<Item = (&[u8], &T)> {
        self.entries.iter().map(|entry| (&*entry.key, &entry.value))
    }

    /// Asserts that the heap is one and that everything refers to everything else.
    pub(crate) fn check(&self) {
        assert_eq!(self.slots.len(), self.entries.len(), "each entry has a name");
        assert!(self.entries.len() <= self.capacity, "the capacity holds");
        for (slot, entry) in self.entries.iter().enumerate() {
            assert_eq!(self.slots.get(&entry.key), Some(&slot), "a name leads to its entry");
            assert_eq!(self.heap[entry.place], slot, "an entry knows its place");
            if entry.place > 0 {
                assert!(self.count_at((entry.place - 1) / 2) <= entry.count, "no child is rarer than its parent");
            }
        }
    }
}
