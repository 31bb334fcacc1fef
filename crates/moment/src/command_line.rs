//! Parses shell command lines, and matches commands with texts that mention them.

use forge_memory_core::text::{lexicon, written_words};

use crate::lines::{head, one_line, pattern};
use crate::paths::TEXT_READ_MAX;

/// The maximum length of a parsed command line; the rest is data, not commands.
const LINE_READ_MAX: usize = 8192;
const COMMANDS_MAX: usize = 8;
const PHRASE_WORDS_MAX: usize = 5;
/// The number of commands within commands that are parsed.
const DEPTH_MAX: usize = 3;

/// One program with its arguments, without wrappers such as `sudo`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SimpleCommand {
    pub program: String,
    pub words: Vec<String>,
    /// The same with its runner, as in `npx tsd`.
    pub written: Vec<String>,
}

/// Wrappers before a program.
const WRAPPERS: &str = " sudo doas time env nohup nice timeout stdbuf caffeinate winpty cross-env exec command npx bunx then do else ! ( { ";
/// Options of wrappers that take the next word as their value.
const WRAPPER_VALUES: &str = " -u -g -n -k -s -p --user --group --adjustment --signal --kill-after --package ";
/// Package runners, with the words that follow them.
const RUNNERS: [&[&str]; 9] = [
    &["pnpm", "exec"],
    &["pnpm", "dlx"],
    &["yarn", "dlx"],
    &["npm", "exec", "--"],
    &["npm", "exec"],
    &["bun", "x"],
    &["uv", "run"],
    &["poetry", "run"],
    &["bundle", "exec"],
];
/// Programs that run a command elsewhere.
const CONTAINERS: &str = " docker docker-compose podman podman-compose kubectl oc ";
pattern!(
    container_option,
    r"^(-[euwnpvlfcI]|--(env|user|workdir|index|name|namespace|container|volume|publish|env-file|entrypoint|network|label|platform|mount))$"
);
pattern!(
    /// Options before a subcommand that take the next word as their value.
    global_option,
    r"^(-[A-Za-z]|--(filter|dir|prefix|cwd|chdir|project|project-name|project-directory|workspace|context|namespace|profile|region|kubeconfig|manifest-path|package|config|file|env-file|app|host))$"
);
/// Programs whose names are English words: a text mentions them only in quotes.
const ENGLISH: &str = " make go just task watch open start stop move cut at apply patch install run build next wait join split expect script ";
/// Subcommands that need their argument to be specific, as in package managers, git and container tools.
const NEEDS_OBJECT: &str =
    " install i add remove rm uninstall update upgrade run run-script exec -m checkout switch create new use ";
