//! FTRL-proximal beside its formulas, and models as they are kept.

use super::*;

fn close(one: f32, other: f32) -> bool {
    (one - other).abs() <= 1e-6 * one.abs().max(other.abs()).max(1.0)
}

#[test]
fn an_ignorant_model_knows_nothing() {
    let model = Ftrl::new(10, Rates::default());

    assert!(close(model.predict(&[1, 2, 3]), 0.5));
    assert!(Sparse::of(&model).is_empty());
}

#[test]
fn one_step_is_what_the_formulas_say() {
    let mut model = Ftrl::new(10, Rates { alpha: 0.5, beta: 1.0, l1: 0.1, l2: 0.1 });

    // g = 1·(0.5 − 1) = −0.5; σ = √0.25 / 0.5 = 1; w = 0: z = −0.5, n = 0.25.
    model.learn(&[7], 0.5, 1.0, 1.0);

    assert_eq!(model.coordinates()[7], Coordinate { z: -0.5, n: 0.25 });
    // w = 0.4 / ((1 + 0.5) / 0.5 + 0.1).
    assert!(close(model.weight(7), 0.4 / 3.1));
    assert!(close(model.predict(&[7]), sigmoid(0.4 / 3.1)));
}

#[test]
fn what_l1_holds_down_weighs_nothing() {
    let rates = Rates { l1: 1.0, ..Rates::default() };

    assert!(close(rates.weight(Coordinate { z: 0.99, n: 4.0 }), 0.0));
    assert!(rates.weight(Coordinate { z: 1.5, n: 4.0 }) < 0.0);
    assert!(rates.weight(Coordinate { z: -1.5, n: 4.0 }) > 0.0);
}

#[test]
fn a_number_with_too_many_bits_is_folded() {
    let mut model = Ftrl::new(10, Rates::default());

    model.step(7 + (5 << 10), -1.0);

    assert!(close(model.weight(7), model.weight(u32::MAX << 10 | 7)));
    assert!(model.weight(7) > 0.0);
}

fn learned(examples: &[(u32, f32)]) -> Ftrl {
    let mut model = Ftrl::new(12, Rates::default());
    for (number, label) in examples {
        let features = [*number, *number + 1];
        let predicted = model.predict(&features);
        model.learn(&features, predicted, *label, 1.0);
    }
    model
}

#[test]
fn a_model_is_the_same_after_it_was_kept() {
    let model = learned(&[(0, 1.0), (5, 0.0), (1_000, 1.0), (4_094, 1.0)]);

    let bytes = postcard::to_stdvec(&Sparse::of(&model)).unwrap();
    let kept: Sparse = postcard::from_bytes(&bytes).unwrap();

    assert_eq!(kept.len(), 8);
    assert_eq!(kept.to_model().unwrap(), model);
}

#[test]
fn models_add_up_and_what_they_began_with_counts_once() {
    let base = Sparse::of(&learned(&[(1, 1.0), (2, 1.0)]));
    let one = Sparse::of(&learned(&[(1, 1.0), (2, 1.0), (100, 1.0)]));
    let other = Sparse::of(&learned(&[(1, 1.0), (2, 1.0), (200, 0.0)]));

    let merged = one.plus(1.0, &other).unwrap().plus(-1.0, &base).unwrap();

    let state =
        |model: &Sparse, number: u32| model.states().find(|(index, _)| *index == number).map(|(_, state)| state);
    for number in [100, 101] {
        assert_eq!(state(&merged, number), state(&one, number));
        assert_eq!(state(&merged, number + 100), state(&other, number + 100));
    }
    assert_eq!(state(&merged, 2), state(&base, 2));
    assert_eq!(merged.len(), 7);
}

#[test]
fn a_model_less_itself_is_ignorant() {
    let one = Sparse::of(&learned(&[(1, 1.0), (2, 0.0), (3, 1.0)]));

    assert!(one.plus(-1.0, &one).unwrap().is_empty());
}

#[test]
fn models_of_other_sizes_are_not_added() {
    let one = Sparse::of(&Ftrl::new(12, Rates::default()));
    let other = Sparse::of(&Ftrl::new(13, Rates::default()));

    let told = one.plus(1.0, &other).unwrap_err().to_string();

    assert!(told.starts_with("models of 2^12 and of 2^13 coordinates cannot be added"), "{told}");
}

#[test]
fn a_model_with_impossible_numbers_is_refused() {
    let sound = Sparse::of(&learned(&[(1, 1.0)]));
    let refused = |change: &dyn Fn(&mut Sparse)| {
        let mut model = sound.clone();
        change(&mut model);
        model.to_model().is_err()
    };

    assert!(!refused(&|_| {}));
    assert!(refused(&|model| model.bits = 60));
    assert!(refused(&|model| model.bits = 0));
    assert!(refused(&|model| model.rates.alpha = 0.0));
    assert!(refused(&|model| model.rates.l1 = f32::NAN));
    assert!(refused(&|model| model.steps.push((1 << 12, 0.0, 1.0))));
    assert!(refused(&|model| model.steps.push((0, 0.0, 1.0))));
    assert!(refused(&|model| model.steps.push((1, f32::INFINITY, 1.0))));
    assert!(refused(&|model| model.steps.push((1, 0.0, -1.0))));
}

/// What a plain implementation in numpy made of recorded streams; made by
/// `eval/reference/ftrl.py`.
const REFERENCE: &str = include_str!("testdata/ftrl.txt");

#[test]
fn it_is_what_a_plain_reference_says() {
    let alike = |one: f32, other: f32| (one - other).abs() <= 1e-4 * one.abs().max(other.abs()) + 1e-7;
    let mut model = Ftrl::new(1, Rates::default());
    let (mut examples, mut states) = (0, 0);

    for line in REFERENCE.lines() {
        let (kind, rest) = line.split_once(' ').unwrap();
        let numbers: Vec<f32> = rest.split(' ').filter_map(|word| word.parse().ok()).collect();
        let index = |place: usize| rest.split(' ').nth(place).unwrap().parse::<u32>().unwrap();
        match kind {
            "rates" => {
                let rates = Rates { alpha: numbers[1], beta: numbers[2], l1: numbers[3], l2: numbers[4] };
                model = Ftrl::new(u8::try_from(index(0)).unwrap(), rates);
            }
            "example" => {
                let features: Vec<u32> = (3..numbers.len()).map(index).collect();
                let predicted = model.predict(&features);
                assert!(alike(predicted, numbers[2]), "{predicted} {line}");
                model.learn(&features, predicted, numbers[0], numbers[1]);
                examples += 1;
            }
            "state" => {
                let Coordinate { z, n } = model.coordinates()[index(0) as usize];
                assert!(alike(z, numbers[1]) && alike(n, numbers[2]), "{z} {n} {line}");
                states += 1;
            }
            _ => assert_eq!(kind, "#"),
        }
    }

    assert_eq!(examples, 1_200);
    assert!(states > 1_000, "{states}");
}
