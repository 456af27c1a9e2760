//! What a confined program can and cannot do, tried with real programs. This binary is its own launcher.

#![expect(clippy::disallowed_methods, reason = "a test is its own command line")]

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use intentbox_confine::{Bounds, Group, Launch, LaunchError, START_FAILED_MARKER, measures, run};
use tempfile::TempDir;

const VERB: &str = "launch";

/// The verb that makes this binary start a program as a parent that can be killed.
const PARENT: &str = "be-parent";

fn main() {
    let typed: Vec<OsString> = std::env::args_os().collect();
    match typed.as_slice() {
        [_, verb, arguments @ ..] if verb == VERB => match run(verb, arguments) {
            Ok(code) => std::process::exit(code),
            Err(failed) => {
                eprintln!("{START_FAILED_MARKER}{failed}");
                std::process::exit(126);
            }
        },
        [_, verb, shares, script] if verb == PARENT => be_parent(&shares.to_string_lossy(), &script.to_string_lossy()),
        _ => test(&typed),
    }
}

fn test(typed: &[OsString]) {
    let tests: [(&str, fn()); 14] = [
        ("the_environment_and_the_arguments_are_those_that_were_given", environment),
        ("only_its_own_folders_can_be_written", writing),
        ("hidden_folders_cannot_be_read", reading),
        ("the_network_can_be_switched_off", network),
        ("dangerous_system_calls_are_denied", calls),
        ("what_cannot_be_started_says_why", not_started),
        ("the_exit_code_is_that_of_the_program", exit_code),
        ("a_grandchild_that_left_its_session_is_killed", grandchild),
        ("children_end_with_the_program", orphans),
        ("everything_ends_with_the_parent", parent),
        ("everything_ends_with_its_supervisor", supervisor),
        ("modes_and_times_of_files_stay", attributes),
        ("processes_are_bounded", processes),
        ("memory_is_counted_with_children", memory),
    ];
    let wanted: Vec<String> = typed.iter().skip(1).filter_map(|name| name.to_str()).map(str::to_owned).collect();
    let names: Vec<&String> = wanted.iter().filter(|name| !name.starts_with('-')).collect();
    println!("\nrunning {} tests", tests.len());
    for (name, test) in tests {
        if names.is_empty() || names.iter().any(|wanted| name.contains(wanted.as_str())) {
            // With namespaces where this machine has them, and without.
            for shares in [false, true] {
                SHARES.store(shares, Ordering::Relaxed);
                test();
            }
            println!("test {name} ... ok");
        }
    }
}

/// Whether programs share the namespaces of this process.
static SHARES: AtomicBool = AtomicBool::new(false);

/// Whether programs have namespaces of their own.
fn has_namespaces() -> bool {
    measures().namespaces && !SHARES.load(Ordering::Relaxed)
}

/// A folder of its own, and what a script of `sh` is started with in it.
struct Place {
    folder: TempDir,
    bounds: Bounds,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir_in(std::env::temp_dir().canonicalize().expect("a folder")).expect("a folder");
        let own = folder.path().join("own");
        fs::create_dir(&own).expect("made");
        let shares_namespaces = SHARES.load(Ordering::Relaxed);
        let bounds = Bounds { network: true, shares_namespaces, writable: vec![own], ..Bounds::default() };
        Self { folder, bounds }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn launch(&self, program: &str, args: &[&str]) -> Launch {
        let path = std::env::var_os("PATH").and_then(|path| path.into_string().ok()).unwrap_or_default();
        Launch {
            command: program.to_owned(),
            args: args.iter().map(|argument| (*argument).to_owned()).collect(),
            environment: vec![("PATH".to_owned(), path), ("GIVEN".to_owned(), "a b".to_owned())],
            working_directory: self.path("own"),
            bounds: self.bounds.clone(),
        }
    }

    fn command(&self, program: &str, args: &[&str]) -> Command {
        self.launch(program, args).command(&launcher(), VERB).expect("it can be started")
    }

