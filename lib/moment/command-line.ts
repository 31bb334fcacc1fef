// Parses shell command lines, and matches commands with texts that mention them.
import { TEXT_READ_MAX } from './paths.js'

/** The maximum length of a parsed command line; the rest is data, not commands. */
const LINE_READ_MAX = 8192
const COMMANDS_MAX = 8
const PHRASE_WORDS_MAX = 5
/** The number of commands within commands that are parsed. */
const DEPTH_MAX = 3

/** One program with its arguments, without wrappers such as `sudo`. */
export interface SimpleCommand {
  program: string
  words: string[]
  /** The same with its runner, as in `npx tsd`. */
  written: string[]
}

/** Wrappers before a program. */
const WRAPPERS = new Set([
  'sudo',
  'time',
  'env',
  'nohup',
  'exec',
  'command',
  'npx',
  'bunx',
  'then',
  'do',
  'else',
  '!',
  '(',
  '{',
])
/** Package runners, with the words that follow them. */
const RUNNERS = [
  ['pnpm', 'exec'],
  ['pnpm', 'dlx'],
  ['yarn', 'dlx'],
  ['npm', 'exec', '--'],
  ['npm', 'exec'],
  ['bun', 'x'],
  ['uv', 'run'],
  ['poetry', 'run'],
  ['bundle', 'exec'],
]
/** Programs that run a command elsewhere. */
const CONTAINERS = /^(docker|docker-compose|podman|podman-compose|kubectl|oc)$/
const CONTAINER_OPTION =
  /^(-[euwnpvlfcI]|--(env|user|workdir|index|name|namespace|container|volume|publish|env-file|entrypoint|network|label|platform|mount))$/
/** Options before a subcommand that take the next word as their value. */
const GLOBAL_OPTION =
  /^(-[A-Za-z]|--(filter|dir|prefix|cwd|chdir|project|project-name|project-directory|workspace|context|namespace|profile|region|kubeconfig|manifest-path|package|config|file|env-file|app|host))$/
/** Read-only programs, before which no notes are needed. */
const LOOKS =
  /^(ls|cat|bat|cd|pwd|echo|printf|grep|egrep|rg|ag|find|fd|head|tail|wc|which|whereis|less|more|tree|stat|file|du|df|date|env|printenv|whoami|ps|top|true|false|test|\[|sleep|mkdir|touch|sort|uniq|cut|tr|jq|xargs|diff|realpath|basename|dirname|type|man|history|clear|exit|export|set|source|\.)$/
const GIT_LOOKS = /^(status|log|diff|show|branch|blame|rev-parse|ls-files|remote|describe|shortlog|grep|fetch)$/
/** Programs whose names are English words: a text mentions them only in quotes. */
const ENGLISH =
  /^(make|go|just|task|watch|open|start|stop|move|cut|at|apply|patch|install|run|build|next|wait|join|split|expect|script)$/
/** Subcommands that need their argument to be specific, as in package managers, git and container tools. */
const NEEDS_OBJECT =
  /^(install|i|add|remove|rm|uninstall|update|upgrade|run|run-script|exec|-m|checkout|switch|create|new|use)$/
const TAKES_OBJECTS =
  /^(npm|pnpm|yarn|bun|deno|pip3?|uv|poetry|gem|apt|apt-get|brew|dnf|yum|pacman|cargo|docker|podman|git|go|python3?|composer|nix|conda)$/

/** Interpreters, whose script file is evidence of its own. */
const RUNS_SCRIPT = /^(node|deno|bun|tsx|ts-node|python3?|ruby|perl|php|bash|sh|zsh) [\w./~-]+\.\w+ \S/
/** First words that only select a group of commands, whose next word says what is done. */
const GROUP =
  /^(dotnet (ef|tool|nuget|workload|sln|new|add|remove|list)|(docker|podman) (compose|container|image|volume|network|system|buildx|context)|git (remote|submodule|worktree|stash|bisect|lfs)|gh \w+|(aws|gcloud|az|doctl) [\w-]+|terraform (state|workspace)|helm (repo|plugin)|(npm|pnpm|yarn) (config|cache|workspace)|flutter pub|(uv|poetry|conda|pip3?) (pip|tool|env|self|cache|config)|rustup (target|toolchain|component)|brew services|nix (flake|profile)|cargo xtask|bundle config)$/

/** Parses a shell command line. Read-only programs are omitted. */
export function commandsIn(line: string): SimpleCommand[] {
  const [head = ''] = line.slice(0, LINE_READ_MAX).split(/<<-?\s*['"]?\w/)
  return splitCommands(head)
    .flatMap((words) => commandsOf(words))
    .slice(0, COMMANDS_MAX)
}

/** Returns a command, and the one that it runs in a container or a shell. */
function commandsOf(words: string[], depth = 0): SimpleCommand[] {
  const bare = unwrap(words)
  const written = words.slice(words.findIndex((word) => !/^\w+=|^sudo$/.test(word)))
  const [program] = bare
  if (program === undefined) return []
  const command = { program: program.slice(program.lastIndexOf('/') + 1), words: bare, written }
  const inner = depth < DEPTH_MAX ? innerCommands(command).flatMap((each) => commandsOf(each, depth + 1)) : []
  return onlyLooks(command) ? inner : [command, ...inner]
}

function innerCommands({ program, words }: SimpleCommand): string[][] {
  if (/^(sh|bash|zsh)$/.test(program) && /^-\w*c$/.test(words[1] ?? '')) return splitCommands(words[2] ?? '')
  if (!CONTAINERS.test(program)) return []
  const own = words.indexOf('--')
  if (own >= 0) return [words.slice(own + 1)]
  let at = words.findIndex((word) => word === 'exec' || word === 'run') + 1
  if (at === 0) return []
  while (words[at]?.startsWith('-')) at += CONTAINER_OPTION.test(words[at] ?? '') ? 2 : 1
  return [words.slice(at + 1)]
}

function onlyLooks({ program, words }: SimpleCommand): boolean {
  if (LOOKS.test(program)) return true
  if (program === 'git') return GIT_LOOKS.test(bareWords(words)[1] ?? '')
  return program === 'sed' && words.includes('-n')
}

/** Splits at shell operators, respecting quotes. */
function splitCommands(line: string): string[][] {
  const commands: string[][] = [[]]
  const token = /"((?:[^"\\]|\\.)*)"?|'([^']*)'?|(&&|\|\||[;|&\n()])|((?:[^\s"';|&()\\]|\\.)+)|\s/g
  let isGlued = false
  for (const [whole, double, single, operator, plain] of line.matchAll(token)) {
    const words = commands.at(-1) as string[]
    const text = double ?? single ?? plain
    if (operator !== undefined) commands.push([])
    else if (text !== undefined) {
      if (isGlued && words.length > 0) words.push(`${words.pop()}${text}`)
      else words.push(text)
    }
    isGlued = text !== undefined && !/^\s/.test(whole)
  }
  return commands.filter((words) => words.length > 0)
}

