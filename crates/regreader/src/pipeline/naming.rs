//! A regulation's name in the library, made from its file's name.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pinyin::ToPinyin;
use regreader_model::RegId;

/// A legal id that a person recognises: letters and digits stay, Chinese is spelt in pinyin, the rest becomes `_`.
///
/// ```
/// use regreader::pipeline::reg_id_for;
/// assert_eq!(reg_id_for("angui_2024.pdf".as_ref()).unwrap().as_str(), "angui_2024");
/// assert_eq!(reg_id_for("安规2024.pdf".as_ref()).unwrap().as_str(), "angui2024");
/// assert_eq!(reg_id_for("GB 38755-2019 导则.pdf".as_ref()).unwrap().as_str(), "GB_38755-2019_daoze");
/// ```
pub fn reg_id_for(path: &Path) -> Option<RegId> {
    let stem = path.file_stem()?.to_string_lossy();
    let mut id = String::new();
    for character in stem.chars() {
        if character.is_ascii_alphanumeric() || matches!(character, '-' | '_') {
            id.push(character);
        } else if let Some(syllable) = character.to_pinyin() {
            id.push_str(&syllable.plain().replace('ü', "v"));
        } else if character == '.' && id.ends_with(|last: char| last.is_ascii_digit()) {
            // An edition such as `5.1a` reads badly as `5_1a`.
            id.push('.');
        } else if !id.ends_with('_') {
            id.push('_');
        }
    }
    let id: String = id.trim_matches(['_', '-', '.']).chars().take(LONGEST).collect();
    id.trim_end_matches(['_', '-', '.']).parse().ok()
}

/// Letters of an id.
const LONGEST: usize = 64;

/// An id for each of the files that come in together. Where several would get the same one, the first keeps it and the
/// others are told apart by their extension, else by a number: none may overwrite another.
///
/// ```
/// use regreader::pipeline::reg_ids_for;
/// let files = ["a/bank.pdf", "a/bank.xlsx", "b/bank.pdf"].map(Into::into);
/// let ids: Vec<String> = reg_ids_for(&files).into_iter().map(|id| id.unwrap().to_string()).collect();
/// assert_eq!(ids, ["bank", "bank_xlsx", "bank_pdf"]);
/// ```
pub fn reg_ids_for(files: &[PathBuf]) -> Vec<Option<RegId>> {
    let mut taken: BTreeSet<RegId> = BTreeSet::new();
    files
        .iter()
        .map(|path| {
            let plain = reg_id_for(path)?;
            let extension = path.extension().map(|ext| ext.to_string_lossy().to_lowercase());
            let numbers = (2..).map(|number: u32| number.to_string());
            let endings = extension.into_iter().chain(numbers);
            let mut candidates = std::iter::once(Some(plain.clone()))
                .chain(endings.map(|ending| with_ending(&plain, &ending)))
                .take(files.len() + 2)
                .flatten();
            let id = candidates.find(|id| !taken.contains(id))?;
            taken.insert(id.clone());
            Some(id)
        })
        .collect()
}

fn with_ending(id: &RegId, ending: &str) -> Option<RegId> {
    let room = LONGEST.saturating_sub(ending.len() + 1);
    let head: String = id.as_str().chars().take(room).collect();
    format!("{head}_{ending}").parse().ok()
}
