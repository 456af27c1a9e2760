//! An optional second opinion: vectors of texts from a static embedding model that the user supplies, in the form of `Model2Vec`: the
//! tokenizer of a BERT model and a table with one vector a token. The vector of a text is the mean of those of its tokens.
//!
//! It is no language model that reads sentences: a look-up and a sum, some microseconds a text. The model is a file of
//! the user's, bounded and checked before it is used. The library of such tokenizers has thirty crates of its own; the one kind that
//! is read here, `WordPiece`, is a look-up of the longest beginning of a word.

use std::collections::HashMap;
use std::sync::Arc;

use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::Deserialize;
use serde_json::value::RawValue;

/// The largest tokenizer and the largest table, in bytes.
pub const TOKENIZER_BYTES_MAX: u64 = 64 << 20;
/// See [`TOKENIZER_BYTES_MAX`].
pub const TABLE_BYTES_MAX: u64 = 1 << 30;

/// The widest vector.
const WIDTH_MAX: usize = 4_096;

/// How many lengths of a piece are tried.
const WORD_CHARS_MAX: usize = 100;

/// How many bytes of a text are read.
const TEXT_BYTES_MAX: usize = 4 << 10;

/// A model, ready to be used.
#[derive(Debug, Clone)]
pub struct Embedding(Arc<Table>);

#[derive(Debug)]
struct Table {
    tokenizer: WordPiece,
    rows: Vec<f32>,
    width: usize,
    /// What the vector of a token weighs.
    weights: Option<Vec<f32>>,
    /// Which row is a token's; its own number without it.
    mapping: Option<Vec<usize>>,
}

/// The pieces of words that a model knows, with the numbers of their rows. Those within a word begin with a mark.
#[derive(Debug)]
struct WordPiece {
    pieces: HashMap<String, usize>,
    within: String,
    unknown: Option<usize>,
    lowers: bool,
}

/// What is read of `tokenizer.json`.
#[derive(Deserialize)]
struct TokenizerFile {
    model: ModelOfFile,
    #[serde(default)]
    normalizer: Option<Normalizer>,
}

#[derive(Deserialize)]
struct ModelOfFile {
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    vocab: Option<Box<RawValue>>,
    #[serde(default)]
    unk_token: Option<String>,
    #[serde(default)]
    continuing_subword_prefix: Option<String>,
}

#[derive(Deserialize)]
struct Normalizer {
    #[serde(default)]
    lowercase: Option<bool>,
}

/// Why a model cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct EmbeddingError(String);

impl Embedding {
    /// Reads a model: `tokenizer.json`, and `model.safetensors` with the table `embeddings`.
    ///
    /// # Errors
    /// What is wrong with either.
    pub fn new(tokenizer: &[u8], tensors: &[u8]) -> Result<Self, EmbeddingError> {
        let wrong = |reason: String| EmbeddingError(reason);
        let tokenizer = WordPiece::parse(tokenizer).map_err(|reason| wrong(format!("tokenizer.json: {reason}")))?;
        let tensors =
            SafeTensors::deserialize(tensors).map_err(|error| wrong(format!("model.safetensors: {error}")))?;
        let table = tensors.tensor("embeddings");
        let table = table.map_err(|_| wrong("model.safetensors has no table `embeddings`".to_owned()))?;
        let &[rows, width] = table.shape() else {
            return Err(wrong("`embeddings` is no table of two dimensions".to_owned()));
        };
        if rows == 0 || width == 0 || width > WIDTH_MAX {
            return Err(wrong(format!("`embeddings` is {rows} times {width}, and may be {WIDTH_MAX} wide")));
        }
        let numbers =
            floats(&table).ok_or_else(|| wrong(format!("`embeddings` is of {:?}, not of floats", table.dtype())))?;
        if !numbers.iter().all(|number| number.is_finite()) {
            return Err(wrong("`embeddings` has numbers that are not finite".to_owned()));
        }
        let weights = tensors.tensor("weights").ok().and_then(|tensor| floats(&tensor));
        let mapping = tensors.tensor("mapping").ok().and_then(|tensor| whole(&tensor));
        Ok(Self(Arc::new(Table { tokenizer, rows: numbers, width, weights, mapping })))
    }

    /// How many numbers a vector has.
    #[must_use]
    pub fn width(&self) -> usize {
        self.0.width
    }

    /// The vector of a text, of length 1; zeros where no token of it is known.
    #[must_use]
    pub fn vector(&self, text: &str) -> Vec<f32> {
        let Table { tokenizer, rows, width, weights, mapping } = &*self.0;
        let mut end = text.len().min(TEXT_BYTES_MAX);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let mut sum = vec![0.0_f32; *width];
        for token in tokenizer.tokens(&text[..end]) {
            let row = mapping.as_ref().map_or(Some(token), |mapping| mapping.get(token).copied());
            let Some(row) = row.and_then(|row| rows.get(row * width..(row + 1) * width)) else { continue };
            let weight = weights.as_ref().and_then(|weights| weights.get(token)).copied().unwrap_or(1.0);
            for (total, number) in sum.iter_mut().zip(row) {
                *total += number * weight;
            }
        }
        let length = sum.iter().map(|number| number * number).sum::<f32>().sqrt();
        if length > 0.0 && length.is_finite() {
            for number in &mut sum {
                *number /= length;
            }
            return sum;
        }
        vec![0.0; *width]
    }
}

