//! What search sees of a text, and of a question.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

use regreader_text::{Token, TokenKind, Tokenizer, TokenizerOptions};

fn texts(text: &str) -> Vec<String> {
    Tokenizer::new().index_tokens(text).into_iter().map(|token| token.text).collect()
}

fn of_kind(text: &str, kind: TokenKind) -> Vec<String> {
    Tokenizer::new().index_tokens(text).into_iter().filter(|t| t.kind == kind).map(|t| t.text).collect()
}

#[test]
fn a_word_inside_a_term_is_still_found() {
    let tokens = texts("500千伏母线失压");
    for wanted in ["500kv", "500", "母线", "失压", "母线失压"] {
        assert!(tokens.iter().any(|t| t == wanted), "{wanted} in {tokens:?}");
    }
}

#[test]
fn one_line_has_one_name_however_it_is_written() {
    for text in ["长治站长南Ⅰ线停运", "长南I线", "长南1线", "长南１线", "长南 Ⅰ 线", "长南一线"]
    {
        assert_eq!(of_kind(text, TokenKind::Device), ["长南1线"], "{text}");
    }
    assert_eq!(of_kind("500kVⅠ母停运", TokenKind::Device), ["1母"]);
    assert_eq!(of_kind("500kVI母停运", TokenKind::Device), ["1母"]);
    for text in ["1号主变", "#1主变", "1#主变", "一号主变"] {
        assert_eq!(of_kind(text, TokenKind::Device), ["1号主变"], "{text}");
    }
    // An ordinary 一线 in a name of several characters is no reason to lose its bigrams.
    assert!(texts("统一线路名称").contains(&"统一".to_owned()));
}

#[test]
fn numbers_units_sections_and_labels_are_tokens_of_their_own() {
    assert_eq!(of_kind("风电 200 万千瓦", TokenKind::Quantity), ["2000mw"]);
    assert_eq!(of_kind("风电 2000MW", TokenKind::Quantity), ["2000mw"]);
    assert_eq!(of_kind("１１０ｋＶ 与 110 千伏", TokenKind::Quantity), ["110kv", "110kv"]);
    assert_eq!(of_kind("见 2.1.4 条", TokenKind::Section), ["2.1.4"]);
    assert_eq!(of_kind("２．１．４", TokenKind::Section), ["2.1.4"]);
    assert_eq!(of_kind("见表 6－2 中注①", TokenKind::Label), ["表6-2", "注1"]);
    assert_eq!(of_kind("第十三条", TokenKind::Label), ["第13条"]);
    assert_eq!(of_kind("附录 A 和方案甲", TokenKind::Label), ["附录a", "方案a"]);
    assert_eq!(of_kind("方案A", TokenKind::Label), ["方案a"]);
    assert_eq!(of_kind("线路N-1方式", TokenKind::Compound), ["n-1"]);
    assert_eq!(of_kind("CIP-006-6", TokenKind::Compound), ["cip-006-6"]);
    assert_eq!(of_kind("$1,577.3 million", TokenKind::Number), ["1577.3"]);
    assert_eq!(texts("GB38755"), ["gb38755", "gb", "38755"]);
    assert_eq!(texts("500千伏安控装置").first().map(String::as_str), Some("500kv"));
}

#[test]
fn english_words_lose_case_inflection_and_genitive() {
    assert_eq!(texts("Entity's Policies, Boxes and losses"), ["entit", "polic", "box", "and", "loss"]);
    let plain = Tokenizer::new().options(TokenizerOptions { stem: false, words: false });
    assert_eq!(plain.index_tokens("Policies")[0].text, "policies");
    for word in ["gas", "bus", "status", "loss", "analysis"] {
        assert_eq!(texts(word), [word]);
    }
}

#[test]
fn places_let_a_phrase_be_found() {
    let tokens = Tokenizer::new().index_tokens("110kV母线失压，立即汇报国调");
    let place = |text: &str| tokens.iter().find(|t| t.text == text).map(|t| t.position).unwrap();
    assert_eq!(place("母线") + 1, place("线失"));
    assert_eq!(place("线失") + 1, place("失压"));
    assert_eq!(place("110kv") + 1, place("母线"));
    assert_eq!(place("失压") + 1, place("立即"));
    assert!(tokens.windows(2).all(|pair| pair[0].position <= pair[1].position), "{tokens:?}");
}

#[test]
fn a_token_knows_where_it_stands_in_the_original() {
    let text = "见 长南 Ⅰ 线（５００ｋＶ）";
    for token in Tokenizer::new().index_tokens(text) {
        let printed = &text[token.start..token.end];
        match token.text.as_str() {
            "长南1线" => assert_eq!(printed, "长南 Ⅰ 线"),
            "500kv" => assert_eq!(printed, "５００ｋＶ"),
            "见长" => assert_eq!(printed, "见 长"),
            _ => {}
        }
    }
}

#[test]
fn a_users_terms_come_beside_the_bigrams() {
    let tokenizer = Tokenizer::with_terms(["# 本地名称", "祁韶直流 # 特高压", "AVC系统", ""]);
    let tokens: Vec<Token> = tokenizer.index_tokens("祁韶直流与ＡＶＣ系统");
    let terms: Vec<&str> =
        tokens.iter().filter(|t| t.kind == TokenKind::Term).map(|t| t.text.as_str()).collect();
    assert_eq!(terms, ["祁韶直流", "avc系统"]);
    assert!(tokens.iter().any(|t| t.text == "祁韶"));
}

#[test]
fn a_question_is_read_for_what_it_asks_about() {
    let query = Tokenizer::new().query_tokens("长南Ⅰ线北送限额是多少？");
    let texts: Vec<&str> = query.tokens.iter().map(|t| t.text.as_str()).collect();
    assert!(texts.contains(&"长南1线") && texts.contains(&"限额"));
    assert!(!texts.contains(&"多少") && !texts.contains(&"额是"), "{texts:?}");
    let query = Tokenizer::new().query_tokens("母线失压怎么处理");
    assert_eq!(query.phrases, [["母线", "线失", "失压"].map(str::to_owned).to_vec()]);
    assert!(query.extra().all(|t| t.kind == TokenKind::Term));
    let query = Tokenizer::new().query_tokens("What is the revenue of Activision?");
    let texts: Vec<&str> = query.tokens.iter().map(|t| t.text.as_str()).collect();
    assert_eq!(texts, ["revenu", "activision"]);
    // Nothing but asking: then that is the query.
    assert!(!Tokenizer::new().query_tokens("什么").is_empty());
    assert!(!Tokenizer::new().query_tokens("what is it").is_empty());
    assert!(Tokenizer::new().query_tokens("？！ ").is_empty());
    assert!(Tokenizer::new().query_tokens("").is_empty());
}

#[test]
fn jieba_adds_words_and_takes_none_away() {
    let plain = Tokenizer::new();
    let with_words =
        Tokenizer::new().options(TokenizerOptions { words: true, ..TokenizerOptions::default() });
    let text = "中华人民共和国电力法规定，母线失压时立即汇报";
    let more = with_words.index_tokens(text);
    for token in plain.index_tokens(text) {
        assert!(more.contains(&token), "{token:?}");
    }
    assert!(more.iter().any(|t| t.kind == TokenKind::Word && t.text == "共和国"));
    let words = plain.words(text);
    assert!(words.contains(&"母线失压".to_owned()) && words.contains(&"失压".to_owned()), "{words:?}");
    assert!(!words.iter().any(|w| w == "，"));
}
