//! `tools add`, `remove` and `import`: the user's own file of servers.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use intentbox_capability::ServerId;
use intentbox_tools::file::{self, EditError, NewEntry, ParsedFile};
use intentbox_tools::{FileOrigin, ServerConfig};

use crate::answer::Answer;
use crate::arguments::{Allow, Sources};
use crate::error::{Class, Classify as _, CommandError, Hint as _};
use crate::servers::{self, Servers};
use crate::show;

use super::permit::{ENDS_THE_DEMO, Permit, Rules};
use super::refresh::begin;

pub(super) async fn add(
    sources: &Sources,
    name: &str,
    entry: NewEntry,
    named: Option<&Path>,
    allow: Allow,
) -> Result<Answer, CommandError> {
    let id = id(name)?;
    let path = servers::own_file(sources, named)?;
    let _lock = locked(&path)?;
    let own = writes(&entry);
    let (before, text) = added(&path, &[(id.clone(), entry)], &servers::parse)?;
    let origin = if named.is_none() { FileOrigin::Own } else { FileOrigin::Named };
    let config = servers::parse(&text, &path, origin)?.servers.into_iter().find(|config| config.id == id);
    refuse_settings(config.iter())?;
    // Servers of a project's file run in the project.
    let writes = if named.is_none() {
        own
    } else {
        config.map(|config| config.privileges().join("\n")).filter(|lines| !lines.is_empty())
    };
    // A file that no command reads gives nobody anything to call. What cannot be written is found before anything is.
    let permit = if named.is_none() { Permit::of(sources, std::slice::from_ref(&id), allow)? } else { None };
    // A rule of before may say more than the one that would be added, also where none is.
    let in_force = Rules::in_force(sources, std::slice::from_ref(&id))?;
    // The policy first: a rule for a server that is not there permits nothing, and a server without its rule could not be added again.
    if let Some(permit) = &permit {
        permit.write()?;
    }
    write(&path, before.as_deref(), &text)?;
    let status = discover(sources, named, &id).await?;
    let shown = path.display();
    let mut text = format!("{shown}: added `{id}`, {status}; see `intentbox tools list`\n");
    if let Some(writes) = writes {
        let _ = writeln!(text, "{writes}");
    }
    if !in_force.rules.is_empty() {
        let _ = writeln!(text, "allowed already  {}: `{}`", in_force.path, in_force.rules.join("`, `"));
    }
    if let Some(permit) = &permit {
        let _ = writeln!(text, "{}", permit.told());
        if permit.ends_the_demo(sources) {
            let _ = writeln!(text, "{ENDS_THE_DEMO}");
        }
    }
    let rules = permit.map(|permit| permit.rules).unwrap_or_default();
    let answer = Answer::new(text).with("file", shown.to_string()).with("server", id.as_str());
    Ok(answer.with("status", status).with("rules", rules))
}

/// Refuses to add a server that would not start, since it would write settings of the kernel or devices.
fn refuse_settings<'a>(mut configs: impl Iterator<Item = &'a ServerConfig>) -> Result<(), CommandError> {
    let Some((id, folder)) = configs.find_map(|config| Some((&config.id, config.folder_with_settings()?))) else {
        return Ok(());
    };
    let folder = show::line(&folder.display().to_string());
    let told =
        format!("nothing was added: {folder}, which `{id}` would write, holds settings of the kernel or devices");
    Err(Class::Usage.error(told).hint("name the folders that it needs in `write`, and another `cwd`"))
}

/// What a program is started with.
pub(super) struct Started {
    pub(super) env: Vec<(String, String)>,
    pub(super) cwd: Option<PathBuf>,
    pub(super) write: Vec<PathBuf>,
}

