//! A reference model of the file system, as simple as possible: one map from whole paths to nodes.
//!
//! It shares the crate's vocabulary and nothing else. What has a name is in the map, what is open is held by its
//! descriptor, and usage is counted anew each time. It is slow, and only the oracle uses it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::{Access, At, Errno, Fd, Kind, Opening, Quota, ROOT_FD, Usage, Whence};

pub(crate) struct Thing {
    /// `None` for a directory.
    content: Option<RefCell<Vec<u8>>>,
    fixed: bool,
    charged: bool,
}

impl Thing {
    fn new(content: Option<&[u8]>, fixed: bool, charged: bool) -> Rc<Self> {
        Rc::new(Self { content: content.map(|content| RefCell::new(content.to_vec())), fixed, charged })
    }

    fn is_directory(&self) -> bool {
        self.content.is_none()
    }

    pub(crate) fn kind(&self) -> Kind {
        if self.is_directory() { Kind::Directory } else { Kind::File }
    }

    pub(crate) fn size(&self) -> u64 {
        self.content.as_ref().map_or(0, |content| content.borrow().len() as u64)
    }
}

struct Handle {
    thing: Rc<Thing>,
    offset: u64,
    access: Access,
    append: bool,
}

/// Where a path leads: `full` is the whole path from the root, `None` inside a directory that has none any more.
struct Spot {
    full: Option<String>,
    named: bool,
    slash: bool,
}

pub(crate) struct Model {
    things: BTreeMap<String, Rc<Thing>>,
    /// `None` for the three streams.
    open: BTreeMap<Fd, Option<Handle>>,
    quota: Quota,
}

impl Model {
    pub(crate) fn new(fixed: &[(&str, &[u8])], quota: Quota) -> Self {
        let root = Thing::new(None, false, false);
        let mut things =
            BTreeMap::from([(String::new(), Rc::clone(&root)), ("tmp".to_owned(), Thing::new(None, false, false))]);
        for (path, content) in fixed {
            for (end, _) in path.match_indices('/') {
                things.entry(path[..end].to_owned()).or_insert_with(|| Thing::new(None, true, false));
            }
            things.insert((*path).to_owned(), Thing::new(Some(content), true, false));
        }
        let access = Access { read: true, write: false };
        let root = Handle { thing: root, offset: 0, access, append: false };
        Self { things, open: BTreeMap::from([(0, None), (1, None), (2, None), (ROOT_FD, Some(root))]), quota }
    }

    pub(crate) fn usage(&self) -> Usage {
        let held = self.open.values().flatten().map(|handle| &handle.thing);
        let mut seen = BTreeSet::new();
        let mut usage = Usage {
            bytes: 0,
            entries: 0,
            descriptors: u32::try_from(self.open.len()).expect("descriptors are 32 bits"),
        };
        for thing in self.things.values().chain(held).filter(|thing| seen.insert(Rc::as_ptr(thing))) {
            usage.bytes += if thing.fixed { 0 } else { thing.size() };
            usage.entries += u32::from(thing.charged);
        }
        usage
    }

    fn path_of(&self, thing: &Rc<Thing>) -> Option<String> {
        self.things.iter().find(|(_, other)| Rc::ptr_eq(thing, other)).map(|(path, _)| path.clone())
    }

    fn handle(&self, fd: Fd) -> Result<Option<&Handle>, Errno> {
        self.open.get(&fd).map(Option::as_ref).ok_or(Errno::BadDescriptor)
    }

    fn at(&self, spot: &Spot) -> Option<&Rc<Thing>> {
        self.things.get(spot.full.as_ref()?)
    }

    fn walk(&self, at: At<'_>) -> Result<Spot, Errno> {
        let start = self.handle(at.directory)?.filter(|handle| handle.thing.is_directory());
        let mut full = self.path_of(&start.ok_or(Errno::NotDirectory)?.thing);
        let text = str::from_utf8(at.path).expect("the oracle writes text");
        match text.bytes().next() {
            None => return Err(Errno::NotFound),
            Some(b'/') => return Err(Errno::NotCapable),
            Some(_) => {}
        }
        let slash = text.ends_with('/');
        let components: Vec<&str> = text.split('/').filter(|component| !component.is_empty()).collect();
        for (index, component) in components.iter().enumerate() {
            let last = index + 1 == components.len();
            let here = full.as_ref().map(|path| &self.things[path]);
            if here.is_some_and(|thing| !thing.is_directory()) {
                return Err(Errno::NotDirectory);
            }
            match (*component, &full) {
                (".", _) => {}
                ("..", Some(path)) if path.is_empty() => return Err(Errno::NotCapable),
                ("..", Some(path)) => full = Some(path.rsplit_once('/').map_or("", |(above, _)| above).to_owned()),
                ("..", None) => return Err(Errno::NotFound),
                (_, None) if last => return Ok(Spot { full: None, named: true, slash }),
                (_, None) => return Err(Errno::NotFound),
                (name, Some(path)) => {
                    let next = if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
                    let thing = self.things.get(&next);
                    if last && slash && thing.is_some_and(|thing| !thing.is_directory()) {
                        return Err(Errno::NotDirectory);
                    }
                    if !last && thing.is_none() {
                        return Err(Errno::NotFound);
                    }
                    full = Some(next);
                }
            }
        }
        let named = !matches!(components.last(), Some(&("." | "..")));
        Ok(Spot { full, named, slash: slash || !named })
    }

