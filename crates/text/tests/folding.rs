//! Folding: forms a reader takes for the same become the same, and others stay apart.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

use regreader_text::{find_quantities, fold, fold_with_map, nfkc, repair_gbk_latin};

#[test]
fn forms_that_mean_the_same_fold_together() {
    let mut wrong = Vec::new();
    for forms in [
        &["长南Ⅰ线", "长南I线", "长南1线", "长南１线", "长南 Ⅰ 线"][..],
        &["Ⅱ母", "II母", "2母"],
        &["500kVⅠ母", "500kVI母", "500千伏1母"],
        &["Ⅰ、Ⅱ线", "I、II线", "1、2线"],
        &["１１０ｋＶ", "110kV", "110 kV", "110千伏", "110 千伏", "110㎸"],
        &["300 兆瓦", "300MW", "300 MW"],
        &["第十三条", "第13条", "第 十三 条", "第１３条"],
        &["注①", "注1", "注一", "注 1"],
        &["见注十一", "见注11", "见注⑪"],
        &["附录一", "附录1"],
        &["一号机组", "1号机组"],
        &["2019—12—31", "2019-12-31", "２０１９－１２－３１", "2019–12–31"],
        &["“投入”", "\"投入\"", "「投入」"],
        &["母线（全压）", "母线(全压)", "母线 （ 全压 ）"],
        &["3～5", "3~5", "3〜5"],
        &["ＧＢ／Ｔ　１．１", "GB/T 1.1"],
        &["⾼压", "高压"],
        &["café", "cafe\u{301}", "CAFÉ"],
        &["母\u{200b}线", "母线", "母\u{ad}线"],
    ] {
        let folded: Vec<String> = forms.iter().map(|form| fold(form)).collect();
        if folded.windows(2).any(|pair| pair[0] != pair[1]) {
            wrong.push(format!("{forms:?} -> {folded:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn forms_that_differ_stay_apart() {
    for (text, folded) in [
        ("200万千瓦", "200万千瓦"),
        ("500千伏安控装置", "500kv安控装置"),
        ("500千伏安", "500kva"),
        ("限额 200①", "限额200 1"),
        ("①2 台", "1 2台"),
        ("10⁶", "10 6"),
        ("XX系统", "xx系统"),
        ("V类", "v类"),
        ("关注一下", "关注一下"),
        ("统一号码", "统一号码"),
        ("附件一并报送", "附件一并报送"),
        ("I think", "i think"),
        ("三取二", "三取二"),
        ("千伏级", "千伏级"),
        ("N-1", "n-1"),
        ("a  b\n c", "a b c"),
        ("——", "-"),
        ("", ""),
        ("  ", ""),
    ] {
        assert_eq!(fold(text), folded, "{text}");
    }
}

#[test]
fn a_match_in_folded_text_can_be_marked_in_the_original() {
    let text = "调度 长南 Ⅰ 线，５００ 千伏。";
    let (folded, map) = fold_with_map(text);
    assert_eq!(map.len(), folded.len() + 1);
    let at = folded.find("500kv").unwrap();
    assert_eq!(&text[map[at]..map[at + "500kv".len()]], "５００ 千伏");
    assert_eq!(*map.last().unwrap(), text.len());
}

#[test]
fn what_is_shown_keeps_what_a_reader_would_miss() {
    assert_eq!(nfkc("３．２．３　５００ｋＶ（Ⅰ母），①～③。"), "3.2.3 500kV（Ⅰ母），①～③。");
    assert_eq!(nfkc("m² 10⁶ … ½"), "m² 10⁶ … ½");
    assert_eq!(nfkc("㎸ ﬁ ⼀"), "kV fi 一");
}

#[test]
fn latin_in_rare_hanzi_is_put_back() {
    assert_eq!(repair_gbk_latin("犆狅犱犲 狅狀 狊犲犮狌狉犻狋狔").as_deref(), Some("Code on security"));
    assert_eq!(repair_gbk_latin("２０１９\u{e011}１２\u{e011}３１").as_deref(), Some("２０１９—１２—３１"));
    assert_eq!(repair_gbk_latin("現狀與措施"), None);
    assert_eq!(repair_gbk_latin(""), None);
}

#[test]
fn amounts_are_compared_over_units() {
    let amount = |text: &str| {
        find_quantities(text).into_iter().map(|(_, q)| q).next().unwrap_or_else(|| panic!("{text}"))
    };
    for (a, b) in [
        ("200万千瓦", "2000 MW"),
        ("0.1 万千瓦", "1MW"),
        ("500千伏", "500kV"),
        ("500 kV", "500000 V"),
        ("2小时", "120 分钟"),
        ("50赫兹", "50Hz"),
        ("1.5 kA", "1500 A"),
        ("30兆乏", "30 Mvar"),
        ("１１０ｋＶ", "110千伏"),
        ("1,200 MW", "120万千瓦"),
        ("1亿千瓦时", "100000 MWh"),
    ] {
        assert!(amount(a).same_amount(&amount(b)), "{a} = {b}: {:?} {:?}", amount(a), amount(b));
    }
    assert!(!amount("200万千瓦").same_amount(&amount("200 MW")));
    assert!(!amount("5 MW").same_amount(&amount("5 kV")));
    let found: Vec<String> = find_quantities("开机 3～5 台，风电 200 万千瓦，-5 ℃，2.1.4 条，N-1")
        .iter()
        .map(|(_, q)| q.to_string())
        .collect();
    assert_eq!(found, ["3台", "5台", "200万千瓦", "-5℃"]);
    let text = "限额 1,200 万千瓦以下";
    let (range, quantity) = &find_quantities(text)[0];
    assert_eq!(
        (&text[range.clone()], quantity.normalised().unwrap().to_string().as_str()),
        ("1,200 万千瓦", "12000MW")
    );
    assert_eq!(amount("500千伏安控装置").to_string(), "500kV");
    for text in ["2000安全", "3 Module", "5 m2", "次同步", "2.1.4", "GB 38755"] {
        assert!(find_quantities(text).is_empty(), "{text}");
    }
}
