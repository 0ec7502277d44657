//! What holds for every text.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

use proptest::prelude::*;
use regreader_text::number::{format_cjk, parse_cjk};
use regreader_text::{
    EnglishWord, Numbering, Tokenizer, TokenizerOptions, canonical_label, canonical_table_number,
    find_quantities, find_references, fold, fold_with_map, nfkc, parse_caption, parse_definition, parse_line,
    parse_reference, repair_gbk_latin,
};

/// Texts of the characters the rules look at, closer together than any document has them.
fn tricky() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "第", "十", "一", "二", "百", "零", "章", "节", "条", "款", "项", "（", "）", "(", ")", "1", "2",
        "0", "１", "９", ".", "．", "-", "—", "－", "~", "～", "、", "，", "。", " ", "\u{3000}", "\n", "Ⅰ",
        "ⅱ", "I", "i", "V", "v", "x", "X", "k", "K", "①", "⑳", "²", "线", "母", "号", "千", "伏", "安", "控",
        "瓦", "万", "兆", "赫", "兹", "kV", "MW", "%", "°", "℃", "㎸", "m", "h", "注", "见", "表", "图",
        "续", "附", "录", "件", "方", "案", "甲", "A", "B", "R", "M", "a", "《", "》", "规", "程", "法",
        "本", "Section", "Table", "Part", "and", "to", "see", "Note", "GB", "/", "T", "2019", "CIP", "006",
        "\u{301}", "e", "\u{200b}", "か", "\u{3099}", "゛", "ｶ", "ﾞ", "¨", "ﬁ", "İ", "ß", "Ǆ", "⼀", "犌",
        "狀", "\u{e011}", "'", "s", ",", ":", "：", "/", "#", "_", "$", "台", "秒", "年", "次", "同", "取",
        "怎么", "多少",
    ]);
    prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat())
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![tricky(), any::<String>(), "\\PC{0,40}"]
}