impl WordPiece {
    fn parse(bytes: &[u8]) -> Result<Self, String> {
        let file = serde_json::from_slice::<TokenizerFile>(bytes).map_err(|error| error.to_string())?;
        let ModelOfFile { kind, vocab, unk_token, continuing_subword_prefix } = file.model;
        if kind.as_deref().is_some_and(|kind| kind != "WordPiece") {
            return Err(format!("its model is {}, and WordPiece can be read", kind.unwrap_or_default()));
        }
        let vocab = vocab.ok_or("it has no `vocab`")?;
        let pieces = serde_json::from_str::<HashMap<String, usize>>(vocab.get());
        let pieces = pieces.map_err(|error| format!("`vocab`: {error}"))?;
        let unknown = unk_token.and_then(|token| pieces.get(&token).copied());
        let lowers = file.normalizer.and_then(|normalizer| normalizer.lowercase).unwrap_or(true);
        Ok(Self { pieces, within: continuing_subword_prefix.unwrap_or_else(|| "##".to_owned()), unknown, lowers })
    }

    /// The numbers of the pieces of a text that are known: of each word the longest beginning, and so on with what is left.
    fn tokens(&self, text: &str) -> Vec<usize> {
        let text = if self.lowers { text.to_lowercase() } else { text.to_owned() };
        let mut tokens = Vec::new();
        for word in text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
            let (mut rest, mut found) = (word, Vec::new());
            while !rest.is_empty() {
                let mark = if rest.len() < word.len() { self.within.as_str() } else { "" };
                let ends = rest.char_indices().map(|(at, letter)| at + letter.len_utf8()).rev();
                let longest = ends
                    .take(WORD_CHARS_MAX)
                    .find_map(|end| Some((end, *self.pieces.get(&format!("{mark}{}", &rest[..end]))?)));
                let Some((end, piece)) = longest else {
                    // One part that is unknown makes the word unknown.
                    found.clear();
                    break;
                };
                found.push(piece);
                rest = &rest[end..];
            }
            tokens.extend(found.into_iter().filter(|piece| Some(*piece) != self.unknown));
        }
        tokens
    }
}

/// The numbers of a tensor of floats, of 32 or 16 bits.
fn floats(tensor: &TensorView<'_>) -> Option<Vec<f32>> {
    let bytes = tensor.data();
    match tensor.dtype() {
        Dtype::F32 => Some(bytes.as_chunks().0.iter().map(|four| f32::from_le_bytes(*four)).collect()),
        Dtype::F64 => {
            #[expect(clippy::cast_possible_truncation, reason = "weights of models have few digits")]
            let narrow = |eight: &[u8; 8]| f64::from_le_bytes(*eight) as f32;
            Some(bytes.as_chunks().0.iter().map(narrow).collect())
        }
        Dtype::F16 => Some(bytes.as_chunks().0.iter().map(|two| half(u16::from_le_bytes(*two))).collect()),
        _ => None,
    }
}

/// The numbers of a tensor of whole numbers, of 64 or 32 bits.
fn whole(tensor: &TensorView<'_>) -> Option<Vec<usize>> {
    let bytes = tensor.data();
    let number = |number: i64| usize::try_from(number).unwrap_or(usize::MAX / 2);
    match tensor.dtype() {
        Dtype::I64 => Some(bytes.as_chunks().0.iter().map(|eight| number(i64::from_le_bytes(*eight))).collect()),
        Dtype::I32 => Some(bytes.as_chunks().0.iter().map(|four| number(i32::from_le_bytes(*four).into())).collect()),
        _ => None,
    }
}

/// A float of 16 bits (IEEE 754, binary16).
fn half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from((bits >> 10) & 0x1f), f32::from(bits & 0x3ff));
    match exponent {
        0 => sign * fraction * 2.0_f32.powi(-24),
        31 => f32::NAN,
        _ => sign * (1.0 + fraction / 1024.0) * 2.0_f32.powi(exponent - 15),
    }
}

