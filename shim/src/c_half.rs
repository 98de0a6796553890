//! Declarations of functions of the C half (`mpi/*.c`).

/// Declares functions of the C half. In unit tests there is no C half: a function returns the value behind its type, as in a
/// program that has not initialised MPI.
macro_rules! c_half {
    ($(fn $name:ident($($argument:ident: $kind:ty),* $(,)?) $(-> $result:ty = $absent:expr)?;)*) => {
        #[cfg(not(test))]
        unsafe extern "C" {
            $(fn $name($($argument: $kind),*) $(-> $result)?;)*
        }
        $(
            #[cfg(test)]
            unsafe fn $name($(_: $kind),*) $(-> $result)? {
                $($absent)?
            }
        )*
    };
}
pub(crate) use c_half;
