//! The list of units and how each is spelled. Spellings that also begin ordinary words (次 in 次同步振荡, 安 in
//! 安控装置) carry the characters that tell the two apart.

use std::fmt;

use crate::script::is_cjk;

/// What a unit measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dimension {
    /// Active power; base MW.
    Power,
    /// Reactive power; base Mvar.
    Reactive,
    /// Apparent power; base MVA.
    Apparent,
    /// Energy; base MWh.
    Energy,
    /// Voltage; base kV.
    Voltage,
    /// Current; base A.
    Current,
    /// Resistance or impedance; base Ω.
    Resistance,
    /// Frequency; base Hz.
    Frequency,
    /// Time; base s.
    Time,
    /// Length; base m.
    Length,
    /// Share; base %.
    Ratio,
    /// Multiple of a rated value; base 倍.
    Multiple,
    /// Temperature; base ℃.
    Temperature,
    /// Money; base 元.
    Money,
    /// Things counted; each counting word is its own base.
    Count,
}

/// A unit of measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Unit {
    symbol: &'static str,
    dimension: Dimension,
    multiplier: u32,
    exponent: i8,
}

impl Unit {
    /// How we write it: `MW`, `kV`, `万千瓦`.
    pub fn symbol(&self) -> &'static str {
        self.symbol
    }

    /// What it measures.
    pub fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// The unit that quantities of this dimension are compared in.
    #[must_use]
    pub fn base(&self) -> Self {
        let symbol = match self.dimension {
            Dimension::Power => "MW",
            Dimension::Reactive => "Mvar",
            Dimension::Apparent => "MVA",
            Dimension::Energy => "MWh",
            Dimension::Voltage => "kV",
            Dimension::Current => "A",
            Dimension::Resistance => "Ω",
            Dimension::Frequency => "Hz",
            Dimension::Time => "s",
            Dimension::Length => "m",
            Dimension::Ratio => "%",
            Dimension::Multiple => "倍",
            Dimension::Temperature => "℃",
            Dimension::Money => "元",
            Dimension::Count => self.symbol,
        };
        Self { symbol, dimension: self.dimension, multiplier: 1, exponent: 0 }
    }

    pub(super) fn multiplier(&self) -> u32 {
        self.multiplier
    }

    pub(super) fn exponent(&self) -> i8 {
        self.exponent
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol)
    }
}

/// The unit a text begins with and the bytes it takes, when it stands there as a unit and not as the beginning of a
/// word. Full-width and one-character forms (ｋＶ, ㎸) are read too.
///
/// The text must begin where the number ended, spaces passed.
///
/// ```
/// use regreader_text::units::unit_at;
/// let (unit, bytes) = unit_at("kV母线").unwrap();
/// assert_eq!((unit.symbol(), bytes), ("kV", 2));
/// assert!(unit_at("台账").is_none());
/// ```
pub fn unit_at(rest: &str) -> Option<(Unit, usize)> {
    let first = rest.chars().next()?;
    if is_cjk(first) {
        return CHINESE.iter().find_map(|(spelling, unit, follow)| {
            let after = rest.strip_prefix(spelling)?;
            follow.allows(after).then_some((*unit, spelling.len()))
        });
    }
    latin_unit(rest)
}

