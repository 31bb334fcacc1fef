//! Generated lessons: word frequencies of natural language, several scripts, and edited copies.

use super::dice::{Dice, Zipf};

pub const KINDS: [&str; 5] = ["lesson", "gotcha", "decision", "pattern", "insight"];
pub const PROJECTS: [&str; 2] = ["shop", "warehouse"];

/// Words that the rules about reversals know.
const TURNING: [&str; 16] = [
    "always", "never", "not", "before", "after", "enable", "disable", "without", "with", "don't", "instead", "than",
    "on", "off", "required", "optional",
];
const HAN: &str = "数据库连接池在测试中必须关闭缓存失效时重试队列顺序文件锁定";
const KANA: [&str; 6] = ["テスト", "キャッシュ", "エラー", "ファイル", "ビルド", "サーバー"];
const CYRILLIC: [&str; 8] = [
    "кэш",
    "ошибка",
    "Запрос",
    "сервер",
    "очередь",
    "повтор",
    "файл",
    "сборка",
];
const ACCENTED: [&str; 8] = [
    "déploiement",
    "Größe",
    "naïve",
    "señal",
    "café",
    "Übergang",
    "façade",
    "Straße",
];

/// Words that say nothing by themselves.
const FILLER: [&str; 8] = ["please", "the", "note", "really", "it", "also", "is", "that"];

/// How a text differs from the earlier one that it was made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Edit {
    Exact,
    Case,
    Reorder,
    Substitute,
    Append,
    Drop,
    Number,
    Negation,
    Swap,
    Filler,
}

const EDITS: [Edit; 10] = [
    Edit::Exact,
    Edit::Case,
    Edit::Reorder,
    Edit::Substitute,
    Edit::Append,
    Edit::Drop,
    Edit::Number,
    Edit::Negation,
    Edit::Swap,
    Edit::Filler,
];

#[derive(Debug, Clone)]
pub struct Lesson {
    pub kind: &'static str,
    pub project: &'static str,
    pub text: String,
    /// Set for edited copies.
    pub edit: Option<Edit>,
}

pub struct Corpus {
    dice: Dice,
    zipf: Zipf,
    vocabulary: Vec<String>,
    copies_percent: usize,
    made: Vec<Lesson>,
}

impl Corpus {
    /// Returns a corpus of `words` different words with a percentage of edited copies.
    pub fn new(seed: u64, words: usize, copies_percent: usize) -> Self {
        let mut dice = Dice::new(seed);
        Corpus {
            vocabulary: (0..words).map(|_| invent(&mut dice)).collect(),
            zipf: Zipf::new(words),
            dice,
            copies_percent,
            made: Vec::new(),
        }
    }

    pub fn lesson(&mut self) -> Lesson {
        let lesson = if !self.made.is_empty() && self.dice.percent(self.copies_percent) {
            self.copy()
        } else {
            self.original()
        };
        self.made.push(lesson.clone());
        lesson
    }

    pub fn word(&mut self) -> String {
        self.vocabulary[self.zipf.draw(&mut self.dice)].clone()
    }

    fn original(&mut self) -> Lesson {
        let count = match self.dice.roll(20) {
            0 => 1 + self.dice.roll(3),
            1..=2 => 30 + self.dice.roll(30),
            3 => 60 + self.dice.roll(400),
            _ => 6 + self.dice.roll(18),
        };
        let words: Vec<String> = (0..count).map(|_| self.piece()).collect();
        Lesson {
            kind: KINDS[self.dice.roll(KINDS.len())],
            project: PROJECTS[usize::from(self.dice.percent(30))],
            text: words.join(" "),
            edit: None,
        }
    }

    fn piece(&mut self) -> String {
        match self.dice.roll(100) {
            0..=1 => {
                let han: Vec<char> = HAN.chars().collect();
                (0..2 + self.dice.roll(5)).map(|_| self.dice.pick(&han)).collect()
            }
            2 => self.dice.pick(&KANA).into(),
            3..=4 => self.dice.pick(&CYRILLIC).into(),
            5..=6 => self.dice.pick(&ACCENTED).into(),
            7..=10 => self.dice.pick(&TURNING).into(),
            11..=13 => self.dice.roll(1000).to_string(),
            14 => format!("{}_{}", self.word(), self.word()),
            15 => format!("{}.", self.word()),
            _ => self.word(),
        }
    }

    fn copy(&mut self) -> Lesson {
        // Copies are mostly of something recent, as in life, but not only.
        let back = if self.dice.percent(50) {
            self.made.len().min(200)
        } else {
            self.made.len()
        };
        let of = self.made[self.made.len() - 1 - self.dice.roll(back)].clone();
        let edit = self.dice.pick(&EDITS);
        let mut words: Vec<String> = of.text.split(' ').map(str::to_owned).collect();
        self.apply(edit, &mut words);
        let text = words.join(" ");
        let text = match edit {
            Edit::Case if self.dice.percent(50) => text.to_uppercase(),
            Edit::Case => text.to_lowercase(),
            _ => text,
        };
        let elsewhere = self.dice.percent(5);
        Lesson {
            text,
            kind: if elsewhere {
                KINDS[self.dice.roll(KINDS.len())]
            } else {
                of.kind
            },
            project: of.project,
            edit: Some(edit),
        }
    }

    fn apply(&mut self, edit: Edit, words: &mut Vec<String>) {
        let at = self.dice.roll(words.len());
        match edit {
            Edit::Exact | Edit::Case => {}
            Edit::Reorder => self.dice.shuffle(words),
            Edit::Substitute => {
                for _ in 0..1 + self.dice.roll(3) {
                    let at = self.dice.roll(words.len());
                    words[at] = self.piece();
                }
            }
            Edit::Append => {
                for _ in 0..1 + self.dice.roll(3) {
                    let more = self.piece();
                    words.push(more);
                }
            }
            Edit::Drop => {
                if words.len() > 1 {
                    words.remove(at);
                }
            }
            Edit::Filler => {
                for _ in 0..1 + self.dice.roll(5) {
                    let at = self.dice.roll(words.len());
                    let filler = self.dice.pick(&FILLER);
                    words.insert(at, filler.into());
                }
            }
            Edit::Number => words[at] = self.dice.roll(1000).to_string(),
            Edit::Negation => words.insert(at, self.dice.pick(&["not", "never", "don't", "without"]).into()),
            Edit::Swap => {
                let half = words.len() / 2;
                words.rotate_left(half);
                words.insert(
                    words.len() - half,
                    self.dice.pick(&["before", "over", "instead"]).into(),
                );
            }
        }
    }
}

/// Makes a word that can be spoken: `tarbo`, `queli`, `ransted`.
fn invent(dice: &mut Dice) -> String {
    const STARTS: [&str; 20] = [
        "b", "br", "c", "cl", "d", "f", "g", "gr", "h", "l", "m", "n", "p", "qu", "r", "s", "st", "t", "v", "w",
    ];
    const VOWELS: [&str; 6] = ["a", "e", "i", "o", "u", "ai"];
    const ENDS: [&str; 10] = ["", "", "", "n", "r", "s", "t", "nd", "rm", "ck"];
    const SUFFIXES: [&str; 8] = ["", "", "", "", "ing", "ed", "s", "tion"];
    let mut word = String::new();
    for _ in 0..1 + dice.roll(3) {
        word.push_str(dice.pick(&STARTS));
        word.push_str(dice.pick(&VOWELS));
        word.push_str(dice.pick(&ENDS));
    }
    word.push_str(dice.pick(&SUFFIXES));
    if dice.percent(8) {
        word[..1].to_uppercase() + &word[1..]
    } else {
        word
    }
}
