//! Context search: the few context documents that a development task needs
