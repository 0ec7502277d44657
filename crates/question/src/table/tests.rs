//! Tables and questions written for it: which labels and heads a question says.

use super::*;

fn read(question: &str, headers: &[&str], rows: &[&[&str]]) -> TableReading {
    let lexicon = Lexicon::built_in();
    let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.to_vec()).collect();
    TableReading::of(&Question::read(question, lexicon), lexicon, headers, &rows)
}

fn said(reading: &TableReading) -> (Vec<&str>, &[usize]) {
    (reading.labels.iter().map(|one| one.label.as_str()).collect(), &reading.columns)
}

const EXPORT: [&str; 4] =
    ["Lines in service", "Units in operation", "Summer, Automatic Mode", "Winter, Manual Mode"];
const EXPORT_ROWS: [&[&str]; 5] = [
    &["501 and 502", "4", "1320", "1260"],
    &["501 and 502", "3", "1020", "1000"],
    &["501 only", "4", "820", "(1)"],
    &["501 only", "3", "800", "650"],
    &["502 only", "3", "760", "620"],
];

#[test]
fn labels_are_what_tells_the_rows_apart() {
    let rows: Vec<Vec<&str>> = EXPORT_ROWS.iter().map(|row| row.to_vec()).collect();
    assert_eq!(Shape::of(&EXPORT, &rows), Shape { labels: vec![0, 1], values: vec![2, 3] });
    let of = |headers: &[&str], rows: &[&[&str]]| {
        Shape::of(headers, &rows.iter().map(|row| row.to_vec()).collect::<Vec<_>>())
    };
    assert_eq!(
        of(&["序号", "线路", "电流"], &[&["1", "甲线", "800"], &["2", "乙线", "700"]]),
        Shape { labels: vec![1], values: vec![2] }
    );
    assert_eq!(
        of(
            &["运行方式", "全压", "降压", "最小功率"],
            &[&["双极", "3000", "2400", "300"], &["单极", "1500", "1200", "150"]]
        ),
        Shape { labels: vec![0], values: vec![1, 2, 3] }
    );
    assert_eq!(of(&[], &[]), Shape::default());
}

#[test]
fn labels_of_rows_and_heads_of_columns_are_heard() {
    let read = |question: &str| read(question, &EXPORT, &EXPORT_ROWS);
    let full = read("501 and 502 in, 3 units, summer auto, what is the limit?");
    assert_eq!(said(&full), (vec!["501 and 502", "3"], &[2][..]));
    assert_eq!(full.value_column(), Some(2));
    assert!(full.decides);
    assert_eq!(said(&read("only 501 in, 3 machines, manual")), (vec!["501 only", "3"], &[3][..]));
    assert_eq!(
        said(&read("only 501 in, three units in operation, manual")),
        (vec!["501 only", "3"], &[3][..])
    );
    assert_eq!(said(&read("only 501 in, three sets running, manual")).0, ["501 only", "3"]);
    assert_eq!(said(&read("only 501 in, we lost two sets, manual")).0, ["501 only"]);
    let out = read("what is the limit with 501 out and 3 units");
    assert_eq!(said(&out), (vec!["3"], &[][..]), "501 stands in two labels and decides for none");
    assert!(out.value_column().is_none() && !out.decides);
}

#[test]
fn a_table_of_another_kind_of_value_is_not_meant() {
    let headers = ["Vn [kV]", "Vm [kV]", "Clearance [ms]"];
    let rows: [&[&str]; 2] = [&["66", "72.5", "120"], &["132", "145", "100"]];
    let of = |question: &str| read(question, &headers, &rows);
    assert!(of("What is the clearance time in ms at 66 kV?").decides);
    assert!(!of("How many ms does a relay need at 66 kV, Vm?").decides);
    let headers = ["Vn [kV]", "Vm (KV)", "(Vm - Vn)/Vn %"];
    let rows: [&[&str]; 2] = [&["66", "72.5", "5.00"], &["132", "145", "6.00"]];
    assert_eq!(said(&read("What is Vm where Vn is 66 kV?", &headers, &rows)), (vec!["66"], &[][..]));
    let headers = ["Vn [kV]", "Vm [kV]"];
    let rows: [&[&str]; 2] = [&["66", "72.5"], &["132", "145"]];
    assert!(!read("How fast must we clear at 66 kV?", &headers, &rows).decides);
}