    /// What a script prints, and its exit code.
    fn says(&self, script: &str) -> (String, Option<i32>) {
        let output = self.command("sh", &["-c", script]).output().expect("it starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!stderr.contains(START_FAILED_MARKER), "{stderr}");
        (String::from_utf8_lossy(&output.stdout).trim().to_owned(), output.status.code())
    }

    fn started(&self, script: &str) -> Child {
        let mut command = self.command("python3", &["-c", script, &self.path("own").display().to_string()]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts")
    }
}

fn launcher() -> PathBuf {
    std::env::current_exe().expect("this binary has a path")
}

/// The next line that a program prints.
fn line(child: &mut Child) -> String {
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().expect("a pipe")).read_line(&mut line).expect("it is read");
    line.trim().to_owned()
}

/// Waits until a process has ended, by the end of the pipe that it holds.
fn wait_for_end(child: &mut Child) {
    let mut rest = String::new();
    child.stdout.take().expect("a pipe").read_to_string(&mut rest).expect("it is read");
}

/// The processes of a script that was started in a folder, as this process numbers them.
fn running(folder: &Path) -> Vec<u32> {
    let folder = folder.display().to_string();
    let is_one = |pid: &u32| {
        let line = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let program = line.split('\0').next().and_then(|program| program.rsplit('/').next());
        program.is_some_and(|name| name.starts_with("python")) && line.split('\0').any(|word| word == folder)
    };
    let entries = fs::read_dir("/proc").expect("it is listed").flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(is_one).collect()
}

fn environment() {
    let place = Place::new();
    let own = place.path("own");
    let mut with_loader = place.launch("env", &[]);
    with_loader.environment.push(("LD_DEBUG".to_owned(), "libs".to_owned()));
    with_loader.environment.push(("LD_DEBUG_OUTPUT".to_owned(), place.path("outside").display().to_string()));
    let status = with_loader.command(&launcher(), VERB).expect("it can be started").output().expect("it starts").status;
    let is_there = |name: &OsString| name.to_string_lossy().starts_with("outside");
    let names =
        fs::read_dir(place.folder.path()).expect("it is listed").map(|entry| entry.expect("an entry").file_name());
    assert!(status.success() && !names.into_iter().any(|name| is_there(&name)), "the linker is nobody's before");
    let (said, code) = place.says("env | sort | grep -v '^_=' | grep -v '^PATH=' | grep -v '^SHLVL='; pwd");
    assert_eq!((said, code), (format!("GIVEN=a b\nPWD={0}\n{0}", own.display()), Some(0)));
    let output = place.command("printf", &["%s|", "a b", "", "$HOME"]).output().expect("it starts");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "a b||$HOME|");
}

fn writing() {
    let place = Place::new();
    let outside = place.path("outside");
    let script = format!("echo x > own && cat own; echo y > {} || echo denied; echo z > /dev/null", outside.display());
    let (said, code) = place.says(&script);
    assert_eq!(code, Some(0));
    let expected = if measures().files { "x\ndenied" } else { "x" };
    assert_eq!(said, expected);
    assert_eq!(outside.exists(), !measures().files);
    // What the kernel lets root write is no business of a server; what a process says of itself is.
    let script = "(: >> /proc/sys/kernel/core_pattern) 2>/dev/null || echo denied; (: >> /dev/tty) 2>/dev/null || echo denied; \
                  echo 500 > /proc/self/oom_score_adj && cat /proc/self/oom_score_adj";
    if measures().files {
        assert_eq!(place.says(script).0, "denied\ndenied\n500");
    }
}

fn reading() {
    let mut place = Place::new();
    let secret = place.path("secret");
    fs::create_dir(&secret).expect("made");
    fs::write(secret.join("token"), "s3cr3t").expect("written");
    fs::write(place.path("beside"), "beside").expect("written");
    std::os::unix::fs::symlink(&secret, place.path("own/link")).expect("linked");
    place.bounds.hidden = vec![secret.clone()];
    // A folder that may be written and holds a hidden one does not open it.
    place.bounds.writable.push(place.folder.path().to_owned());
    let script = format!(
        "cat {0}/token || echo denied; cat link/token || echo denied; cat ../secret/token || echo denied; \
         cat {1}/beside; echo; echo x > {0}/new || echo denied",
        secret.display(),
        place.folder.path().display()
    );
    let (said, _) = place.says(&script);
    if measures().files {
        assert_eq!(said, "denied\ndenied\ndenied\nbeside\ndenied");
    }
}

