//! Decimal numbers as people write them, digit for digit, and their exact sum.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;

/// Digits that are kept as they are written. A number with more is rounded to the nearest `f64` first.
const DIGITS_MAX: u32 = 36;

/// Above this, and below its negative, an exponent goes through `f64`, which makes it zero or no number.
const EXPONENT_MAX: i32 = 350;

/// Decimals up to which a sum is one integer. Measured values of many digits would leave no room for others.
const PLACES_MAX: i32 = 12;

/// What a part of a wide sum counts to.
const PART: i128 = 1_000_000_000_000_000_000;
const PART_DIGITS: i32 = 18;

/// Decimals above which a number is written with an exponent.
const PLACES_WRITTEN_MAX: i32 = 20;

/// A number: `digits` times ten to the power of `-places`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Decimal {
    digits: i128,
    places: i32,
}

impl Decimal {
    /// Reads a number as programs write it: `-1.5`, `.5`, `2e9`. Nothing for infinities, `NaN` and all else.
    pub(crate) fn plain(text: &str) -> Option<Self> {
        let text = text.trim();
        let (negative, bytes) = match text.as_bytes() {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            bytes => (false, bytes),
        };
        // Nearly all numbers: at most eighteen digits and no exponent.
        let (mut digits, mut places, mut seen, mut point) = (0_u64, 0, false, false);
        for &byte in bytes {
            match byte {
                b'0'..=b'9' if digits < 100_000_000_000_000_000 => {
                    digits = digits * 10 + u64::from(byte - b'0');
                    places += i32::from(point);
                    seen = true;
                }
                b'.' if !point => point = true,
                b'0'..=b'9' | b'e' | b'E' => return Self::long(negative, bytes),
                _ => return None,
            }
        }
        let digits = i128::from(digits);
        seen.then_some(Self { digits: if negative { -digits } else { digits }, places })
    }

    /// A number with many digits or an exponent.
    fn long(negative: bool, bytes: &[u8]) -> Option<Self> {
        let end = bytes.iter().position(|byte| matches!(byte, b'e' | b'E')).unwrap_or(bytes.len());
        let exponent = match bytes.get(end + 1..) {
            None => 0,
            Some(exponent) => signed(exponent)?,
        };
        let (mut digits, mut count, mut places, mut seen, mut point) = (0_i128, 0_u32, 0_i32, false, false);
        for &byte in &bytes[..end] {
            match byte {
                b'0'..=b'9' => {
                    seen = true;
                    count += u32::from(count > 0 || byte != b'0');
                    if count > DIGITS_MAX {
                        return Self::rounded(negative, bytes);
                    }
                    digits = digits * 10 + i128::from(byte - b'0');
                    places = places.saturating_add(i32::from(point));
                }
                b'.' if !point => point = true,
                _ => return None,
            }
        }
        let places = places.saturating_sub(exponent);
        if !(-EXPONENT_MAX..=EXPONENT_MAX).contains(&places) {
            return if seen { Self::rounded(negative, bytes) } else { None };
        }
        seen.then_some(Self { digits: if negative { -digits } else { digits }, places })
    }

    /// What `f64` makes of a number.
    fn rounded(negative: bool, bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        // What Rust reads as a number, and tables do not mean.
        if text.bytes().any(|byte| !matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-')) {
            return None;
        }
        let amount: f64 = text.parse().ok()?;
        let amount = Self::of(amount)?;
        Some(if negative { amount.negated() } else { amount })
    }

    /// The shortest number that reads as this `f64`; nothing for infinities and `NaN`.
    pub(crate) fn of(amount: f64) -> Option<Self> {
        if !amount.is_finite() {
            return None;
        }
        let text = format!("{amount:e}");
        let (mantissa, exponent) = text.split_once('e')?;
        let exponent: i32 = exponent.parse().ok()?;
        let mantissa = Self::plain(mantissa)?;
        Some(Self { digits: mantissa.digits, places: mantissa.places - exponent })
    }

    pub(crate) fn negated(self) -> Self {
        Self { digits: -self.digits, places: self.places }
    }

