//! Tests of the configuration's layers, and of the example file that is generated from the defaults.

use super::*;

fn file(text: &str) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    file
}

#[test]
fn a_flag_is_stronger_than_the_file_and_the_file_stronger_than_the_default() {
    let file = file("[run]\ntechnique = \"gss\"\ntunlet = \"master_worker\"\n[analyzer]\nwindow_grace_ms = 300\n");
    let settings = load(Some(file.path()), &[("run.technique", "fac2".into())]).unwrap();
    assert_eq!(settings.run.technique, "fac2");
    assert_eq!(settings.run.tunlet, "master_worker");
    assert_eq!(settings.analyzer.window_grace_ms, 300);
    assert_eq!(settings.agent, midrun_agent::config::Config::default());
}

#[test]
fn an_unknown_key_is_refused_with_the_allowed_ones() {
    let file = file("[run]\npolcy = \"gss\"\n");
    let text = load(Some(file.path()), &[]).unwrap_err().to_string();
    assert!(text.contains("`polcy` in [run]") && text.contains("technique"), "{text}");
}

#[test]
fn the_old_key_of_the_technique_is_still_accepted() {
    let file = file("[run]\npolicy = \"gss\"\n[analyzer]\npolicy = \"fac2\"\n");
    let settings = load(Some(file.path()), &[]).unwrap();
    assert_eq!((settings.run.technique.as_str(), settings.analyzer.technique.as_str()), ("gss", "fac2"));
}

#[test]
fn the_old_key_of_the_memory_is_still_accepted() {
    let file = file("[run]\nno_search_memory = true\n");
    assert!(load(Some(file.path()), &[]).unwrap().run.no_memory);
}

#[test]
fn a_value_of_the_wrong_type_is_refused_with_its_key() {
    let file = file("[analyzer]\nwindow_grace_ms = \"soon\"\n");
    let text = load(Some(file.path()), &[]).unwrap_err().to_string();
    assert!(text.contains("window_grace_ms") && !text.contains('\n'), "{text}");
}

#[test]
fn a_token_is_a_text_though_it_looks_like_a_number() {
    for token in ["0123", "1e5", "true", "12345678901234567890123"] {
        let file = file(&format!("[analyzer]\ntoken = \"{token}\"\n"));
        assert_eq!(load(Some(file.path()), &[]).unwrap().analyzer.token, token);
        assert_eq!(load(None, &[("analyzer.token", token.into())]).unwrap().analyzer.token, token);
    }
    let file = file("[analyzer]\ntoken = 1e5\n");
    let text = load(Some(file.path()), &[]).unwrap_err().to_string();
    assert!(text.contains("analyzer.token = 100000.0: a text in quotation marks is expected"), "{text}");
}

#[test]
fn a_token_file_that_others_can_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let file = file("0123\n");
    std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(0o640)).unwrap();
    let text = read_token(file.path()).unwrap_err().to_string();
    assert!(text.contains("open to others (mode 640)") && text.contains("chmod 600"), "{text}");
    std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(0o400)).unwrap();
    assert_eq!(read_token(file.path()).unwrap(), "0123");
}

#[test]
fn a_configuration_with_a_token_that_others_can_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |file: &tempfile::NamedTempFile, mode| {
        std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    for section in ["analyzer", "agent"] {
        let file = file(&format!("[{section}]\ntoken = \"0123\"\n"));
        mode(&file, 0o644);
        let text = load(Some(file.path()), &[]).unwrap_err().to_string();
        assert!(text.contains("open to others (mode 644)") && text.contains("chmod 600"), "{text}");
        mode(&file, 0o600);
        load(Some(file.path()), &[]).expect("it is its owner's alone");
    }
    let without = file("[analyzer]\ntoken = \"\"\n");
    mode(&without, 0o644);
    load(Some(without.path()), &[]).expect("it has no token");
}

#[test]
fn files_without_an_end_are_read_up_to_a_bound_and_refused() {
    let endless = Path::new("/dev/zero");
    let errors = [
        read_token(endless).unwrap_err(),
        load(Some(endless), &[]).unwrap_err(),
        crate::tunlet_files::read("/dev/zero").unwrap_err(),
        crate::run::points::Points::read(endless).unwrap_err(),
        crate::predict::description::read(endless, |text| Ok::<_, String>(text.len())).unwrap_err(),
    ];
    for error in errors {
        assert!(error.to_string().contains("it is longer than"), "{error}");
    }
}

#[test]
fn an_unknown_technique_is_refused_with_the_known_ones() {
    let text = load(None, &[("run.technique", "dfp".into())]).unwrap_err().to_string();
    assert!(text.contains("dfp") && text.contains("dpf"), "{text}");
}

#[test]
fn a_confidence_level_is_a_number_of_a_file_or_a_flag() {
    let file = file("[run]\nconfidence = 0.99\n[analyzer]\nconfidence = 0.9\n");
    let settings = load(Some(file.path()), &[]).unwrap();
    assert_eq!((settings.run.confidence, settings.analyzer.confidence), (0.99, 0.9));
    assert_eq!(load(None, &[("run.confidence", "0.8".into())]).unwrap().run.confidence, 0.8);
    for (text, why) in
        [("confidence = 95", "confidence = 95: allowed is a number above 0.5"), ("confidence = \"0.9\"", "a number")]
    {
        let text = format!("[run]\n{text}\n");
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let said = load(Some(file.path()), &[]).unwrap_err().to_string();
        assert!(said.contains(why), "{said}");
    }
}

/// The comment above each field of the section's struct is the example file's comment.
fn documentation(source: &str, key: &str) -> String {
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let field = format!("pub {key}:");
    let at = lines.iter().position(|line| line.starts_with(&field)).unwrap_or(0);
    let mut comment: Vec<&str> = lines[..at]
        .iter()
        .rev()
        .skip_while(|line| line.starts_with("#["))
        .take_while(|line| line.starts_with("///"))
        .map(|line| line.trim_start_matches('/').trim())
        .collect();
    comment.reverse();
    comment.join(" ")
}

fn example() -> String {
    let (_, of_run) = include_str!("../settings.rs").split_once("pub struct RunSettings").unwrap();
    let sources = [
        ("run", of_run),
        ("agent", include_str!("../../../monitor-tuner/src/config.rs")),
        ("analyzer", include_str!("../../../analyzer/src/config.rs")),
    ];
    let defaults = serde_json::to_value(Settings::default()).unwrap();
    let mut text = String::from(
        "# Every key with its default; generated from the source (MIDRUN_BLESS=1 cargo test -p midrun-cli).\n\
         # Stronger than this file: the environment (MIDRUN_CFG_RUN__TECHNIQUE=gss), then flags.\n",
    );
    for (section, source) in sources {
        text += &format!("\n[{section}]\n");
        for (key, value) in defaults[section].as_object().unwrap() {
            text += &format!("# {}\n", documentation(source, key));
            text += &match value {
                Value::Null => format!("# {key} = …\n"),
                value => format!("{key} = {value}\n"),
            };
        }
    }
    text
}

#[test]
fn the_example_configuration_is_generated_from_the_defaults() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/midrun.example.toml");
    if std::env::var_os("MIDRUN_BLESS").is_some() {
        std::fs::write(path, example()).unwrap();
    }
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert!(committed == example(), "deploy/midrun.example.toml differs: run with MIDRUN_BLESS=1");
    assert_eq!(load(Some(Path::new(path)), &[]).unwrap(), Settings::default());
}