fn numbering() -> impl Strategy<Value = Numbering> {
    let n = 1_u32..400;
    let parts = || prop::collection::vec(1_u32..400, 1..6);
    let word = prop::sample::select(EnglishWord::ALL.to_vec());
    prop_oneof![
        n.clone().prop_map(Numbering::Part),
        n.clone().prop_map(Numbering::Chapter),
        n.clone().prop_map(Numbering::Section),
        any::<u32>().prop_map(Numbering::Article),
        (n.clone(), n.clone()).prop_map(|(a, b)| Numbering::ArticleInserted(a, b)),
        parts().prop_map(Numbering::Decimal),
        any::<u32>().prop_map(Numbering::Enumerated),
        n.clone().prop_map(Numbering::Paren),
        n.clone().prop_map(Numbering::ParenDigit),
        n.clone().prop_map(Numbering::Circled),
        prop::char::range('a', 'z').prop_map(Numbering::Item),
        n.clone().prop_map(Numbering::ParenRoman),
        prop::char::range('A', 'Z').prop_map(Numbering::Appendix),
        n.clone().prop_map(Numbering::AppendixNumbered),
        n.clone().prop_map(Numbering::Attachment),
        (prop::char::range('A', 'Z'), parts()).prop_map(|(c, parts)| Numbering::AppendixDecimal(c, parts)),
        n.clone().prop_map(Numbering::Requirement),
        (n.clone(), parts()).prop_map(|(n, parts)| Numbering::RequirementPart(n, parts)),
        n.clone().prop_map(Numbering::Measure),
        (word, parts(), prop::option::of(prop::char::range('A', 'Z')))
            .prop_map(|(word, number, letter)| Numbering::English { word, number, letter }),
        n.prop_map(Numbering::Roman),
        prop::char::range('A', 'Z').prop_map(Numbering::Letter),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn folding_twice_is_folding_once(text in any_text()) {
        let once = fold(&text);
        prop_assert_eq!(fold(&once), once);
    }

    #[test]
    fn the_map_leads_back_into_the_text(text in any_text()) {
        let (folded, map) = fold_with_map(&text);
        prop_assert_eq!(&folded, &fold(&text));
        prop_assert_eq!(map.len(), folded.len() + 1);
        prop_assert!(map.windows(2).all(|pair| pair[0] <= pair[1]));
        prop_assert!(map.iter().all(|at| text.is_char_boundary(*at)));
    }

    #[test]
    fn a_canonical_number_reads_back_as_itself(numbering in numbering()) {
        prop_assert_eq!(Numbering::parse_canonical(&numbering.to_string()), Some(numbering));
    }

    #[test]
    fn what_is_read_back_is_written_the_same(text in any_text()) {
        if let Some(numbering) = Numbering::parse_canonical(&text) {
            prop_assert_eq!(numbering.to_string(), text);
        }
    }

    #[test]
    fn every_successor_is_one(numbering in numbering()) {
        for next in numbering.successors() {
            prop_assert!(next.is_successor(&numbering));
            prop_assert!(!numbering.is_successor(&next) || numbering.depth() < next.depth());
        }
    }

    #[test]
    fn numbers_read_back_from_chinese(n in any::<u32>()) {
        prop_assert_eq!(parse_cjk(&format_cjk(n)), Some(n));
    }

    #[test]
    fn a_printed_heading_gives_its_number(parts in prop::collection::vec(1_u32..100, 1..7), title in "[结构母线稳定]{2,6}") {
        let number = Numbering::Decimal(parts);
        for line in [format!("{number} {title}"), format!("{number}.{title}"), format!("{number}. {title}"), format!("{number}{title}")] {
            let found = parse_line(&line).unwrap();
            prop_assert_eq!(&found.numbering, &number, "{}", line);
            prop_assert_eq!(found.rest, title.as_str());
        }
    }

    #[test]
    fn no_text_makes_the_grammar_fail(text in any_text()) {
        if let Some(line) = parse_line(&text) {
            prop_assert!(text.contains(line.printed) && text.contains(line.rest));
            let canonical = line.numbering.to_string();
            prop_assert_eq!(Numbering::parse_canonical(&canonical), Some(line.numbering));
        }
        if let Some(label) = parse_definition(&text) {
            prop_assert!(text.contains(label.printed) && text.contains(label.rest));
            prop_assert_eq!(canonical_label(&label.canonical), Some(label.canonical));
        }
        if let Some(caption) = parse_caption(&text)
            && !caption.number.is_empty()
            && caption.kind == regreader_text::CaptionKind::Table
        {
            prop_assert_eq!(canonical_table_number(&format!("表{}", caption.number.trim_start_matches('附'))).is_some(), true);
        }
        for mention in find_references(&text) {
            prop_assert!(mention.range.start < mention.range.end);
            prop_assert!(text.get(mention.range.clone()).is_some(), "{:?}", mention);
        }
        for (range, quantity) in find_quantities(&text) {
            prop_assert!(text.get(range).is_some());
            let _ = quantity.normalised();
        }
        let _ = (canonical_label(&text), canonical_table_number(&text), parse_reference(&text), repair_gbk_latin(&text), nfkc(&text));
    }

    #[test]
    fn tokens_lie_in_the_text_in_order(text in any_text()) {
        let tokenizer = Tokenizer::new();
        let tokens = tokenizer.index_tokens(&text);
        prop_assert!(tokens.windows(2).all(|pair| pair[0].position <= pair[1].position));
        for token in &tokens {
            prop_assert!(!token.text.is_empty());
            prop_assert!(text.get(token.start..token.end).is_some(), "{:?}", token);
        }
        // The same tokens whether the text was folded before or not.
        let folded: Vec<String> = tokenizer.index_tokens(&fold(&text)).into_iter().map(|token| token.text).collect();
        prop_assert_eq!(tokens.into_iter().map(|token| token.text).collect::<Vec<_>>(), folded);
        let query = tokenizer.query_tokens(&text);
        prop_assert!(query.phrases.iter().all(|phrase| phrase.len() > 1));
    }
}

#[test]
fn hostile_lengths_end_soon() {
    let n = 100_000;
    let tokenizer = Tokenizer::new().options(TokenizerOptions::default());
    for unit in [
        "1kv",
        "《",
        "第",
        "第1、",
        "注",
        "注1、",
        "表1、",
        "1.",
        "a-",
        "一",
        "(",
        "\u{301}",
        "ﾞ",
        "I",
        "Section 1, ",
        "见",
        "法第1条",
        " ",
    ] {
        let text = unit.repeat(n);
        let folded = fold(&text);
        assert_eq!(fold(&folded), folded, "{unit}");
        tokenizer.visit(&text, |_| {});
        let _ = tokenizer.query_tokens(&text);
        let _ = find_references(&text);
        let _ = find_quantities(&text);
        let _ = (
            parse_line(&text),
            parse_definition(&text),
            parse_caption(&text),
            parse_reference(&text),
            nfkc(&text),
        );
    }
}