fn network() {
    let mut place = Place::new();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let script = format!(
        "import socket\ntry:\n    socket.create_connection(('127.0.0.1', {port})).close(); print('connected')\n\
         except PermissionError:\n    print('denied')\n\
         socket.socketpair()[0].close()\nsocket.socket(socket.AF_UNIX).close()"
    );
    let says = |place: &Place| {
        let output = place.command("python3", &["-c", &script]).output().expect("it starts");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    assert_eq!(says(&place), "connected");
    place.bounds.network = false;
    assert_eq!(says(&place), "denied");
}

fn calls() {
    let place = Place::new();
    // ptrace(PTRACE_TRACEME) and a second way to sockets and files.
    let script = "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\nfor call in (101, 425, 165):\n    \
                  print(libc.syscall(call, 0, 0, 0, 0), ctypes.get_errno())";
    let output = place.command("python3", &["-c", script]).output().expect("it starts");
    if measures().calls && cfg!(target_arch = "x86_64") {
        assert_eq!(String::from_utf8_lossy(&output.stdout), "-1 1\n-1 1\n-1 1\n");
    }
    // Limits of its supervisor, which would keep that from ending it, and its own.
    let script = "import os, resource\nfor pid in (os.getppid(), 1, 0):\n    try:\n        \
                  print(len(resource.prlimit(pid, resource.RLIMIT_NOFILE, (64, 64))))\n    \
                  except PermissionError:\n        print('denied')";
    let output = place.command("python3", &["-c", script]).output().expect("it starts");
    if measures().calls {
        assert_eq!(String::from_utf8_lossy(&output.stdout), "denied\ndenied\n2\n");
    }
}

fn not_started() {
    let place = Place::new();
    fs::write(place.path("own/plain"), "x").expect("written");
    let failed = |command: &str| match place.launch(command, &[]).command(&launcher(), VERB) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("{command} can be started"),
    };
    assert!(failed("no-such-program").starts_with("`no-such-program` is in no folder of PATH ("));
    assert_eq!(failed("./none"), "`./none` does not exist");
    assert_eq!(failed("./plain"), "`./plain` is not executable");
    assert_eq!(failed("/"), "`/` is a directory");
    assert_eq!(failed(""), "`` is empty");
    let mut launch = place.launch("sh", &[]);
    launch.working_directory = place.path("gone");
    let error = launch.command(&launcher(), VERB).expect_err("there is no such folder");
    assert!(matches!(error, LaunchError::WorkingDirectory { .. }), "{error}");
    // What only the kernel finds out is told on stderr.
    let script = place.path("own/script");
    fs::write(&script, "#!/no/such/interpreter\n").expect("written");
    fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("set");
    let output = place.command("./script", &[]).output().expect("the launcher starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.starts_with(&format!("{START_FAILED_MARKER}`./script`: No such file")), "{stderr}");
    assert_eq!(output.status.code(), Some(126));
}

fn exit_code() {
    let place = Place::new();
    assert_eq!(place.says("exit 7").1, Some(7));
    assert_eq!(place.says("kill -9 $$").1, Some(137));
}

/// Starts a process that leaves its session and its parent, and holds standard output open.
const DAEMON: &str = "import os, sys, time\nread, write = os.pipe()\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        \
                      os.write(write, b'started'); time.sleep(3600)\n    os._exit(0)\nos.wait()\n\
                      print(os.read(read, 20).decode(), flush=True)\n";

fn grandchild() {
    let place = Place::new();
    let own = place.path("own");
    let mut child = place.started(&format!("{DAEMON}sys.stdin.read()"));
    assert_eq!((line(&mut child).as_str(), running(&own).len()), ("started", 2));
    let group = Group::of(child.id()).expect("a group");
    assert!(group.is_alive());
    group.kill();
    wait_for_end(&mut child);
    child.wait().expect("it ended");
    assert!(running(&own).is_empty() && !group.is_alive());
}

fn orphans() {
    let place = Place::new();
    let mut child = place.started(DAEMON);
    assert_eq!(line(&mut child), "started");
    wait_for_end(&mut child);
    assert_eq!(child.wait().expect("it ended").code(), Some(0));
    assert!(running(&place.path("own")).is_empty());
}

/// The parent of a program, in a process of its own. Prints the folder.
fn be_parent(shares: &str, script: &str) {
    SHARES.store(shares == "true", Ordering::Relaxed);
    let place = Place::new();
    let mut child = place.started(script);
    assert_eq!(line(&mut child), "started");
    println!("{}", place.path("own").display());
    std::io::stdout().flush().expect("written");
    let mut rest = String::new();
    let _ = std::io::stdin().read_to_string(&mut rest);
}

fn parent() {
    let script = format!("{DAEMON}time.sleep(3600)");
    let mut parent = Command::new(launcher());
    parent.arg(PARENT).arg(SHARES.load(Ordering::Relaxed).to_string()).arg(script);
    let mut parent = parent.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let own = PathBuf::from(line(&mut parent));
    let all = running(&own);
    assert_eq!(all.len(), 2);
    let ends: Vec<Watch> = all.into_iter().map(watch).collect();
    parent.kill().expect("it is killed");
    parent.wait().expect("it ended");
    ends.iter().for_each(Watch::wait);
    assert!(running(&own).is_empty());
}

fn supervisor() {
    let place = Place::new();
    let mut child = place.started(&format!("{DAEMON}sys.stdin.read()"));
    assert_eq!(line(&mut child), "started");
    let all: Vec<Watch> = running(&place.path("own")).into_iter().map(watch).collect();
    assert_eq!(all.len(), 2);
    // Whoever kills it: it watched for the program's own processes, and now nobody does.
    child.kill().expect("it is killed");
    child.wait().expect("it ended");
    if has_namespaces() {
        all.iter().for_each(Watch::wait);
    } else {
        running(&place.path("own")).into_iter().for_each(end);
    }
}

/// Ends a process that is no child of this one.
fn end(pid: u32) {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).expect("a number")).expect("a number");
    let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
}

