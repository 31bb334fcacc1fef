import { memorySave, redactSecrets } from '../native.js'
import { asLine } from '../shared/line.js'
import type { HookCall } from './call.js'
import type { Session } from './session.js'

/** Commands that run tests, by how they begin. A `cd` or variables may stand in front. */
const RUNS_TESTS =
  /(?:^|&&|;|\|\|)\s*(?:\w+=\S+\s+)*(?:(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?(?:test|t\b|vitest|jest)|npx\s+(?:vitest|jest|mocha|playwright\s+test)|(?:vitest|jest|mocha|pytest|rspec|phpunit|ctest|tox|nox)\b|node\s+--test|deno\s+test|python3?\s+-m\s+(?:pytest|unittest)|cargo\s+(?:nextest|test|t)\b|go\s+test|dotnet\s+test|mix\s+test|swift\s+test|(?:\.\/)?(?:mvnw?|gradlew?)\b.*\btest|make\s+(?:test|check)\b|bundle\s+exec\s+rspec|rake\s+test)/

/** Whether a command line runs tests. */
export function runsTests(line: string): boolean {
  return RUNS_TESTS.test(line)
}

/** A line that says what went wrong, rather than where or how often. */
const SAYS_WHY = /error|failed|failure|assert|exception|panicked|cannot|not found|timed? ?out|expected/i

const COMMAND_LENGTH = 300
const REASON_LENGTH = 300

/**
 * Learns from a test command that fails and later passes: what it failed with, or which other command passed in its
 * place. Returns true when the session has to be written.
 */
export function learnFromCommand(
  { line, exitCode, output }: NonNullable<HookCall['command']>,
  session: Session,
): boolean {
  if (exitCode === undefined || !runsTests(line)) return false
  const command = shorten(redactSecrets(asLine(line)), COMMAND_LENGTH)
  if (exitCode !== 0) {
    delete session.failing[command]
    session.failing[command] = reasonIn(output ?? '')
    return true
  }
  const failed = command in session.failing ? command : Object.keys(session.failing).at(-1)
  if (failed === undefined) return false
  const reason = session.failing[failed] ?? ''
  const why = reason === '' ? '' : `: ${reason}`
  const pattern =
    failed === command
      ? `\`${command}\` passes; before, it failed${why}`
      : `\`${command}\` passes where \`${failed}\` failed${why}`
  memorySave({ pattern: shorten(pattern, 900), category: 'test_command', tags: ['hook'] })
  delete session.failing[failed]
  return true
}

function reasonIn(output: string): string {
  const lines = output
    .split('\n')
    .map(asLine)
    .filter((line) => line !== '')
  const reason = lines.find((line) => SAYS_WHY.test(line)) ?? lines.at(-1) ?? ''
  // The file of the session is stored on disk as well, so secrets are removed.
  return shorten(redactSecrets(reason), REASON_LENGTH)
}

/** By characters of one to four bytes: the engine's limit is in bytes and four times as far away. */
function shorten(text: string, length: number): string {
  const characters = [...text]
  return characters.length <= length ? text : `${characters.slice(0, length - 3).join('')}...`
}