#[test]
fn a_number_of_a_name_stands_beside_its_name() {
    let headers = ["Circuit", "Summer", "Winter"];
    let rows: [&[&str]; 3] =
        [&["Harrow–Stonely 1", "1300", "1400"], &["Harrow–Stonely 2", "1200", "1350"], &["Lorne", "1", "2"]];
    let of = |question: &str| read(question, &headers, &rows);
    let named = of("Harrow Stonely one, in winter");
    assert_eq!(said(&named), (vec!["Harrow–Stonely 1"], &[2][..]));
    assert!(named.decides);
    assert_eq!(
        said(&of("Harrow Stonely, in winter, 1 set running")).0,
        [""; 0],
        "which of the two is not said"
    );
    let headers = ["主变", "1.3倍", "1.4倍"];
    let rows: [&[&str]; 2] = [&["石塘变1号、2号", "40", "20"], &["松垭变1号", "20", "10"]];
    assert_eq!(said(&read("2号变顶1.3倍能顶几分钟", &headers, &rows)).0, [""; 0]);
}

#[test]
fn numbers_are_those_of_their_column() {
    let headers = ["Stage", "Frequency (Hz)", "Delay (s)"];
    let rows: [&[&str]; 2] = [&["1", "49.0", "0.2"], &["2", "48.8", "0.3"]];
    assert_eq!(said(&read("at what frequency does stage 2 trip", &headers, &rows)), (vec!["2"], &[1][..]));
    assert_eq!(said(&read("2 relays are out", &headers, &rows)), (vec![], &[][..]));
    let headers = ["直流功率（MW）", "A型", "合计"];
    let rows: [&[&str]; 3] = [&["750～1500", "1", "4"], &["1500～2250", "2", "6"], &["2250～3000", "3", "8"]];
    assert_eq!(said(&read("直流2000兆瓦合计投几组", &headers, &rows)), (vec!["1500～2250"], &[2][..]));
    let headers = ["铁杉开机台数", "青坻调相机台数", "双极全压", "双极降压"];
    let rows: [&[&str]; 4] = [
        &["4台", "2台", "8000", "6000"],
        &["4台", "1台", "7000", "5400"],
        &["3台", "2台", "4200", "4000"],
        &["1台及以下", "1台或2台", "0", "0"],
    ];
    let of = |question: &str| read(question, &headers, &rows);
    assert_eq!(
        said(&of("铁杉四台、调相机两台都在，直流双极全压多少")),
        (vec!["4台", "2台、1台或2台"], &[2][..])
    );
    assert_eq!(said(&of("青坻的调相机两台都掉了，铁杉三台在")).0, ["3台"], "what is lost does not run");
    let headers = ["卧牛坪发电台数", "双极全压", "双极降压"];
    let rows: [&[&str]; 2] = [&["1~2台", "2300", "2000"], &["3~4台", "3200", "2600"]];
    let of = |question: &str| read(question, &headers, &rows);
    assert_eq!(said(&of("铁杉三台机，双极全压多少")).0, [""; 0], "another plant's units");
    assert_eq!(said(&of("卧牛坪发着俩、抽着水，双极全压，三台")).0, ["3~4台"]);
    let headers = ["季节", "开机台数", "限额"];
    let rows: [&[&str]; 3] =
        [&["夏季", "3～4台", "300"], &["夏季", "5～6台", "400"], &["冬季", "5～6台", "500"]];
    assert_eq!(said(&read("冬季5台机限额", &headers, &rows)).0, ["冬季", "5～6台"]);
    assert_eq!(said(&read("夏天开5台能送多少", &headers, &rows)).0, ["夏季", "5～6台"]);
}

