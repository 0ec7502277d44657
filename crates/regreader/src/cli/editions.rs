//! Arguments of the commands about editions: what changed, what is in force, what concerns a device.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

/// `changes`
#[derive(Debug, Args)]
pub struct ChangesArgs {
    /// Older edition.
    #[arg(value_name = "OLD")]
    pub old: String,
    /// Newer edition.
    #[arg(value_name = "NEW")]
    pub new: String,
    /// Only changes of this kind; may be given several times. `format` lists spellings, which are otherwise only counted.
    #[arg(long, value_name = "KIND", value_parser = ["limit", "text", "added", "deleted", "split", "merged", "moved", "renumbered", "note", "format"])]
    pub kind: Vec<String>,
    /// Only changes in this chapter: number or title.
    #[arg(long, value_name = "CHAPTER")]
    pub chapter: Option<String>,
    /// Only changes that concern this device, line, section, station or term; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub entity: Vec<String>,
    /// Only what a watch list asks for: a file with one name a line, or `chapter: 6`; lines that begin with # are remarks.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["chapter", "entity"])]
    pub watch: Option<PathBuf>,
    /// Write an HTML page that prints.
    #[arg(long, group = "document")]
    pub html: bool,
    /// Write a workbook.
    #[arg(long, group = "document")]
    pub xlsx: bool,
    /// Write a three-column table for Word (修订对照表).
    #[arg(long, group = "document")]
    pub docx: bool,
    /// File to write the document to; standard output when not given.
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "document")]
    pub output: Option<PathBuf>,
}

/// `impact`
#[derive(Debug, Args)]
pub struct ImpactArgs {
    /// Device, line, section, station or term.
    pub entity: String,
    /// Steps to follow: 0 lists the places that name it, 1 adds the notes of its tables, the cells of its columns and what
    /// refers to those places.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(0..=4))]
    pub depth: u32,
    /// Only this regulation; may be given several times.
    #[arg(long = "reg-id", short = 'r', value_name = "REG_ID")]
    pub reg_id: Vec<String>,
    /// Day for which editions count as in force.
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub as_of: Option<String>,
}

/// `edition`
#[derive(Debug, Args)]
pub struct EditionArgs {
    /// What to do with the editions.
    #[command(subcommand)]
    pub command: EditionCommand,
}

/// What to do with the editions.
#[derive(Debug, Subcommand)]
pub enum EditionCommand {
    /// Show which editions are in force on a day, and the events that say so
    Status {
        /// Regulations; all when none is named.
        reg_id: Vec<String>,
        /// The day; today when not given.
        #[arg(long, value_name = "YYYY-MM-DD")]
        as_of: Option<String>,
    },
    /// Record an event: what a document does not say, or says wrongly
    Set {
        /// Id of the regulation.
        reg_id: String,
        /// What happened.
        #[arg(value_parser = ["adopted", "published", "effective", "amended", "replaced", "partly_replaced", "abolished"])]
        kind: String,
        /// The day it happened or will happen.
        #[arg(long, value_name = "YYYY-MM-DD")]
        date: Option<String>,
        /// The document that it happened to, where that is another one (`--subject "GB 38755-2010"`).
        #[arg(long, value_name = "NAME")]
        subject: Option<String>,
        /// Who or what did it: the issuing body, the document that replaces this one.
        #[arg(long, value_name = "NAME")]
        by: Option<String>,
        /// The part that is concerned; the whole document when not given.
        #[arg(long, value_name = "CLAUSES")]
        scope: Option<String>,
        /// On what authority.
        #[arg(long, value_name = "TEXT")]
        note: Option<String>,
    },
    /// Take back the events of a kind that were recorded by hand
    Unset {
        /// Id of the regulation.
        reg_id: String,
        /// Kind of event.
        #[arg(value_parser = ["adopted", "published", "effective", "amended", "replaced", "partly_replaced", "abolished"])]
        kind: String,
    },
}

/// `equipment`
#[derive(Debug, Args)]
pub struct EquipmentArgs {
    /// CSV file with a name, a kind and any number of aliases on each line; without it the imported list is shown.
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: Option<PathBuf>,
}
