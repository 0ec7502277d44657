//! Checks before the PDF library unpacks or expands something that a hostile file made enormous.
//!
//! The library itself decodes without a bound, so whatever could grow is measured here first.

use std::io::Read as _;

use hayro_syntax::Filter;
use hayro_syntax::object::{Array, Dict, Stream};
use regreader_messages::errors;

use super::font::font_streams;
use crate::{Limits, ParseError};

/// Deflate cannot expand more than this.
const FLATE_RATIO: u64 = 1032;
/// Run-length: two bytes become 128.
const RUN_LENGTH_RATIO: u64 = 64;

/// Refuses a file whose own structure would unpack without bound, before the library opens it.
///
/// Objects packed into streams are unpacked by the library whenever one of them is needed, and stay in memory. Their
/// packed size bounds the unpacked one; only where that bound is too high are they measured.
pub(super) fn check_file(bytes: &[u8], limits: &Limits) -> Result<(), ParseError> {
    let total_limit = limits.max_total_bytes;
    let exceeded = |what| Err(ParseError::LimitExceeded { what, limit: total_limit });
    if bytes.len() as u64 > total_limit {
        return exceeded(errors::LIMIT_FILE);
    }
    let packed = object_streams(bytes);
    let plain = |filters: &[Filter]| filters.len() <= 1;
    let worst: u64 = packed.iter().map(|(data, _)| (data.len() as u64).saturating_mul(FLATE_RATIO)).sum();
    if worst <= total_limit && packed.iter().all(|(_, filters)| plain(filters)) {
        return Ok(());
    }
    let mut left = total_limit.min(MAX_OBJECTS_BYTES);
    for (data, filters) in packed {
        match chain_size(data, &filters, left) {
            Some(size) => left = left.saturating_sub(size),
            None => return exceeded(errors::LIMIT_OBJECTS),
        }
    }
    Ok(())
}

/// Objects of one file, unpacked. The largest honest files stay far below.
const MAX_OBJECTS_BYTES: u64 = 256 << 20;

/// Packed object and cross-reference streams of a file, with their filters, found by their keywords.
fn object_streams(bytes: &[u8]) -> Vec<(&[u8], Vec<Filter>)> {
    const LOOK_BACK: usize = 1024;
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(offset) = find(bytes.get(at..).unwrap_or_default(), b"stream") {
        let keyword = at + offset;
        let mut start = keyword + b"stream".len();
        at = start;
        if bytes.get(..keyword).is_some_and(|before| before.ends_with(b"end")) {
            continue;
        }
        let dict = bytes.get(keyword.saturating_sub(LOOK_BACK)..keyword).unwrap_or_default();
        let dict = rfind(dict, b" obj")
            .or_else(|| rfind(dict, b"obj"))
            .map_or(dict, |from| dict.get(from..).unwrap_or(dict));
        let is_structure = [&b"ObjStm"[..], b"XRef", b"/First"].iter().any(|word| find(dict, word).is_some());
        if !is_structure {
            continue;
        }
        if bytes.get(start) == Some(&b'\r') {
            start += 1;
        }
        if bytes.get(start) == Some(&b'\n') {
            start += 1;
        }
        let rest = bytes.get(start..).unwrap_or_default();
        let end = find(rest, b"endstream").unwrap_or(rest.len());
        found.push((rest.get(..end).unwrap_or_default(), named_filters(dict)));
        at = start + end;
    }
    found
}

/// Filters named in the text of a dictionary, in order.
fn named_filters(dict: &[u8]) -> Vec<Filter> {
    let Some(from) = find(dict, b"/Filter") else { return Vec::new() };
    let mut filters = Vec::new();
    let text = dict.get(from + b"/Filter".len()..).unwrap_or_default();
    // An array of names, or one name.
    let end = if text.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'[') {
        find(text, b"]").unwrap_or(text.len())
    } else {
        text.len().min(40)
    };
    for name in text.get(..end).unwrap_or_default().split(|b| *b == b'/').skip(1) {
        let name: &[u8] = name.split(|b| !b.is_ascii_alphanumeric()).next().unwrap_or_default();
        match name {
            b"FlateDecode" | b"Fl" => filters.push(Filter::FlateDecode),
            b"LZWDecode" | b"LZW" => filters.push(Filter::LzwDecode),
            b"RunLengthDecode" | b"RL" => filters.push(Filter::RunLengthDecode),
            b"ASCIIHexDecode" | b"AHx" => filters.push(Filter::AsciiHexDecode),
            b"ASCII85Decode" | b"A85" => filters.push(Filter::Ascii85Decode),
            _ if end < 40 || text.first() != Some(&b'[') => break,
            _ => {}
        }
    }
    filters
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    let first = *needle.first()?;
    let mut at = 0;
    loop {
        at += haystack.get(at..)?.iter().position(|b| *b == first)?;
        if haystack.get(at..)?.starts_with(needle) {
            return Some(at);
        }
        at += 1;
    }
}

fn rfind(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).rposition(|window| window == needle)
}

