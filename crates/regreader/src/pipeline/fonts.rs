//! A font of the system that covers Chinese and Latin. Only pages that are read from their picture need one, and of those
//! only pages whose own fonts are not in the file.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use regreader_parse::pdf::FallbackFont;

/// Not vocabulary: beginnings of font file names, best first. Even strokes are read better than serifs, and free fonts are found on servers.
const WANTED: [&str; 17] = [
    "notosanscjk",
    "sourcehansans",
    "notosanssc",
    "wqy-microhei",
    "wqy-zenhei",
    "droidsansfallback",
    "msyh",
    "pingfang",
    "hiragino sans gb",
    "stheiti",
    "simhei",
    "notoserifcjk",
    "sourcehanserif",
    "simsun",
    "songti",
    "uming",
    "ukai",
];
/// Entries of font folders that are looked at.
const MAX_ENTRIES: usize = 20_000;
/// Folders inside folders.
const MAX_DEPTH: usize = 6;
/// Largest font file; the largest collections of all scripts stay under it.
const MAX_BYTES: u64 = 128 << 20;

/// Where fonts lie on this system.
pub fn folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = Vec::new();
    if let Some(home) = env::var_os("HOME").map(PathBuf::from) {
        folders.extend([".fonts", ".local/share/fonts", "Library/Fonts"].map(|path| home.join(path)));
    }
    let shared = ["/usr/local/share/fonts", "/usr/share/fonts", "/Library/Fonts", "/System/Library/Fonts"];
    folders.extend(shared.map(PathBuf::from));
    if let Some(windows) = env::var_os("WINDIR") {
        folders.push(PathBuf::from(windows).join("Fonts"));
    }
    folders
}

/// The best font in these folders: by name, the regular face before others, then by path, so that it is always the same.
pub fn find(folders: &[PathBuf]) -> Option<PathBuf> {
    let mut best: Option<((usize, bool, PathBuf), PathBuf)> = None;
    let mut left = MAX_ENTRIES;
    let mut stack: Vec<(PathBuf, usize)> = folders.iter().rev().map(|folder| (folder.clone(), 0)).collect();
    while let Some((folder, depth)) = stack.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok) {
            if left == 0 {
                break;
            }
            left -= 1;
            let path = entry.path();
            if path.is_dir() && depth < MAX_DEPTH {
                stack.push((path, depth + 1));
            } else if let Some(rank) = rank(&path) {
                let key = (rank.0, rank.1, path.clone());
                if best.as_ref().is_none_or(|(known, _)| key < *known) {
                    best = Some((key, path));
                }
            }
        }
    }
    best.map(|(_, path)| path)
}

/// Reads a font file. None when it cannot be read or is too large to be a font.
pub fn read(path: &Path) -> Option<FallbackFont> {
    let size = fs::metadata(path).ok()?.len();
    let data = if size <= MAX_BYTES { fs::read(path).ok()? } else { return None };
    // Noto's collections begin with the Japanese forms; the simplified Chinese ones are the third.
    let collection = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("ttc"));
    let noto = path.file_name()?.to_string_lossy().to_lowercase().starts_with("noto");
    let index = if collection && noto { 2 } else { 0 };
    Some(FallbackFont { data: Arc::new(data), index })
}

/// Place in the list of wanted fonts, and whether the face is other than regular. None for a file that is not wanted.
fn rank(path: &Path) -> Option<(usize, bool)> {
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    let extension = path.extension()?.to_string_lossy().to_lowercase();
    let is_font = ["ttf", "ttc", "otf", "otc"].contains(&extension.as_str());
    let place = WANTED.iter().position(|wanted| name.starts_with(wanted)).filter(|_| is_font)?;
    let faces = ["bold", "black", "light", "thin", "medium", "demi", "mono", "bd", "l."];
    let other = faces.iter().any(|face| name.get(4..).is_some_and(|rest| rest.contains(face)));
    Some((place, other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_regular_face_of_the_best_font_is_taken_wherever_it_lies() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("opentype/noto");
        fs::create_dir_all(&deep).unwrap();
        for name in
            ["NotoSansCJK-Bold.ttc", "NotoSansCJK-Regular.ttc", "NotoSerifCJK-Regular.ttc", "readme.txt"]
        {
            fs::write(deep.join(name), name).unwrap();
        }
        fs::write(folder.path().join("simsun.ttc"), "x").unwrap();
        let found = find(&[folder.path().to_owned()]).unwrap();
        assert_eq!(found, deep.join("NotoSansCJK-Regular.ttc"));
        assert_eq!(read(&found).unwrap().index, 2, "the simplified Chinese forms");
        assert_eq!(read(&folder.path().join("simsun.ttc")).unwrap().index, 0);
        assert!(find(&[folder.path().join("nowhere")]).is_none());
    }
}
