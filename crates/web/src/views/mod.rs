//! The screens, each a function from plain data to markup. No handler logic, no calls of the backend.

pub mod ask;
pub mod compare;
pub mod edit;
pub mod error;
pub mod impact;
pub mod layout;
pub mod library;
pub mod login;
pub mod quality;
pub mod reader;
pub mod search;
pub mod sheet;
pub mod table;
