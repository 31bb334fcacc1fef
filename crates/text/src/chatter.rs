//! What is said in passing: an answer, a step that is taken now, a question. Later sessions need none of it.

use super::lexicon::{entries, has};

/// What is longer may say more than its beginning.
const CHARS_MAX: usize = 80;

/// The signs behind a sentence, and those behind a question, in Latin, Greek, Arabic and Chinese texts.
const ENDS: [char; 8] = ['.', '!', '?', '\u{3002}', '\u{ff01}', '\u{ff1f}', '\u{61f}', '\u{37e}'];
const QUESTIONS: [char; 4] = ['?', '\u{ff1f}', '\u{61f}', '\u{37e}'];

/// True if all that a text says is said in passing. A text that also has a path, a command, a value or a second sentence is not.
pub fn is_chatter(text: &str) -> bool {
    let text = text.trim();
    if text.chars().count() > CHARS_MAX
        || text.contains(['\n', '`', '/', '='])
        || text.contains(|c: char| c.is_numeric())
    {
        return false;
    }
    let lower = text.to_lowercase().replace('\u{2019}', "'");
    let said = lower.strip_suffix(ENDS).unwrap_or(&lower);
    if said.contains(ENDS) || said.contains([':', ';']) {
        return false;
    }
    let said = said.trim().replace(',', "");
    let said = said.as_str();
    lower.ends_with(QUESTIONS) || has("chatter", said) || entries("progress").any(|beginning| begins(said, beginning))
}

/// True if a text begins with a phrase, and no word goes on behind it.
fn begins(text: &str, phrase: &str) -> bool {
    let rest = text.strip_prefix(phrase);
    rest.is_some_and(|rest| !phrase.is_ascii() || !rest.starts_with(|c: char| c.is_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::is_chatter;

    #[test]
    fn what_is_said_in_passing_is_chatter_in_eight_languages() {
        for text in [
            "ok",
            "Done.",
            "I am now running the tests",
            "Let me check the logs first.",
            "Should I run the tests?",
            "Erledigt.",
            "Ich werde jetzt die Tests ausführen",
            "Voy a ejecutar las pruebas.",
            "Je vais lancer les tests",
            "Vou executar os testes",
            "Сейчас я запущу тесты",
            "これからテストを実行します",
            "我现在运行测试",
            "要不要运行测试？",
            "All tests pass now.",
            "Next, I will run the linter",
        ] {
            assert!(is_chatter(text), "{text}");
        }
    }

    #[test]
    fn what_says_more_is_none() {
        for text in [
            "Done is better than perfect is our rule for prototypes",
            "I am now sure that the lease expires after 30 s",
            "Let me run `make check` with -x, else it hangs",
            "Now I know why: the cache is keyed by branch. Clear it after a rebase",
            "Tests pass only with a clean database",
            "Is the lock held? Then wait for the owner to end",
            "Ich werde jetzt immer `just test` nehmen",
            "Next.js needs a custom server for websockets",
            "Letter case matters in tags",
            "Next releases need a signed tag",
            "I will never be merged is what the bot writes",
            "测试通过后才能发布",
            "完成迁移后要清理缓存",
        ] {
            assert!(!is_chatter(text), "{text}");
        }
    }
}
