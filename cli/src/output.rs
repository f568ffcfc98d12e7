//! Writes the files of commands. A file is written under another name and then renamed, so no reader sees an incomplete
//! file.

use crate::report::{Failure, Problem, io_failure};
use miette::Diagnostic;
use same_file::Handle;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Prints `text` on standard output.
pub(crate) fn print_text(text: &str) -> Result<(), Failure> {
    io::stdout().lock().write_all(text.as_bytes()).map_err(io_failure(Path::new("-")))
}

/// The largest number of links that are followed for one name, as on most systems.
const LINKS: usize = 40;

/// The kind of an output.
pub(crate) enum Target {
    /// Standard output.
    Standard,
    /// A device or a named pipe, which exists and is no regular file.
    Direct(PathBuf),
    /// A file, which is replaced or created. All links are followed.
    File(PathBuf),
}

impl Target {
    /// The target for `path`. `-` is standard output.
    pub(crate) fn of(path: &Path) -> io::Result<Target> {
        let mut path = path.to_path_buf();
        if path == Path::new("-") {
            return Ok(Target::Standard);
        }
        for _ in 0..LINKS {
            // these names are streams that are already open, and their files must not be replaced
            if ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|p| path == Path::new(p)) {
                return Ok(Target::Standard);
            }
            if path == Path::new("/dev/stderr") || ["/dev/fd", "/proc"].iter().any(|p| path.starts_with(p)) {
                return Ok(Target::Direct(path));
            }
            let found = match fs::symlink_metadata(&path) {
                Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Target::File(path)),
                found => found?,
            };
            if found.is_symlink() {
                path = folder_of(&path).join(fs::read_link(&path)?);
            } else if found.is_dir() {
                return Err(io::ErrorKind::IsADirectory.into());
            } else if found.is_file() {
                // open the file, because a user who may not write to it must not replace it either
                OpenOptions::new().write(true).open(&path)?;
                return Ok(Target::File(path));
            } else {
                return Ok(Target::Direct(path));
            }
        }
        Err(io::Error::other("too many links"))
    }

    /// All files that are written for this target, including the unfinished file beside it.
    pub(crate) fn files(&self) -> Vec<Target> {
        match self {
            Target::Standard => vec![Target::Standard],
            Target::Direct(_) => Vec::new(),
            Target::File(path) => vec![Target::File(path.clone()), Target::File(Part::path_for(path))],
        }
    }

    /// The identity of the existing file. `None` when the target is no file.
    fn handle(&self) -> Option<Handle> {
        match self {
            Target::Standard => file_of(Handle::stdout()),
            Target::Direct(_) => None,
            Target::File(path) => file_of(handle_of(path)),
        }
    }
}

/// The folder that a file is in.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The identity of the file at `path`. A pipe is not opened, because that would disturb its writer.
pub(crate) fn handle_of(path: &Path) -> io::Result<Handle> {
    match fs::metadata(path)?.is_file() {
        true => Handle::from_path(path),
        false => Err(io::ErrorKind::InvalidInput.into()),
    }
}

/// The handle, if it is of a regular file. Other handles are ignored, because a terminal or a pipe may be input and
/// output at once.
fn file_of(handle: io::Result<Handle>) -> Option<Handle> {
    handle.ok().filter(|h| h.as_file().metadata().is_ok_and(|m| m.is_file()))
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("`{name}` is both input and output")]
#[diagnostic(code(quaff::io::same_file), help("write to another file, and rename that one afterwards"))]
struct SameFile {
    name: String,
}

/// Refuses outputs that are the same file as the input, under any name.
pub(crate) fn apart(input: io::Result<Handle>, outputs: &[Target]) -> Result<(), Failure> {
    let Some(input) = file_of(input) else { return Ok(()) };
    match outputs.iter().find(|o| o.handle().is_some_and(|h| h == input)) {
        Some(output) => {
            let name = match output {
                Target::Standard => "standard output".into(),
                Target::Direct(path) | Target::File(path) => path.display().to_string(),
            };
            Err(Failure::Usage(Box::new(Problem::new(&SameFile { name }))))
        }
        None => Ok(()),
    }
}

/// Opens a device or a named pipe.
pub(crate) fn open_direct(path: &Path) -> io::Result<File> {
    // the file is opened for appending, because other writers such as standard error may use it, too
    OpenOptions::new().append(true).open(path)
}

/// Writes a picture of [`quaff_lab::plot`] as a separate file.
pub(crate) fn write_picture(path: &Path, picture: &str) -> Result<(), Failure> {
    write_whole(path, |out| writeln!(out, "{}", quaff_lab::plot::file(picture)))
}

/// Writes a complete file, or nothing.
pub(crate) fn write_whole(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let all = |file: &mut dyn Write| {
        let mut out = BufWriter::new(file);
        write(&mut out)?;
        out.flush()
    };
    let outcome = || match Target::of(path)? {
        Target::Standard => all(&mut io::stdout().lock()),
        Target::Direct(path) => all(&mut open_direct(&path)?),
        Target::File(path) => {
            let mut builder = tempfile::Builder::new();
            builder.prefix(".quaff-").suffix(".part");
            // the file is readable and writable for all users, within the limits of the umask
            #[cfg(unix)]
            builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
            let mut part = builder.tempfile_in(folder_of(&path))?;
            all(part.as_file_mut())?;
            ready(part.as_file(), &path)?;
            part.persist(path).map(drop).map_err(|e| e.error)
        }
    };
    outcome().map_err(io_failure(path))
}

/// Prepares the complete file `part` to replace the file at `path`.
fn ready(part: &File, path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(old) => part.set_permissions(old.permissions())?,
        Err(e) if e.kind() == io::ErrorKind::NotFound => {}
        Err(e) => return Err(e),
    }
    // the file is synced before the rename, so that a crash in between leaves no empty file under the new name
    part.sync_all()
}

impl Write for Part {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// An unfinished file that grows under its own name beside its final place.
pub(crate) struct Part {
    file: File,
    path: PathBuf,
    whole: PathBuf,
}

impl Part {
    /// The name of the unfinished file: `out.jsonl.part` for `out.jsonl`.
    pub(crate) fn path_for(whole: &Path) -> PathBuf {
        let mut path = whole.as_os_str().to_owned();
        path.push(".part");
        path.into()
    }

    /// Opens the unfinished file of `whole`, or creates it. An existing file keeps its contents.
    pub(crate) fn open(whole: &Path) -> io::Result<Part> {
        let path = Part::path_for(whole);
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path)?;
        Ok(Part { file, path, whole: whole.into() })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Renames the complete file to its final name.
    pub(crate) fn finish(self) -> io::Result<()> {
        ready(&self.file, &self.whole)?;
        fs::rename(&self.path, &self.whole)
    }
}