/// What may stand behind a spelling for it to be a unit.
enum Follow {
    Anything,
    /// Not these: they make it another word.
    Not(&'static str),
    /// Only these, or no Chinese character at all.
    Only(&'static str),
}

impl Follow {
    fn allows(&self, after: &str) -> bool {
        let Some(next) = after.chars().next() else { return true };
        match self {
            Self::Anything => true,
            Self::Not(words) => !words.contains(next),
            Self::Only(words) => !is_cjk(next) || words.contains(next),
        }
    }
}

use Dimension::{
    Apparent, Count, Current, Energy, Frequency, Length, Money, Multiple, Power, Ratio, Reactive, Resistance,
    Temperature, Time, Voltage,
};
use Follow::{Anything, Not, Only};

const fn unit(symbol: &'static str, dimension: Dimension, exponent: i8) -> Unit {
    Unit { symbol, dimension, multiplier: 1, exponent }
}

const fn times(symbol: &'static str, dimension: Dimension, multiplier: u32) -> Unit {
    Unit { symbol, dimension, multiplier, exponent: 0 }
}

/// 千伏安控装置 is a control device of some 千伏, not kVA.
const CONTROL: Follow = Not("控全稳装自排置");
/// What goes on after an amount: 3 秒后, 2 台及以上, 5 次为限.
const AMOUNT: Follow = Only("后内前以及的至到为时起左不未或和与、且之,");

/// Chinese spellings, longer before shorter where one begins the other.
const CHINESE: &[(&str, Unit, Follow)] = &[
    ("亿千瓦时", unit("亿千瓦时", Energy, 5), Anything),
    ("亿千瓦", unit("亿千瓦", Power, 5), Anything),
    ("亿元", unit("亿元", Money, 8), Anything),
    ("万千瓦时", unit("万千瓦时", Energy, 1), Anything),
    ("万千瓦", unit("万千瓦", Power, 1), Anything),
    ("万千伏安", unit("万千伏安", Apparent, 1), CONTROL),
    ("万千乏", unit("万千乏", Reactive, 1), Anything),
    ("万元", unit("万元", Money, 4), Anything),
    ("万伏", unit("万伏", Voltage, 1), Anything),
    ("兆瓦时", unit("MWh", Energy, 0), Anything),
    ("兆瓦", unit("MW", Power, 0), Anything),
    ("兆伏安", unit("MVA", Apparent, 0), CONTROL),
    ("兆乏", unit("Mvar", Reactive, 0), Anything),
    ("千瓦时", unit("kWh", Energy, -3), Anything),
    ("千瓦", unit("kW", Power, -3), Anything),
    ("千伏安", unit("kVA", Apparent, -3), CONTROL),
    ("千伏", unit("kV", Voltage, 0), Anything),
    ("千乏", unit("kvar", Reactive, -3), Anything),
    ("千安", unit("kA", Current, 3), CONTROL),
    ("千米", unit("km", Length, 3), Anything),
    ("公里", unit("km", Length, 3), Anything),
    ("毫米", unit("mm", Length, -3), Anything),
    ("厘米", unit("cm", Length, -2), Anything),
    ("毫秒", unit("ms", Time, -3), Anything),
    ("毫安", unit("mA", Current, -3), CONTROL),
    ("安培", unit("A", Current, 0), Anything),
    ("欧姆", unit("Ω", Resistance, 0), Anything),
    ("赫兹", unit("Hz", Frequency, 0), Anything),
    ("赫", unit("Hz", Frequency, 0), Anything),
    ("小时", times("h", Time, 3600), Anything),
    ("分钟", times("min", Time, 60), Anything),
    ("秒钟", unit("s", Time, 0), Anything),
    ("摄氏度", unit("℃", Temperature, 0), Anything),
    ("工作日", unit("工作日", Count, 0), Anything),
    ("个月", unit("个月", Count, 0), Anything),
    ("瓦", unit("W", Power, -6), Not("斯")),
    ("伏", unit("V", Voltage, -3), Not("安")),
    ("安", AMPERE, Only("及以的时、")),
    ("欧", unit("Ω", Resistance, 0), Only("及以的时、")),
    ("米", unit("m", Length, 0), Anything),
    ("秒", unit("s", Time, 0), Not("级表脉")),
    ("元", unit("元", Money, 0), Not("件素器")),
    ("倍", unit("倍", Multiple, 0), Not("频")),
    ("分", times("min", Time, 60), AMOUNT),
    ("时", times("h", Time, 3600), Only("后内前以至到起、")),
    ("度", unit("度", Count, 0), AMOUNT),
    ("天", times("天", Time, 86_400), Not("中然气津山线桥荒")),
    ("日", unit("日", Count, 0), Not("常志调报负照喀")),
    ("月", unit("月", Count, 0), Not("度报牙")),
    ("年", unit("年", Count, 0), Not("度报检限会")),
    ("台", unit("台", Count, 0), Not("区账风架阶湾州")),
    ("次", unit("次", Count, 0), Not("同暂级序要生品")),
    ("个", unit("个", Count, 0), Not("人别")),
    ("回", unit("回", Count, 0), Not("路收流升避")),
    ("套", unit("套", Count, 0), Not("管用")),
    ("组", unit("组", Count, 0), Not("织成合件态串")),
    ("人", unit("人", Count, 0), Not("员身工为机")),
    ("号", unit("号", Count, 0), Not("码召令牌")),
    ("级", unit("级", Count, 0), Only("及以的、")),
    ("页", unit("页", Count, 0), Only("及以的、至共")),
    ("辆", unit("辆", Count, 0), Anything),
    ("字节", unit("字节", Count, 0), Anything),
    ("位", unit("位", Count, 0), Only("及以的、")),
];

const AMPERE: Unit = unit("A", Current, 0);

/// Latin spellings; those of one letter only in this very case, the rest in any.
const LATIN: &[(&str, Unit)] = &[
    ("kVA", unit("kVA", Apparent, -3)),
    ("MVA", unit("MVA", Apparent, 0)),
    ("kWh", unit("kWh", Energy, -3)),
    ("kW·h", unit("kWh", Energy, -3)),
    ("kW.h", unit("kWh", Energy, -3)),
    ("MWh", unit("MWh", Energy, 0)),
    ("GWh", unit("GWh", Energy, 3)),
    ("TWh", unit("TWh", Energy, 6)),
    ("Mvar", unit("Mvar", Reactive, 0)),
    ("kvar", unit("kvar", Reactive, -3)),
    ("kHz", unit("kHz", Frequency, 3)),
    ("MHz", unit("MHz", Frequency, 6)),
    ("GHz", unit("GHz", Frequency, 9)),
    ("min", times("min", Time, 60)),
    ("p.u.", unit("倍", Multiple, 0)),
    ("pu", unit("倍", Multiple, 0)),
    ("kV", unit("kV", Voltage, 0)),
    ("MV", unit("MV", Voltage, 3)),
    ("mV", unit("mV", Voltage, -6)),
    ("kW", unit("kW", Power, -3)),
    ("MW", unit("MW", Power, 0)),
    ("GW", unit("GW", Power, 3)),
    ("VA", unit("VA", Apparent, -6)),
    ("Hz", unit("Hz", Frequency, 0)),
    ("kA", unit("kA", Current, 3)),
    ("mA", unit("mA", Current, -3)),
    ("km", unit("km", Length, 3)),
    ("cm", unit("cm", Length, -2)),
    ("mm", unit("mm", Length, -3)),
    ("ms", unit("ms", Time, -3)),
    ("kΩ", unit("kΩ", Resistance, 3)),
    ("MΩ", unit("MΩ", Resistance, 6)),
    ("V", unit("V", Voltage, -3)),
    ("W", unit("W", Power, -6)),
    ("A", AMPERE),
    ("m", unit("m", Length, 0)),
    ("s", unit("s", Time, 0)),
    ("h", times("h", Time, 3600)),
    ("Ω", unit("Ω", Resistance, 0)),
    ("%", unit("%", Ratio, 0)),
    ("‰", unit("‰", Ratio, -1)),
    ("℃", unit("℃", Temperature, 0)),
    ("°C", unit("℃", Temperature, 0)),
    ("㎸", unit("kV", Voltage, 0)),
    ("㎹", unit("MV", Voltage, 3)),
    ("㎾", unit("kW", Power, -3)),
    ("㎿", unit("MW", Power, 0)),
    ("㎄", unit("kA", Current, 3)),
    ("㎐", unit("Hz", Frequency, 0)),
    ("㎞", unit("km", Length, 3)),
    ("㎜", unit("mm", Length, -3)),
    ("㎝", unit("cm", Length, -2)),
    ("㎳", unit("ms", Time, -3)),
];

fn latin_unit(rest: &str) -> Option<(Unit, usize)> {
    use crate::scan::Cursor;
    let with_case = |exact: bool| {
        LATIN.iter().find_map(|(spelling, unit)| {
            let mut cursor = Cursor::new(rest);
            let mut letters = 0;
            for wanted in spelling.chars() {
                let found = cursor.bump()?;
                letters += u32::from(wanted.is_ascii_alphabetic());
                if found != wanted && (exact || !found.eq_ignore_ascii_case(&wanted)) {
                    return None;
                }
            }
            if !exact && letters < 2 {
                return None;
            }
            // 5 m2 is no length, and 3 Module no m; but 500kV1号 is a voltage, and so is 35% of anything.
            let next = cursor.peek();
            let free = match letters {
                0 => true,
                1 => !next.is_some_and(|c| {
                    (c.is_alphanumeric() && !is_cjk(c)) || matches!(c, '\'' | '²' | '³' | '.')
                }),
                _ => !next.is_some_and(|c| c.is_alphabetic() && !is_cjk(c)),
            };
            free.then_some((*unit, cursor.pos()))
        })
    };
    with_case(true).or_else(|| with_case(false))
}