const TAKES_OBJECTS: &str = " npm pnpm yarn bun deno pip pip3 uv poetry gem apt apt-get brew dnf yum pacman cargo docker podman git go python python3 composer nix conda ";
pattern!(
    /// Interpreters, whose script file is evidence of its own.
    runs_script,
    r"^(node|deno|bun|tsx|ts-node|python3?|ruby|perl|php|bash|sh|zsh) [\w./~-]+\.\w+ \S"
);
pattern!(
    /// First words that only select a group of commands; the next word names the action.
    group,
    r"^(dotnet (ef|tool|nuget|workload|sln|new|add|remove|list)|(docker|podman) (compose|container|image|volume|network|system|buildx|context)|git (remote|submodule|worktree|stash|bisect|lfs)|gh \w+|(aws|gcloud|az|doctl) [\w-]+|terraform (state|workspace)|helm (repo|plugin)|(npm|pnpm|yarn) (config|cache|workspace)|flutter pub|(uv|poetry|conda|pip3?) (pip|tool|env|self|cache|config)|rustup (target|toolchain|component)|brew services|nix (flake|profile)|cargo xtask|bundle config)$"
);
pattern!(heredoc, r#"<<-?\s*['"]?\w"#);

/// True if a list of words, each between blanks, has a word.
fn has(list: &str, word: &str) -> bool {
    !word.is_empty() && !word.contains(' ') && list.contains(&format!(" {word} "))
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map_or("", |(name, _)| name);
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Parses a shell command line. Read-only programs are omitted.
pub(crate) fn commands_in(line: &str) -> Vec<SimpleCommand> {
    let line = head(line, LINE_READ_MAX);
    let end = heredoc().find(line).map_or(line.len(), |found| found.start());
    let lists = split_commands(line.get(..end).unwrap_or_default());
    let commands = lists.iter().flat_map(|words| commands_of(words, 0));
    commands.take(COMMANDS_MAX).collect()
}

/// Returns a command, and the one that it runs in a container or a shell.
fn commands_of(words: &[String], depth: usize) -> Vec<SimpleCommand> {
    let bare = unwrap(words);
    let Some(program) = bare.first() else {
        return Vec::new();
    };
    let first = words.iter().position(|word| !is_assignment(word) && word != "sudo");
    let command = SimpleCommand {
        program: program.rsplit('/').next().unwrap_or(program).to_owned(),
        words: bare.to_vec(),
        written: words
            .get(first.unwrap_or(words.len() - 1)..)
            .unwrap_or_default()
            .to_vec(),
    };
    let inner: Vec<SimpleCommand> = if depth < DEPTH_MAX {
        inner_commands(&command)
            .iter()
            .flat_map(|words| commands_of(words, depth + 1))
            .collect()
    } else {
        Vec::new()
    };
    if only_looks(&command) {
        return inner;
    }
    [command].into_iter().chain(inner).collect()
}

fn inner_commands(SimpleCommand { program, words, .. }: &SimpleCommand) -> Vec<Vec<String>> {
    let is_script = words
        .get(1)
        .is_some_and(|option| option.starts_with('-') && option.ends_with('c'));
    if matches!(program.as_str(), "sh" | "bash" | "zsh") && is_script {
        return split_commands(words.get(2).map_or("", String::as_str));
    }
    if !has(CONTAINERS, program) {
        return Vec::new();
    }
    let from = |at: usize| vec![words.get(at..).unwrap_or_default().to_vec()];
    if let Some(own) = words.iter().position(|word| word == "--") {
        return from(own + 1);
    }
    let Some(verb) = words.iter().position(|word| word == "exec" || word == "run") else {
        return Vec::new();
    };
    let mut at = verb + 1;
    while let Some(word) = words.get(at).filter(|word| word.starts_with('-')) {
        at += if container_option().is_match(word) { 2 } else { 1 };
    }
    from(at + 1)
}

fn only_looks(SimpleCommand { program, words, .. }: &SimpleCommand) -> bool {
    if program == "git" {
        let verb = bare_words(words).get(1).map_or("", |word| word);
        return ["git look", "git look hook"]
            .iter()
            .any(|kind| lexicon::has(kind, verb));
    }
    // No notes are needed before a program that only looks.
    let is_look = ["look", "look hook"].iter().any(|kind| lexicon::has(kind, program));
    is_look || (program == "sed" && words.iter().any(|word| word == "-n"))
}

/// Splits at shell operators, respecting quotes.
fn split_commands(line: &str) -> Vec<Vec<String>> {
    let mut commands: Vec<Vec<String>> = vec![Vec::new()];
    let mut signs = line.chars().peekable();
    // The word that is being read: quoted parts and plain ones are one word when nothing is between them.
    let mut word: Option<String> = None;
    let end = |word: &mut Option<String>, commands: &mut Vec<Vec<String>>| {
        if let (Some(word), Some(words)) = (word.take(), commands.last_mut()) {
            words.push(word);
        }
    };
    while let Some(sign) = signs.next() {
        match sign {
            quote @ ('"' | '\'') => {
                let word = word.get_or_insert_default();
                while let Some(inside) = signs.next() {
                    if inside == quote {
                        break;
                    }
                    word.push(inside);
                    if inside == '\\' && quote == '"' {
                        word.extend(signs.next());
                    }
                }
            }
            ';' | '|' | '&' | '\n' | '(' | ')' => {
                end(&mut word, &mut commands);
                commands.push(Vec::new());
            }
            '\\' => match signs.next() {
                // The line goes on.
                None | Some('\n') => {}
                Some(escaped) => word.get_or_insert_default().extend(['\\', escaped]),
            },
            blank if blank.is_whitespace() => end(&mut word, &mut commands),
            plain => word.get_or_insert_default().push(plain),
        }
    }
    end(&mut word, &mut commands);
    commands.retain(|words| !words.is_empty());
    commands
}

fn unwrap(words: &[String]) -> &[String] {
    let mut rest = words;
    while let Some(first) = rest.first() {
        let runner = RUNNERS
            .iter()
            .find(|runner| rest.len() > runner.len() && runner.iter().zip(rest).all(|(word, given)| word == given));
        let count = match runner {
            _ if is_assignment(first) => 1,
            _ if has(WRAPPERS, first) => 1 + options_of_wrapper(first, rest.get(1..).unwrap_or_default()),
            Some(runner) => runner.len(),
            None if matches!(first.as_str(), "-y" | "--yes" | "--") => 1,
            None => break,
        };
        rest = rest.get(count..).unwrap_or_default();
    }
    rest
}

/// Counts the words behind a wrapper that are its own: options with their values, and how long `timeout` waits.
fn options_of_wrapper(wrapper: &str, words: &[String]) -> usize {
    let mut count = 0;
    while let Some(word) = words.get(count).filter(|word| word.starts_with('-') && word.len() > 1) {
        count += if has(WRAPPER_VALUES, word) { 2 } else { 1 };
    }
    let is_time = |word: &String| word.starts_with(|c: char| c.is_ascii_digit());
    count + usize::from(wrapper == "timeout" && words.get(count).is_some_and(is_time))
}

/// Returns the program and its arguments, without options and their values.
fn bare_words(words: &[String]) -> Vec<&str> {
    let mut bare: Vec<&str> = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let is_before_verb = bare.len() == 1 || (bare.len() == 2 && group().is_match(&bare.join(" ")));
        if global_option().is_match(word) && is_before_verb {
            words.next();
        } else if !word.starts_with('-') {
            bare.push(word);
        }
    }
    bare
}

/// Returns the forms in which a text mentions a command, longest first: `docker compose up -d`, `docker compose up`, `docker compose`.
fn phrases_of(command: &SimpleCommand) -> Vec<String> {
    let own: Vec<&str> = command.words.iter().map(String::as_str).collect();
    let written: Vec<&str> = command.written.iter().map(String::as_str).collect();
    // A runner such as `bundle exec` runs anything, so the phrase must contain the program, and its subcommand if there is one.
    let runner = written.len().saturating_sub(own.len());
    let mut forms: Vec<(Vec<&str>, usize, usize)> = vec![
        (own.clone(), 2, 0),
        (bare_words(&command.words), 2, 0),
        (written, (runner + own.len().min(2)).max(2), runner),
    ];
    forms.extend(shortened(&own).into_iter().map(|form| (form, 2, 0)));
    for (at, flag) in own.iter().enumerate().skip(1) {
        let name = flag.trim_start_matches('-');
        let is_flag = (1..=2).contains(&(flag.len() - name.len()))
            && name.len() >= 2
            && name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
        if is_flag && !is_value(own.get(at + 1)) {
            forms.push((vec![own.first().unwrap_or(&""), flag], 2, 0));
        }
    }
    let mut phrases: Vec<String> = Vec::new();
    for (words, least, runner) in forms {
        let is_script = runs_script().is_match(&words.iter().take(3).copied().collect::<Vec<_>>().join(" "));
        let least = least.max(if is_script { 3 } else { 2 });
        for count in (least..=words.len().min(PHRASE_WORDS_MAX)).rev() {
            let phrase = words.get(..count).unwrap_or_default().join(" ");
            let own = words.get(runner..).unwrap_or_default();
            let leaves_open = || is_open(own, count - runner) || group().is_match(&phrase);
            let is_whole = count == words.len() || !leaves_open();
            if is_whole && phrase.len() >= 5 && !phrases.contains(&phrase) {
                phrases.push(phrase);
            }
        }
    }
    phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.len()));
    phrases
}

