//! Expands the corpus: `{class:n}` becomes n characters of the class, `{name}` made-up text, `⏎` a line end, and
//! `⟪kind|secret⟫` marks what must be redacted.

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &str = "0123456789";

const WORDS: [&str; 16] = [
    "falcon", "granite", "orchard", "lantern", "copper", "meadow", "harbour", "velvet", "summit", "walnut", "ember",
    "glacier", "juniper", "cobalt", "thistle", "raven",
];

/// One expanded line.
pub struct Sample {
    pub text: String,
    /// The text after redaction.
    pub expected: String,
    pub secrets: Vec<String>,
}

impl Sample {
    pub fn expand(line: &str, seed: u64) -> Self {
        let mut dice = Dice::new(line, seed);
        let mut sample = Self {
            text: String::new(),
            expected: String::new(),
            secrets: Vec::new(),
        };
        let mut rest = line;
        while let Some((before, marked)) = rest.split_once('⟪') {
            let Some((mark, after)) = marked.split_once('⟫') else {
                unreachable!("a mark is not closed: {line}")
            };
            let Some((kind, template)) = mark.split_once('|') else {
                unreachable!("a mark has no kind: {line}")
            };
            let plain = dice.expand(before);
            let secret = dice.expand(template);
            sample.text.push_str(&plain);
            sample.text.push_str(&secret);
            sample.expected.push_str(&format!("{plain}[redacted:{kind}]"));
            sample.secrets.push(secret);
            rest = after;
        }
        let tail = dice.expand(rest);
        sample.text.push_str(&tail);
        sample.expected.push_str(&tail);
        sample
    }
}

/// A small pseudo-random generator, so that the corpus is the same on every machine.
struct Dice(u64);

