//! A regulation's name in the library, made from its file's name.

use std::path::Path;

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
    let id: String = id.trim_matches(['_', '-', '.']).chars().take(64).collect();
    id.trim_end_matches(['_', '-', '.']).parse().ok()
}