/// The entry of a URL with headers, or of a command with what it is started with.
pub(super) fn new_entry(
    url: Option<String>,
    headers: Vec<(String, String)>,
    started: Started,
    command: &[String],
) -> Result<NewEntry, CommandError> {
    let absolute = |path: PathBuf| std::path::absolute(path).class(Class::Usage);
    match (url, command) {
        (Some(url), _) => Ok(NewEntry::Http { url, headers: headers.into_iter().collect() }),
        (None, [command, args @ ..]) => Ok(NewEntry::Stdio {
            command: command.clone(),
            args: args.to_vec(),
            env: started.env.into_iter().collect(),
            cwd: started.cwd.map(absolute).transpose()?,
            write: started.write.into_iter().map(absolute).collect::<Result<_, _>>()?,
        }),
        (None, []) => Err(Class::Usage.error("there is no command").hint("write it after `--`")),
    }
}

/// Where a new program may write, for a person.
fn writes(entry: &NewEntry) -> Option<String> {
    Some(match entry.writable()?.as_slice() {
        [] => "it runs in the folder that intentbox runs in, and may write none; `--write FOLDER` lets it".to_owned(),
        folders => format!("it may write {}", show::line(&folders.join(", "))),
    })
}

/// What servers of another file would start, and what they may, as a person who approves them is told.
fn imported(configs: &[&ServerConfig]) -> String {
    let mut text = String::new();
    for config in configs {
        let _ = writeln!(text, "{}  runs  {}", config.id, config.told.summary());
        for line in config.privileges() {
            let _ = writeln!(text, "  {line}");
        }
    }
    text
}

pub(super) async fn remove(sources: &Sources, name: &str, named: Option<&Path>) -> Result<Answer, CommandError> {
    let id = id(name)?;
    let path = servers::own_file(sources, named)?;
    let shown = path.display();
    // Nothing is made for a file that is not there.
    let _lock = if path.exists() { Some(locked(&path)?) } else { None };
    let before = servers::text(&path)?;
    let removed =
        before.as_ref().map_or_else(|| Err(EditError::Absent(id.clone())), |before| file::remove(before, &id));
    let text = match removed {
        Ok(text) => text,
        Err(EditError::Absent(_)) => return Err(not_in(sources, &path, &id).await?),
        Err(error) => return Err(error).with_context(|| shown.to_string()).class(Class::Usage),
    };
    write(&path, before.as_deref(), &text)?;
    let Servers { upstreams, .. } = servers::servers(sources).await?;
    let left =
        if sources.database.is_some() { "; what the database knows of its tools stays for other machines" } else { "" };
    let mut answer = Answer::new(format!("{shown}: removed `{id}`{left}\n")).with("file", shown.to_string());
    let place = std::path::absolute(&path).class(Class::Usage)?;
    upstreams.kept().forget(&id, &place).await.class(Class::Unavailable)?;
    if upstreams.server(name).is_none() {
        // Another server of this name would get what this one was allowed.
        let Rules { path, rules } = Rules::in_force(sources, std::slice::from_ref(&id))?;
        if !rules.is_empty() {
            let told =
                format!("{path} still allows `{}`: remove the rule, or a new server `{id}` has it", rules.join("`, `"));
            answer = answer.noting(told);
        }
        answer = answer.with("rules", rules);
    }
    Ok(answer.with("server", id.as_str()))
}

/// Why a server cannot be removed from a file: it is in another, or in none.
async fn not_in(sources: &Sources, path: &Path, id: &ServerId) -> Result<CommandError, CommandError> {
    let Servers { upstreams, .. } = servers::servers(sources).await?;
    let error = Class::Usage.error(format!("{} has no server `{id}`", path.display()));
    Ok(match upstreams.server(id.as_str()) {
        Some(config) => {
            let file = config.file.display();
            error.hint(format!("it is in {file}: run `intentbox tools remove {id} --file {file}`"))
        }
        None => error.hint("`intentbox tools list --json` names each server with its file"),
    })
}