function unwrap(words: string[]): string[] {
  let rest = words
  for (;;) {
    const [first = ''] = rest
    const runner = RUNNERS.find((each) => each.every((word, at) => rest[at] === word))
    if (/^\w+=/.test(first) || WRAPPERS.has(first)) rest = rest.slice(1)
    else if (runner !== undefined && rest.length > runner.length) rest = rest.slice(runner.length)
    else if (/^(-y|--yes|--)$/.test(first)) rest = rest.slice(1)
    else return rest
  }
}

/** Returns the program and its arguments, without options and their values. */
function bareWords(words: string[]): string[] {
  const bare: string[] = []
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    const isBeforeVerb = bare.length === 1 || (bare.length === 2 && GROUP.test(bare.join(' ')))
    if (GLOBAL_OPTION.test(word) && isBeforeVerb) at += 1
    else if (!word.startsWith('-')) bare.push(word)
  }
  return bare
}

/** Returns the forms in which a text mentions a command, longest first: `docker compose up -d`, `docker compose up`, `docker compose`. */
export function phrasesOf(command: SimpleCommand): string[] {
  const { words: own, written } = command
  const forms = [own, bareWords(own), written, ...shortened(own)]
  // A runner such as `bundle exec` runs anything, so the phrase must contain the program.
  const runnerWords = Math.max(1, written.length - own.length)
  const flags = own.filter((word, at) => at > 0 && /^--?[A-Za-z][\w-]+$/.test(word) && !isValue(own[at + 1]))
  forms.push(...flags.map((flag) => [command.words[0] ?? '', flag]))
  const phrases = new Set<string>()
  for (const words of forms) {
    const least = Math.max(
      words === written ? runnerWords + 1 : 2,
      RUNS_SCRIPT.test(words.slice(0, 3).join(' ')) ? 3 : 2,
    )
    for (let count = Math.min(words.length, PHRASE_WORDS_MAX); count >= least; count -= 1) {
      const phrase = words.slice(0, count).join(' ')
      if (count === words.length || !(isOpen(words, count) || GROUP.test(phrase))) phrases.add(phrase)
    }
  }
  return [...phrases].filter((phrase) => phrase.length >= 5).sort((a, b) => b.length - a.length)
}

/** Returns whether the first words of a command leave open what it does: its subcommand, or the value of an option, is still to come. */
function isOpen(words: string[], count: number): boolean {
  const [program = '', option = ''] = words
  const last = words[count - 1] ?? ''
  const runsNamed = /^(run|exec)$/.test(last) && /^[a-z][\w:-]*$/i.test(words[count] ?? '')
  if (runsNamed || (TAKES_OBJECTS.test(program) && NEEDS_OBJECT.test(last))) return true
  if (!option.startsWith('-')) return false
  if (count === 2) return isValue(words[count])
  return bareWords(words.slice(0, count)).length < Math.min(2, bareWords(words).length)
}

/** Returns whether a word after an option may be its value. */
function isValue(word: string | undefined): boolean {
  return word !== undefined && !word.startsWith('-')
}