/// True if the first words of a command leave open what it does: its subcommand, or the value of an option, is still to come.
fn is_open(words: &[&str], count: usize) -> bool {
    let at = |place: usize| words.get(place).copied().unwrap_or_default();
    let (last, next) = (at(count - 1), at(count));
    let is_name = next.starts_with(|c: char| c.is_ascii_alphabetic())
        && next.bytes().all(|b| b.is_ascii_alphanumeric() || b"_:-".contains(&b));
    let runs_named = matches!(last, "run" | "exec") && is_name;
    if runs_named || selects(at(0), last) || (has(TAKES_OBJECTS, at(0)) && has(NEEDS_OBJECT, last)) {
        return true;
    }
    if !at(1).starts_with('-') {
        return false;
    }
    if count == 2 {
        return is_value(words.get(count));
    }
    let bare = |words: &[&str]| bare_words(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()).len();
    bare(words.get(..count).unwrap_or_default()) < bare(words).min(2)
}

/// True if a word after an option may be its value.
fn is_value(word: Option<&&str>) -> bool {
    word.is_some_and(|word| !word.starts_with('-'))
}

/// Normalises synonyms: `npm run test` is `npm test`.
fn shortened<'w>(words: &[&'w str]) -> Vec<Vec<&'w str>> {
    let [program, rest @ ..] = words else {
        return Vec::new();
    };
    if !matches!(*program, "npm" | "pnpm" | "yarn" | "bun") {
        return Vec::new();
    }
    let form = |before: &[&'w str], after: &[&'w str]| vec![[&[*program], before, after].concat()];
    match rest {
        ["run", rest @ ..] if !rest.is_empty() => form(&[], rest),
        ["t", rest @ ..] if *program == "npm" => form(&["test"], rest),
        [] | ["install" | "i" | "add" | "run" | "exec" | "ci", ..] => Vec::new(),
        [verb, ..] if verb.starts_with('-') || verb.is_empty() => Vec::new(),
        rest => form(&["run"], rest),
    }
}

