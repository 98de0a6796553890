//! End-to-end and fault tests on real processes, and the harness they stand on.
