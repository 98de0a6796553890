//! Finds libmidrun: in MIDRUN_ROOT/lib, else where pkg-config says.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=MIDRUN_ROOT");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    let directory = std::env::var("MIDRUN_ROOT").map(|root| format!("{root}/lib")).or_else(|_| {
        let answer = Command::new("pkg-config").args(["--variable=libdir", "midrun"]).output();
        let answer = answer.ok().filter(|answer| answer.status.success());
        answer.map(|answer| String::from_utf8_lossy(&answer.stdout).trim().to_owned()).ok_or(())
    });
    match directory {
        Ok(directory) => println!("cargo:rustc-link-search=native={directory}"),
        Err(()) => println!("cargo:warning=pkg-config finds no midrun: name its prefix by MIDRUN_ROOT"),
    }
    println!("cargo:rustc-link-lib=dylib=midrun");
}