/// Returns how many consecutive words of a command a text contains; 0 when it does not mention the command.
pub(crate) fn named_words(text: &str, command: &SimpleCommand) -> usize {
    let is_english = has(ENGLISH, &command.program);
    let plain = one_line(text);
    let given: Vec<&str> = command
        .words
        .iter()
        .chain(&command.written)
        .map(String::as_str)
        .collect();
    for phrase in phrases_of(command) {
        let is_named = if is_english {
            is_quoted(&plain, &phrase, &given)
        } else {
            is_in(&plain, &phrase, &given)
        } && !goes_on_otherwise(&plain, &phrase, &given);
        if is_named {
            return phrase.split(' ').count();
        }
    }
    match command.words.as_slice() {
        [only] if only.len() >= 3 => usize::from(is_quoted(&plain, only, &given)),
        [program, ..] => usize::from(is_about_program(&plain, program)),
        [] => 0,
    }
}

/// Returns the tool that a command runs, when a text is about another command that runs it as well: `make check` starts pytest, says the text.
pub(crate) fn run_by_another<'c>(text: &str, command: &'c SimpleCommand) -> Option<&'c str> {
    let tool = match command.words.as_slice() {
        [_, option, module, ..] if option == "-m" => module,
        [tool, ..] => tool,
        [] => return None,
    };
    let kinds = ["tool test", "tool build", "tool lint"];
    let is_tool = kinds.iter().any(|kind| lexicon::has(kind, tool));
    let is_named = written_words(text, "_-").any(|word| word == tool);
    let mut quoted = text.split('`').skip(1).step_by(2).flat_map(commands_in);
    let is_of_other = is_tool && is_named && quoted.any(|other| other.words.len() > 1 && !other.words.contains(tool));
    is_of_other.then_some(tool)
}

/// True if a text is about a program as a whole, whatever its arguments: it begins with its name in quotes.
fn is_about_program(text: &str, program: &str) -> bool {
    let is_general = has(TAKES_OBJECTS, program) || has(CONTAINERS, program) || has(ACTS_ON_FILES, program);
    let rest = text.strip_prefix('`').and_then(|text| text.strip_prefix(program));
    !is_general && rest.is_some_and(|rest| rest.starts_with('`'))
}

fn is_in(text: &str, phrase: &str, given: &[&str]) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at + phrase.len()..).unwrap_or_default();
        let is_part = before.is_some_and(|c| c.is_ascii_alphanumeric() || "_./-".contains(c));
        !is_part && is_end(after) && goes_on_alike(after, given)
    })
}