pub(super) async fn import(
    sources: &Sources,
    from: &Path,
    names: &[String],
    allow: Allow,
) -> Result<Answer, CommandError> {
    let Some(text) = servers::text(from)? else {
        return Err(Class::Usage.error(format!("{} does not exist", from.display())));
    };
    // As it is written: a variable stays a variable, so that no secret is copied.
    let parsed = servers::parse_as_written(&text, from)?;
    let chosen: Vec<_> = parsed
        .servers
        .iter()
        .filter(|server| names.is_empty() || names.iter().any(|name| name == server.id.as_str()))
        .collect();
    for name in names {
        if !chosen.iter().any(|server| server.id.as_str() == name) {
            let all: Vec<&str> = parsed.servers.iter().map(|server| server.id.as_str()).collect();
            let error = Class::Usage.error(format!("{} has no server `{name}` that can be used", from.display()));
            let faults: Vec<String> = parsed.faults.iter().map(ToString::to_string).collect();
            return Err(error.hint(format!("it has {}; {}", all.join(", "), faults.join("; "))));
        }
    }
    if chosen.is_empty() {
        let error = Class::Usage.error(format!("{} has no server that can be used", from.display()));
        let faults: Vec<String> = parsed.faults.iter().map(ToString::to_string).collect();
        return Err(match faults.as_slice() {
            [] => error.hint(
                "servers stand under `mcpServers` or `servers`, as in {\"mcpServers\": {\"NAME\": {\"command\": …}}}",
            ),
            faults => error.hint(faults.join("; ")),
        });
    }
    servers::notify(&parsed.warnings, parsed.faults.iter());
    let place = std::path::absolute(from).class(Class::Usage)?;
    let entry = |server: &&ServerConfig| {
        Some((server.id.clone(), file::copied(&text, &server.id, &place, &|path| path.exists())?))
    };
    let entries: Vec<(ServerId, NewEntry)> = chosen.iter().filter_map(entry).collect();
    let path = servers::own_file(sources, None)?;
    let _lock = locked(&path)?;
    let as_written = |text: &str, path: &Path, _| servers::parse_as_written(text, path);
    let (before, text) = match added(&path, &entries, &as_written) {
        Ok(added) => added,
        Err(error) => return Err(without_existing(error, &path, from, &entries)?),
    };
    let ids: Vec<ServerId> = entries.iter().map(|(id, _)| id.clone()).collect();
    let permit = Permit::of(sources, &ids, allow)?;
    // A rule of before may say more than the one that would be added.
    let in_force = Rules::in_force(sources, &ids)?;
    let added = servers::parse(&text, &path, FileOrigin::Own)?.servers;
    let added: Vec<_> = added.iter().filter(|config| ids.contains(&config.id)).collect();
    refuse_settings(added.iter().copied())?;
    let told = imported(&added);
    if let Some(permit) = &permit {
        permit.write()?;
    }
    write(&path, before.as_deref(), &text)?;
    let names: Vec<&str> = entries.iter().map(|(id, _)| id.as_str()).collect();
    let enabled: Vec<ServerId> =
        chosen.iter().filter(|server| server.is_enabled).map(|server| server.id.clone()).collect();
    let status = if enabled.is_empty() {
        "disabled".to_owned()
    } else {
        begin(sources, &servers::servers(sources).await?, &enabled).await?.to_owned()
    };
    let shown = path.display();
    let mut text = format!("{shown}: added {}, {status}; see `intentbox tools list`\n", names.join(", "));
    text.push_str(&told);
    if !in_force.rules.is_empty() {
        let _ = writeln!(text, "allowed already  {}: `{}`", in_force.path, in_force.rules.join("`, `"));
    }
    if let Some(permit) = &permit {
        let _ = writeln!(text, "{}", permit.told());
    }
    let rules = permit.map(|permit| permit.rules).unwrap_or_default();
    Ok(Answer::new(text).with("file", shown.to_string()).with("servers", names).with("rules", rules))
}

