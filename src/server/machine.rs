//! The machine of a server, as the user describes it: no file tells it.

/// Kind of the disk that holds the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Disk {
    /// Turns.
    Hdd,
    /// Flash behind SATA or SAS.
    Ssd,
    /// Flash behind PCIe.
    Nvme,
}

impl Disk {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Disk::Hdd => "hdd",
            Disk::Ssd => "ssd",
            Disk::Nvme => "nvme",
        }
    }

    /// Whether it is flash.
    #[must_use]
    pub fn is_flash(self) -> bool {
        self != Disk::Hdd
    }
}

/// What is known of the machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Machine {
    /// Bytes of memory.
    pub memory: Option<u64>,
    /// Processor cores.
    pub cores: Option<u64>,
    /// Kind of disk.
    pub disk: Option<Disk>,
}

/// Reads a size as option files and people write it.
///
/// - Grammar: `1*DIGIT [ "K" / "M" / "G" / "T" / "P" / "E" ] [ "i" ] [ "B" ]`, any letter case,
///   blanks before the unit
/// - Unit: bytes; a unit is a power of 1024, as servers take it
/// - Errors: anything else, a fraction, a size past `u64`
#[must_use]
pub fn size(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits)?;
    let number: u64 = number.parse().ok()?;
    let unit = unit.trim_start().to_ascii_lowercase();
    let unit = unit.strip_suffix('b').unwrap_or(&unit);
    let letter = unit.strip_suffix('i').unwrap_or(unit);
    let power = match letter {
        "" if unit.is_empty() => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        "p" => 5,
        "e" => 6,
        _ => return None,
    };
    number.checked_mul(1_u64.checked_shl(10 * power)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, want: Option<u64>) {
        assert_eq!(size(text), want, "{text:?}");
    }

    #[test]
    fn units_are_powers_of_1024() {
        check("0", Some(0));
        check("16384", Some(16_384));
        check("64k", Some(65_536));
        check("3M", Some(3 * 1_048_576));
        check("8 GiB", Some(8 * 1_073_741_824));
        check("2GB", Some(2 * 1_073_741_824));
        check("1T", Some(1_099_511_627_776));
        check("15E", Some(15 << 60));
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for text in ["", "G", "1.5G", "-1", "4X", "1 i", "16E", "99999999999999999999", "1KK", "é"]
        {
            check(text, None);
        }
    }
}
