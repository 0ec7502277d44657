//! Text to vector
