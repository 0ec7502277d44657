//! The reader UI
