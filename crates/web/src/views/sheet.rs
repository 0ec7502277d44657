//! The drawn page with boxes over it: what the reader, the search and the answers show beside their text.

use maud::{Markup, PreEscaped, html};
use regreader_messages::{Language, web as w};
use regreader_model::{PageDocument, Rect, TextOrigin};

use crate::address::{Address, encode};
use crate::backend::PictureRequest;
use crate::marks::{Certainty, Marks};
use crate::view_options::ViewOptions;

/// A page with its marks.
pub struct Sheet<'a> {
    pub lang: Language,
    pub reg_id: &'a str,
    pub page: &'a PageDocument,
    /// Nothing is to be marked where there are none.
    pub marks: Option<&'a Marks>,
    pub drawable: bool,
    pub options: ViewOptions,
}

/// Pages of formats without a size are shown as if they were A4.
const A4: [f32; 2] = [595.0, 842.0];

impl Sheet<'_> {
    fn size(&self) -> [f32; 2] {
        self.page.size.filter(|size| size.iter().all(|side| side.is_finite() && *side >= 1.0)).unwrap_or(A4)
    }

    fn picture(&self, width: u32) -> Address {
        let address = format!("/r/{}/p/{}/picture", encode(self.reg_id), self.page.page_num);
        Address::new(address).with("w", width.to_string())
    }

    /// The page with all its boxes.
    pub fn show(&self) -> Markup {
        let l = self.lang;
        let [width, height] = self.size();
        let number = self.page.page_num;
        let pixels =
            if self.options.zoom > 125 { PictureRequest::WIDTHS[2] } else { PictureRequest::WIDTHS[1] };
        html! {
            figure class={ "sheet zoom-" (self.options.zoom) " turn-" (self.options.turns) } data-page=(number) {
                @if self.drawable && self.options.turns > 0 {
                    (self.turned(pixels))
                } @else if self.drawable {
                    div.sheet-frame {
                        img.sheet-picture src=(self.picture(pixels)) width=(width.round()) height=(height.round()) alt=(l.fill(w::PICTURE_ALT, &[&number])) decoding="async";
                        svg.boxes viewBox={ "0 0 " (width) " " (height) } preserveAspectRatio="none" aria-hidden="true" focusable="false" {
                            (self.boxes())
                        }
                    }
                    p.no-picture hidden { (l.say(w::NO_PICTURE)) }
                } @else {
                    p.no-picture { (l.say(w::NO_PICTURE_FORMAT)) }
                }
                (self.remarks())
            }
        }
    }

    /// The boxes of all blocks, and the marks over them.
    fn boxes(&self) -> Markup {
        html! {
            @for block in &self.page.content_blocks {
                @if let Some(rect) = block.bbox { (self.rect(rect, "box", Some(block.block_id.as_str()))) }
            }
            @for rect in self.marks.into_iter().flat_map(|marks| &marks.rects) { (self.rect(*rect, "marked", None)) }
        }
    }

    /// The page turned by quarters. Turned inside its picture, because a turned element would keep its old place in the
    /// layout and lie over its neighbours.
    fn turned(&self, pixels: u32) -> Markup {
        let [width, height] = self.size();
        let (across, down, turn) = match self.options.turns {
            1 => (height, width, format!("translate({height} 0) rotate(90)")),
            2 => (width, height, format!("translate({width} {height}) rotate(180)")),
            _ => (height, width, format!("translate(0 {width}) rotate(270)")),
        };
        html! {
            div.sheet-frame {
                svg.boxes.sheet-turned viewBox={ "0 0 " (across) " " (down) } role="img" aria-label=(self.lang.fill(w::PICTURE_ALT, &[&self.page.page_num])) {
                    g transform=(turn) {
                        image href=(self.picture(pixels)) width=(width) height=(height) {}
                        (self.boxes())
                    }
                }
            }
        }
    }

    /// What is to be known about the page or the marks.
    fn remarks(&self) -> Markup {
        let l = self.lang;
        html! {
            @match self.page.origin {
                TextOrigin::NeedsOcr => p.remark.warning { (l.say(w::NEEDS_OCR_PAGE)) },
                TextOrigin::Ocr { confidence } => p.remark { (l.fill(w::OCR_PAGE, &[&(confidence * 100.0).round()])) },
                TextOrigin::OcrLayer => p.remark { (l.say(w::OCR_LAYER_PAGE)) },
                TextOrigin::Blank => p.remark { (l.say(w::BLANK_PAGE)) },
                TextOrigin::TextLayer => {},
            }
            @match self.marks.map(|marks| marks.certainty) {
                Some(Certainty::Whole) => p.remark { (l.say(w::MARKED_WHOLE)) },
                // Where nothing is drawn the block is marked in the text.
                Some(Certainty::Unsure) if self.drawable => p.remark.warning { (l.say(w::NOT_MARKED)) },
                _ => {},
            }
        }
    }

    /// A small picture of the marked place for a list. As much height as the list has room for: a table of a page would
    /// be unreadable anyway.
    pub fn cutting(&self) -> Markup {
        self.cut(12.0, 0.3, PictureRequest::WIDTHS[0])
    }

    /// The marked place with some lines around it, to be read beside another edition's.
    pub fn excerpt(&self) -> Markup {
        self.cut(60.0, 0.75, PictureRequest::WIDTHS[1])
    }

    /// The marked place with `air` around it, cut out of the page by the view box, over the page's whole width and no
    /// taller than `tallest` times that. Nothing where there is no mark.
    fn cut(&self, air: f32, tallest: f32, pixels: u32) -> Markup {
        let marked = self.marks.and_then(|marks| marks.rects.iter().copied().reduce(|a, b| a.union(&b)));
        let (true, Some(marked)) = (self.drawable, marked) else { return html! {} };
        let [width, height] = self.size();
        let tall = (marked.height() + 2.0 * air).clamp(48.0, (width * tallest).max(48.0));
        let top = (marked.y0 - air).clamp(0.0, (height - tall).max(0.0));
        html! {
            svg.cutting viewBox={ "0 " (top) " " (width) " " (tall) } role="img" aria-label=(self.lang.fill(w::PICTURE_ALT, &[&self.page.page_num])) {
                image href=(self.picture(pixels)) width=(width) height=(height) {}
                @for rect in self.marks.into_iter().flat_map(|marks| &marks.rects) { (self.rect(*rect, "marked", None)) }
            }
        }
    }

    fn rect(&self, rect: Rect, class: &str, block: Option<&str>) -> Markup {
        let [width, height] = self.size();
        // A little air, more above than below because boxes of lines end above accents and full-height characters; and
        // never outside the page, whatever a file said.
        let (x0, y0) = ((rect.x0 - 2.0).clamp(0.0, width), (rect.y0 - 3.0).clamp(0.0, height));
        let (x1, y1) = ((rect.x1 + 2.0).clamp(x0, width), (rect.y1 + 2.0).clamp(y0, height));
        let number = |value: f32| PreEscaped(format!("{value:.1}"));
        html! {
            rect class=(class) data-block=[block] x=(number(x0)) y=(number(y0)) width=(number(x1 - x0)) height=(number(y1 - y0)) rx="2" {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake;
    use crate::marks::{Target, on_page};

    #[test]
    fn marks_lie_over_the_page_in_its_own_coordinates() {
        let page = fake::page(1);
        let target = Target {
            block: Some("p0001-b001".to_owned()),
            quote: Some("不得试送".to_owned()),
            ..Target::default()
        };
        let marks = on_page(&page, &target, None);
        let sheet = Sheet {
            lang: Language::Chinese,
            reg_id: "angui_2024",
            page: &page,
            marks: Some(&marks),
            drawable: true,
            options: ViewOptions { zoom: 100, ..ViewOptions::default() },
        };
        let html = sheet.show().into_string();
        assert!(html.contains(r#"viewBox="0 0 595 842""#), "{html}");
        assert!(html.contains(r#"class="marked" x="88.0" y="117.0" width="414.0" height="19.0""#), "{html}");
        assert!(html.contains("/r/angui_2024/p/1/picture?w=1240"));
        assert!(sheet.cutting().into_string().contains("<image"));
        let turned = Sheet { options: ViewOptions { turns: 1, ..sheet.options }, ..sheet };
        let html = turned.show().into_string();
        assert!(
            html.contains(r#"viewBox="0 0 842 595""#) && html.contains("translate(842 0) rotate(90)"),
            "{html}"
        );
        assert!(html.contains(r#"class="marked""#), "marks turn with the page: {html}");
        let plain = Sheet { drawable: false, ..turned };
        assert!(plain.show().into_string().contains(Language::Chinese.say(w::NO_PICTURE_FORMAT)));
        assert!(plain.cutting().into_string().is_empty());
    }
}