#[test]
fn a_said_number_lies_in_an_interval() {
    let headers = ["Ambient temperature, °C", "15 min", "30 min"];
    let rows: [&[&str]; 3] =
        [&["1 to 10", "145", "135"], &["11 to 20", "138", "128"], &["above 20", "1", "2"]];
    let of = |question: &str| read(question, &headers, &rows);
    assert_eq!(said(&of("it's fifteen degrees, half an hour")).0, ["11 to 20"]);
    assert_eq!(said(&of("at twenty-five degrees")).0, ["above 20"]);
}

#[test]
fn a_scale_in_the_header_is_read_by_its_number() {
    let headers = ["投入组数", "5", "4", "3"];
    let rows: [&[&str]; 1] = [&["允许负载率", "1.0", "0.95", "0.80"]];
    let of = |question: &str| read(question, &headers, &rows);
    assert!(of("1号变冷却器就剩3组了，能带几成负荷").decides);
    assert_eq!(of("1号变冷却器就剩3组了，能带几成负荷").columns, [3]);
    assert_eq!(of("就剩两组了，能带几成负荷").columns, [] as [usize; 0], "no column has two");
    assert_eq!(of("就剩四组了，能带几成负荷").columns, [2]);
    assert!(!of("1号变掉了4组冷却器，能带几成").decides, "how many are left is not said");
    assert!(!of("1号变能带几成负荷").decides);
    let headers = ["接线方式", "开机台数 / 5", "开机台数 / 6"];
    let rows: [&[&str]; 2] = [&["全接线", "1480", "1720"], &["一回线检修", "1220", "1350"]];
    let full = read("全接线开6台能送多少", &headers, &rows);
    assert_eq!(said(&full), (vec!["全接线"], &[2][..]));
    assert_eq!(read("现在能送多少", &headers, &rows).missing(&headers), ["接线方式", "开机台数"]);
    assert!(full.decides);
}

#[test]
fn what_is_in_service_is_that_of_the_thing() {
    let headers = ["检修方式", "安控投入", "安控退出"];
    let rows: [&[&str]; 2] = [&["青岚甲线检修", "1650", "1200"], &["青岚乙线检修", "1620", "1180"]];
    let of = |question: &str| read(question, &headers, &rows);
    assert_eq!(said(&of("青岚甲线检修，串补装置退出，安控投入限额")), (vec!["青岚甲线检修"], &[1][..]));
    assert_eq!(of("青岚乙线检修安控没投").value_column(), Some(2));
    assert_eq!(of("青岚乙线检修安控投入").value_column(), Some(1));
    assert_eq!(of("青岚乙线检修串补退出").value_column(), None, "nothing is said of 安控");
}

#[test]
fn what_the_row_says_chooses_no_column() {
    let headers = ["运行方式", "全压运行（±500kV）", "降压运行（80%）", "降压运行（70%）", "最小功率"];
    let rows: [&[&str]; 2] =
        [&["双极大地回线", "3000", "2400", "2100", "300"], &["一极全压一极降压", "—", "2700", "2550", "300"]];
    let of = |question: &str| read(question, &headers, &rows);
    assert_eq!(said(&of("双极大地回线全压运行能送多少")), (vec!["双极大地回线"], &[1][..]));
    assert_eq!(said(&of("一极全压一极降压80%限额")), (vec!["一极全压一极降压"], &[2][..]));
    assert_eq!(of("双极大地回线能送多少").value_column(), None);
}

