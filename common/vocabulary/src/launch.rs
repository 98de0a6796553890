//! Launches: what one launcher starts at a time, numbered by the launcher as `KIND:NUMBER`.

/// Whether two processes surely belong to different launches: both are numbered in the same way, by different numbers. A process
/// without a number, or with one of another kind, may belong to any.
pub fn differ(one: &str, other: &str) -> bool {
    match (one.split_once(':'), other.split_once(':')) {
        (Some((kind, number)), Some((other_kind, other_number))) => kind == other_kind && number != other_number,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::differ;

    #[test]
    fn launches_differ_where_one_kind_of_number_does() {
        assert!(differ("PMIX_NAMESPACE:77@1", "PMIX_NAMESPACE:77@2"));
        assert!(!differ("PMIX_NAMESPACE:77@1", "PMIX_NAMESPACE:77@1"));
        assert!(!differ("PMIX_NAMESPACE:77@1", "hydra:node1-4000"), "two ways to number one launch");
        assert!(!differ("", "hydra:node1-4000") && !differ("", ""));
    }
}