/// True if every mention of a phrase in code goes on with another subcommand than the command: `prisma migrate dev` is not about
/// `prisma migrate deploy`.
fn goes_on_otherwise(text: &str, phrase: &str, given: &[&str]) -> bool {
    let is_verb = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_lowercase())
            && word.bytes().all(|b| b.is_ascii_lowercase() || b"_:-".contains(&b))
    };
    let words: Vec<&str> = phrase.split(' ').collect();
    let rows = given.windows(words.len() + 1);
    let mut next = rows.filter(|row| row.starts_with(&words)).filter_map(|row| row.last());
    let Some(own) = next.find(|word| is_verb(word)) else {
        return false;
    };
    let mut mentions = text.match_indices(phrase).map(|(at, _)| {
        let (before, from) = text.split_at(at);
        let after = from.get(phrase.len()..).unwrap_or_default();
        let is_code = before.matches('`').count() % 2 == 1;
        let written = after.split('`').next().unwrap_or_default();
        let other = written.strip_prefix(' ').and_then(|rest| rest.split(' ').next());
        is_code && other.is_some_and(|other| is_verb(other) && other != *own)
    });
    mentions
        .next()
        .is_some_and(|first| first && mentions.all(|otherwise| otherwise))
}

const ARGUMENTS_READ: usize = 4;
pattern!(argument, r"^(-{1,2}\w|[\w.@~-]*[/:][\w./@:-]+)");

/// When the mention in a text has further arguments, the command must have one of them.
fn goes_on_alike(after: &str, given: &[&str]) -> bool {
    let Some(rest) = after.strip_prefix(' ') else {
        return true;
    };
    let words = head(rest, 200).split(' ').take(ARGUMENTS_READ);
    let words: Vec<&str> = words
        .map(|word| word.trim_end_matches(['`', '"', '\'', ',', '.', ';', ':', ')']))
        .collect();
    if words
        .windows(2)
        .any(|pair| matches!(pair, [option, value] if has_other_value(option, value, given)))
    {
        return false;
    }
    let mut listed = words
        .iter()
        .copied()
        .take_while(|word| argument().is_match(word))
        .peekable();
    listed.peek().is_none()
        || listed.any(|word| given.contains(&word) || given.contains(&word.trim_start_matches("./")))
}

/// Options that name the subject of a command.
const SELECTS: &str = " --package --filter --workspace --namespace --project --bin --example --features --profile --env --target --manifest-path ";

/// True if an option of a program names what a command is about.
fn selects(program: &str, option: &str) -> bool {
    let is_short = matches!(
        (program, option),
        ("cargo", "-p") | ("npm", "-w") | ("pnpm", "-F") | ("kubectl", "-n")
    );
    is_short || has(SELECTS, option)
}

/// True if a command gives an option another value than a text does: `-p worker` is not `-p camera-driver`.
fn has_other_value(option: &str, value: &str, given: &[&str]) -> bool {
    if !selects(given.first().copied().unwrap_or_default(), option) {
        return false;
    }
    let own = given
        .iter()
        .position(|word| *word == option)
        .and_then(|at| given.get(at + 1));
    own.is_some_and(|own| *own != value)
}

/// True if a phrase ends at a word border: `npm test` does not match `npm test:unit` or `npm tests`; a full stop is a border.
fn is_end(after: &str) -> bool {
    let mut rest = after.chars();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    match rest.next() {
        Some(c) if is_word(c) || "/@-".contains(c) => false,
        Some('.' | ':' | '=') => !rest.next().is_some_and(is_word),
        _ => true,
    }
}

fn is_quoted(text: &str, phrase: &str, given: &[&str]) -> bool {
    let goes_on = |rest: &str| rest.is_empty() || (rest.starts_with(' ') && goes_on_alike(rest, given));
    if text.strip_prefix(phrase).is_some_and(goes_on) {
        return true;
    }
    ['`', '"', '\''].iter().any(|quote| {
        let quoted = text.split(*quote).skip(1).step_by(2);
        quoted
            .into_iter()
            .any(|part| part == phrase || is_in(part, phrase, given))
    })
}

