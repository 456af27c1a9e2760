//! Plots as SVG, which need no script: bars stacked by kind, and lines. Colours are classes of the style sheet.

use std::fmt::Write as _;

use crate::render::escaped;

/// The size of a plot, in units of its own: it takes the width that it gets.
const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 160.0;

/// Room for the labels at the left and below.
const LEFT: f64 = 44.0;
const BELOW: f64 = 20.0;

/// What a plot shows, from the oldest to the newest.
pub(crate) struct Plot<'a> {
    pub(crate) title: &'a str,
    /// What the numbers are, such as `ms`.
    pub(crate) unit: &'a str,
    /// The labels of the first and the last place.
    pub(crate) from: &'a str,
    pub(crate) to: &'a str,
}

impl Plot<'_> {
    /// Bars, one for each place, of parts upon each other. `classes` has a class for each part.
    pub(crate) fn bars(&self, classes: &[&str], bars: &[Vec<f64>]) -> String {
        let most = bars.iter().map(|bar| bar.iter().sum::<f64>()).fold(0.0, f64::max);
        let top = rounded(most);
        let step = (WIDTH - LEFT) / count(bars.len());
        let mut shapes = String::new();
        for (place, bar) in bars.iter().enumerate() {
            let mut base = HEIGHT - BELOW;
            for (part, class) in bar.iter().zip(classes) {
                let height = part / top * (HEIGHT - BELOW);
                if height > 0.0 {
                    base -= height;
                    let (x, width) = (LEFT + step * count(place), (step - 1.0).max(0.5));
                    let _ = write!(
                        shapes,
                        "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{base:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>"
                    );
                }
            }
        }
        self.framed(top, &shapes)
    }

    /// Lines, each with a class. Places without a value interrupt it.
    pub(crate) fn lines(&self, lines: &[(&str, Vec<Option<f64>>)]) -> String {
        let most = lines
            .iter()
            .flat_map(|(_, values)| values.iter().flatten())
            .fold(0.0, |most, value| f64::max(most, *value));
        let top = rounded(most);
        let mut shapes = String::new();
        for (class, values) in lines {
            let step = (WIDTH - LEFT) / count(values.len());
            let mut path = String::new();
            let mut is_drawing = false;
            for (place, value) in values.iter().enumerate() {
                let Some(value) = value else {
                    is_drawing = false;
                    continue;
                };
                let (x, y) = (LEFT + step * (count(place) + 0.5), (HEIGHT - BELOW) * (1.0 - value / top));
                // A point alone is a short line.
                let _ = if is_drawing {
                    write!(path, "L{x:.1} {y:.1}")
                } else {
                    write!(path, "M{:.1} {y:.1}L{x:.1} {y:.1}", x - 2.0)
                };
                is_drawing = true;
            }
            let _ = write!(shapes, "<path class=\"{class}\" d=\"{path}\"/>");
        }
        self.framed(top, &shapes)
    }

    fn framed(&self, top: f64, shapes: &str) -> String {
        let (floor, title, unit) = (HEIGHT - BELOW, escaped(self.title), escaped(self.unit));
        let (from, to) = (escaped(self.from), escaped(self.to));
        format!(
            "<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{title}, {unit}\">\
             <path class=\"axis\" d=\"M{LEFT} 0.5H{WIDTH}M{LEFT} {half:.1}H{WIDTH}M{LEFT} {floor}H{WIDTH}\"/>\
             <text x=\"{label}\" y=\"11\" text-anchor=\"end\">{top}</text>\
             <text x=\"{label}\" y=\"{floor}\" text-anchor=\"end\">0</text>\
             <text x=\"{LEFT}\" y=\"{HEIGHT}\">{from}</text>\
             <text x=\"{WIDTH}\" y=\"{HEIGHT}\" text-anchor=\"end\">{to}</text>{shapes}</svg>",
            half = floor / 2.0,
            label = LEFT - 5.0,
        )
    }
}

/// The next number that reads well: 1, 2 or 5 with zeros.
fn rounded(most: f64) -> f64 {
    let mut top = 1.0;
    for factor in [2.0, 2.5, 2.0].into_iter().cycle().take(60) {
        if top >= most {
            break;
        }
        top *= factor;
    }
    top
}

#[expect(clippy::cast_precision_loss, reason = "a plot has sixty places")]
fn count(number: usize) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLOT: Plot<'static> = Plot { title: "A <b>", unit: "ms", from: "1", to: "2" };

    #[test]
    fn a_plot_has_its_shapes_and_escapes_its_words() {
        let bars = PLOT.bars(&["a", "b"], &[vec![1.0, 3.0], vec![0.0, 0.0], vec![5.0, 0.0]]);
        assert_eq!(bars.matches("<rect").count(), 3, "nothing is drawn for zero: {bars}");
        assert!(bars.contains(">5<") && bars.contains("A &lt;b&gt;"), "{bars}");
        let lines = PLOT.lines(&[("p50", vec![Some(1.0), None, Some(2.0), Some(3.0)])]);
        assert_eq!((lines.matches('M').count() - 3, lines.matches('L').count()), (2, 3), "{lines}");
        assert!(PLOT.bars(&[], &[]).contains("<svg") && PLOT.lines(&[]).contains("<svg"));
    }

    #[test]
    fn scales_end_at_numbers_that_read_well() {
        for (most, top) in
            [(0.0, 1.0), (1.0, 1.0), (1.1, 2.0), (3.0, 5.0), (7.0, 10.0), (160.0, 200.0), (4_999.0, 5_000.0)]
        {
            assert!((rounded(most) - top).abs() < 1e-6, "{most}: {}", rounded(most));
        }
    }
}
