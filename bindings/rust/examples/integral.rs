//! Integrates a function by a farm in Rust: mpirun -n 5 integral [ITERATIONS].

use std::ffi::{c_int, c_void};

// A program of yours takes MPI from a crate. These two functions are the same in every MPI.
unsafe extern "C" {
    fn MPI_Init(argc: *mut c_int, argv: *mut c_void) -> c_int;
    fn MPI_Finalize() -> c_int;
}

const TASKS: u32 = 400;

fn main() -> Result<(), midrun::Error> {
    // SAFETY: MPI-2 allows null pointers.
    unsafe { MPI_Init(std::ptr::null_mut(), std::ptr::null_mut()) };
    let rank = ["OMPI_COMM_WORLD_RANK", "PMI_RANK"].iter().find_map(|name| std::env::var(name).ok());
    let iterations = std::env::args().nth(1).map_or(3, |count| count.parse().expect("a number of iterations"));
    {
        let mut farm = midrun::Farm::new(&midrun::Options::default(), |task| {
            let task = u32::from_le_bytes(task.try_into().expect("a task's number"));
            let (from, steps) = (std::f64::consts::PI * f64::from(task) / f64::from(TASKS), 20 + 10 * task);
            let width = std::f64::consts::PI / f64::from(TASKS) / f64::from(steps);
            let part: f64 = (0..steps).map(|step| (from + (f64::from(step) + 0.5) * width).sin() * width).sum();
            part.to_le_bytes().to_vec()
        })?;
        if rank.as_deref() == Some("0") {
            let tasks: Vec<[u8; 4]> = (0..TASKS).map(u32::to_le_bytes).collect();
            for iteration in 0..iterations {
                let results = farm.map(&tasks)?;
                let part = |result: &Vec<u8>| f64::from_le_bytes(result.as_slice().try_into().expect("a number"));
                println!("iteration {iteration}: integral {:.6}", results.iter().map(part).sum::<f64>());
            }
            farm.finish()?;
        } else {
            farm.serve()?;
        }
    }
    // SAFETY: the farm is gone.
    unsafe { MPI_Finalize() };
    Ok(())
}
