//! Links, by arithmetic that is shown.
