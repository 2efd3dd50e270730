//! Which server it is, and who runs it.

use super::Variables;
use crate::flavor::Family;

/// Family and version of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version {
    /// MySQL, MariaDB, Percona Server, Aurora or TiDB.
    pub family: Family,
    /// Its numbers: `(8, 0, 36)`. What is not printed is 0.
    pub numbers: (u32, u32, u32),
}

impl Version {
    /// Reads the variables `version` and `version_comment`.
    #[must_use]
    pub fn of(variables: &Variables) -> Option<Version> {
        let text = variables.text("version")?;
        let comment = variables.text("version_comment").unwrap_or_default();
        let mut version = Version::parse(text)?;
        if version.family == Family::MySql {
            if variables.text("aurora_version").is_some() {
                version.family = Family::Aurora;
            } else if contains(comment, "percona") {
                version.family = Family::Percona;
            }
        }
        Some(version)
    }

    /// Reads a version as servers print it: `8.0.40-31`, `11.8.3-MariaDB-log`,
    /// `5.5.5-10.4.32-MariaDB`. `None` if it does not begin with two numbers.
    #[must_use]
    pub fn parse(text: &str) -> Option<Version> {
        let family = if contains(text, "mariadb") {
            Family::MariaDb
        } else if contains(text, "tidb") {
            Family::TiDb
        } else {
            Family::MySql
        };
        // MariaDB tells old replicas that it is 5.5.5.
        let plain = text.strip_prefix("5.5.5-").filter(|_| family == Family::MariaDb);
        let mut numbers = plain.unwrap_or(text).trim().split(|c: char| !c.is_ascii_digit());
        let major = numbers.next()?.parse().ok()?;
        let minor = numbers.next()?.parse().ok()?;
        let patch = numbers.next().and_then(|it| it.parse().ok()).unwrap_or(0);
        Some(Version { family, numbers: (major, minor, patch) })
    }

    /// MariaDB.
    #[must_use]
    pub fn is_mariadb(&self) -> bool {
        self.family == Family::MariaDb
    }

    /// MySQL or one of its near kin.
    #[must_use]
    pub fn is_mysql(&self) -> bool {
        matches!(self.family, Family::MySql | Family::Percona | Family::Aurora)
    }

    /// MySQL of this version or later.
    #[must_use]
    pub fn is_mysql_from(&self, major: u32, minor: u32, patch: u32) -> bool {
        self.is_mysql() && self.numbers >= (major, minor, patch)
    }

    /// MariaDB of this version or later.
    #[must_use]
    pub fn is_mariadb_from(&self, major: u32, minor: u32, patch: u32) -> bool {
        self.is_mariadb() && self.numbers >= (major, minor, patch)
    }
}

/// Who runs a server for its user: variables are changed in a parameter group then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// Amazon RDS.
    Rds,
    /// Amazon Aurora.
    Aurora,
    /// Google Cloud SQL.
    CloudSql,
    /// Azure Database.
    Azure,
    /// Alibaba Cloud: `rds_` variables, `loose_rds_` options.
    Alibaba,
}

impl Provider {
    pub(super) fn of(variables: &Variables) -> Option<Provider> {
        let comment = variables.text("version_comment").unwrap_or_default();
        let base = variables.text("basedir").unwrap_or_default();
        if variables.names().any(|name| name.starts_with("aurora_")) {
            Some(Provider::Aurora)
        } else if base.contains("/rdsdbbin") {
            Some(Provider::Rds)
        } else if contains(comment, "google") || variables.names().any(is_cloudsql) {
            Some(Provider::CloudSql)
        } else if contains(comment, "azure") || variables.names().any(|it| it.starts_with("azure_"))
        {
            Some(Provider::Azure)
        } else {
            variables.names().any(|name| name.starts_with("rds_")).then_some(Provider::Alibaba)
        }
    }

    /// What the place is called where variables are changed.
    #[must_use]
    pub fn place(self) -> &'static str {
        match self {
            Provider::Rds => "the DB parameter group",
            Provider::Aurora => "the DB cluster parameter group",
            Provider::CloudSql => "the database flags of the instance",
            Provider::Azure => "the server parameters",
            Provider::Alibaba => "the parameters of the instance",
        }
    }
}

fn is_cloudsql(name: &str) -> bool {
    name.starts_with("cloudsql_")
}

fn contains(text: &str, word: &str) -> bool {
    text.to_ascii_lowercase().contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(&str, &str)]) -> Variables {
        pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
    }

    #[test]
    fn the_family_is_told_by_version_and_comment() {
        let check = |pairs: &[(&str, &str)], family, numbers| {
            assert_eq!(Version::of(&of(pairs)), Some(Version { family, numbers }), "{pairs:?}");
        };
        check(&[("version", "8.0.36")], Family::MySql, (8, 0, 36));
        check(&[("version", "5.0.51a-24+lenny2-log")], Family::MySql, (5, 0, 51));
        check(&[("version", "10.6.16-MariaDB-log")], Family::MariaDb, (10, 6, 16));
        check(&[("version", "5.5.5-10.4.32-MariaDB")], Family::MariaDb, (10, 4, 32));
        check(&[("version", "9.7")], Family::MySql, (9, 7, 0));
        check(
            &[("version", "8.0.32-24"), ("version_comment", "Percona Server (GPL), Release 24")],
            Family::Percona,
            (8, 0, 32),
        );
        check(&[("version", "8.0.28"), ("aurora_version", "3.05.2")], Family::Aurora, (8, 0, 28));
        check(&[("version", "8.0.11-TiDB-v7.5.1")], Family::TiDb, (8, 0, 11));
        assert_eq!(Version::of(&of(&[("version", "unknown")])), None);
        assert_eq!(Version::of(&of(&[("version_comment", "MySQL 8.0")])), None);
    }

    #[test]
    fn providers_are_told_by_their_own_variables() {
        let check = |name, value, want| {
            assert_eq!(Provider::of(&of(&[(name, value)])), want, "{name}");
        };
        check("basedir", "/rdsdbbin/mysql-8.0.36.R1/", Some(Provider::Rds));
        check("aurora_version", "3.05.2", Some(Provider::Aurora));
        check("version_comment", "(Google)", Some(Provider::CloudSql));
        check("rds_max_tmp_disk_space", "10737418240", Some(Provider::Alibaba));
        check("basedir", "/usr/", None);
    }
}
