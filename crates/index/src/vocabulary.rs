//! What people write for short and documents spell out: `PP&E`, `capex`, `top line`. A question is asked with both.
//!
//! Only where the two share no word: character pairs find 安控 in 安全稳定控制 by themselves, but nothing finds
//! "Consolidated Statements of Operations" by "P&L". English alone; the words of a site's own language go into its terms
//! file.

/// Ways to say a thing, in small letters, and what documents call it. A way is found as whole words.
const SPELLED_OUT: &[(&[&str], &str)] = &[
    // Statements of a report, by the names that they bear.
    (
        &[
            "balance sheet",
            "balance sheets",
            "statement of financial position",
            "statements of financial position",
        ],
        "consolidated balance sheets statement of financial position",
    ),
    (
        &[
            "income statement",
            "income statements",
            "statement of income",
            "statements of income",
            "statement of operations",
            "statement of earnings",
            "p&l",
            "profit and loss",
        ],
        "consolidated statements of income operations earnings",
    ),
    (
        &[
            "cash flow statement",
            "cash flow statements",
            "cashflow statement",
            "statement of cash flow",
            "statement of cash flows",
            "statements of cash flows",
        ],
        "consolidated statements of cash flows",
    ),
    // Lines of them.
    (&["pp&e", "ppne", "fixed asset", "fixed assets"], "property, plant and equipment, net"),
    (&["cogs"], "cost of goods sold cost of sales cost of revenue"),
    (
        &["capex", "capital expenditure", "capital expenditures", "capital intensive", "capital-intensive"],
        "capital expenditures purchases of property and equipment",
    ),
    (&["d&a"], "depreciation and amortization"),
    (&["sg&a"], "selling, general and administrative expenses"),
    (&["r&d"], "research and development"),
    (&["eps"], "earnings per share"),
    (&["ebitda", "ebit"], "operating income depreciation and amortization"),
    (
        &["fcf", "free cash flow", "free cashflow"],
        "net cash provided by operating activities capital expenditures",
    ),
    (&["top line", "topline", "top-line"], "revenue net sales"),
    (&["bottom line"], "net income"),
    (&["gross margin", "gross margins", "gross profit margin"], "gross profit cost of sales"),
    (&["operating margin", "operating margins"], "operating income"),
    (&["quick ratio", "current ratio", "working capital"], "current assets current liabilities inventories"),
    (&["inventory turnover", "sold its inventory"], "inventories cost of products sold"),
    (&["dpo", "days payable"], "accounts payable inventories"),
    (&["dso", "days sales outstanding"], "accounts receivable"),
    (&["roa", "return on assets"], "net income total assets"),
    (&["roe", "return on equity"], "net income shareholders equity"),
    (&["effective tax rate"], "income tax expense income before income taxes"),
    (&["payout ratio", "dividend payout"], "dividends paid net income"),
    (&["interest coverage"], "interest expense operating income"),
    (&["buyback", "buybacks"], "repurchases of common stock"),
    (&["m&a"], "acquisitions divestitures"),
    (&["fx"], "foreign exchange currency"),
    (&["agm"], "annual meeting of shareholders"),
    (&["legal battle", "legal battles", "lawsuit", "lawsuits"], "legal proceedings litigation"),
    (&["geographies"], "geographic regions countries"),
    (&["headcount", "workforce"], "number of employees"),
    // Of grid standards.
    (&["bes"], "bulk electric system"),
    (&["esp"], "electronic security perimeter"),
    (&["psp"], "physical security perimeter"),
    (&["bcs"], "BES cyber system"),
    (&["eacms"], "electronic access control or monitoring system"),
    (&["dg", "der"], "distributed generation distributed energy resource"),
    (&["lvrt", "frt"], "fault ride through"),
    (&["rocof"], "rate of change of frequency"),
];

/// A question with what its short forms stand for behind it; the question itself when it has none.
pub(crate) fn spelled_out(question: &str) -> String {
    let mut asked = question.to_owned();
    if !question.is_ascii() && !question.chars().any(|c| c.is_ascii_alphabetic()) {
        return asked;
    }
    let words = padded(question);
    for (ways, meaning) in SPELLED_OUT {
        if ways.iter().any(|way| words.contains(&padded(way))) {
            asked.push(' ');
            asked.push_str(meaning);
        }
    }
    asked
}

/// Small letters, one blank between words and at both ends.
fn padded(text: &str) -> String {
    let mut padded = String::from(" ");
    let lower = text.to_lowercase();
    for word in lower.split(|c: char| !(c.is_alphanumeric() || c == '&')).filter(|word| !word.is_empty()) {
        padded.push_str(word);
        padded.push(' ');
    }
    padded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_forms_are_spelled_out_behind_the_question() {
        let asked = spelled_out("What is the FY2019 PP&E turnover? Use the statement of financial position.");
        assert!(asked.starts_with("What is the FY2019 PP&E"), "{asked}");
        assert!(asked.contains("property, plant") && asked.contains("balance sheets"), "{asked}");
        assert!(spelled_out("Capital-intensive?").contains("purchases of property"));
    }

    #[test]
    fn words_that_only_contain_one_are_left_alone() {
        for question in ["Which EPSILON values are best?", "母线失压怎么处理", "the topliner", ""] {
            assert_eq!(spelled_out(question), question);
        }
    }
}