impl Dice {
    fn new(line: &str, seed: u64) -> Self {
        let start = 0xcbf2_9ce4_8422_2325 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Self(line.bytes().fold(start, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        }))
    }

    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % sides as u64) as usize
    }

    fn pick(&mut self, from: &str, count: usize) -> String {
        let bytes = from.as_bytes();
        (0..count).map(|_| char::from(bytes[self.roll(bytes.len())])).collect()
    }

    fn word(&mut self) -> &'static str {
        WORDS[self.roll(WORDS.len())]
    }

    fn expand(&mut self, template: &str) -> String {
        let mut out = String::new();
        let mut rest = template;
        while let Some(open) = rest.find(['{', '⏎']) {
            out.push_str(&rest[..open]);
            rest = &rest[open..];
            if let Some(after) = rest.strip_prefix('⏎') {
                out.push('\n');
                rest = after;
                continue;
            }
            let made = rest
                .find('}')
                .and_then(|close| Some((self.make(&rest[1..close])?, close)));
            match made {
                Some((made, close)) => {
                    out.push_str(&made);
                    rest = &rest[close + 1..];
                }
                None => {
                    out.push('{');
                    rest = &rest[1..];
                }
            }
        }
        out + rest
    }

    /// Expands a name between braces; `None` when it is unknown.
    fn make(&mut self, name: &str) -> Option<String> {
        let (name, argument) = name.split_once(':').unwrap_or((name, ""));
        if let Some(class) = class(name) {
            return argument.parse().ok().map(|count| self.pick(&class, count));
        }
        Some(match name {
            "begin" => format!("-----BEGIN {argument}-----"),
            "end" => format!("-----END {argument}-----"),
            "lines" => (0..argument.parse().ok()?)
                .map(|_| self.pick(&base64(), 64))
                .collect::<Vec<_>>()
                .join("\n"),
            "row" => "abcdefghijklmnopqrstuvwxyz0123456789"
                .get(..argument.parse().ok()?)?
                .to_owned(),
            "same" => "a".repeat(argument.parse().ok()?),
            "x" => "x".repeat(argument.parse().ok()?),
            "X" => "X".repeat(argument.parse().ok()?),
            "word" => self.word().to_owned(),
            "human" => self.human(),
            "urlpw" => format!(
                "{}{}{}",
                self.pick("abcdefghKLMN", 4),
                self.pick("$!*-_.~", 2),
                self.pick(&alnum(), 6)
            ),
            "strongw" => self.strong(argument.parse().ok()?),
            "aws" => self.aws(argument.parse().ok()?),
            "uuid" => self.uuid(),
            "uuidfx" => format!("{}:fx", self.uuid()),
            "mixhex" => format!("0x{}", self.pick("0123456789abcdefABCDEF", argument.parse().ok()?)),
            "jwt" => self.jwt(),
            "login64" => encode(&format!("{}:{}", self.word(), self.human())),
            "pem64" => encode(concat!(
                "-----BEGIN ",
                "PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFA"
            )),
            "djangokey" => self.pick("abcdefghijklmnopqrstuvwxyz0123456789!@#$%^&*(-_=+)", 50),
            _ => return None,
        })
    }

    /// A password of the kind that people choose.
    fn human(&mut self) -> String {
        let word = self.word();
        let digits = 2 + self.roll(3);
        let number = self.pick("123456789", digits);
        let sign = self.pick("!@*^", 1);
        let (head, tail) = word.split_at(1);
        match self.roll(5) {
            0 => format!("{word}{number}"),
            1 => format!("{}{tail}{number}{sign}", head.to_uppercase()),
            2 => format!("{}{sign}{tail}{number}", head.to_uppercase()),
            3 => {
                word.replace('a', "4")
                    .replace('e', "3")
                    .replace('o', "0")
                    .replace('i', "1")
                    + &number
            }
            _ => self.strong(12),
        }
    }

    /// A password of the kind that password managers make: all four classes of characters.
    fn strong(&mut self, length: usize) -> String {
        let signs = self.pick("!@$*^_", 2);
        let rest = self.pick(&alnum(), length.saturating_sub(6));
        format!(
            "{}{}{rest}{signs}{}",
            self.pick(LOWER, 1),
            self.pick(UPPER, 1),
            self.pick("23456789", 2)
        )
    }

    /// A secret access key: forty characters with a lower and an upper letter and a digit.
    fn aws(&mut self, length: usize) -> String {
        self.pick(LOWER, 1) + &self.pick(&base64(), length - 3) + &self.pick(UPPER, 1) + &self.pick(DIGITS, 1)
    }

    fn uuid(&mut self) -> String {
        let mut part = |count| self.pick("0123456789abcdef", count);
        format!("{}-{}-4{}-a{}-{}", part(8), part(4), part(3), part(3), part(12))
    }

    fn jwt(&mut self) -> String {
        let claims = encode(&format!(
            "{{\"sub\":\"{}\",\"iat\":1700000000,\"jti\":\"{}\"}}",
            self.word(),
            self.pick(DIGITS, 12)
        ));
        let header = encode("{\"alg\":\"HS256\",\"typ\":\"JWT\"}");
        format!(
            "{}.{}.{}",
            header.trim_end_matches('='),
            claims.trim_end_matches('='),
            self.pick(&base64url(), 43)
        )
    }
}

fn alnum() -> String {
    format!("{UPPER}{LOWER}{DIGITS}")
}

fn base64() -> String {
    alnum() + "+/"
}

fn base64url() -> String {
    alnum() + "-_"
}

fn class(name: &str) -> Option<String> {
    Some(match name {
        "alnum" => alnum(),
        "low" => format!("{LOWER}{DIGITS}"),
        "up" => format!("{UPPER}{DIGITS}"),
        "letters" => format!("{UPPER}{LOWER}"),
        "lower" => LOWER.to_owned(),
        "num" => DIGITS.to_owned(),
        "nz" => "123456789".to_owned(),
        "hex" => "0123456789abcdef".to_owned(),
        "uphex" => "0123456789ABCDEF".to_owned(),
        "b64" => base64(),
        "b64u" => base64url(),
        _ => return None,
    })
}

fn encode(text: &str) -> String {
    let alphabet = base64().into_bytes();
    let mut out = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let bits = chunk.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let six = (bits >> (18 - 6 * place) & 63) as usize;
            out.push(if place <= chunk.len() {
                char::from(alphabet[six])
            } else {
                '='
            });
        }
    }
    out
}