/// Why nothing was imported, with the command that imports the rest where a file has some of the servers already.
fn without_existing(
    error: CommandError,
    path: &Path,
    from: &Path,
    entries: &[(ServerId, NewEntry)],
) -> Result<CommandError, CommandError> {
    let before = servers::text(path)?.unwrap_or_default();
    let is_new =
        |(id, entry): &&(ServerId, NewEntry)| !matches!(file::add(&before, id, entry), Err(EditError::Exists(_)));
    let new: Vec<&str> = entries.iter().filter(is_new).map(|(id, _)| id.as_str()).collect();
    if new.len() == entries.len() {
        return Ok(error);
    }
    let from = from.display();
    let remove = "`intentbox tools remove NAME` makes room";
    Ok(match new.as_slice() {
        [] => error.hint(remove),
        new => error
            .hint(format!("`intentbox tools import {from} {}` adds those that are not there; {remove}", new.join(" "))),
    })
}

/// Holds the folder of a file against other commands that edit it, for as long as it lives.
fn locked(path: &Path) -> Result<fs::File, CommandError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let lock = || -> anyhow::Result<fs::File> {
        fs::create_dir_all(folder)?;
        let folder = fs::File::open(folder)?;
        rustix::fs::flock(&folder, rustix::fs::FlockOperation::LockExclusive)?;
        Ok(folder)
    };
    lock().with_context(|| folder.display().to_string()).class(Class::Unavailable)
}

/// The text of the file before and with these entries. Nothing is written if any of them cannot be added.
fn added(
    path: &Path,
    entries: &[(ServerId, NewEntry)],
    parse: &dyn Fn(&str, &Path, FileOrigin) -> Result<ParsedFile, CommandError>,
) -> Result<(Option<String>, String), CommandError> {
    let before = servers::text(path)?;
    let mut text = before.clone().unwrap_or_default();
    for (id, entry) in entries {
        text = file::add(&text, id, entry).with_context(|| path.display().to_string()).class(Class::Usage)?;
    }
    // What would be written must be readable. What was there before is not this command's to judge.
    let parsed = parse(&text, path, FileOrigin::Own)?;
    let is_added = |id: &Option<String>| entries.iter().any(|(added, _)| id.as_deref() == Some(added.as_str()));
    match parsed.faults.into_iter().find(|fault| is_added(&fault.id)) {
        Some(fault) => Err(Class::Configuration.error(fault.to_string())),
        None => Ok((before, text)),
    }
}

/// Begins to discover a server that was added, if this command reads the file that it was added to.
async fn discover(sources: &Sources, named: Option<&Path>, id: &ServerId) -> Result<&'static str, CommandError> {
    let servers = servers::servers(sources).await?;
    servers.notify();
    let upstreams = &servers.upstreams;
    let is_read = upstreams.server(id.as_str()).is_some_and(|config| config.is_enabled);
    if !is_read || !upstreams.is_approved(id.as_str()) {
        let is_named = named.is_some();
        return Ok(if is_named { "not discovered: name the file with --servers" } else { "not discovered" });
    }
    begin(sources, &servers, std::slice::from_ref(id)).await
}

fn id(name: &str) -> Result<ServerId, CommandError> {
    name.parse::<ServerId>().with_context(|| format!("`{name}`")).class(Class::Usage)
}

/// Replaces a file as a whole: another program sees the old one or the new one. A file that changed since it was read is not
/// replaced.
pub(super) fn write(path: &Path, before: Option<&str>, text: &str) -> Result<(), CommandError> {
    let shown = || path.display().to_string();
    // Through a link, to the file that it leads to.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let replace = || -> anyhow::Result<()> {
        fs::create_dir_all(folder)?;
        let mut new = tempfile::NamedTempFile::new_in(folder)?;
        new.write_all(text.as_bytes())?;
        new.as_file().sync_all()?;
        if let Ok(old) = fs::metadata(&path) {
            new.as_file().set_permissions(old.permissions())?;
        }
        let now = fs::read_to_string(&path).ok();
        anyhow::ensure!(now.as_deref() == before, "another program has changed it meanwhile");
        new.persist(&path)?;
        Ok(())
    };
    replace().with_context(shown).class(Class::Unavailable).hint("try again")
}