    pub(crate) fn is_whole(self) -> bool {
        self.places <= 0
            || u32::try_from(self.places)
                .ok()
                .and_then(|places| 10_i128.checked_pow(places))
                .map_or(self.digits == 0, |scale| self.digits % scale == 0)
    }

    fn to_f64(self) -> f64 {
        // A text is read to the nearest `f64`, whatever its length.
        format!("{}e{}", self.digits, -self.places).parse().unwrap_or(f64::NAN)
    }
}

/// An integer with a sign, saturated; nothing for what is none.
fn signed(bytes: &[u8]) -> Option<i32> {
    let (negative, digits) = match bytes {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, bytes),
    };
    if digits.is_empty() {
        return None;
    }
    let mut number = 0_i32;
    for byte in digits {
        let digit = byte.checked_sub(b'0').filter(|digit| *digit < 10)?;
        number = number.saturating_mul(10).saturating_add(i32::from(digit));
    }
    Some(if negative { -number } else { number })
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let aligned = |one: &Self, places: i32| {
            let scale = 10_i128.checked_pow(u32::try_from(places - one.places).ok()?)?;
            one.digits.checked_mul(scale)
        };
        let places = self.places.max(other.places);
        match (aligned(self, places), aligned(other, places)) {
            (Some(one), Some(two)) => one.cmp(&two),
            // One of them has far more digits before the point than the other has at all: they are not close.
            _ => self.to_f64().total_cmp(&other.to_f64()),
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Decimal {}

/// As JSON has it: `-1299.99`, without zeros at the end.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut sum = Sum::default();
        sum.add(*self);
        f.write_str(&sum.exact().to_string())
    }
}

/// A sum without the error of floating point: the digits that people wrote are added.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sum {
    /// The sum of what fits, times ten to the power of `places`.
    total: i128,
    places: i32,
    /// The rest, in parts of eighteen digits by their power of ten. At most some forty: exponents have a bound.
    wide: Option<BTreeMap<i32, i128>>,
}

impl Sum {
    pub(crate) fn add(&mut self, amount: Decimal) {
        if self.add_narrow(amount).is_none() {
            self.add_wide(amount);
        }
    }

    fn add_narrow(&mut self, amount: Decimal) -> Option<()> {
        if !(0..=PLACES_MAX).contains(&amount.places) {
            return None;
        }
        let power = |places: i32| u32::try_from(places).ok().map(|places| 10_i128.pow(places));
        if amount.places > self.places {
            self.total = self.total.checked_mul(power(amount.places - self.places)?)?;
            self.places = amount.places;
        }
        let digits = amount.digits.checked_mul(power(self.places - amount.places)?)?;
        self.total = self.total.checked_add(digits)?;
        Some(())
    }

    fn add_wide(&mut self, amount: Decimal) {
        let parts = self.wide.get_or_insert_default();
        let exponent = -amount.places;
        let (mut place, power) = (exponent.div_euclid(PART_DIGITS), exponent.rem_euclid(PART_DIGITS));
        let scale = 10_i128.pow(u32::try_from(power).expect("a remainder is not negative"));
        let mut rest = amount.digits;
        while rest != 0 {
            let scaled = rest % PART * scale;
            *parts.entry(place).or_default() += scaled % PART;
            *parts.entry(place + 1).or_default() += scaled / PART;
            rest /= PART;
            place += 1;
        }
    }

    /// All digits of the sum.
    pub(crate) fn exact(&self) -> Exact {
        let Some(wide) = &self.wide else { return Exact::new(self.total, self.places) };
        let mut all = Self { wide: Some(wide.clone()), ..Self::default() };
        all.add_wide_total(self.total, self.places);
        let parts = all.wide.expect("set above");
        let Some((&lowest, _)) = parts.first_key_value() else { return Exact::new(0, 0) };
        let (&highest, _) = parts.last_key_value().expect("it has a first one");
        let mut carried = Vec::new();
        let mut carry = 0_i128;
        for place in lowest..=highest + 3 {
            let part = parts.get(&place).copied().unwrap_or(0) + carry;
            carry = part.div_euclid(PART);
            carried.push(part.rem_euclid(PART));
        }
        let negative = carry < 0;
        if negative {
            // The complement, part by part.
            let mut borrow = 0;
            for part in &mut carried {
                let value = -*part - borrow;
                borrow = i128::from(value < 0);
                *part = value.rem_euclid(PART);
            }
        }
        let mut digits = String::new();
        for part in carried.iter().rev() {
            digits += &part_digits(*part);
        }
        Exact::of(negative, &digits, -lowest * PART_DIGITS)
    }

