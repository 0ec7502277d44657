//! How indexes lie on disk: packed texts and numbers, sets of files that are replaced as one, the roster of documents, the
//! catalogue of their texts, generations and seals. This layer knows documents and files; it knows no query.

pub mod catalog;
pub mod disk;
pub(crate) mod fileset;
pub mod generation;
pub(crate) mod pack;
pub(crate) mod roster;
pub(crate) mod seal;
