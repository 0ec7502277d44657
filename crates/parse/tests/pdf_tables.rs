//! Tables on PDF pages: ruled, half ruled, held by white space; and what must not be taken for one.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot set itself up should fail")]

use crate::pdf_support::{PdfWriter, line, text};
use regreader_model::{RawElement, RawTable, TableKind};
use regreader_parse::{ParseOptions, pdf};

fn page_of(content: &str) -> (Vec<RawTable>, Vec<String>) {
    let mut file = PdfWriter::new();
    file.page(612, 792, content);
    let parsed = pdf::parse(&file.finish(), &ParseOptions::default()).unwrap();
    let mut tables = Vec::new();
    let mut lines = Vec::new();
    for element in &parsed.document.pages[0].elements {
        match element {
            RawElement::Table(table) => tables.push(table.clone()),
            RawElement::Text(text) => lines.push(text.text.clone()),
            RawElement::Picture(_) => {}
        }
    }
    (tables, lines)
}

/// Rows of a table as text, blank where nothing starts.
fn rows(table: &RawTable) -> Vec<Vec<String>> {
    let mut grid = vec![vec![String::new(); table.col_count as usize]; table.row_count as usize];
    for cell in &table.cells {
        grid[cell.row as usize][cell.col as usize].clone_from(&cell.content);
    }
    grid
}

fn words(rows: &[&[&str]], xs: &[f32], top: f32, pitch: f32) -> String {
    let mut content = String::new();
    for (index, row) in rows.iter().enumerate() {
        for (word, x) in row.iter().zip(xs) {
            if !word.is_empty() {
                content += &text("F1", 10.0, *x, top - pitch * index as f32, word);
            }
        }
    }
    content
}

#[test]
fn a_ruled_table_keeps_its_spans_and_its_text_stays_out_of_the_lines() {
    let mut content = text("F1", 12.0, 100.0, 740.0, "Above the table");
    // Three rows and three columns; the first row is one cell over two columns, the last column one cell over two rows.
    for (y, xa, xb) in
        [(700.0, 100.0, 400.0), (680.0, 100.0, 400.0), (660.0, 100.0, 300.0), (640.0, 100.0, 400.0)]
    {
        content += &line(xa, y, xb, y);
    }
    for (x, ya, yb) in
        [(100.0, 640.0, 700.0), (200.0, 640.0, 680.0), (300.0, 640.0, 700.0), (400.0, 640.0, 700.0)]
    {
        content += &line(x, ya, x, yb);
    }
    content += &text("F1", 10.0, 110.0, 686.0, "Head over two");
    content += &text("F1", 10.0, 310.0, 686.0, "Last");
    content += &words(&[&["a1", "b1", ""], &["a2", "b2", ""]], &[110.0, 210.0, 310.0], 666.0, 20.0);
    content += &text("F1", 10.0, 310.0, 656.0, "tall");
    content += &text("F1", 12.0, 100.0, 600.0, "Below the table");
    let (tables, lines) = page_of(&content);
    assert_eq!(lines, ["Above the table", "Below the table"]);
    let table = &tables[0];
    assert_eq!((table.kind, table.row_count, table.col_count), (TableKind::Ruled, 3, 3));
    let cells: Vec<_> = table
        .cells
        .iter()
        .map(|cell| (cell.row, cell.col, cell.row_span, cell.col_span, cell.content.as_str()))
        .collect();
    assert_eq!(
        cells,
        [
            (0, 0, 1, 2, "Head over two"),
            (0, 2, 1, 1, "Last"),
            (1, 0, 1, 1, "a1"),
            (1, 1, 1, 1, "b1"),
            (1, 2, 2, 1, "tall"),
            (2, 0, 1, 1, "a2"),
            (2, 1, 1, 1, "b2"),
        ]
    );
}

#[test]
fn rules_drawn_as_thin_boxes_and_open_sides_still_make_a_table() {
    let mut content = String::new();
    for y in [700.0, 680.0, 660.0, 640.0] {
        content += &format!("100 {y} 300 0.6 re f\n");
    }
    content += "200 640 0.6 60 re f\n";
    content += &words(&[&["Year", "Total"], &["2023", "15"], &["2024", "17"]], &[110.0, 210.0], 686.0, 20.0);
    let (tables, lines) = page_of(&content);
    assert!(lines.is_empty(), "{lines:?}");
    assert_eq!(rows(&tables[0]), [["Year", "Total"], ["2023", "15"], ["2024", "17"]]);
}

