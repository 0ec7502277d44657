//! Masks what looks like a secret in text that people typed or pasted. It errs on the side of masking: nobody searches
//! a regulation for a long run of letters and digits.

use std::sync::LazyLock;

const MASK: &str = "[已隐去]";

/// Prefixes by which well-known services mark their keys.
const KEY_PREFIXES: [&str; 12] =
    ["sk-", "pk-", "ghp_", "gho_", "github_pat_", "glpat-", "hf_", "xoxb-", "xoxp-", "AKIA", "AIza", "eyJ"];

/// Words after which a secret follows. Read once: every call of a server is recorded.
static SECRET_WORDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    include_str!("secret_words.txt").lines().filter(|line| !line.starts_with('#')).collect()
});

/// The text with secrets masked. Everything else, spaces included, stays as it is.
pub(super) fn redact(text: &str) -> String {
    let mut output = String::with_capacity(text.len());
    let mut expect_secret = false;
    let mut rest = text;
    while !rest.is_empty() {
        let word_end = rest.find(is_separator).unwrap_or(rest.len());
        let (word, tail) = rest.split_at(word_end);
        let gap_end = tail.find(|c| !is_separator(c)).unwrap_or(tail.len());
        let (gap, next) = tail.split_at(gap_end);
        if !word.is_empty() {
            let announces = announces_secret(word);
            if (expect_secret && !announces && is_value(word)) || is_key(word) {
                output.push_str(MASK);
            } else {
                output.push_str(word);
            }
            // `password: x`, `token=x`, `Authorization: Bearer x`; a new line or a full stop ends it.
            expect_secret = announces && !gap.contains(['\n', '。', '；', ';', '，', ',']);
        }
        output.push_str(gap);
        rest = next;
    }
    output
}

fn is_separator(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '=' | ':'
                | '：'
                | '"'
                | '\''
                | '`'
                | ','
                | '，'
                | ';'
                | '；'
                | '。'
                | '('
                | ')'
                | '（'
                | '）'
                | '['
                | ']'
                | '{'
                | '}'
                | '<'
                | '>'
                | '|'
                | '&'
                | '?'
        )
}

fn announces_secret(word: &str) -> bool {
    let word = word.as_bytes();
    let ends_with = |secret: &&str| {
        let start = word.len().checked_sub(secret.len());
        start
            .and_then(|start| word.get(start..))
            .is_some_and(|end| end.eq_ignore_ascii_case(secret.as_bytes()))
    };
    SECRET_WORDS.iter().any(ends_with)
}

/// What could be a password: no Chinese in it, so that "密码 管理规定" stays a question.
fn is_value(word: &str) -> bool {
    word.len() >= 4 && word.is_ascii()
}

fn is_key(word: &str) -> bool {
    let marked = word.len() >= 16 && KEY_PREFIXES.iter().any(|prefix| word.starts_with(prefix));
    marked || is_random(word)
}

/// A long run of letters and digits mixed, as keys and hashes are. Names of regulations and files have separators or
/// few digits.
fn is_random(word: &str) -> bool {
    let longest = word.split(|c: char| !c.is_ascii_alphanumeric()).max_by_key(|run| run.len()).unwrap_or("");
    let digits = longest.bytes().filter(u8::is_ascii_digit).count();
    longest.len() >= 32 && digits >= 4 && longest.len() - digits >= 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_masked() {
        for (text, secret) in [
            ("curl -H 'Authorization: Bearer abc.def-123' 查询", "abc.def-123"),
            ("api_key=hunter2hunter2 母线失压", "hunter2hunter2"),
            ("密码：Abc12345，怎么投退压板", "Abc12345"),
            ("REGREADER_LLM_API_KEY=\"zzzz-9999\"", "zzzz-9999"),
            ("看看 sk-ant-api03-AAAAAAAAAAAA 能用吗", "sk-ant-api03"),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", "eyJhbGci"),
            ("0123456789abcdef0123456789abcdef", "abcdef"),
        ] {
            let masked = redact(text);
            assert!(!masked.contains(secret) && masked.contains(MASK), "{text} -> {masked}");
        }
    }

    #[test]
    fn questions_stay_as_they_are() {
        for text in [
            "母线失压如何处置？见表6-2，2.1.4 条",
            "天中直流的稳定限额和安控措施",
            "密码 管理规定在哪一章",
            "《2024年国调直调安全自动装置调度运行管理规定（第二版）》第十三条",
            "a\n\n  b\t c",
            "",
        ] {
            assert_eq!(redact(text), text);
        }
    }
}
