//! The library on disk as its users meet it: stored, replaced, read, killed, damaged, carried.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail like tests")]

mod bundle;
mod common;
mod damage;
mod disks;
mod doctor;
mod everyday;
mod kills;
mod legacy;
mod readers;