/// A model for tests: each of these words has a vector, and words of one line have the same.
#[cfg(test)]
pub(crate) fn of_words(lines: &[&str]) -> Embedding {
    let words: Vec<(usize, &str)> =
        lines.iter().enumerate().flat_map(|(line, words)| words.split(' ').map(move |word| (line, word))).collect();
    let vocabulary: serde_json::Map<String, serde_json::Value> =
        words.iter().enumerate().map(|(number, (_, word))| ((*word).to_owned(), (number + 1).into())).collect();
    let mut vocabulary = vocabulary;
    vocabulary.insert("[UNK]".to_owned(), 0.into());
    let tokenizer = serde_json::json!({
        "normalizer": {"type": "BertNormalizer", "lowercase": true},
        "model": {"type": "WordPiece", "vocab": vocabulary, "unk_token": "[UNK]", "continuing_subword_prefix": "##"},
    });
    let mut rows = vec![0.0_f32; lines.len()];
    for (line, _) in &words {
        rows.extend((0..lines.len()).map(|at| if at == *line { 1.0 } else { 0.0 }));
    }
    let bytes: Vec<u8> = rows.iter().flat_map(|number| number.to_le_bytes()).collect();
    let view = TensorView::new(Dtype::F32, vec![words.len() + 1, lines.len()], &bytes).expect("a table");
    let tensors = safetensors::serialize([("embeddings", view)], None).expect("it can be written");
    Embedding::new(tokenizer.to_string().as_bytes(), &tensors).expect("a model")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(model: &Embedding, one: &str, two: &str) -> f32 {
        model.vector(one).iter().zip(model.vector(two)).map(|(one, two)| one * two).sum()
    }

    #[test]
    fn texts_of_near_words_have_near_vectors() {
        let model = of_words(&["commits history changes", "flight plane", "orders purchases"]);
        assert!((near(&model, "history", "Commits") - 1.0).abs() < 1e-6);
        assert!(near(&model, "history", "plane").abs() < 1e-6);
        let both = near(&model, "purchases history", "orders");
        assert!((0.6..0.8).contains(&both), "{both}");
        assert_eq!(model.vector("nothing of it is known"), [0.0; 3]);
        assert_eq!(model.width(), 3);
    }

    #[test]
    fn what_is_no_model_is_refused_with_the_reason() {
        let table = |dtype: Dtype, shape: Vec<usize>, bytes: &[u8], name: &str| {
            let view = TensorView::new(dtype, shape, bytes).expect("a tensor");
            safetensors::serialize([(name, view)], None).expect("it can be written")
        };
        let tokenizer = br#"{"model":{"type":"WordPiece","vocab":{"[UNK]":0},"unk_token":"[UNK]"}}"#;
        let one = 1.0_f32.to_le_bytes();
        for (tokenizer, tensors, reason) in [
            (&b"{"[..], table(Dtype::F32, vec![1, 1], &one, "embeddings"), "tokenizer.json: "),
            (
                &br#"{"model":{"type":"Unigram","vocab":[]}}"#[..],
                table(Dtype::F32, vec![1, 1], &one, "embeddings"),
                "tokenizer.json: its model is Unigram, and WordPiece can be read",
            ),
            (tokenizer, vec![0; 100], "model.safetensors: "),
            (tokenizer, table(Dtype::F32, vec![1, 1], &one, "other"), "model.safetensors has no table `embeddings`"),
            (tokenizer, table(Dtype::F32, vec![1], &one, "embeddings"), "`embeddings` is no table of two dimensions"),
            (tokenizer, table(Dtype::I32, vec![1, 1], &one, "embeddings"), "`embeddings` is of I32, not of floats"),
            (
                tokenizer,
                table(Dtype::F32, vec![1, 1], &f32::NAN.to_le_bytes(), "embeddings"),
                "`embeddings` has numbers that are not finite",
            ),
        ] {
            let error = Embedding::new(tokenizer, &tensors).expect_err(reason).to_string();
            assert!(error.starts_with(reason), "{error}");
        }
    }

    #[test]
    fn a_word_is_read_as_its_longest_pieces_or_not_at_all() {
        let vocab = serde_json::json!({"[UNK]": 0, "un": 1, "##com": 2, "##commit": 3, "##ted": 4, "a": 5, "ü": 6});
        let file =
            serde_json::json!({"model": {"type": "WordPiece", "vocab": vocab, "unk_token": "[UNK]"}}).to_string();
        let tokenizer = WordPiece::parse(file.as_bytes()).expect("a tokenizer");
        for (text, expected) in
            [("Uncommitted", &[1, 3, 4][..]), ("a-Ü", &[5, 6]), ("uncommon", &[]), ("", &[]), ("un a x", &[1, 5])]
        {
            assert_eq!(tokenizer.tokens(text), expected, "{text}");
        }
    }

    #[test]
    fn floats_of_sixteen_bits_are_read() {
        for (bits, expected) in
            [(0x3c00, 1.0), (0xc000, -2.0), (0x3555, 0.333_251_95), (0x0001, 5.960_464_5e-8), (0, 0.0)]
        {
            assert!((half(bits) - expected).abs() < 1e-9, "{bits:#x}");
        }
        assert!(half(0x7c00).is_nan());
    }
}
