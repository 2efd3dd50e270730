use super::*;

/// A part from `varchar(20) utf8mb4 null` and the like; enum and set take the number of
/// their members in parentheses, a prefix stands behind `/`.
fn part(text: &str) -> Part<'_> {
    let (text, prefix) = match text.split_once('/') {
        Some((text, prefix)) => (text, prefix.parse().ok()),
        None => (text, None),
    };
    let (text, nullable) = match text.strip_suffix(" null") {
        Some(text) => (text, true),
        None => (text, false),
    };
    let (type_name, numbers, charset) = match text.split_once('(') {
        Some((type_name, rest)) => {
            let (numbers, charset) = rest.split_once(')').unwrap();
            (type_name, numbers, Some(charset.trim()).filter(|charset| !charset.is_empty()))
        }
        None => match text.split_once(" of ") {
            Some((type_name, charset)) => (type_name, "", Some(charset)),
            None => (text, "", None),
        },
    };
    let mut numbers = numbers.split(',').map(|number| number.parse().ok());
    let (length, decimals) = (numbers.next().flatten(), numbers.next().flatten());
    let has_members = matches!(type_name, "enum" | "set");
    Part {
        name: "c",
        type_name,
        length: length.filter(|_| !has_members),
        decimals,
        members: length.filter(|_| has_members),
        charset,
        nullable,
        prefix,
    }
}

#[track_caller]
fn check(text: &str, want: u32) {
    assert_eq!(bytes(&part(text), Temporal::Packed), Ok(want), "{text}");
}

#[test]
fn numbers_take_what_they_are_stored_in() {
    for (text, want) in [
        ("tinyint", 1),
        ("tinyint unsigned", 1),
        ("boolean", 1),
        ("year", 1),
        ("smallint", 2),
        ("mediumint", 3),
        ("int", 4),
        ("INT unsigned zerofill", 4),
        ("int(11)", 4),
        ("int null", 5),
        ("float", 4),
        ("float(7,4)", 4),
        ("float(53)", 8),
        ("bigint", 8),
        ("bigint(20) null", 9),
        ("double", 8),
        ("double precision", 8),
        ("bit", 1),
        ("bit(8)", 1),
        ("bit(9)", 2),
        ("bit(64)", 8),
    ] {
        check(text, want);
    }
}

#[test]
fn decimals_take_four_bytes_for_nine_digits_on_each_side() {
    for (text, want) in [
        ("decimal(5,2)", 3),
        ("decimal(9,0)", 4),
        ("decimal(10,2)", 5),
        ("decimal(10,2) null", 6),
        ("decimal(18,9)", 8),
        ("decimal(20,6)", 10),
        ("decimal(30,0)", 14),
        // decimal is decimal(10,0): 4 + 1.
        ("decimal", 5),
        // 35 and 30 digits: 3 * 4 + 4 and 3 * 4 + 2.
        ("numeric(65,30)", 30),
    ] {
        check(text, want);
    }
}

#[test]
fn times_take_a_byte_for_two_decimals() {
    for (text, want) in [
        ("date", 3),
        ("time", 3),
        ("time(3)", 5),
        ("time(6)", 6),
        ("datetime", 5),
        ("datetime(1)", 6),
        ("datetime(2)", 6),
        ("datetime(3)", 7),
        ("datetime(4)", 7),
        ("datetime(5)", 8),
        ("datetime(6)", 8),
        ("timestamp", 4),
        ("timestamp(2)", 5),
        ("timestamp(4)", 6),
        ("timestamp(6)", 7),
    ] {
        check(text, want);
    }
    for (text, want) in [("datetime", 8), ("time", 3), ("timestamp", 4), ("date", 3)] {
        assert_eq!(bytes(&part(text), Temporal::Old), Ok(want), "{text}");
    }
}

#[test]
fn members_decide_for_enum_and_set() {
    for (text, want) in [
        ("enum(3)", 1),
        ("enum(255)", 1),
        ("enum(256)", 2),
        ("set(8)", 1),
        ("set(9)", 2),
        ("set(16)", 2),
        ("set(24)", 3),
        ("set(32)", 4),
        ("set(33)", 8),
        ("set(64)", 8),
    ] {
        check(text, want);
    }
}