/// The decoded bytes of a stream that is not an image, if they are no more than `limit`.
pub(super) fn decode<'a>(stream: &Stream<'a>, limit: u64) -> Option<std::borrow::Cow<'a, [u8]>> {
    fits(stream, limit).then(|| stream.decoded_data().ok()).flatten()
}

/// Whether a stream decodes to no more than `limit` bytes.
pub(super) fn fits(stream: &Stream<'_>, limit: u64) -> bool {
    let filters = stream.filters();
    let raw = stream.raw_data();
    chain_fits(&raw, &filters, limit)
}

/// Whether these bytes, sent through the filters, stay within `limit`. Only chains that could pass it are measured.
fn chain_fits(raw: &[u8], filters: &[Filter], limit: u64) -> bool {
    raw.len() as u64 <= limit
        && (worst_size(raw.len() as u64, filters) <= limit || chain_size(raw, filters, limit).is_some())
}

fn worst_size(size: u64, filters: &[Filter]) -> u64 {
    filters.iter().fold(size, |size, filter| match filter {
        Filter::FlateDecode => size.saturating_mul(FLATE_RATIO),
        Filter::LzwDecode => lzw_worst(size),
        Filter::RunLengthDecode => size.saturating_mul(RUN_LENGTH_RATIO),
        _ => size,
    })
}

/// Size of what comes out of a chain of filters, or a bound on it; None when it may pass `limit`.
fn chain_size(raw: &[u8], filters: &[Filter], limit: u64) -> Option<u64> {
    let Some((first, rest)) = filters.split_first() else { return Some(raw.len() as u64) };
    let bounded = |size: u64| (size <= limit).then_some(size);
    match first {
        Filter::FlateDecode if rest.is_empty() => inflate(raw, limit, None),
        Filter::FlateDecode => {
            let mut unpacked = Vec::new();
            inflate(raw, limit, Some(&mut unpacked))?;
            chain_size(&unpacked, rest, limit)
        }
        Filter::LzwDecode => bounded(worst_size(lzw_size(raw, limit)?, rest)),
        // Hex and base-85 wrapped around a compressed stream: unwrap it to measure that.
        Filter::AsciiHexDecode => chain_size(&hex(raw), rest, limit),
        Filter::Ascii85Decode => chain_size(&base85(raw), rest, limit),
        _ => bounded(worst_size(raw.len() as u64, filters)),
    }
}

/// Size of inflated data; None when it passes `limit`. Damaged data counts as far as it goes.
fn inflate(raw: &[u8], limit: u64, mut keep: Option<&mut Vec<u8>>) -> Option<u64> {
    let mut decoder = flate2::read::ZlibDecoder::new(raw);
    let mut buffer = [0; 16 << 10];
    let mut total = 0_u64;
    loop {
        match decoder.read(&mut buffer) {
            Ok(0) | Err(_) => return Some(total),
            Ok(read) => {
                total += read as u64;
                if total > limit {
                    return None;
                }
                if let Some(keep) = keep.as_deref_mut() {
                    keep.extend_from_slice(buffer.get(..read).unwrap_or_default());
                }
            }
        }
    }
}

/// The n-th code since a table reset yields at most n bytes, and a table holds 4096 codes of 9 bits and more.
fn lzw_worst(size: u64) -> u64 {
    let codes = size.saturating_mul(8) / 9 + 1;
    codes.saturating_mul(codes.min(4096))
}

/// Size of LZW data when unpacked, counted without unpacking; None when it passes `limit`.
fn lzw_size(raw: &[u8], limit: u64) -> Option<u64> {
    const CLEAR: usize = 256;
    const END: usize = 257;
    let mut lengths: Vec<u64> = Vec::with_capacity(4096);
    let reset = |lengths: &mut Vec<u64>| {
        lengths.clear();
        lengths.resize(258, 1);
    };
    reset(&mut lengths);
    let (mut bits, mut bit_count, mut previous, mut total) = (0_u32, 0_u32, None::<usize>, 0_u64);
    for &byte in raw {
        bits = (bits << 8) | u32::from(byte);
        bit_count += 8;
        let width = match lengths.len() {
            0..=510 => 9,
            511..=1022 => 10,
            1023..=2046 => 11,
            _ => 12,
        };
        if bit_count < width {
            continue;
        }
        bit_count -= width;
        let code = ((bits >> bit_count) & ((1 << width) - 1)) as usize;
        bits &= (1 << bit_count) - 1;
        if code == CLEAR {
            reset(&mut lengths);
            previous = None;
            continue;
        }
        if code == END {
            break;
        }
        let previous_length = previous.and_then(|p| lengths.get(p).copied()).unwrap_or(0);
        if previous.is_some() && lengths.len() < 4096 {
            lengths.push(previous_length + 1);
        }
        total += lengths.get(code).copied().unwrap_or(previous_length + 1);
        if total > limit {
            return None;
        }
        previous = Some(code);
    }
    Some(total)
}

fn hex(raw: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> = raw
        .iter()
        .take_while(|b| **b != b'>')
        .filter_map(|b| char::from(*b).to_digit(16))
        .map(|d| d as u8)
        .collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).copied().unwrap_or(0)).collect()
}

