//! [`Explorer`]: the server of the explorer page, in a separate thread.

use super::server::Server;
use std::io;
use std::thread::JoinHandle;
use tokio::sync::oneshot;

/// A running explorer. The server ends when the explorer is closed or dropped.
///
/// ```
/// let explorer = quaff_cli::Explorer::start(0, &[("text".into(), "(i*4 + j)//4".into())])?;
/// assert!(explorer.address().starts_with("http://127.0.0.1:") && explorer.address().ends_with("#text=%28i*4+%2B+j%29%2F%2F4"));
/// explorer.close()?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Explorer {
    address: String,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl Explorer {
    /// Serves the page on `port` of the loopback address, or on a free port for 0. `fields` are the first inputs of the page, as
    /// names and values of its address. Names are `text`, `view`, `from`, `var`, `assume`, `uniform` and others. `view` is
    /// `answer`, `story`, `memory`, `layout`, `kernel` or `rules`. The name of a list may occur several times.
    ///
    /// # Errors
    /// An error if the port is in use, or if the system provides no thread or no random numbers.
    pub fn start(port: u16, fields: &[(String, String)]) -> io::Result<Explorer> {
        let server = Server::bind(port)?;
        let mut address = server.address();
        if !fields.is_empty() {
            address.push('#');
            let at = address.len();
            address = form_urlencoded::Serializer::for_suffix(address, at).extend_pairs(fields).finish();
        }
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::Builder::new().name("quaff explorer".into()).spawn(|| server.run(stopped))?;
        Ok(Explorer { address, stop: Some(stop), thread: Some(thread) })
    }

    /// The address of the page, with its first inputs. The address contains a secret, so that nobody can guess it.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Opens the page in a browser.
    ///
    /// # Errors
    /// An error if the system has no browser.
    pub fn open(&self) -> io::Result<()> {
        open::that_detached(&self.address)
    }

    /// Waits until the server ends. Without a call of [`Explorer::close`], it ends only when it fails.
    ///
    /// # Errors
    /// The server failed.
    pub fn wait(mut self) -> io::Result<()> {
        self.joined()
    }

    /// Ends the server. A request that is being answered is aborted.
    ///
    /// # Errors
    /// An error if the server failed before this call.
    pub fn close(mut self) -> io::Result<()> {
        drop(self.stop.take());
        self.joined()
    }

    fn joined(&mut self) -> io::Result<()> {
        match self.thread.take().map(JoinHandle::join) {
            Some(Err(_)) => Err(io::Error::other("the server ended early")),
            Some(Ok(ended)) => ended,
            None => Ok(()),
        }
    }
}