/** Normalises synonyms: `npm run test` is `npm test`. */
function shortened(words: string[]): string[][] {
  const [program = '', verb = '', ...rest] = words
  if (!/^(npm|pnpm|yarn|bun)$/.test(program)) return []
  if (verb === 'run' && rest.length > 0) return [[program, ...rest]]
  if (program === 'npm' && verb === 't') return [[program, 'test', ...rest]]
  return /^-|^(install|i|add|run|exec|ci)$/.test(verb) || verb === '' ? [] : [[program, 'run', verb, ...rest]]
}

/** Returns how many consecutive words of a command a text contains; 0 when it does not mention the command. */
export function namedWords(text: string, command: SimpleCommand): number {
  const isEnglish = ENGLISH.test(command.program)
  const plain = text.replace(/\s+/g, ' ')
  const given = new Set([...command.words, ...command.written])
  for (const phrase of phrasesOf(command)) {
    if (isEnglish ? isQuoted(plain, phrase, given) : isIn(plain, phrase, given)) return phrase.split(' ').length
  }
  const [only] = command.words
  const isAlone = command.words.length === 1 && only !== undefined && only.length >= 3
  return isAlone && isQuoted(plain, only, given) ? 1 : 0
}

function isIn(text: string, phrase: string, given: Set<string>): boolean {
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1)) {
    const after = text.slice(at + phrase.length)
    if (!/[\w./-]/.test(text.charAt(at - 1)) && isEnd(after.slice(0, 2)) && goesOnAlike(after, given)) return true
  }
  return false
}

const ARGUMENTS_READ = 4

/** When the mention in a text has further arguments, the command must have one of them. */
function goesOnAlike(after: string, given: Set<string>): boolean {
  if (!after.startsWith(' ')) return true
  const words = after.slice(1, 200).split(' ').slice(0, ARGUMENTS_READ)
  const end = words.findIndex((word) => !/^-{1,2}\w|^[\w.@~-]*[/:][\w./@:-]+/.test(word))
  const listed = (end < 0 ? words : words.slice(0, end)).map((word) => word.replace(/[`"',.;:)]+$/, ''))
  return listed.length === 0 || listed.some((word) => given.has(word) || given.has(word.replace(/^\.\//, '')))
}

/** Returns whether a phrase ends at a word border: `npm test` does not match `npm test:unit` or `npm tests`; a full stop is a border. */
function isEnd(after: string): boolean {
  return !/^[\w/@-]/.test(after) && !/^[.:=]\w/.test(after)
}

function isQuoted(text: string, phrase: string, given: Set<string>): boolean {
  if (text === phrase || (text.startsWith(`${phrase} `) && goesOnAlike(text.slice(phrase.length), given))) return true
  return ['`', '"', "'"].some((quote) =>
    text.split(quote).some((part, at) => at % 2 === 1 && (part === phrase || isIn(part, phrase, given))),
  )
}

/**
 * Returns whether a text contains command lines with this file as the program, but none with an argument of this command: `./gradlew
 * bootRun` is not about `./gradlew test`. A program without an extension counts as a command anywhere, and so does a script at the root
 * with a bare word as argument (`manage.py migrate`); other scripts only in quotes.
 */
export function isAboutOtherArguments(text: string, file: string, { words }: SimpleCommand): boolean {
  const name = file.slice(file.lastIndexOf('/') + 1)
  const given = words[words.findIndex((word) => word === name || word.endsWith(`/${name}`)) + 1] ?? ''
  const hasVerb = !file.includes('/') && /^[a-z][\w:-]*$/i.test(given)
  const isQuotedOnly = name.includes('.') && !hasVerb
  const written = text
    .slice(0, TEXT_READ_MAX)
    .split(/(`[^`]*`)/)
    .filter((part) => part.startsWith('`') || !isQuotedOnly)
    .flatMap((part) =>
      part
        .replaceAll('`', ' ')
        .split(/\s+/)
        .map((word, at, all) => ({ word, next: all[at + 1] ?? '' })),
    )
    .filter(({ word }) => word === name || word.endsWith(`/${name}`))
    .map(({ next }) => next.replace(/[,.;:)]+$/, ''))
  return written.length > 0 && written.every((next) => next !== '' && !words.includes(next))
}

/** Programs that run, change or remove their file arguments. */
const ACTS_ON_FILES =
  /^(node|deno|bun|tsx|ts-node|python3?|ruby|perl|php|bash|sh|zsh|source|rm|mv|cp|sed|chmod|chown|truncate)$/
const GIT_CHANGES = /^(checkout|restore|rm|mv|reset|clean)$/

/** Returns the files that a command runs or changes, as written. */
export function filesOf({ program, words }: SimpleCommand): string[] {
  const [first = '', ...rest] = words
  const own = first.includes('/') ? [first] : []
  const isActing = ACTS_ON_FILES.test(program) || (program === 'git' && GIT_CHANGES.test(rest[0] ?? ''))
  const named = isActing ? rest.filter((word) => /^[\w@./~+-]+$/.test(word) && /[./]/.test(word)) : []
  return [...own, ...named.filter((word) => !word.startsWith('-'))].slice(0, COMMANDS_MAX)
}