#[test]
fn a_head_of_levels_is_said_level_by_level() {
    let headers = ["检修方式", "夏季·铁杉2台及以下", "夏季·铁杉3台", "冬季·铁杉2台及以下", "冬季·铁杉3台"];
    let rows: [&[&str]; 2] =
        [&["砚苇Ⅰ线检修", "1250", "1180", "1400", "1320"], &["砚苇Ⅱ线检修", "1250", "1170", "1400", "1310"]];
    let of = |question: &str| read(question, &headers, &rows);
    let both = of("砚苇一线停了，砚苇2线也检修，铁杉两台");
    assert_eq!(
        (&both.labels[..], both.rivals.len()),
        (&[][..], 0),
        "they differ by a number that may be of either"
    );
    let outages: [&[&str]; 3] = [
        &["乌赤Ⅱ线", "2050", "1950", "1", "2"],
        &["赤陉3号主变", "2700", "2600", "1", "2"],
        &["其他", "2700", "1", "2", "3"],
    ];
    let two = read("乌赤二线还没回来，赤陉三号变又要停", &headers, &outages);
    assert_eq!((two.labels, two.rivals), (vec![], vec!["乌赤Ⅱ线".to_owned(), "赤陉3号主变".to_owned()]));
    let full = of("夏天砚苇一线停了，铁杉两台，往南给多少");
    assert_eq!(said(&full), (vec!["砚苇Ⅰ线检修"], &[1][..]));
    assert!(full.decides);
    assert_eq!(of("冬天砚苇2线检修，铁杉1台").value_column(), Some(3));
    assert_eq!(of("冬天砚苇Ⅱ线检修").columns, [3, 4], "the number of units is not said");
    assert_eq!(of("铁杉5台，砚苇Ⅱ线检修").value_column(), None);
    let headers = ["Outage", "Winter, eastward", "Winter, westward", "Summer, eastward"];
    let rows: [&[&str]; 3] = [
        &["L201 out (Note 4)", "430", "400", "320"],
        &["L201 and AT3 out", "330", "—", "260"],
        &["L202 out (Note 4)", "440", "410", "345"],
    ];
    let one = read("how much eastward in winter with L201 out", &headers, &rows);
    assert_eq!(said(&one), (vec!["L201 out (Note 4)"], &[1][..]), "the note belongs to no label");
    assert_eq!(read("L202 out, winter, westward flow", &headers, &rows).value_column(), Some(2));
    let headers = ["Occupancy", "Maximum Floor Area, m²", "Maximum Distance, m"];
    let rows: [&[&str]; 2] = [&["Group D", "200", "25"], &["Group E", "150", "15"]];
    let with_units = read("maximum distance in a room of group D", &headers, &rows);
    assert_eq!(with_units.columns, [2], "a unit is no level");
}

#[test]
fn a_column_for_everything_in_service_is_not_meant_with_something_out() {
    let headers = ["Units in service", "All lines in service", "L205 out", "L207 out"];
    let rows: [&[&str]; 2] = [&["3", "500", "280", "400"], &["4", "640", "300", "420"]];
    let of = |question: &str| read(question, &headers, &rows);
    let lost = of("lost the Skarra line, four units in service");
    assert_eq!((lost.value_column(), &lost.columns[..], lost.decides), (None, &[2, 3][..], true));
    assert_eq!(of("four units in service, all lines in service").value_column(), Some(1));
    assert_eq!(of("four units in service with L205 out").value_column(), Some(2));
}

#[test]
fn a_plant_without_the_voltage_that_is_asked_for_has_no_row() {
    let headers = ["厂站", "母线", "上限", "下限"];
    let rows: [&[&str]; 3] = [
        &["青石变电站", "500千伏母线", "545", "505"],
        &["青石变电站", "220千伏母线", "240", "218"],
        &["枫林电厂", "220千伏母线", "242", "220"],
    ];
    let none = read("枫林电厂500千伏母线电压上限是多少", &headers, &rows);
    assert_eq!(none.excluding(), Some(vec!["枫林电厂", "500千伏母线"]));
    let one = read("枫林电厂220千伏母线电压上限是多少", &headers, &rows);
    assert_eq!(one.excluding(), None);
    assert!(one.means_row(2) && !one.means_row(1));
}
