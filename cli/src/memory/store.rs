//! The SQLite file: one row per run.

use std::fs;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags, Row, params};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::io::Errno;
use serde::Serialize;
use serde_json::Value;

/// Marks the file as this program's: `mdrn`.
const APPLICATION: i64 = 0x6d64_726e;
/// Version of the table below.
const VERSION: i64 = 1;
/// A writer waits so long for others: SQLite looks now and then, and on a busy host it may find one of them each time. Who must
/// not wait so long does not wait for this thread.
const BUSY: Duration = Duration::from_secs(20);
const TABLE: &str = "
    CREATE TABLE run (
        id INTEGER PRIMARY KEY,
        time_s INTEGER NOT NULL,
        program TEXT NOT NULL,
        key TEXT NOT NULL,
        ranks INTEGER NOT NULL,
        iterations INTEGER NOT NULL,
        per TEXT NOT NULL,
        first_s REAL NOT NULL,
        last_s REAL NOT NULL,
        setting TEXT,
        workers INTEGER,
        learnt TEXT NOT NULL
    );
    CREATE INDEX run_of_key ON run (key, time_s);
    CREATE INDEX run_of_time ON run (time_s);";
const COLUMNS: &str = "time_s, program, key, ranks, iterations, per, first_s, last_s, setting, workers, learnt";
/// File systems of this host alone, by their magic numbers: ext, xfs, btrfs, tmpfs, overlayfs, zfs, f2fs. Processes of several hosts
/// cannot share a write-ahead log, because its index is shared memory.
const LOCAL: [i64; 7] = [0xef53, 0x5846_5342, 0x9123_683e, 0x0102_1994, 0x794c_7630, 0x2fc1_2fc1, 0xf2f5_2010];

/// What keeps the memory from being used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file is no memory; it was renamed to the second path.
    #[error("{0} is not a memory of midrun or is damaged, and is kept as {1}")]
    Foreign(PathBuf, PathBuf),
    /// A newer midrun wrote it.
    #[error("{0} was written by a newer midrun")]
    Newer(PathBuf),
    /// The file system refuses.
    #[error("{0}: {1}")]
    File(PathBuf, std::io::Error),
    /// SQLite refuses for now.
    #[error("{0}: {1}")]
    Sqlite(PathBuf, rusqlite::Error),
}

/// How long runs are kept, and how many.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Days.
    pub days: u32,
    /// Runs, the newest ones.
    pub runs: u32,
}

impl Bounds {
    /// The time before which runs are forgotten, seconds since 1970.
    pub fn since(self, now_s: u64) -> u64 {
        now_s.saturating_sub(u64::from(self.days) * 86_400)
    }
}

/// Characters of a program's arguments that a table shows.
const ARGUMENTS: usize = 60;

/// A run that ended well.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Run {
    /// Its end, seconds since 1970.
    #[serde(rename = "unix_s")]
    pub time_s: u64,
    /// File name of its program.
    pub program: String,
    /// Everything by which it is recognised, as JSON.
    #[serde(serialize_with = "as_json")]
    pub key: String,
    /// Ranks seen.
    pub ranks: u64,
    /// Iterations, or windows of a stream.
    pub iterations: u64,
    /// `iteration`, or `output` of a stream.
    pub per: String,
    /// Time of the first, seconds.
    pub first_s: f64,
    /// Time of the last, seconds.
    pub last_s: f64,
    /// The best setting, for people.
    pub setting: Option<String>,
    /// Its workers.
    pub workers: Option<u64>,
    /// What was learnt: `best`, `search`, `predictions`.
    pub learnt: Value,
}

impl Run {
    /// The arguments of its program as a shell would take them, as far as they tell it from others in a table.
    pub fn arguments(&self) -> String {
        let key = serde_json::from_str::<Value>(&self.key).unwrap_or_default();
        let words = key["arguments"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let all = shlex::try_join(words).unwrap_or_default();
        match all.char_indices().nth(ARGUMENTS) {
            Some((end, _)) => format!("{}…", &all[..end]),
            None => all,
        }
    }
}

fn as_json<S: serde::Serializer>(key: &str, to: S) -> Result<S::Ok, S::Error> {
    serde_json::from_str::<Value>(key).unwrap_or_default().serialize(to)
}

/// The opened file.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    path: PathBuf,
}

