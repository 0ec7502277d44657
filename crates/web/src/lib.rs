//! The reader's web face: a router over the tools and the agents.
//!
//! It must not know the store or the index. The router is still to be written; nothing is offered here yet.
