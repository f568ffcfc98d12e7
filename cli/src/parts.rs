//! Texts of several expressions.

/// The parts of `text` between commas outside of parentheses.
pub(crate) fn at_commas(text: &str) -> Vec<String> {
    let (mut depth, mut parts) = (0_i64, vec![String::new()]);
    for c in text.chars() {
        depth += i64::from(c == '(') - i64::from(c == ')');
        match parts.last_mut() {
            Some(last) if c != ',' || depth > 0 => last.push(c),
            _ => parts.push(String::new()),
        }
    }
    parts.iter().map(|p| p.trim().to_string()).collect()
}