fn attributes() {
    let place = Place::new();
    let file = place.path("file");
    fs::write(&file, "x").expect("written");
    let changed = |path: &Path| {
        let script = "import os, sys\nfor change in (lambda path: os.chmod(path, 0o4777), lambda path: os.utime(path, (1, 1)),\n    \
                      lambda path: os.setxattr(path, 'user.x', b'x')):\n    try:\n        change(sys.argv[1])\n    except OSError \
                      as error:\n        print(error.strerror)";
        let path = path.display().to_string();
        let output = place.command("python3", &["-c", script, &path]).output().expect("it starts");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    if has_namespaces() {
        assert_eq!(changed(&file), "Read-only file system\n".repeat(3));
        let seen = place.says("ls /proc | grep -c '^[0-9]'").0;
        assert!(seen.parse::<u32>().expect("a number") < 10, "it sees its own processes alone: {seen}");
    }
    fs::write(place.path("own/file"), "x").expect("written");
    assert!(!changed(&place.path("own/file")).contains("Read-only"), "its own files are its own");
}

fn processes() {
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::CommandExt as _;
    /// A user without rights of its own.
    const NOBODY: u32 = 65_534;
    let script = "sed -n 's/^Max processes *\\([a-z0-9]*\\).*/\\1/p' /proc/self/limits";
    let place = Place::new();
    for folder in [place.folder.path(), &place.path("own")] {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).expect("set");
    }
    let mut command = place.command("sh", &["-c", script]);
    if rustix::process::geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    let output = command.output().expect("it starts");
    let told = String::from_utf8_lossy(&output.stdout);
    // Another user may not have namespaces where root has them.
    let stderr = String::from_utf8_lossy(&output.stderr);
    if has_namespaces() && !stderr.contains("bwrap") {
        assert_eq!(told.trim(), "2048", "{stderr}");
    } else if SHARES.load(Ordering::Relaxed) {
        assert_ne!(told.trim(), "2048", "it would count what else the user runs: {stderr}");
    }
}

/// Waits for the end of a process that is no child of this one.
struct Watch(std::os::fd::OwnedFd);

fn watch(pid: u32) -> Watch {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).expect("a number")).expect("a number");
    Watch(rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).expect("it runs"))
}

impl Watch {
    fn wait(&self) {
        let mut ends = [rustix::event::PollFd::new(&self.0, rustix::event::PollFlags::IN)];
        rustix::event::poll(&mut ends, None).expect("it is waited for");
    }
}

fn memory() {
    let place = Place::new();
    let script = "import os, sys\nread, write = os.pipe()\nif os.fork() == 0:\n    held = b'x' * (64 << 20); os.write(write, b'1'); \
                  sys.stdin.read(); os._exit(0)\nos.read(read, 1); print('ready', flush=True); sys.stdin.read()";
    let mut child = place.started(script);
    assert_eq!(line(&mut child), "ready");
    let group = Group::of(child.id()).expect("a group");
    let bytes = group.resident_bytes();
    assert!((64 << 20..1 << 30).contains(&bytes), "{bytes}");
    group.kill();
    child.wait().expect("it ended");
    assert_eq!(group.resident_bytes(), 0);
    assert!(Path::new("/proc").exists());
}
