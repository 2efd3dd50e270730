//! Values of options that are more than a word.

use adagio::digest::Group;
use adagio::report::profile::{Function, Limit, Order, Outliers};

/// Reads `--limit`: `N`, `P%`, `P%:N` or `P:N`.
pub fn limit(text: &str) -> Result<Limit, String> {
    let expected =
        || format!("\"{text}\" is no limit; expected N, P% or P%:N, such as 10, 95% or 95%:20");
    let percent = |part: &str| {
        let number = part.parse::<f64>().ok().filter(|p| (0.0..=100.0).contains(p));
        number.ok_or_else(expected)
    };
    let count = |part: &str| part.parse::<usize>().map_err(|_| expected());
    let limit = match text.split_once(':') {
        Some((share, number)) => Limit {
            percent: Some(percent(share.trim_end_matches('%'))?),
            count: Some(count(number)?),
        },
        None => match text.strip_suffix('%') {
            Some(share) => Limit { percent: Some(percent(share)?), count: None },
            None => Limit { percent: None, count: Some(count(text)?) },
        },
    };
    // As in pt-query-digest: 0 is the default, 0% is no limit.
    Ok(match limit {
        Limit { percent: None, count: Some(0) } => Limit::default(),
        Limit { percent: Some(0.0), count } => Limit { percent: None, count },
        limit => limit,
    })
}

/// Reads `--outliers`: `ATTRIBUTE:P95` or `ATTRIBUTE:P95:COUNT`.
pub fn outliers(text: &str) -> Result<Outliers, String> {
    let expected = || {
        format!(
            "\"{text}\" is no rule for outliers; expected ATTRIBUTE:P95[:COUNT], such as Query_time:1:10"
        )
    };
    let mut parts = text.split(':');
    let attribute = parts.next().filter(|name| !name.is_empty()).ok_or_else(expected)?.to_owned();
    let at_least = parts.next().and_then(|part| part.parse().ok()).ok_or_else(expected)?;
    let count = match parts.next() {
        None => 0,
        Some(part) => part.parse().map_err(|_| expected())?,
    };
    if parts.next().is_some() {
        return Err(expected());
    }
    Ok(Outliers { attribute, at_least, count })
}

/// Reads `--order-by`: `ATTRIBUTE` or `ATTRIBUTE:sum|min|max|cnt`.
pub fn order(text: &str) -> Result<Order, String> {
    let (attribute, function) = text.split_once(':').unwrap_or((text, "sum"));
    let function = match function {
        "sum" => Function::Sum,
        "min" => Function::Min,
        "max" => Function::Max,
        "cnt" | "count" => Function::Count,
        _ => {
            return Err(format!(
                "\"{function}\" is nothing to order by; expected sum, min, max or cnt"
            ));
        }
    };
    if attribute.is_empty() || attribute.contains(',') {
        return Err("expected one attribute, such as Query_time:sum".to_owned());
    }
    Ok(Order { attribute: attribute.to_owned(), function })
}

/// Reads `--group-by`.
pub fn group(text: &str) -> Result<Group, String> {
    match text {
        "" => {
            Err("expected fingerprint, distill, tables, user, host, db or an attribute".to_owned())
        }
        _ if text.contains(',') => {
            Err("one thing at a time: run adagio once for each grouping".to_owned())
        }
        "fingerprint" => Ok(Group::Fingerprint),
        "distill" | "item" => Ok(Group::Item),
        "tables" => Ok(Group::Tables),
        "database" | "schema" => Ok(Group::Attribute("db".to_owned())),
        name => Ok(Group::Attribute(name.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_those_of_the_peer() {
        let of = |percent, count| Limit { percent, count };
        assert_eq!(limit("10"), Ok(of(None, Some(10))));
        assert_eq!(limit("95%"), Ok(of(Some(95.0), None)));
        assert_eq!(limit("95%:20"), Ok(of(Some(95.0), Some(20))));
        assert_eq!(limit("95:20"), Ok(of(Some(95.0), Some(20))));
        assert_eq!(limit("100%"), Ok(of(Some(100.0), None)));
        assert_eq!(limit("0"), Ok(Limit::default()));
        assert_eq!(limit("0%"), Ok(of(None, None)));
        for text in ["", "x", "-1", "101%", "95%:", "95%:x"] {
            assert!(limit(text).is_err(), "{text}");
        }
    }

    #[test]
    fn outliers_and_orders_are_read_or_refused() {
        assert_eq!(outliers("Query_time:1:10"), Ok(Outliers::default()));
        assert_eq!(outliers("Rows_sent:5").unwrap().count, 0);
        for text in ["", "Query_time", "Query_time:x", "Query_time:1:x", "a:1:1:1"] {
            assert!(outliers(text).is_err(), "{text}");
        }
        assert_eq!(order("Query_time"), Ok(Order::default()));
        assert_eq!(order("Rows_sent:max").unwrap().function, Function::Max);
        assert!(order("Query_time:avg").is_err());
    }
}