#[test]
fn a_cell_of_several_lines_is_one_cell_but_columns_of_numbers_are_rows() {
    let mut content = String::new();
    for y in [700.0, 680.0, 600.0] {
        content += &line(100.0, y, 400.0, y);
    }
    for x in [100.0, 250.0, 400.0] {
        content += &line(x, 600.0, x, 700.0);
    }
    let frame = content.clone();
    content += &words(
        &[&["State", "Limit"], &["Alpha", "120"], &["Bravo", "95"], &["Total", "215"]],
        &[110.0, 260.0],
        686.0,
        18.0,
    );
    let (tables, _) = page_of(&content);
    assert_eq!(rows(&tables[0]), [["State", "Limit"], ["Alpha", "120"], ["Bravo", "95"], ["Total", "215"]]);
    let prose = frame
        + &words(
            &[
                &["Field", "Meaning"],
                &["Command", "The first byte says"],
                &["word of", "what the rest of the"],
                &["the frame", "message will be"],
            ],
            &[110.0, 260.0],
            686.0,
            18.0,
        );
    let (tables, _) = page_of(&prose);
    let merged = ["Command word of the frame", "The first byte says what the rest of the message will be"];
    assert_eq!(rows(&tables[0]), [["Field", "Meaning"], merged]);
}

#[test]
fn numbers_in_columns_without_rules_are_a_table() {
    let body: &[&[&str]] = &[
        &["", "2022", "2023", "2024"],
        &["Net sales", "1,204", "1,310", "1,402"],
        &["Cost of sales", "(804)", "(830)", "(911)"],
        &["Gross profit", "400", "480", "491"],
        &["Operating costs", "120", "140", "150"],
    ];
    let content = text(
        "F1",
        10.0,
        72.0,
        720.0,
        "The following lines of prose stand above the figures and fill the whole width.",
    ) + &words(body, &[72.0, 300.0, 380.0, 460.0], 690.0, 14.0)
        + &text(
            "F1",
            10.0,
            72.0,
            600.0,
            "And prose goes on below them, again over the whole width of the page as usual.",
        );
    let (tables, lines) = page_of(&content);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_eq!(tables.len(), 1);
    assert_eq!(tables[0].kind, TableKind::Whitespace);
    assert_eq!(rows(&tables[0])[2], ["Cost of sales", "(804)", "(830)", "(911)"]);
    assert_eq!(tables[0].row_count, 5);
}

#[test]
fn heads_over_rules_span_what_the_rule_spans() {
    let mut content =
        line(72.0, 700.0, 500.0, 700.0) + &line(72.0, 660.0, 500.0, 660.0) + &line(72.0, 600.0, 500.0, 600.0);
    content += &line(200.0, 682.0, 340.0, 682.0);
    content += &text("F1", 10.0, 250.0, 686.0, "Actual");
    content += &words(
        &[
            &["State", "2022", "2023", "2024"],
            &["Alpha", "10", "11", "12"],
            &["Bravo", "20", "21", "22"],
            &["Charlie", "30", "31", "32"],
        ],
        &[72.0, 210.0, 300.0, 420.0],
        668.0,
        16.0,
    );
    let (tables, _) = page_of(&content);
    let table = &tables[0];
    let head = table.cells.iter().find(|cell| cell.content == "Actual").unwrap();
    assert_eq!((head.row, head.col, head.col_span), (0, 1, 2));
    let label = table.cells.iter().find(|cell| cell.content == "State").unwrap();
    assert_eq!((label.row, label.row_span), (0, 2), "a head with nothing over it stands beside both");
    assert_eq!(rows(table)[2], ["Alpha", "10", "11", "12"]);
}

#[test]
fn numbered_headings_lists_and_contents_are_not_tables() {
    let headings: &[&[&str]] = &[
        &["5.6", "Parameters of the protection"],
        &["5.6.1", "Reading them back"],
        &["5.6.2", "Writing them"],
        &["5.6.3", "Checking them"],
    ];
    let (tables, lines) = page_of(&words(headings, &[72.0, 120.0], 700.0, 16.0));
    assert!(tables.is_empty());
    assert_eq!(
        lines,
        [
            "5.6 Parameters of the protection",
            "5.6.1 Reading them back",
            "5.6.2 Writing them",
            "5.6.3 Checking them"
        ]
    );

    let contents: &[&[&str]] = &[
        &["1 Scope ..........................................", "1"],
        &["2 Terms ..........................................", "3"],
        &["3 Limits .........................................", "7"],
        &["4 Appendix .......................................", "12"],
    ];
    let (tables, lines) = page_of(&words(contents, &[72.0, 400.0], 700.0, 16.0));
    assert!(tables.is_empty(), "{tables:?}");
    assert!(lines[3].starts_with("4 Appendix") && lines[3].ends_with("12"), "{lines:?}");

    let definitions: &[&[&str]] = &[
        &["P", "- active power carried by the line, in megawatts"],
        &["Q", "- reactive power carried by the line, in megavars"],
        &["U", "- voltage at the terminals of the generator, in kilovolts"],
        &["I", "- current through the breaker while it is closed, in amperes"],
    ];
    let (tables, lines) = page_of(&words(definitions, &[72.0, 100.0], 700.0, 16.0));
    assert!(tables.is_empty(), "{tables:?}");
    assert_eq!(lines.len(), 4);
}