    /// Adds an integer of any size.
    fn add_wide_total(&mut self, total: i128, places: i32) {
        let high = total / PART;
        self.add_wide(Decimal { digits: total % PART, places });
        // A total has up to 39 digits: too many to be scaled at once.
        self.add_wide(Decimal { digits: high % PART, places: places - PART_DIGITS });
        self.add_wide(Decimal { digits: high / PART, places: places - 2 * PART_DIGITS });
    }

    /// The sum divided by a count as a JSON number, to fifteen digits if that does not come out even.
    pub(crate) fn over(&self, count: u64) -> String {
        let exact = self.exact();
        match exact.divided(count) {
            Some(whole) => whole.to_string(),
            None => written(fifteen(exact.to_f64() / float(count))),
        }
    }

    /// The sum as a JSON number, with all its digits.
    pub(crate) fn total(&self) -> String {
        self.exact().to_string()
    }
}

/// All digits of a part, zeros in front included.
fn part_digits(part: i128) -> String {
    format!("{part:0width$}", width = PART_DIGITS.unsigned_abs() as usize)
}

/// A count as the number to divide by.
#[expect(clippy::cast_precision_loss, reason = "no file has 2^53 rows")]
fn float(count: u64) -> f64 {
    count as f64
}

/// A number rounded to fifteen digits, all of which an `f64` holds for certain.
fn fifteen(amount: f64) -> f64 {
    format!("{amount:.14e}").parse().unwrap_or(amount)
}

/// An `f64` as a JSON number, whole ones without a point.
fn written(amount: f64) -> String {
    Decimal::of(amount).map_or_else(|| "null".to_owned(), |amount| amount.to_string())
}

/// The mean of two numbers as a JSON number.
pub(crate) fn middle(one: Decimal, two: Decimal) -> String {
    let mut sum = Sum::default();
    sum.add(one);
    sum.add(two);
    sum.over(2)
}

/// A number of any length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Exact {
    negative: bool,
    /// Without zeros in front, and without those at the end of decimals; `0` for zero.
    digits: String,
    places: i32,
}

impl Exact {
    fn new(digits: i128, places: i32) -> Self {
        Self::of(digits < 0, &digits.unsigned_abs().to_string(), places)
    }

    fn of(negative: bool, digits: &str, places: i32) -> Self {
        let mut digits = digits.trim_start_matches('0').to_owned();
        let mut places = places;
        while places > 0 && digits.ends_with('0') {
            digits.pop();
            places -= 1;
        }
        if digits.is_empty() {
            return Self { negative: false, digits: "0".to_owned(), places: 0 };
        }
        while places < 0 {
            digits.push('0');
            places += 1;
        }
        Self { negative, digits, places }
    }

    fn to_f64(&self) -> f64 {
        let sign = if self.negative { "-" } else { "" };
        format!("{sign}{}e-{}", self.digits, self.places).parse().unwrap_or(f64::NAN)
    }

    /// Divided by a count, if that gives an integer.
    fn divided(&self, count: u64) -> Option<Self> {
        if self.places != 0 || count == 0 {
            return None;
        }
        let (mut rest, mut digits) = (0_u128, String::with_capacity(self.digits.len()));
        let count = u128::from(count);
        for digit in self.digits.bytes() {
            rest = rest * 10 + u128::from(digit - b'0');
            digits.push(char::from(b'0' + u8::try_from(rest / count).ok()?));
            rest %= count;
        }
        (rest == 0).then(|| Self::of(self.negative, &digits, 0))
    }
}

