//! The contract, kept by every backend that needs nothing but a folder.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

use crate::suite;

use std::sync::OnceLock;

use regreader_index::keyword::KeywordBackend;
use regreader_index::vector::{AddedBackend, OpenVectors, VectorBackend};

macro_rules! keyword {
    ($($case:ident)+) => { $(
        #[test]
        fn $case() {
            for backend in KeywordBackend::EMBEDDED {
                let open = |folder: &std::path::Path, reading: &_| backend.open(folder, reading);
                suite::$case(&suite::Keyword { name: backend.name(), open: &open });
            }
        }
    )+ };
}

macro_rules! vector {
    ($($case:ident)+) => { $(
        #[test]
        fn $case() {
            for backend in VectorBackend::EMBEDDED {
                let open = |folder: &std::path::Path, model: &str, dimension| backend.open(folder, model, dimension);
                suite::$case(&suite::Vector { name: backend.name(), open: &open });
            }
        }
    )+ };
}

keyword! {
    words_find_the_block_over_all_regulations
    what_looks_the_same_is_the_same
    filters_are_exact
    replacing_and_deleting_leave_nothing_behind
    it_is_there_after_a_reopen_and_readers_see_what_writers_did
    two_writers_take_turns
    no_query_is_too_strange
    other_scripts_are_found_too
    rare_words_weigh_more
    another_way_of_reading_text_is_noticed
}

vector! {
    the_nearest_come_first_with_exact_cosines
    vector_filters_are_exact
    vectors_are_replaced_deleted_and_reopened
    another_model_is_an_error_with_the_mend
    vectors_that_do_not_fit_are_refused
    two_writers_of_vectors_take_turns
    names_are_names_whatever_stands_in_them
}

#[test]
fn unknown_backends_are_named_with_the_known_ones() {
    let error = "lucene".parse::<KeywordBackend>().unwrap_err().to_string();
    assert!(error.contains("tantivy") && error.contains("fts5") && error.contains("bm25"), "{error}");
    assert!("pinecone".parse::<VectorBackend>().unwrap_err().to_string().contains("flat"));
}

/// `lancedb` is a good name, but not in this build: the error says which program has it.
#[test]
fn backends_of_other_crates_are_named_and_taken() {
    static LANCE: OnceLock<AddedBackend> = OnceLock::new();
    let error = "lancedb".parse::<VectorBackend>().unwrap_err();
    assert!(error.to_string().contains("lancedb"), "{error}");
    assert!(error.hint().unwrap().contains("regreader-full"), "{error:?}");
    let open: OpenVectors = |folder, model, dimension| VectorBackend::Flat.open(folder, model, dimension);
    let lance = LANCE.get_or_init(|| AddedBackend { name: "lancedb", open });
    let backend = VectorBackend::named("lancedb", &[lance]).unwrap();
    assert_eq!((backend.name(), backend), ("lancedb", VectorBackend::Added(lance)));
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(backend.open(folder.path(), "m", 3).unwrap().dimension(), 3);
    assert_eq!(VectorBackend::named("flat", &[lance]).unwrap(), VectorBackend::Flat);
}
