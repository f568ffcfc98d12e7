//! The HTTP server of the explorer, which serves the page and answers its requests.

use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, ORIGIN};
use hyper::header::{HeaderName, HeaderValue, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use quaff_explorer::{MAX_REQUEST, respond};
use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{Semaphore, oneshot};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// The limits on concurrent requests and connections, and on the time that a browser may take to send a request.
const AT_ONCE: usize = 2;
const CONNECTIONS: usize = 256;
const PATIENCE: Duration = Duration::from_secs(10);
/// This policy forbids the page to load anything from other hosts.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; img-src data:; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// A server that listens on the loopback address.
pub(super) struct Server {
    runtime: Runtime,
    listener: TcpListener,
    shared: Arc<Shared>,
}

/// The state that all connections share.
struct Shared {
    port: u16,
    /// The secret first part of every path.
    token: String,
    page: Bytes,
    turns: Semaphore,
}

impl Server {
    /// Listens on `port`, or on a free port for 0.
    pub(super) fn bind(port: u16) -> io::Result<Server> {
        let runtime = Builder::new_current_thread().enable_io().enable_time().max_blocking_threads(AT_ONCE).build()?;
        let listener = runtime.block_on(TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))))?;
        let port = listener.local_addr()?.port();
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(|e| io::Error::other(e.to_string()))?;
        let token = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let page = Bytes::from(quaff_explorer::page());
        let shared = Arc::new(Shared { port, token, page, turns: Semaphore::new(AT_ONCE) });
        Ok(Server { runtime, listener, shared })
    }

    /// The address of the page.
    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.shared.port, self.shared.token)
    }

    /// Serves requests until the sender of `stopped` sends a message or is dropped.
    pub(super) fn run(self, stopped: oneshot::Receiver<()>) -> io::Result<()> {
        let Server { runtime, listener, shared } = self;
        let ended = runtime.block_on(async move {
            tokio::select! {
                failed = connections(listener, shared) => failed,
                _ = stopped => Ok(()),
            }
        });
        // the shutdown does not wait for requests that are being answered
        runtime.shutdown_background();
        ended
    }
}

/// Accepts connections and answers their requests.
async fn connections(listener: TcpListener, shared: Arc<Shared>) -> io::Result<()> {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let place = places.clone().acquire_owned().await.map_err(io::Error::other)?;
        // if a connection fails before it is accepted, the server continues
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(10)).await;
            continue;
        };
        let shared = shared.clone();
        tokio::spawn(async move {
            let service = service_fn(|request| {
                let shared = shared.clone();
                async move { Ok::<_, Infallible>(shared.answer(request).await) }
            });
            // an error means that the browser closed the connection
            let _ = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(PATIENCE)
                .serve_connection(TokioIo::new(stream), service)
                .await;
            drop(place);
        });
    }
}

impl Shared {
    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        if !self.is_ours(&request) {
            return plain(StatusCode::FORBIDDEN, "this server answers its own page only");
        }
        let path = request.uri().path().strip_prefix('/').and_then(|path| path.strip_prefix(self.token.as_str()));
        match (path, request.method()) {
            (Some("/"), &Method::GET) => response(StatusCode::OK, "text/html; charset=utf-8", self.page.clone()),
            (Some("/api"), &Method::POST) => self.api(request).await,
            (Some("/" | "/api"), _) => plain(StatusCode::METHOD_NOT_ALLOWED, "no such method"),
            _ => plain(StatusCode::NOT_FOUND, "no such page"),
        }
    }

    /// Whether a request names this server as its host and comes from the page. A request that a page of another site
    /// sends satisfies neither condition.
    fn is_ours(&self, request: &Request<Incoming>) -> bool {
        let is_host =
            |host: &str| ["127.0.0.1", "localhost"].iter().any(|name| host == format!("{name}:{}", self.port));
        let header = |name: HeaderName| request.headers().get(name).map(|v| v.to_str().unwrap_or_default());
        header(HOST).is_some_and(is_host)
            && header(ORIGIN).is_none_or(|origin| origin.strip_prefix("http://").is_some_and(is_host))
    }

    async fn api(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let body = match timeout(PATIENCE, Limited::new(request.into_body(), MAX_REQUEST).collect()).await {
            Ok(Ok(body)) => body.to_bytes(),
            Ok(Err(e)) if e.is::<LengthLimitError>() => {
                return plain(StatusCode::PAYLOAD_TOO_LARGE, "the request is too large");
            }
            Ok(Err(_)) => return plain(StatusCode::BAD_REQUEST, "the request ends early"),
            Err(_) => return plain(StatusCode::REQUEST_TIMEOUT, "the request does not end"),
        };
        let Ok(text) = String::from_utf8(body.to_vec()) else {
            return plain(StatusCode::BAD_REQUEST, "the request is not UTF-8");
        };
        let Ok(_turn) = self.turns.acquire().await else {
            return plain(StatusCode::SERVICE_UNAVAILABLE, "the server ends");
        };
        match spawn_blocking(move || respond(&text)).await {
            Ok(answer) => response(StatusCode::OK, "application/json", answer.into()),
            Err(_) => plain(StatusCode::INTERNAL_SERVER_ERROR, "internal error: the terminal of the server has more"),
        }
    }
}

fn plain(status: StatusCode, text: &'static str) -> Response<Full<Bytes>> {
    response(status, "text/plain; charset=utf-8", Bytes::from_static(text.as_bytes()))
}

fn response(status: StatusCode, kind: &'static str, body: Bytes) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    let headers = [
        (CONTENT_TYPE, kind),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "no-store"),
    ];
    response.headers_mut().extend(headers.map(|(name, value)| (name, HeaderValue::from_static(value))));
    response
}
