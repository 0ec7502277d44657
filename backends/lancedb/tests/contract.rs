//! The contract of all vector indexes, kept by this one.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

#[path = "../../../crates/index/tests/suite/mod.rs"]
mod suite;

use regreader_lancedb::BACKEND;

macro_rules! cases {
    ($($case:ident)+) => { $(
        #[test]
        fn $case() {
            suite::$case(&suite::Vector { name: "lancedb", open: &BACKEND.open });
        }
    )+ };
}

cases! {
    the_nearest_come_first_with_exact_cosines
    vector_filters_are_exact
    vectors_are_replaced_deleted_and_reopened
    another_model_is_an_error_with_the_mend
    vectors_that_do_not_fit_are_refused
    two_writers_of_vectors_take_turns
    a_batch_of_vectors_is_visible_at_once
    names_are_names_whatever_stands_in_them
}