impl fmt::Display for Exact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.negative {
            f.write_str("-")?;
        }
        if self.places > PLACES_WRITTEN_MAX {
            return write!(f, "{}e-{}", self.digits, self.places);
        }
        let places = usize::try_from(self.places).unwrap_or(0);
        let digits = format!("{:0>width$}", self.digits, width = places + 1);
        let (whole, decimals) = digits.split_at(digits.len() - places);
        if decimals.is_empty() { f.write_str(whole) } else { write!(f, "{whole}.{decimals}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        Decimal::plain(text).map(|amount| amount.to_string())
    }

    fn sum(texts: &[&str]) -> Sum {
        let mut sum = Sum::default();
        for text in texts {
            sum.add(Decimal::plain(text).expect("a number"));
        }
        sum
    }

    #[test]
    fn numbers_keep_their_digits() {
        for (text, expected) in [
            ("0", "0"),
            ("-0", "0"),
            (" 12 ", "12"),
            ("+1.50", "1.5"),
            (".5", "0.5"),
            ("5.", "5"),
            ("1e3", "1000"),
            ("1.25E-3", "0.00125"),
            ("1e-9", "0.000000001"),
            ("1e-30", "1e-30"),
            ("9007199254740993", "9007199254740993"),
            ("-123456789012345678901234567890.5", "-123456789012345678901234567890.5"),
            ("000000000000000000000000000000000000000000000007", "7"),
            ("1e-400", "0"),
        ] {
            assert_eq!(read(text).as_deref(), Some(expected), "{text}");
        }
        // Thirty-six digits are kept, and thirty-seven rounded.
        let digits = "123456789012345678901234567890123456";
        assert_eq!(read(digits).as_deref(), Some(digits));
        assert_eq!(read(&format!("{digits}7")).as_deref(), Some("1234567890123456800000000000000000000"));
    }

    #[test]
    fn what_is_no_number_is_none() {
        for text in ["", " ", "-", ".", "e5", "1e", "1e+", "1_000", "inf", "NaN", "1e999", "0x10", "1.2.3", "1 2", "١"]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn sums_are_exact_however_far_apart_the_numbers_are() {
        for (texts, expected) in [
            (&["0.1", "0.2"][..], "0.3"),
            (&["1000000000.1", "-1000000000", "-0.3", "0.1", "0.1"], "0"),
            (&["9007199254740993", "9007199254740993"], "18014398509481986"),
            (&["1e-9", "2e-9"], "0.000000003"),
            (&["1e300", "1", "-1e300"], "1"),
            (&["1e-300", "-1", "1"], "1e-300"),
            (&["-1e30", "0.5"], "-999999999999999999999999999999.5"),
            (
                &["123456789012345678901234567890123456", "123456789012345678901234567890123456"],
                "246913578024691357802469135780246912",
            ),
            (&["1e36", "1e36", "-1e-13"], "1999999999999999999999999999999999999.9999999999999"),
        ] {
            assert_eq!(sum(texts).total(), expected, "{texts:?}");
        }
        let mut many = Sum::default();
        for _ in 0..1000 {
            many.add(Decimal::plain("999999999999999999999999999999999999").expect("a number"));
        }
        assert_eq!(many.total(), "999999999999999999999999999999999999000");
    }

    #[test]
    fn means_are_whole_where_they_are_and_have_fifteen_digits_else() {
        assert_eq!(sum(&["12", "8.5", "0"]).over(3), "6.83333333333333");
        assert_eq!(sum(&["9007199254740993", "9007199254740993"]).over(2), "9007199254740993");
        assert_eq!(sum(&["-3", "-3"]).over(3), "-2");
        assert_eq!(sum(&["1", "2"]).over(2), "1.5");
        assert_eq!(middle(Decimal::plain("0.1").expect("one"), Decimal::plain("0.2").expect("one")), "0.15");
    }

    #[test]
    fn order_is_that_of_the_numbers() {
        let sorted =
            ["-1e300", "-2", "-1.5", "0", "1e-300", "0.1", "0.10000000000000000001", "1", "1.5", "1e36", "1e300"];
        for pair in sorted.windows(2) {
            let [one, two] = [pair[0], pair[1]].map(|text| Decimal::plain(text).expect("a number"));
            assert!(one < two, "{pair:?}");
            assert!(two > one, "{pair:?}");
        }
        assert_eq!(Decimal::plain("1.50"), Decimal::plain("1.5"));
        assert!(Decimal::plain("2.00").expect("one").is_whole() && !Decimal::plain("2.01").expect("one").is_whole());
    }
}