#[test]
fn text_takes_the_most_of_its_character_set_and_two_bytes_if_it_varies() {
    for (text, want) in [
        ("char(10)latin1", 10),
        ("char of latin1", 1),
        ("char(36)utf8mb4", 144),
        ("binary(16)", 16),
        ("varbinary(16)", 18),
        ("varchar(255)latin1", 257),
        ("varchar(32)utf8mb4 null", 131),
        ("varchar(10)ascii", 12),
        ("varchar(10)ucs2", 22),
        ("varchar(10)gbk", 22),
        ("varchar(10)utf8mb3", 32),
        ("varchar(10)UTF8MB4", 42),
        // LOWER(varchar(20)): an expression may be NULL.
        ("varchar(20)utf8mb4 null", 83),
        ("text of utf8mb4/20", 82),
        ("text of latin1/20", 22),
        ("blob/20", 22),
        ("varchar(255)utf8mb4/20", 82),
        ("varchar(255)utf8mb4 null/20", 83),
        ("varbinary(100)/20", 22),
        ("char(100)utf8mb3/20", 60),
        ("binary(100)/20", 20),
        ("uuid", 16),
        ("inet6", 16),
        ("inet4", 4),
    ] {
        check(text, want);
    }
}

#[test]
fn what_is_not_known_is_refused() {
    let of = |text| bytes(&part(text), Temporal::Packed);
    let c = || "c".to_owned();
    for text in ["json", "geometry", "vector(3)", "", "int fast", "point"] {
        assert_eq!(of(text), Err(Refusal::Type(c())), "{text}");
    }
    for text in [
        "varchar of latin1",
        "text of utf8mb4",
        "enum",
        "set",
        "set(65)",
        "set(0)",
        "decimal(66,0)",
        "decimal(5,6)",
        "decimal(0,0)",
        "time(7)",
    ] {
        assert_eq!(of(text), Err(Refusal::Length(c())), "{text}");
    }
    for text in ["varchar(10)", "varchar(10)klingon", "text/10"] {
        assert_eq!(of(text), Err(Refusal::Charset(c())), "{text}");
    }
    assert_eq!(bytes(&part("datetime(3)"), Temporal::Old), Err(Refusal::Length(c())));
    check("varchar(4294967295)utf8mb4 null", u32::MAX);
}

/// Parts `name type`, separated by `, `.
fn parts(text: &str) -> Vec<Part<'_>> {
    let parts = text.split(", ").filter_map(|column| column.split_once(' '));
    parts.map(|(name, column)| Part { name, ..part(column) }).collect()
}

#[track_caller]
fn check_used(index: &str, primary: &str, key_len: u64, want: Option<(usize, usize)>) {
    let got = used(&parts(index), &parts(primary), key_len, Temporal::Packed);
    let got = got.ok().map(|used| (used.parts, used.hidden));
    assert_eq!(got, want, "{index} + {primary}: {key_len}");
}

#[test]
fn leading_parts_are_counted() {
    let orders = "customer_id int, state tinyint, created_at datetime";
    check_used(orders, "", 4, Some((1, 0)));
    check_used(orders, "", 5, Some((2, 0)));
    check_used(orders, "", 10, Some((3, 0)));
    let refs = "ref varchar(32)utf8mb4 null, paid_at datetime(3) null";
    check_used(refs, "", 131, Some((1, 0)));
    check_used(refs, "", 139, Some((2, 0)));
    check_used("total decimal(10,2)", "", 5, Some((1, 0)));
}

#[test]
fn the_primary_key_is_added_behind_a_secondary_index() {
    check_used("cust int", "id bigint", 12, Some((1, 1)));
    check_used("cust int", "id bigint", 4, Some((1, 0)));
    check_used("cust int, id bigint", "id bigint", 12, Some((2, 0)));
    check_used("cust int", "tenant int, id bigint", 8, Some((1, 1)));
    check_used("cust int", "tenant int, id bigint", 16, Some((1, 2)));
    // Of tenant the index has all, so only id is added.
    check_used("TENANT int, cust int", "tenant int, id bigint", 16, Some((2, 1)));
    // A prefix in the index does not stand for the whole column: 4 + 12, then 22 more.
    let url = "cust int, url varchar(20)latin1/10";
    check_used(url, "url varchar(20)latin1", 16, Some((2, 0)));
    check_used(url, "url varchar(20)latin1", 38, Some((2, 1)));
}

#[test]
fn what_does_not_add_up_has_no_answer() {
    check_used("a int, b int", "", 0, None);
    check_used("a int, b int", "", 5, None);
    check_used("a int, b int", "", 9, None);
    check_used("", "", 4, None);
    check_used("a char(0)latin1, b int", "", 4, None);
    check_used("a int, b json", "", u64::MAX, None);
    // What comes behind does not matter where the sum is reached.
    check_used("a int, b json", "", 4, Some((1, 0)));
    let refusal = used(&parts("a int, b int"), &[], 7, Temporal::Packed).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "the leading columns add up to 4, 8 bytes, none of which is key_len"
    );
}
