//! A MariaDB of its own for a test: data, socket and log in a temporary folder, no network.
#![allow(dead_code, reason = "each test file takes what it needs")]

use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// A program by its name, from PATH and where Debian keeps servers.
fn program(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    folders.extend(["/usr/sbin", "/usr/local/sbin", "/usr/local/bin"].map(PathBuf::from));
    let mut found = names.iter().flat_map(|name| folders.iter().map(move |f| f.join(name)));
    found.find(|path| path.is_file())
}

/// The programs that a server is made of.
pub struct Programs {
    server: PathBuf,
    client: PathBuf,
    install: PathBuf,
}

impl Programs {
    /// Those of the machine. Without them a test is left out, and says so; in CI they must be there.
    pub fn or_skip() -> Option<Programs> {
        match Programs::find() {
            Ok(programs) => Some(programs),
            Err(what) => {
                assert!(std::env::var_os("CI").is_none(), "in CI the server must be there: {what}");
                println!("skipped: {what}");
                None
            }
        }
    }

    /// MariaDB's: `mysqld` may be of another make, and then makes its tables another way.
    fn find() -> Result<Programs, String> {
        let find = |names: &[&str]| program(names).ok_or_else(|| format!("no {}", names[0]));
        let programs = Programs {
            server: find(&["mariadbd", "mysqld"])?,
            client: find(&["mariadb", "mysql"])?,
            install: find(&["mariadb-install-db", "mysql_install_db"])?,
        };
        let version = Command::new(&programs.server).args(["--no-defaults", "--version"]).output();
        let version = version.map_err(|e| format!("{}: {e}", programs.server.display()))?;
        let version = String::from_utf8_lossy(&version.stdout).into_owned();
        if version.contains("MariaDB") {
            Ok(programs)
        } else {
            Err(format!("no mariadbd: {version}"))
        }
    }
}

/// A server of its own: data, socket and log in a temporary folder, no network.
pub struct Server {
    process: Child,
    client: PathBuf,
    folder: TempDir,
}

impl Server {
    pub fn start(programs: Programs) -> Server {
        // A socket's path has to be short, so not below the target folder.
        let folder = tempfile::Builder::new().prefix("adagio-").tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        // A server refuses to run as root unless told to.
        let id = Command::new("id").arg("-u").output().unwrap();
        let user: &[&str] = if id.stdout.trim_ascii() == b"0" { &["--user=root"] } else { &[] };
        let install = Command::new(&programs.install)
            .arg("--no-defaults")
            .args(user)
            .arg(format!("--datadir={}", at("data").display()))
            .args(["--auth-root-authentication-method=normal", "--skip-test-db"])
            .output()
            .unwrap();
        assert!(install.status.success(), "{}", told(&install));
        let process = Command::new(&programs.server)
            .arg("--no-defaults")
            .args(user)
            .arg(format!("--datadir={}", at("data").display()))
            .arg(format!("--socket={}", at("socket").display()))
            .arg(format!("--pid-file={}", at("pid").display()))
            .arg(format!("--log-error={}", at("log").display()))
            .args(["--skip-networking", "--innodb-buffer-pool-size=256M"])
            // The data is thrown away.
            .args(["--innodb-flush-log-at-trx-commit=0", "--innodb-doublewrite=0"])
            // Plans must not hang on the luck of a sample of twenty pages.
            .args(["--innodb-stats-auto-recalc=0", "--innodb-stats-persistent-sample-pages=2000"])
            .args(["--character-set-server=utf8mb4", "--collation-server=utf8mb4_general_ci"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut server = Server { process, client: programs.client, folder };
        server.wait();
        server
    }

    fn wait(&mut self) {
        let started = Instant::now();
        while !self.run(&["-e", "SELECT 1"], "").status.success() {
            let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            assert!(self.process.try_wait().unwrap().is_none(), "the server went away:\n{log}");
            assert!(
                started.elapsed() < Duration::from_secs(60),
                "the server does not answer:\n{log}"
            );
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Runs the client.
    pub fn run(&self, arguments: &[&str], input: &str) -> Output {
        let socket = self.folder.path().join("socket");
        assert_cmd::Command::new(&self.client)
            .args(["--no-defaults", "--user=root", "--default-character-set=utf8mb4"])
            .arg(format!("--socket={}", socket.display()))
            .args(arguments)
            .write_stdin(input)
            .output()
            .unwrap()
    }

    /// A file in the server's folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What the server prints for a script, one line a row, columns by tabs.
    #[track_caller]
    pub fn rows(&self, database: &str, script: &str) -> Vec<Vec<String>> {
        let output = self.run(&["--batch", "--skip-column-names", database], script);
        assert!(output.status.success(), "{}\n{script}", told(&output));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Its data goes with it: there is nothing to save.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What a program printed.
pub fn told(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{}{}", text(&output.stdout), text(&output.stderr))
}
