//! The tools as typed functions
