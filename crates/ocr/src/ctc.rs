//! From a row of probabilities per step to text: repeats are one character, class 0 parts them.

use crate::characters::Characters;

/// A line as read.
#[derive(Debug, Default, PartialEq)]
pub struct Decoded {
    /// The characters.
    pub text: String,
    /// Middle of each character along the line, 0 to 1.
    pub places: Vec<f32>,
    /// Mean probability of the characters, 0 to 1; 0 when there are none.
    pub confidence: f32,
}

/// Takes the likeliest class of each step. `classes` probabilities make a step.
pub fn decode(probabilities: &[f32], classes: usize, characters: &Characters) -> Decoded {
    let steps = probabilities.len().checked_div(classes).unwrap_or(0);
    let mut decoded = Decoded::default();
    let mut sum = 0.0;
    let mut count = 0_u32;
    let mut open: Option<Run> = None;
    for (step, row) in probabilities.chunks_exact(classes.max(1)).enumerate() {
        let (class, probability) = likeliest(row);
        match &mut open {
            Some(run) if run.class == class => {
                run.last = step;
                run.probability = run.probability.max(probability);
            }
            _ => {
                if let Some(run) = open.take() {
                    run.close(&mut decoded, characters, steps, &mut sum, &mut count);
                }
                open = (class != 0).then_some(Run { class, first: step, last: step, probability });
            }
        }
    }
    if let Some(run) = open {
        run.close(&mut decoded, characters, steps, &mut sum, &mut count);
    }
    decoded.confidence = if count == 0 { 0.0 } else { sum / count as f32 };
    decoded
}

/// Steps that say the same.
struct Run {
    class: usize,
    first: usize,
    last: usize,
    probability: f32,
}

impl Run {
    fn close(
        self,
        decoded: &mut Decoded,
        characters: &Characters,
        steps: usize,
        sum: &mut f32,
        count: &mut u32,
    ) {
        let middle = (self.first + self.last + 1) as f32 / (2 * steps.max(1)) as f32;
        // Some classes are two characters wide in Unicode; each gets the same place.
        for c in characters.text(self.class).chars() {
            decoded.text.push(c);
            decoded.places.push(middle);
        }
        *sum += self.probability;
        *count += 1;
    }
}

fn likeliest(row: &[f32]) -> (usize, f32) {
    let mut best = (0, f32::NEG_INFINITY);
    for (class, &probability) in row.iter().enumerate() {
        if probability > best.1 {
            best = (class, probability);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn characters() -> Characters {
        Characters::of(Some("规\n程"), None).unwrap()
    }

    /// One step with most of its weight on a class.
    fn step(class: usize, probability: f32) -> [f32; 4] {
        let mut row = [(1.0 - probability) / 3.0; 4];
        row[class] = probability;
        row
    }

    #[test]
    fn repeats_are_one_character_and_blanks_part_them() {
        let steps = [
            step(1, 0.6),
            step(1, 0.9),
            step(0, 0.9),
            step(1, 0.7),
            step(2, 0.8),
            step(3, 0.8),
            step(0, 0.9),
        ];
        let decoded = decode(steps.as_flattened(), 4, &characters());
        assert_eq!(decoded.text, "规规程 ");
        assert!((decoded.confidence - (0.9 + 0.7 + 0.8 + 0.8) / 4.0).abs() < 1e-6);
        let wanted = [1.0, 3.5, 4.5, 5.5].map(|step| step / 7.0);
        for (place, wanted) in decoded.places.iter().zip(wanted) {
            assert!((place - wanted).abs() < 1e-6, "{:?}", decoded.places);
        }
    }

    #[test]
    fn nothing_said_is_no_text_and_no_confidence() {
        let decoded = decode(step(0, 0.9).as_slice(), 4, &characters());
        assert_eq!(decoded, Decoded::default());
        assert_eq!(decode(&[], 4, &characters()), Decoded::default());
        assert_eq!(decode(&[], 0, &characters()), Decoded::default());
    }

    #[test]
    fn numbers_that_are_none_do_not_win() {
        let decoded = decode(&[f32::NAN, 0.2, f32::NAN, 0.1], 4, &characters());
        assert_eq!(decoded.text, "规");
    }
}
