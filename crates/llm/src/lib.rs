//! Chat models
