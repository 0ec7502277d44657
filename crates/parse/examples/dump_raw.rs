fn main() {
    let p = std::env::args().nth(1).unwrap();
    let b = std::fs::read(&p).unwrap();
    match regreader_parse::parse(&b, &p, &Default::default()) {
        Ok(r) => {
            for d in &r.diagnostics {
                println!("DIAG {d}");
            }
            for pg in &r.document.pages {
                println!("--- page {} size {:?}", pg.page_num, pg.size);
                for e in &pg.elements {
                    match e {
                        regreader_model::RawElement::Text(t) => {
                            println!("[{:?}{}] {}", t.role, if t.bold { " b" } else { "" }, t.text)
                        }
                        regreader_model::RawElement::Table(t) => {
                            println!(
                                "TABLE {}x{} hdr {:?} cap {:?}",
                                t.row_count, t.col_count, t.header_rows, t.caption
                            );
                            for c in &t.cells {
                                println!(
                                    "   ({},{} {}x{}) {:?}",
                                    c.row, c.col, c.row_span, c.col_span, c.content
                                )
                            }
                        }
                        regreader_model::RawElement::Picture(p) => println!("PICTURE {:?}", p.description),
                    }
                }
            }
        }
        Err(e) => println!("ERR {e}"),
    }
}
