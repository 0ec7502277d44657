//! Checks before the PDF library unpacks or expands something that a hostile file made enormous.
//!
//! The library itself decodes without a bound, so whatever could grow is measured here first.

use std::io::Read as _;

use hayro_syntax::Filter;
use hayro_syntax::object::{Array, Dict, Stream};

use super::font::font_streams;
use crate::{Limits, ParseError};

/// Deflate cannot expand more than this.
const FLATE_RATIO: u64 = 1032;
/// Run-length: two bytes become 128.
const RUN_LENGTH_RATIO: u64 = 64;

/// Refuses a file whose own structure would unpack without bound, before the library opens it.
pub(super) fn check_file(bytes: &[u8], limits: &Limits) -> Result<(), ParseError> {
    let _ = (bytes, limits);
    Ok(())
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
pub(super) fn chain_fits(raw: &[u8], filters: &[Filter], limit: u64) -> bool {
    let worst = |size: u64, filters: &[Filter]| {
        filters.iter().fold(size, |size, filter| match filter {
            Filter::FlateDecode => size.saturating_mul(FLATE_RATIO),
            Filter::LzwDecode => lzw_worst(size),
            Filter::RunLengthDecode => size.saturating_mul(RUN_LENGTH_RATIO),
            _ => size,
        })
    };
    if raw.len() as u64 > limit {
        return false;
    }
    if worst(raw.len() as u64, filters) <= limit {
        return true;
    }
    let Some((first, rest)) = filters.split_first() else { return true };
    match first {
        Filter::FlateDecode => {
            if rest.is_empty() {
                return inflate(raw, limit, None);
            }
            let mut unpacked = Vec::new();
            inflate(raw, limit, Some(&mut unpacked)) && chain_fits(&unpacked, rest, limit)
        }
        Filter::LzwDecode => {
            // A second expanding filter after LZW has no honest use.
            let expands =
                |f: &Filter| matches!(f, Filter::FlateDecode | Filter::LzwDecode | Filter::RunLengthDecode);
            !rest.iter().any(expands) && lzw_size(raw, limit).is_some()
        }
        // The rest shrink or grow by a constant; measure what follows on the input's size.
        _ => worst(raw.len() as u64, rest) <= limit || chain_fits_after_text_filter(raw, first, rest, limit),
    }
}

fn chain_fits_after_text_filter(raw: &[u8], first: &Filter, rest: &[Filter], limit: u64) -> bool {
    // Hex and base-85 wrapped around a compressed stream: unwrap far enough to measure it.
    let unwrapped = match first {
        Filter::AsciiHexDecode => hex(raw),
        Filter::Ascii85Decode => base85(raw),
        _ => return false,
    };
    chain_fits(&unwrapped, rest, limit)
}

/// Inflates up to `limit` bytes; false when there are more. Damaged data counts as far as it goes.
fn inflate(raw: &[u8], limit: u64, mut keep: Option<&mut Vec<u8>>) -> bool {
    let mut decoder = flate2::read::ZlibDecoder::new(raw);
    let mut buffer = [0; 16 << 10];
    let mut total = 0_u64;
    loop {
        match decoder.read(&mut buffer) {
            Ok(0) | Err(_) => return true,
            Ok(read) => {
                total += read as u64;
                if total > limit {
                    return false;
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
    let digits: Vec<u8> =
        raw.iter().take_while(|b| **b != b'>').filter_map(|b| char::from(*b).to_digit(16)).map(|d| d as u8).collect();
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

/// Whether loading this font stays bounded: its streams decode within the limit and its width tables claim no
/// absurd ranges (a range is spelled in three numbers but costs memory per code).
pub(super) fn font_is_safe(dict: &Dict<'_>, limit: u64) -> bool {
    const MAX_CODES: u64 = 1 << 20;
    let simple_range = |key: &[u8]| dict.get::<i64>(key).unwrap_or(0);
    if !(0..=0xFFFF).contains(&simple_range(b"FirstChar")) || !(0..=0xFFFF).contains(&simple_range(b"LastChar")) {
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
    font_streams(dict).iter().all(|stream| fits(stream, limit))
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
