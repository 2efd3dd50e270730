//! Which functions keep a result out of the query cache.
//!
//! Three kinds: those whose value is not that of their arguments, those the server has and that do
//! no harm, and all others, which are stored or loadable functions and keep the result out too.

/// Functions that give another value tomorrow, in another session, or that do something.
/// `UNIX_TIMESTAMP` only without an argument.
const UNSTEADY: &[&str] = &[
    "benchmark",
    "connection_id",
    "curdate",
    "current_date",
    "current_role",
    "current_time",
    "current_timestamp",
    "current_user",
    "curtime",
    "database",
    "encrypt",
    "found_rows",
    "get_lock",
    "is_free_lock",
    "is_used_lock",
    "last_insert_id",
    "lastval",
    "load_file",
    "localtime",
    "localtimestamp",
    "master_gtid_wait",
    "master_pos_wait",
    "nextval",
    "now",
    "rand",
    "random_bytes",
    "release_all_locks",
    "release_lock",
    "row_count",
    "schema",
    "session_user",
    "setval",
    "sleep",
    "sysdate",
    "system_user",
    "user",
    "utc_date",
    "utc_time",
    "utc_timestamp",
    "uuid",
    "uuid_short",
    "wait_for_executed_gtid_set",
];

/// Of these MariaDB stores the results; MySQL does not.
const UNSTEADY_IN_MYSQL: &[&str] = &[
    "aes_decrypt",
    "aes_encrypt",
    "des_decrypt",
    "des_encrypt",
    "old_password",
    "password",
    "version",
];

/// Words that may stand before a parenthesis and are no call, and functions that the server has.
#[rustfmt::skip]
const KNOWN: &[&str] = &[
    // Words of SQL.
    "against", "all", "and", "any", "array", "as", "between", "bigint", "binary", "bit", "blob", "by",
    "case", "char", "character", "check", "columns", "cross", "date", "datetime", "dec", "decimal",
    "default", "distinct", "div", "double", "else", "escape", "except", "exists", "filter", "fixed", "float",
    "for", "force", "from", "fulltext", "group", "grouping", "having", "if", "ignore", "in", "index", "inner", "int",
    "integer", "intersect", "interval", "into", "is", "join", "key", "lateral", "left", "like", "limit", "match",
    "mediumint", "member", "mod", "nchar", "not", "numeric", "nvarchar", "of", "offset", "on", "or", "order", "over", "partition",
    "real", "regexp", "right", "rlike", "rollup", "row", "rows", "select", "separator", "set", "signed", "smallint",
    "some", "straight_join", "table", "text", "then", "time", "timestamp", "tinyint", "to", "union",
    "unsigned", "use", "using", "value", "values", "varbinary", "varchar", "when", "where", "window",
    "with", "within", "xor", "year", "minus", "return", "update", "dual", "unique", "primary", "natural",
    // Functions.
    "abs", "acos", "adddate", "addtime", "add_months", "aes_decrypt", "aes_encrypt", "any_value", "asin", "atan", "atan2", "ascii", "avg",
    "bin", "bin_to_uuid", "binlog_gtid_pos", "bit_and", "bit_count", "bit_length", "bit_or", "bit_xor", "cast", "ceil",
    "ceiling", "char_length", "character_length", "charset", "chr", "coalesce", "coercibility",
    "collation", "column_add", "column_check", "column_create", "column_delete", "column_exists",
    "column_get", "column_json", "column_list", "compress", "concat", "concat_ws", "conv", "convert",
    "convert_tz", "cos", "cot", "count", "crc32", "crc32c", "cume_dist", "date_add", "date_format",
    "date_sub", "datediff", "day", "dayname", "dayofmonth", "dayofweek", "dayofyear", "decode",
    "decode_oracle", "degrees", "dense_rank", "des_decrypt", "des_encrypt", "elt", "encode", "exp",
    "export_set", "extract", "extractvalue", "field", "find_in_set", "first_value", "floor", "format", "format_pico_time",
    "format_bytes", "from_base64", "from_days", "from_unixtime", "get_format", "greatest", "group_concat", "gtid_subset", "gtid_subtract",
    "hex", "hour", "ifnull", "inet6_aton", "inet6_ntoa", "inet_aton", "inet_ntoa", "insert", "instr",
    "is_ipv4", "is_ipv4_compat", "is_ipv4_mapped", "is_ipv6", "is_uuid", "isnull", "json_array", "json_array_append",
    "json_array_insert", "json_array_intersect", "json_arrayagg", "json_compact", "json_contains", "json_contains_path",
    "json_depth", "json_detailed", "json_equals", "json_exists", "json_extract", "json_insert",
    "json_keys", "json_key_value", "json_length", "json_loose", "json_merge", "json_merge_patch", "json_merge_preserve",
    "json_normalize", "json_object", "json_object_filter_keys", "json_object_to_array", "json_objectagg", "json_overlaps", "json_pretty", "json_query",
    "json_quote", "json_remove", "json_replace", "json_schema_valid", "json_search", "json_set",
    "json_storage_free", "json_storage_size", "json_table", "json_type", "json_unquote", "json_valid",
    "json_value", "lag", "last_day", "last_value", "lcase", "lead", "least", "length",
    "lengthb", "ln", "locate", "log", "log10", "log2", "lower", "lpad", "ltrim", "make_set", "makedate",
    "maketime", "max", "md5", "median", "microsecond", "mid", "min", "minute", "month", "monthname", "name_const", "months_between",
    "natural_sort_key", "nth_value", "ntile", "nullif", "nvl", "nvl2", "oct", "octet_length",
    "old_password", "ord", "password", "percent_rank", "percentile_cont", "percentile_disc", "period_add", "period_diff", "pi", "position", "pow", "power",
    "quarter", "quote", "radians", "rank", "regexp_instr", "regexp_like", "regexp_replace",
    "regexp_substr", "repeat", "replace", "reverse", "round", "row_number", "rpad", "rtrim",
    "sec_to_time", "second", "sformat", "sha", "sha1", "sha2", "sign", "sin", "soundex", "space", "sqrt", "statement_digest", "statement_digest_text",
    "std", "stddev", "stddev_pop", "stddev_samp", "str_to_date", "strcmp", "subdate", "substr",
    "substring", "substring_index", "subtime", "sum", "tan", "time_format", "time_to_sec",
    "timediff", "timestampadd", "timestampdiff", "to_base64", "to_char", "to_date", "to_days", "to_number", "to_seconds", "trim", "trim_oracle",
    "truncate", "trunc", "ucase", "uncompress", "uncompressed_length", "unhex", "updatexml", "upper",
    "unix_timestamp", "uuid_to_bin", "validate_password_strength", "var_pop", "var_samp", "variance", "vec_distance", "vec_distance_cosine",
    "vec_distance_euclidean", "vec_fromtext", "vec_totext", "version", "week", "weekday", "weekofyear", "weight_string", "yearweek",
    // Geometry.
    "area", "asbinary", "astext", "aswkb", "aswkt", "boundary", "buffer", "centroid", "contains", "crosses",
    "dimension", "disjoint", "distance", "endpoint", "envelope", "equals", "exteriorring", "geomcollfromtext",
    "geometrycollection", "geometryfromtext", "geometryn", "geometrytype", "geomfromtext", "geomfromwkb",
    "glength", "interiorringn", "intersects", "isclosed", "isempty", "issimple", "linefromtext",
    "linestring", "mbrcontains", "mbrcoveredby", "mbrcovers", "mbrdisjoint", "mbrequal", "mbrequals", "mbrintersects", "mbroverlaps",
    "mbrtouches", "mbrwithin", "multilinestring", "multipoint", "multipolygon", "numgeometries", "numinteriorrings", "numpoints",
    "overlaps", "point", "pointfromtext", "pointn", "polyfromtext", "polygon", "srid", "startpoint", "touches", "x", "y",
];