#[test]
fn titles_and_sources_inside_the_frame_are_lines_around_the_table() {
    let mut content = String::new();
    for y in [720.0, 700.0, 680.0, 660.0, 640.0] {
        content += &line(100.0, y, 400.0, y);
    }
    content += &(line(100.0, 640.0, 100.0, 720.0)
        + &line(400.0, 640.0, 400.0, 720.0)
        + &line(250.0, 660.0, 250.0, 700.0));
    content += &text("F1", 10.0, 110.0, 706.0, "Table 4 Limits of the corridor");
    content += &words(&[&["Path", "Limit"], &["North", "120"]], &[110.0, 260.0], 686.0, 20.0);
    content += &text("F1", 10.0, 110.0, 646.0, "Source: invented for this test");
    let (tables, lines) = page_of(&content);
    assert_eq!(lines, ["Table 4 Limits of the corridor", "Source: invented for this test"]);
    assert_eq!(rows(&tables[0]), [["Path", "Limit"], ["North", "120"]]);
}

#[test]
fn a_rule_over_a_sum_does_not_make_the_amounts_above_it_a_head() {
    let lines: [&[&str]; 6] = [
        &["Year ended June 30,", "2016", "2015"],
        &["Dividends and interest", "$ 903", "$ 766"],
        &["Interest expense", "(1,243)", "(781)"],
        &["Net gains", "668", "716"],
        &["Other", "(195)", "(267)"],
        &["Total", "$ 133", "$ 434"],
    ];
    let mut content = words(&lines, &[60.0, 360.0, 460.0], 700.0, 14.0);
    content += &line(60.0, 716.0, 500.0, 716.0);
    // Under the labels and the first amounts, and under the others.
    content += &line(60.0, 640.0, 420.0, 640.0);
    content += &line(440.0, 640.0, 500.0, 640.0);
    content += &line(60.0, 622.0, 500.0, 622.0);
    let (tables, _) = page_of(&content);
    let [table] = &tables[..] else { panic!("one table, got {}", tables.len()) };
    assert_eq!(rows(table), lines);
}

#[test]
fn heads_that_come_again_with_their_rule_begin_another_table() {
    let head: &[&str] = &["Three months ended", "2022", "2021"];
    let first: [&[&str]; 4] = [
        head,
        &["Casino revenue", "$ 554", "$ 541"],
        &["Slots handle", "6,668", "5,286"],
        &["Slots win", "625", "485"],
    ];
    let second: [&[&str]; 4] = [
        head,
        &["Rooms revenue", "$ 813", "$ 557"],
        &["Average rate", "260", "201"],
        &["Rooms sold", "238", "173"],
    ];
    let xs = [60.0, 360.0, 460.0];
    let mut content = words(&first, &xs, 700.0, 16.0) + &words(&second, &xs, 590.0, 16.0);
    content += &line(60.0, 697.0, 500.0, 697.0);
    content += &text(
        "F1",
        10.0,
        60.0,
        626.0,
        "The following table shows the statistics of the hotels of the group:",
    );
    content += &line(60.0, 587.0, 500.0, 587.0);
    let (tables, _) = page_of(&content);
    let found: Vec<Vec<Vec<String>>> = tables.iter().map(rows).collect();
    assert_eq!(found, [first.map(<[&str]>::to_vec).to_vec(), second.map(<[&str]>::to_vec).to_vec()]);
}

#[test]
fn shares_set_off_from_their_sign_are_numbers() {
    let lines: [&[&str]; 4] = [
        &["Revenues", "$ 36,397", "7 %", "$ 34,350", "6 %"],
        &["Cost of sales", "20,441", "6 %", "19,038", "7 %"],
        &["Gross profit", "15,956", "10 %", "15,312", "4 %"],
        &["Overhead", "7,934", "13 %", "7,222", "10 %"],
    ];
    // Level rules under every row, and a shaded column that has upright edges of its own.
    let mut content = words(&lines, &[60.0, 330.0, 400.0, 440.0, 520.0], 700.0, 16.0);
    for row in 0..5_u8 {
        let y = 712.0 - 16.0 * f32::from(row);
        content += &line(55.0, y, 560.0, y);
    }
    for x in [55.0, 310.0, 560.0] {
        content += &line(x, 648.0, x, 712.0);
    }
    let (tables, _) = page_of(&content);
    let [table] = &tables[..] else { panic!("one table, got {}", tables.len()) };
    assert_eq!(rows(table), lines);
}