    /// What is at a path that may also be an open directory's own, nameless by now.
    fn find(&self, at: At<'_>) -> Result<Rc<Thing>, Errno> {
        let spot = self.walk(at)?;
        match (self.at(&spot), &spot.full, spot.named) {
            (Some(thing), ..) => Ok(Rc::clone(thing)),
            (None, None, false) => Ok(Rc::clone(&self.handle(at.directory)?.ok_or(Errno::NotDirectory)?.thing)),
            _ => Err(Errno::NotFound),
        }
    }

    /// Whether the directory that holds a path's entry may change.
    fn check_above(&self, spot: &Spot) -> Result<(), Errno> {
        let full = spot.full.as_ref().ok_or(Errno::NotFound)?;
        let above = full.rsplit_once('/').map_or("", |(above, _)| above);
        if self.things[above].fixed { Err(Errno::ReadOnly) } else { Ok(()) }
    }

    fn children<'a>(&'a self, path: &'a str) -> impl Iterator<Item = (&'a str, &'a Rc<Thing>)> {
        self.things.iter().filter_map(move |(full, thing)| {
            let (above, name) = full.rsplit_once('/').unwrap_or(("", full));
            (above == path && !name.is_empty()).then_some((name, thing))
        })
    }

    fn make(&mut self, spot: &Spot, content: Option<&[u8]>) -> Result<Rc<Thing>, Errno> {
        self.check_above(spot)?;
        if self.usage().entries >= self.quota.entries {
            return Err(Errno::NoSpace);
        }
        let thing = Thing::new(content, false, true);
        self.things.insert(spot.full.clone().expect("checked above"), Rc::clone(&thing));
        Ok(thing)
    }

    pub(crate) fn open(&mut self, at: At<'_>, opening: Opening) -> Result<Fd, Errno> {
        let Opening { create, exclusive, directory, truncate, access, flags } = opening;
        if (directory && create) || (truncate && !access.write) {
            return Err(Errno::Invalid);
        }
        let free = (0..self.quota.descriptors).find(|fd| !self.open.contains_key(fd));
        let fd = free.ok_or(Errno::TooManyOpen)?;
        let spot = self.walk(at)?;
        let thing = match self.find(at) {
            Ok(_) if create && exclusive => return Err(Errno::Exists),
            Ok(thing) if thing.is_directory() && (create || access.write) => return Err(Errno::IsDirectory),
            Ok(thing) if !thing.is_directory() && directory => return Err(Errno::NotDirectory),
            Ok(thing) if thing.fixed && access.write => return Err(Errno::ReadOnly),
            Ok(thing) => thing,
            Err(_) if create && spot.slash => return Err(Errno::IsDirectory),
            Err(_) if create => self.make(&spot, Some(b""))?,
            Err(errno) => return Err(errno),
        };
        if let Some(content) = thing.content.as_ref().filter(|_| truncate) {
            content.borrow_mut().clear();
        }
        self.open.insert(fd, Some(Handle { thing, offset: 0, access, append: flags.append }));
        Ok(fd)
    }

    pub(crate) fn close(&mut self, fd: Fd) -> Result<(), Errno> {
        self.handle(fd)?;
        if fd == ROOT_FD {
            return Err(Errno::NotSupported);
        }
        self.open.remove(&fd);
        Ok(())
    }

    pub(crate) fn renumber(&mut self, from: Fd, to: Fd) -> Result<(), Errno> {
        self.handle(from).and(self.handle(to))?;
        if from == ROOT_FD || to == ROOT_FD {
            return Err(Errno::NotSupported);
        }
        let moved = self.open.remove(&from).expect("checked above");
        self.open.insert(to, moved);
        Ok(())
    }

    pub(crate) fn read(&mut self, fd: Fd, at: Option<u64>, count: usize) -> Result<Vec<u8>, Errno> {
        let Some(handle) = self.open.get_mut(&fd).ok_or(Errno::BadDescriptor)? else {
            return match (fd, at) {
                (_, Some(_)) => Err(Errno::NotSeekable),
                // The oracle never renumbers a stream, so the number still tells which one it is.
                (0, None) => Ok(Vec::new()),
                _ => Err(Errno::BadDescriptor),
            };
        };
        let content = handle.thing.content.as_ref().ok_or(Errno::IsDirectory)?.borrow();
        if !handle.access.read {
            return Err(Errno::BadDescriptor);
        }
        let from = at.unwrap_or(handle.offset);
        let start = usize::try_from(from).unwrap_or(usize::MAX);
        let read: Vec<u8> = content.iter().skip(start).take(count).copied().collect();
        if at.is_none() {
            handle.offset += read.len() as u64;
        }
        Ok(read)
    }

    /// The content behind a descriptor that may write it.
    fn writable(&self, fd: Fd) -> Result<&Handle, Errno> {
        let handle = self.handle(fd)?.ok_or(Errno::BadDescriptor)?;
        if handle.thing.is_directory() || !handle.access.write { Err(Errno::BadDescriptor) } else { Ok(handle) }
    }

    fn check_growth(&self, thing: &Thing, length: u64) -> Result<(), Errno> {
        let grown = length.saturating_sub(thing.size());
        if grown > 0 && self.usage().bytes.saturating_add(grown) > self.quota.bytes {
            return Err(Errno::NoSpace);
        }
        Ok(())
    }

    pub(crate) fn write(&mut self, fd: Fd, at: Option<u64>, bytes: &[u8]) -> Result<u64, Errno> {
        if at.is_some() && self.handle(fd)?.is_none() {
            return Err(Errno::NotSeekable);
        }
        let handle = self.writable(fd)?;
        let place = if handle.append { handle.thing.size() } else { handle.offset };
        let place = at.unwrap_or(place);
        let count = bytes.len() as u64;
        let end = place.checked_add(count).filter(|end| i64::try_from(*end).is_ok()).ok_or(Errno::FileTooBig)?;
        if bytes.is_empty() {
            return Ok(0);
        }
        let thing = Rc::clone(&handle.thing);
        self.check_growth(&thing, end)?;
        let mut content = thing.content.as_ref().expect("checked above").borrow_mut();
        for (index, byte) in (place..).zip(bytes) {
            let index = usize::try_from(index).expect("admitted by the quota");
            if index >= content.len() {
                content.resize(index + 1, 0);
            }
            content[index] = *byte;
        }
        if let Some(Some(handle)) = self.open.get_mut(&fd).filter(|_| at.is_none()) {
            handle.offset = end;
        }
        Ok(count)
    }

    /// `set_size`, or `allocate` when it may only grow.
    pub(crate) fn set_size(&mut self, fd: Fd, length: u64, only_grow: bool) -> Result<(), Errno> {
        if self.handle(fd)?.is_none() {
            return Err(if only_grow { Errno::NotSeekable } else { Errno::Invalid });
        }
        let thing = Rc::clone(&self.writable(fd)?.thing);
        if only_grow && (length == 0 || length <= thing.size()) {
            return if length == 0 { Err(Errno::Invalid) } else { Ok(()) };
        }
        if i64::try_from(length).is_err() {
            return Err(Errno::FileTooBig);
        }
        self.check_growth(&thing, length)?;
        let length = usize::try_from(length).expect("admitted by the quota");
        thing.content.as_ref().expect("checked above").borrow_mut().resize(length, 0);
        Ok(())
    }

    pub(crate) fn seek(&mut self, fd: Fd, by: i64, whence: Whence) -> Result<u64, Errno> {
        let handle = self.open.get_mut(&fd).ok_or(Errno::BadDescriptor)?.as_mut().ok_or(Errno::NotSeekable)?;
        if handle.thing.is_directory() {
            return Err(Errno::BadDescriptor);
        }
        let base = match whence {
            Whence::Start => 0,
            Whence::Current => handle.offset,
            Whence::End => handle.thing.size(),
        };
        let offset = i128::from(base) + i128::from(by);
        let offset = i64::try_from(offset).ok().and_then(|offset| u64::try_from(offset).ok());
        handle.offset = offset.ok_or(Errno::Invalid)?;
        Ok(handle.offset)
    }

    pub(crate) fn create_directory(&mut self, at: At<'_>) -> Result<(), Errno> {
        let spot = self.walk(at)?;
        if !spot.named || self.at(&spot).is_some() {
            return Err(Errno::Exists);
        }
        self.make(&spot, None).map(|_| ())
    }

    pub(crate) fn remove_directory(&mut self, at: At<'_>) -> Result<(), Errno> {
        let spot = self.walk(at)?;
        let thing = self.entry(&spot)?;
        if !thing.is_directory() {
            return Err(Errno::NotDirectory);
        }
        if thing.fixed {
            return Err(Errno::ReadOnly);
        }
        self.check_above(&spot)?;
        let full = spot.full.expect("it is there");
        if self.children(&full).next().is_some() {
            return Err(Errno::NotEmpty);
        }
        self.things.remove(&full);
        Ok(())
    }

    pub(crate) fn unlink(&mut self, at: At<'_>) -> Result<(), Errno> {
        let spot = self.walk(at)?;
        let thing = self.find(at)?;
        if thing.is_directory() {
            return Err(Errno::IsDirectory);
        }
        if thing.fixed {
            return Err(Errno::ReadOnly);
        }
        self.check_above(&spot)?;
        self.things.remove(&spot.full.expect("it is there"));
        Ok(())
    }

    fn unnamed(spot: &Spot) -> Errno {
        if spot.full.as_deref() == Some("") { Errno::Busy } else { Errno::Invalid }
    }

    fn entry(&self, spot: &Spot) -> Result<Rc<Thing>, Errno> {
        if !spot.named {
            return Err(Self::unnamed(spot));
        }
        self.at(spot).cloned().ok_or(Errno::NotFound)
    }

    pub(crate) fn rename(&mut self, from: At<'_>, to: At<'_>) -> Result<(), Errno> {
        let old = self.walk(from)?;
        let thing = self.entry(&old)?;
        let new = self.walk(to)?;
        if !new.named {
            return Err(Self::unnamed(&new));
        }
        if new.slash && !thing.is_directory() {
            return Err(Errno::NotDirectory);
        }
        if thing.fixed {
            return Err(Errno::ReadOnly);
        }
        self.check_above(&old)?;
        self.check_above(&new)?;
        let (old, new) = (old.full.expect("it is there"), new.full.expect("checked above"));
        if old == new {
            return Ok(());
        }
        let inside = format!("{old}/");
        if thing.is_directory() && new.starts_with(&inside) {
            return Err(Errno::Invalid);
        }
        if let Some(replaced) = self.things.get(&new) {
            let empty = self.children(&new).next().is_none();
            match (thing.is_directory(), replaced.is_directory()) {
                (true, true) if !empty => return Err(Errno::NotEmpty),
                (true, false) => return Err(Errno::NotDirectory),
                (false, true) => return Err(Errno::IsDirectory),
                _ if replaced.fixed => return Err(Errno::ReadOnly),
                _ => {}
            }
        }
        self.things.remove(&old);
        let below: Vec<String> = self.things.keys().filter(|path| path.starts_with(&inside)).cloned().collect();
        for path in below {
            let moved = self.things.remove(&path).expect("listed above");
            self.things.insert(format!("{new}/{}", &path[inside.len()..]), moved);
        }
        self.things.insert(new, thing);
        Ok(())
    }

    /// The names in an open directory, in no particular order, with the dots.
    pub(crate) fn list(&self, fd: Fd) -> Result<BTreeMap<String, Kind>, Errno> {
        let handle = self.handle(fd)?.filter(|handle| handle.thing.is_directory()).ok_or(Errno::NotDirectory)?;
        let Some(path) = self.path_of(&handle.thing) else { return Ok(BTreeMap::new()) };
        let children = self.children(&path).map(|(name, thing)| (name.to_owned(), thing.kind()));
        let dots = [".", ".."].map(|dot| (dot.to_owned(), Kind::Directory));
        Ok(children.chain(dots).collect())
    }

    /// Kind, size and number of names at a path.
    pub(crate) fn stat_at(&self, at: At<'_>) -> Result<(Kind, u64, u64), Errno> {
        self.find(at).map(|thing| (thing.kind(), thing.size(), u64::from(self.path_of(&thing).is_some())))
    }

    /// Kind, size and number of names behind a descriptor.
    pub(crate) fn stat(&self, fd: Fd) -> Result<(Kind, u64, u64), Errno> {
        Ok(self.handle(fd)?.map_or((Kind::Stream, 0, 1), |Handle { thing, .. }| {
            (thing.kind(), thing.size(), u64::from(self.path_of(thing).is_some()))
        }))
    }

    pub(crate) fn set_append(&mut self, fd: Fd, append: bool) -> Result<(), Errno> {
        if let Some(handle) = self.open.get_mut(&fd).ok_or(Errno::BadDescriptor)? {
            handle.append = append;
        }
        Ok(())
    }

    pub(crate) fn set_quota(&mut self, quota: Quota) {
        self.quota = quota;
    }
}