impl Store {
    /// Opens the file, or makes it. A damaged or foreign file is kept under another name.
    ///
    /// # Errors
    /// Why there is no memory now.
    pub fn open(path: &Path) -> Result<Store, Error> {
        let file = |error| Error::File(path.to_owned(), error);
        if let Some(directory) = path.parent() {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(file)?;
        }
        // SQLite gives its further files the mode of this one. It is made without being opened: a descriptor that is closed
        // gives up all locks that this process has on the file, those of SQLite, too.
        match mknodat(CWD, path, FileType::RegularFile, Mode::RUSR | Mode::WUSR, 0) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(file(error.into())),
        }
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(file)?;
        let until = Instant::now() + BUSY;
        loop {
            match Store::connect(path) {
                Ok(connected) => return connected,
                Err(error) => match error.sqlite_error_code() {
                    // SQLite does not wait for one that begins or ends the log.
                    Some(ErrorCode::DatabaseBusy) if Instant::now() < until => std::thread::sleep(BUSY / 1000),
                    Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => return Err(set_aside(path)),
                    _ => return Err(Error::Sqlite(path.to_owned(), error)),
                },
            }
        }
    }

    /// The inner error is final; the outer one may be a damaged file.
    fn connect(path: &Path) -> rusqlite::Result<Result<Store, Error>> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(BUSY)?;
        let mode = if is_local(path) { "WAL" } else { "DELETE" };
        connection.pragma_update(None, "journal_mode", mode)?;
        let number =
            |connection: &Connection, name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        let (application, version) = (number(&transaction, "application_id")?, number(&transaction, "user_version")?);
        let tables: i64 = transaction.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
        match (application, version, tables) {
            (0, 0, 0) => {
                transaction.execute_batch(TABLE)?;
                transaction.pragma_update(None, "application_id", APPLICATION)?;
                transaction.pragma_update(None, "user_version", VERSION)?;
            }
            (APPLICATION, VERSION, _) => {}
            (APPLICATION, newer, _) if newer > VERSION => return Ok(Err(Error::Newer(path.to_owned()))),
            _ => {
                drop(transaction);
                drop(connection);
                return Ok(Err(set_aside(path)));
            }
        }
        transaction.commit()?;
        Ok(Ok(Store { connection, path: path.to_owned() }))
    }

    fn done<T>(&self, result: rusqlite::Result<T>) -> Result<T, Error> {
        result.map_err(|error| match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => set_aside(&self.path),
            _ => Error::Sqlite(self.path.clone(), error),
        })
    }

    /// The newest runs of a key that are not older than `since`.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn runs_of(&self, key: &str, since: u64, most: u32) -> Result<Vec<Run>, Error> {
        let text =
            format!("SELECT {COLUMNS} FROM run WHERE key = ?1 AND time_s >= ?2 ORDER BY time_s DESC, id DESC LIMIT ?3");
        let read = || self.connection.prepare(&text)?.query_map(params![key, since as i64, most], of_row)?.collect();
        self.done(read())
    }

    /// All runs, or those of a program by its file name; the newest first.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn runs(&self, program: Option<&str>) -> Result<Vec<Run>, Error> {
        let text = format!("SELECT {COLUMNS} FROM run WHERE ?1 IS NULL OR program = ?1 ORDER BY time_s DESC, id DESC");
        let read = || self.connection.prepare(&text)?.query_map(params![program], of_row)?.collect();
        self.done(read())
    }

    /// Adds a run, and forgets those beyond the bounds.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&mut self, run: &Run, bounds: Bounds) -> Result<(), Error> {
        let Run { time_s, program, key, ranks, iterations, per, first_s, last_s, setting, workers, learnt } = run;
        let write = |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
            transaction.execute(
                &format!("INSERT INTO run ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"),
                params![
                    whole(*time_s),
                    program,
                    key,
                    whole(*ranks),
                    whole(*iterations),
                    per,
                    first_s,
                    last_s,
                    setting,
                    workers.map(whole),
                    learnt.to_string()
                ],
            )?;
            transaction.execute("DELETE FROM run WHERE time_s < ?1", [whole(bounds.since(*time_s))])?;
            let newest = "DELETE FROM run WHERE id NOT IN (SELECT id FROM run ORDER BY time_s DESC, id DESC LIMIT ?1)";
            transaction.execute(newest, [bounds.runs])?;
            transaction.commit()
        };
        let written = write(&mut self.connection);
        self.done(written)
    }

    /// Forgets all runs, or those of a program by its file name; returns their number.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn forget(&self, program: Option<&str>) -> Result<usize, Error> {
        self.done(self.connection.execute("DELETE FROM run WHERE ?1 IS NULL OR program = ?1", params![program]))
    }
}

fn of_row(row: &Row<'_>) -> rusqlite::Result<Run> {
    let whole = |at: usize| row.get::<_, i64>(at).map(|number| number.max(0) as u64);
    Ok(Run {
        time_s: whole(0)?,
        program: row.get(1)?,
        key: row.get(2)?,
        ranks: whole(3)?,
        iterations: whole(4)?,
        per: row.get(5)?,
        first_s: row.get(6)?,
        last_s: row.get(7)?,
        setting: row.get(8)?,
        workers: row.get::<_, Option<i64>>(9)?.map(|number| number.max(0) as u64),
        learnt: serde_json::from_str(&row.get::<_, String>(10)?).unwrap_or_default(),
    })
}

/// Keeps a damaged or foreign file under another name. Its log goes with it: the two belong together.
fn set_aside(path: &Path) -> Error {
    let named = |ending: &str| PathBuf::from(format!("{}{ending}", path.display()));
    let aside = (0..).map(|number| named(&format!(".damaged{number}"))).find(|aside| !aside.exists());
    let aside = aside.unwrap_or_else(|| named(".damaged"));
    if let Err(error) = fs::rename(path, &aside) {
        return Error::File(path.to_owned(), error);
    }
    for ending in ["-wal", "-journal"] {
        let _ = fs::rename(named(ending), PathBuf::from(format!("{}{ending}", aside.display())));
    }
    let _ = fs::remove_file(named("-shm"));
    Error::Foreign(path.to_owned(), aside)
}

/// Whether no other host can have the file open.
fn is_local(path: &Path) -> bool {
    rustix::fs::statfs(path).is_ok_and(|found| LOCAL.contains(&found.f_type))
}