/// True if a text contains command lines with this file as the program, but none with an argument of this command: `./gradlew
/// bootRun` is not about `./gradlew test`. A program without an extension counts as a command anywhere, and so does a script at the root
/// with a bare word as argument (`manage.py migrate`); other scripts only in quotes.
pub(crate) fn is_about_other_arguments(text: &str, file: &str, SimpleCommand { words, .. }: &SimpleCommand) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    let is_file = |word: &str| word == name || word.strip_suffix(name).is_some_and(|before| before.ends_with('/'));
    let at = words.iter().position(|word| is_file(word));
    let given = words.get(at.map_or(0, |at| at + 1)).map_or("", String::as_str);
    let is_verb = given.starts_with(|c: char| c.is_ascii_alphabetic())
        && given.bytes().all(|b| b.is_ascii_alphanumeric() || b"_:-".contains(&b));
    let is_quoted_only = name.contains('.') && (file.contains('/') || !is_verb);
    let mut written: Vec<&str> = Vec::new();
    for (at, part) in head(text, TEXT_READ_MAX).split('`').enumerate() {
        if at % 2 == 0 && is_quoted_only {
            continue;
        }
        let words: Vec<&str> = part.split_whitespace().collect();
        for (at, _) in words.iter().enumerate().filter(|(_, word)| is_file(word)) {
            let next = words.get(at + 1).copied().unwrap_or_default();
            written.push(next.trim_end_matches([',', '.', ';', ':', ')']));
        }
    }
    !written.is_empty()
        && written
            .iter()
            .all(|next| !next.is_empty() && !words.iter().any(|word| word == next))
}

/// Programs that run, change or remove their file arguments.
const ACTS_ON_FILES: &str =
    " node deno bun tsx ts-node python python3 ruby perl php bash sh zsh source rm mv cp sed chmod chown truncate ";
const GIT_CHANGES: &str = " checkout restore rm mv reset clean ";

/// Returns the files that a command runs or changes, as written but for escaped blanks.
pub(crate) fn files_of(SimpleCommand { program, words, .. }: &SimpleCommand) -> Vec<String> {
    let Some((first, rest)) = words.split_first() else {
        return Vec::new();
    };
    let verb = rest.first().map_or("", String::as_str);
    let is_acting = has(ACTS_ON_FILES, program) || (program == "git" && has(GIT_CHANGES, verb));
    let own = first.contains('/').then_some(first);
    let named = rest
        .iter()
        .filter(|word| is_acting && !word.starts_with('-') && word.contains(['.', '/']));
    let is_plain = |word: &String| !word.contains(['*', '?', '"', '\'', '`', '<', '>', '|', ';', '\n']);
    let files = own.into_iter().chain(named).map(|word| word.replace("\\ ", " "));
    files.filter(is_plain).take(COMMANDS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::{commands_in, files_of, named_words};

    fn is_named(note: &str, line: &str) -> bool {
        commands_in(line).iter().any(|command| named_words(note, command) > 0)
    }

    #[test]
    fn a_runner_and_its_program_do_not_say_what_is_run() {
        let note = "`npx prisma migrate dev` resets the database when a migration was edited";
        for line in [
            "npx prisma generate",
            "npx prisma migrate deploy",
            "pnpm exec prisma migrate status",
            "npx prisma db push",
        ] {
            assert!(!is_named(note, line), "{line}");
        }
        for line in [
            "npx prisma migrate dev --name vat",
            "env URL=x pnpm exec prisma migrate dev",
            "cd api && npx prisma migrate dev",
        ] {
            assert!(is_named(note, line), "{line}");
        }
        assert!(is_named("`npx tsd` checks the types", "npx tsd"));
        assert!(is_named(
            "prisma migrate needs the lock of the database",
            "prisma migrate deploy"
        ));
        let tagged = "bundle exec rspec --tag browser needs Chrome for Testing";
        assert!(!is_named(tagged, "bundle exec rspec --tag ~browser"));
        assert!(is_named(tagged, "HEADLESS=1 bundle exec rspec --tag browser"));
    }

    #[test]
    fn a_file_may_have_a_blank_in_its_name() {
        for line in [
            "python3 \"tools/import preise.py\" preise.csv",
            "python3 'tools/import preise.py' preise.csv",
            "python3 tools/import\\ preise.py preise.csv",
            "rm 'tools/import preise.py'",
        ] {
            let files: Vec<String> = commands_in(line).iter().flat_map(files_of).collect();
            assert_eq!(
                files.first().map(String::as_str),
                Some("tools/import preise.py"),
                "{line}"
            );
        }
    }
}
