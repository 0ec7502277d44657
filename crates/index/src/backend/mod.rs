//! The backends behind the two traits [`KeywordIndex`](keyword::KeywordIndex) and [`VectorIndex`](vector::VectorIndex). A
//! backend takes documents and gives keys with scores; it knows neither the library nor how results are joined.

pub mod keyword;
pub(crate) mod qdrant;
pub mod vector;
