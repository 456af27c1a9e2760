//! The files of `templates/`, compiled into the program.

use include_dir::{Dir, include_dir};

static TEMPLATES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../templates");

/// Returns every embedded file as its path below `templates/`, with `/` between the parts, and its bytes.
pub(crate) fn files() -> Vec<(&'static str, &'static [u8])> {
    let mut files = Vec::new();
    collect(&TEMPLATES, &mut files);
    files
}

/// The depth of the recursion is the depth of the folder at build time.
fn collect(dir: &'static Dir<'static>, files: &mut Vec<(&'static str, &'static [u8])>) {
    for file in dir.files() {
        let path = file.path().to_str().expect("include_dir keeps paths as UTF-8 text");
        files.push((path, file.contents()));
    }
    for child in dir.dirs() {
        collect(child, files);
    }
}
