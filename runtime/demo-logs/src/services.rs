//! What the services write: messages with their levels, and how often they come up.
//!
//! Values in braces are filled in: `{n}` a number, `{id}` a UUID, `{ip}` an address, `{word}` a word, which stands in
//! quotes. Whatever varies is one of these, so that it is known which messages are the same.

/// A service that writes logs.
pub(crate) struct Service {
    pub(crate) name: &'static str,
    pub(crate) format: Format,
    pub(crate) kinds: &'static [Kind],
}

/// How a service writes.
#[derive(Clone, Copy)]
pub(crate) enum Format {
    Json,
    Access,
    Python,
    Logfmt,
    Syslog,
}

/// A kind of message.
pub(crate) struct Kind {
    /// How often it is chosen, among the weights of its service.
    pub(crate) weight: u32,
    pub(crate) level: &'static str,
    /// The message. In an access log, the status and the request.
    pub(crate) text: &'static str,
    /// Lines that follow, each with its end.
    pub(crate) trace: &'static str,
}

const fn kind(weight: u32, level: &'static str, text: &'static str) -> Kind {
    Kind { weight, level, text, trace: "" }
}

const LOST: &str = "Traceback (most recent call last):
  File \"/app/worker/jobs.py\", line {n}, in run
    self.store.save(result)
  File \"/app/worker/store.py\", line {n}, in save
    cursor.execute(statement, values)
psycopg.OperationalError: server closed the connection unexpectedly
";

const CHAINED: &str = "Traceback (most recent call last):
  File \"/app/worker/mail.py\", line {n}, in send
    return self.templates[name]
KeyError: '{word}'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File \"/app/worker/jobs.py\", line {n}, in run
    mail.send(job)
worker.errors.TemplateMissing: no template '{word}'
";

pub(crate) static SERVICES: [Service; 5] = [
    Service {
        name: "api",
        format: Format::Json,
        kinds: &[
            kind(600, "info", "request done for user {n}"),
            kind(180, "debug", "cache hit for '{word}'"),
            kind(60, "info", "order {id} was placed"),
            kind(40, "warning", "slow query took {n} ms"),
            kind(15, "error", "timeout of the payment provider after {n} ms"),
            kind(7, "error", "no stock for item {n} in '{word}'"),
            kind(1, "fatal", "the pool of connections is exhausted: {n} wait"),
        ],
    },
    Service {
        name: "web",
        format: Format::Access,
        kinds: &[
            kind(500, "info", "200 GET /items/{n}"),
            kind(200, "info", "200 GET /search?page={n}"),
            kind(90, "info", "201 POST /basket"),
            kind(30, "warning", "404 GET /old/{n}"),
            kind(12, "warning", "403 POST /admin"),
            kind(9, "error", "502 POST /checkout?step={n}"),
            kind(4, "error", "500 GET /invoices/{n}"),
        ],
    },
    Service {
        name: "worker",
        format: Format::Python,
        kinds: &[
            kind(300, "info", "worker.jobs: job {id} done in {n} ms"),
            kind(120, "debug", "worker.queue: {n} jobs wait"),
            kind(30, "warning", "worker.queue: retry of job {id}"),
            Kind { weight: 11, level: "error", text: "worker.jobs: job {id} failed", trace: LOST },
            Kind { weight: 5, level: "error", text: "worker.mail: no mail for user {n}", trace: CHAINED },
            kind(1, "fatal", "worker.main: memory is used up, {n} jobs are lost"),
        ],
    },
    Service {
        name: "gateway",
        format: Format::Logfmt,
        kinds: &[
            kind(400, "info", "forwarded to '{word}'"),
            kind(80, "debug", "kept a connection to {ip}"),
            kind(25, "warning", "upstream '{word}' answered late"),
            kind(10, "error", "upstream '{word}' refused the connection"),
            kind(3, "error", "certificate of {ip} has expired"),
        ],
    },
    Service {
        name: "system",
        format: Format::Syslog,
        kinds: &[
            kind(200, "info", "session opened for user {n}"),
            kind(90, "info", "accepted a key from {ip} port {n}"),
            kind(20, "warning", "disk is {n} blocks from full"),
            kind(14, "error", "failed password from {ip} port {n}"),
            kind(2, "error", "input and output error on sector {n}"),
            kind(1, "fatal", "out of memory: killed process {n}"),
        ],
    },
];
