//! Checks each trigger by the rule that belongs to it.

use super::assigned::{Assigned, Style};
use super::assignment;
use super::key::{self, Class, Key};
use super::trigger::{self, Trigger};
use super::{connection, header, passphrase, private_key, structured, told, value, verdict};
use std::ops::Range;

/// A secret that a rule found. Where several overlap, the strongest evidence decides the kind.
#[derive(Debug, Clone)]
pub(super) struct Finding {
    pub(super) kind: &'static str,
    pub(super) range: Range<usize>,
    pub(super) strength: usize,
}

impl Finding {
    /// A secret that was found in an earlier round.
    pub(super) fn certain(kind: &'static str, range: Range<usize>) -> Self {
        Self {
            kind,
            range,
            strength: usize::MAX,
        }
    }

    /// A secret that is recognisable by its own structure.
    pub(super) fn evident(kind: &'static str, range: Range<usize>) -> Self {
        Self {
            kind,
            range,
            strength: BY_STRUCTURE,
        }
    }

    pub(super) fn map(self, position: impl Fn(usize) -> usize) -> Self {
        Self {
            range: position(self.range.start)..position(self.range.end),
            ..self
        }
    }
}

/// The strength of evidence by a name alone, the weakest. A token's prefix adds its length.
const BY_NAME: usize = 1;
const BY_SCHEME: usize = 2;
const BY_ADDRESS: usize = 3;
const BY_STRUCTURE: usize = 4;

/// Returns the findings, unordered and possibly overlapping.
pub(super) fn findings(text: &str) -> Vec<Finding> {
    let mut scan = Scan {
        text: text.as_bytes(),
        found: Vec::new(),
        skip_until: 0,
        last_name_end: 0,
        token: 0..0,
        cookies_end: 0,
    };
    trigger::each(text, |trigger, start, end| scan.visit(trigger, start, end));
    scan.visit_dots();
    scan.found
}

struct Scan<'a> {
    text: &'a [u8],
    found: Vec<Finding>,
    /// Names before this position are skipped: they are in a value, a key or a marker.
    skip_until: usize,
    last_name_end: usize,
    token: Range<usize>,
    cookies_end: usize,
}