fn base85(raw: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(raw.len() / 5 * 4);
    let mut group = Vec::with_capacity(5);
    for &byte in raw.iter().take_while(|b| **b != b'~') {
        match byte {
            b'z' if group.is_empty() => out.extend([0; 4]),
            b'!'..=b'u' => group.push(u32::from(byte - b'!')),
            _ => {}
        }
        if group.len() == 5 {
            let value = group.iter().fold(0_u32, |v, d| v.wrapping_mul(85).wrapping_add(*d));
            out.extend(value.to_be_bytes());
            group.clear();
        }
    }
    if group.len() > 1 {
        let kept = group.len() - 1;
        group.resize(5, 84);
        let value = group.iter().fold(0_u32, |v, d| v.wrapping_mul(85).wrapping_add(*d));
        out.extend(value.to_be_bytes().into_iter().take(kept));
    }
    out
}

/// The largest fonts, with all of Unicode's hanzi, have 30 MB.
const MAX_FONT_BYTES: u64 = 64 << 20;

/// Whether loading this font stays bounded: its streams decode within the limit and its width tables claim no
/// absurd ranges (a range is spelled in three numbers but costs memory per code).
pub(super) fn font_is_safe(dict: &Dict<'_>, limit: u64) -> bool {
    const MAX_CODES: u64 = 1 << 20;
    let simple_range = |key: &[u8]| dict.get::<i64>(key).unwrap_or(0);
    if !(0..=0xFFFF).contains(&simple_range(b"FirstChar"))
        || !(0..=0xFFFF).contains(&simple_range(b"LastChar"))
    {
        return false;
    }
    let descendant =
        dict.get::<Array<'_>>(b"DescendantFonts").and_then(|fonts| fonts.iter::<Dict<'_>>().next());
    if let Some(descendant) = descendant {
        let claimed = |key: &[u8], numbers| {
            descendant.get::<Array<'_>>(key).map_or(0, |array| claimed_codes(&array, numbers))
        };
        if claimed(b"W", 1).saturating_add(claimed(b"W2", 3)) > MAX_CODES {
            return false;
        }
    }
    font_streams(dict).iter().all(|stream| fits(stream, limit.min(MAX_FONT_BYTES)))
}

/// How many codes the ranges of a width array cover.
fn claimed_codes(array: &Array<'_>, numbers: usize) -> u64 {
    use hayro_syntax::object::Object;
    let mut pending: Vec<f64> = Vec::with_capacity(2 + numbers);
    let mut total = 0_u64;
    for object in array.iter::<Object<'_>>() {
        match object {
            Object::Number(number) => pending.push(number.as_f64()),
            Object::Array(_) => {
                pending.clear();
                total += 1;
            }
            _ => {}
        }
        if pending.len() == 2 + numbers {
            let span = pending[1] - pending[0] + 1.0;
            total = total.saturating_add(if span > 0.0 { span as u64 } else { 0 });
            pending.clear();
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn deflate(data: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn bombs_are_measured_without_being_kept() {
        let once = deflate(&vec![0; 1 << 20]);
        let twice = deflate(&once);
        let flate = Filter::FlateDecode;
        assert_eq!(chain_size(&once, &[flate], 2 << 20), Some(1 << 20));
        assert_eq!(chain_size(&once, &[flate], 1 << 19), None);
        assert_eq!(chain_size(&twice, &[flate, flate], 2 << 20), Some(1 << 20));
        assert_eq!(chain_size(&twice, &[flate, flate], 1 << 19), None);
        let digits = b"0123456789abcdef";
        let hexed: Vec<u8> =
            once.iter().flat_map(|b| [digits[usize::from(b >> 4)], digits[usize::from(b & 15)]]).collect();
        assert_eq!(chain_size(&hexed, &[Filter::AsciiHexDecode, flate], 1 << 19), None);
        assert!(chain_fits(b"BT ET", &[flate], 1 << 20), "small data cannot grow past the limit");
    }

    #[test]
    fn lzw_is_counted_code_by_code() {
        // Codes of nine bits: clear, 'a', 'a', the code for "aa", end. The result is "aaaa".
        let mut bits: Vec<bool> = Vec::new();
        for code in [256_u16, 97, 97, 258, 257] {
            bits.extend((0..9).rev().map(|bit| code >> bit & 1 == 1));
        }
        let byte =
            |chunk: &[bool]| chunk.iter().enumerate().fold(0_u8, |b, (i, on)| b | u8::from(*on) << (7 - i));
        let bytes: Vec<u8> = bits.chunks(8).map(byte).collect();
        assert_eq!(lzw_size(&bytes, 100), Some(4));
        assert_eq!(lzw_size(&bytes, 3), None);
    }

    #[test]
    fn packed_objects_are_found_by_their_keywords() {
        let file = b"5 0 obj << /Type /ObjStm /N 1 /First 4 /Filter [/ASCII85Decode /FlateDecode] /Length 3 >>\nstream\nabc\nendstream 6 0 obj << /Length 3 >> stream\nxyz\nendstream";
        let found = object_streams(file);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].1, [Filter::Ascii85Decode, Filter::FlateDecode]);
        assert!(found[0].0.starts_with(b"abc"));
    }
}