/// What a word before a parenthesis is to the query cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// The result depends on the arguments alone, or it is no call.
    Harmless,
    /// The result may be another one each time.
    Unsteady,
    /// Harmless with an argument.
    UnsteadyWithoutArgument,
    /// None of the server's own.
    Foreign,
}

/// What a word is; `name` in any case.
pub fn function(name: &[u8], is_mariadb: bool) -> Function {
    let lower = name.to_ascii_lowercase();
    let Ok(lower) = std::str::from_utf8(&lower) else { return Function::Foreign };
    let is_in = |list: &[&str]| list.contains(&lower);
    match lower {
        "unix_timestamp" => Function::UnsteadyWithoutArgument,
        _ if is_in(UNSTEADY) => Function::Unsteady,
        _ if !is_mariadb && is_in(UNSTEADY_IN_MYSQL) => Function::Unsteady,
        _ if is_in(KNOWN) || lower.starts_with("st_") => Function::Harmless,
        _ => Function::Foreign,
    }
}

/// Whether a word without a parenthesis is a call all the same.
pub fn is_bare_call(word: &[u8]) -> bool {
    const BARE: &[&[u8]] = &[
        b"current_date",
        b"current_role",
        b"current_time",
        b"current_timestamp",
        b"current_user",
        b"localtime",
        b"localtimestamp",
        b"utc_date",
        b"utc_time",
        b"utc_timestamp",
    ];
    (9..=17).contains(&word.len()) && BARE.iter().any(|bare| word.eq_ignore_ascii_case(bare))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_judged_by_what_its_value_depends_on() {
        for (name, is_mariadb, want) in [
            ("Now", true, Function::Unsteady),
            ("SHA2", true, Function::Harmless),
            ("VERSION", true, Function::Harmless),
            ("VERSION", false, Function::Unsteady),
            ("unix_timestamp", true, Function::UnsteadyWithoutArgument),
            ("price_of", true, Function::Foreign),
            ("ST_Distance", false, Function::Harmless),
            ("IN", true, Function::Harmless),
        ] {
            assert_eq!(function(name.as_bytes(), is_mariadb), want, "{name}");
        }
        assert!(is_bare_call(b"CURRENT_DATE"));
        assert!(!is_bare_call(b"created"));
    }
}