impl Scan<'_> {
    fn visit(&mut self, trigger: Trigger, start: usize, end: usize) {
        let text = self.text;
        match trigger {
            // a prefix inside a known token is a coincidence
            Trigger::Token(_) if self.token.contains(&start) && start > self.token.start => {}
            Trigger::Token(token) => {
                if let Some(to) = token.end(text, start) {
                    let range = start + token.kept..to;
                    self.token = start..self.token.end.max(to);
                    if token.kind == "aws-access-key-id" {
                        self.add(
                            "aws-secret-key",
                            structured::aws_secret_near(text, &range),
                            BY_STRUCTURE,
                        );
                    }
                    self.add(token.kind, Some(range), BY_STRUCTURE + token.prefix.len());
                }
            }
            Trigger::Marker => self.skip_until = self.skip_until.max(marker_end(text, end).unwrap_or(0)),
            Trigger::Pem if start >= self.skip_until => self.add_passed("private-key", private_key::pem(text, start)),
            Trigger::Putty if start >= self.skip_until => {
                self.add_passed("private-key", private_key::putty(text, start))
            }
            Trigger::Pem | Trigger::Putty => {}
            Trigger::EncodedPem => self.add(
                "private-key",
                structured::encoded_private_key(text, start),
                BY_STRUCTURE,
            ),
            Trigger::Jwt => self.add("jwt", structured::jwt(text, start), BY_STRUCTURE),
            Trigger::Telegram => self.add("telegram-token", structured::telegram(text, start), BY_STRUCTURE),
            Trigger::Mailchimp => self.add("mailchimp-key", structured::mailchimp(text, start), BY_STRUCTURE),
            Trigger::Terraform => self.add("terraform-token", structured::terraform(text, start), BY_STRUCTURE),
            Trigger::AzureSecret => self.add(
                "azure-client-secret",
                structured::azure_client_secret(text, start),
                BY_STRUCTURE,
            ),
            Trigger::AzureKey => self.add("azure-key", structured::azure_annotated_key(text, start), BY_STRUCTURE),
            Trigger::AzureSignature => self.add("azure-sas", structured::azure_signature(text, start), BY_STRUCTURE),
            Trigger::Address => {
                if let Some((kind, range)) = connection::password(text, start) {
                    self.add(kind, Some(range), BY_ADDRESS);
                }
            }
            Trigger::Bearer => self.add("bearer-token", header::bearer(text, start), BY_SCHEME),
            Trigger::Basic => self.add("basic-auth", header::basic(text, start), BY_SCHEME),
            Trigger::Cookie => self.visit_cookies(end),
            Trigger::Login => self.add("password", connection::command_login(text, end), BY_ADDRESS),
            Trigger::ShortFlag => self.visit_flag(assignment::short_flag(text, end), end),
            Trigger::PasswordFile => self.add("password", structured::password_file_entry(text, start), BY_ADDRESS),
            Trigger::Account if start >= self.skip_until => {
                self.add("password", told::login(text, start, end), BY_NAME)
            }
            Trigger::Pin if start >= self.skip_until => self.add("pin", told::pin(text, start, end), BY_NAME),
            Trigger::Account | Trigger::Pin => {}
            Trigger::AuthFlag => self.visit_flag(assignment::redis_flag(text, end), end),
            Trigger::CurlCookie => self.visit_cookies(end),
            Trigger::Piped => self.add("password", structured::piped(text, start, end), BY_ADDRESS),
            Trigger::HexNumber => self.add("private-key", structured::wallet_key(text, start), BY_STRUCTURE),
            Trigger::Wandb => self.add("wandb-key", structured::wandb(text, end), BY_STRUCTURE),
            Trigger::Bundler => self.add("bundler-login", structured::bundler(text, start), BY_ADDRESS),
            Trigger::MaxMind => self.add("maxmind-key", structured::maxmind(text, start), BY_STRUCTURE),
            Trigger::Authress => self.add("authress-key", structured::authress(text, start), BY_STRUCTURE),
            Trigger::Name => self.visit_name(start, end),
            Trigger::ForeignName => self.visit_key(&key::foreign(start..end)),
        }
    }

    fn visit_cookies(&mut self, end: usize) {
        if end > self.cookies_end {
            let (values, to) = header::cookies(self.text, end);
            self.cookies_end = to;
            for range in values {
                self.add("session-cookie", Some(range), BY_SCHEME);
            }
        }
    }

    fn visit_name(&mut self, start: usize, end: usize) {
        if start < self.skip_until || end <= self.last_name_end {
            return;
        }
        if let Some(key) = key::at(self.text, start, end) {
            self.last_name_end = key.range.end;
            self.visit_key(&key);
        }
    }

    fn visit_key(&mut self, key: &Key) {
        let assigned = assignment::value_of(self.text, key);
        if !assigned.is_some_and(|assigned| self.judge(key, &assigned)) {
            let phrase = passphrase::after(self.text, key);
            if let Some(range) = phrase {
                self.skip_until = self.skip_until.max(range.end);
                self.add(key.class.kind(), Some(range), BY_NAME);
                return;
            }
            told::each_value(self.text, key, &mut |assigned| self.judge(key, assigned));
        }
    }

    /// Only some commands use `-p` or `-a` for a password.
    fn visit_flag(&mut self, assigned: Option<Assigned>, end: usize) {
        if end > self.skip_until
            && let Some(assigned) = assigned
        {
            self.judge(&key::foreign(end - 1..end), &assigned);
        }
    }

    /// Adds the value when it is a secret, and returns true if it is one.
    fn judge(&mut self, key: &Key, assigned: &Assigned) -> bool {
        let text = self.text;
        let range = assigned.value.range.clone();
        let (Some(value), Some(name)) = (text.get(range.clone()), text.get(key.range.clone())) else {
            return false;
        };
        // "pass" alone is more often a verb or a round than a password
        let is_round = name.eq_ignore_ascii_case(b"pass") && assigned.style != Style::Literal;
        if is_round && !told::has_strong_sign(value) {
            return false;
        }
        let next = text.get(range.end).copied().unwrap_or(b'\n');
        let is_secret = verdict::is_secret(value, assigned.value.is_quoted, key, name, assigned.style, next);
        if is_secret {
            let kind = if key.class == Class::Login {
                Class::Login.kind()
            } else {
                key.class.kind()
            };
            let whole = value::whole(text, &assigned.value);
            self.skip_until = self.skip_until.max(whole.end);
            self.add(kind, Some(whole), BY_NAME);
        }
        is_secret
    }

    /// Discord tokens have no fixed text, only two dots seven bytes apart, which is rare enough to check each pair.
    fn visit_dots(&mut self) {
        for dot in memchr::memchr_iter(b'.', self.text) {
            if self.text.get(dot + 7) == Some(&b'.') {
                self.add("discord-token", structured::discord(self.text, dot), BY_STRUCTURE);
            }
        }
    }

    fn add_passed(&mut self, kind: &'static str, range: Option<Range<usize>>) {
        if let Some(range) = &range {
            self.skip_until = self.skip_until.max(range.end);
        }
        self.add(kind, range, BY_STRUCTURE);
    }

    fn add(&mut self, kind: &'static str, range: Option<Range<usize>>, strength: usize) {
        if let Some(range) = range.filter(|range| !range.is_empty()) {
            self.found.push(Finding { kind, range, strength });
        }
    }
}

/// Returns the end of the marker whose kind starts at `from`.
fn marker_end(text: &[u8], from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    let len = rest
        .iter()
        .take(40)
        .take_while(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || **b == b'-')
        .count();
    (rest.get(len) == Some(&b']')).then_some(from + len + 1)
}
