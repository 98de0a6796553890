//! Compiles the .proto files with protox, so that no protoc has to be installed.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    const FILES: [&str; 5] = [
        "midrun/v1/types.proto",
        "midrun/v1/agent.proto",
        "midrun/v1/admin.proto",
        "midrun/v1/host.proto",
        "midrun/v1/recording.proto",
    ];
    println!("cargo:rerun-if-changed=proto");
    let descriptors = protox::compile(FILES, ["proto"])?;
    // Rare and long, beside short ones that are sent all the time.
    tonic_prost_build::configure().boxed(".midrun.v1.ToAgent.message.owner_settings").compile_fds(descriptors)?;
    Ok(())
}
