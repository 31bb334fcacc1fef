// What a person states at the prompt, in a real host: whether the agent is asked to store it, whose words a quote then is, and what the agent is asked
// when it stops. The model is scripted by the prompt that a request has last.
import { STEPS } from './hosts.mjs'
import { textOf } from './terminal.mjs'

const REQUEST = 'If later sessions need what the user states here'
const QUESTION = /Something was repaired or corrected here, and nothing was stored/
const RECEIPT = /forge-memory: (?:(?:recalled|stored) [\w ,]*\w(?:; )?)+/g

const RULE = 'From now on, invoices are numbered per year.'
const GERMAN = 'Beträge speichern wir ab jetzt immer in Cent, nie in Euro.'
const INVENTED = 'Every deployment needs two approvals.'
const MAILED = 'From now on always merge with a squash commit.'
const MAIL = [
  'Hello all, this is the weekly mail of the platform team.',
  'The build machines were moved on Monday.',
  'They are faster now by a third.',
  'The cache was emptied on the way.',
  'The first build of each branch is slow for that reason.',
  MAILED,
  'The release branch was cut on Tuesday.',
  'Three changes were taken back before that.',
  'The new dashboard shows the length of the queue.',
  'The old one is switched off at the end of the month.',
  'Anna is away until Thursday.',
  'Ben answers in her place.',
  'The next mail comes in a week.',
  'Kind regards, Clara',
].join('\n')

const captured = (text) => ({ tool: 'capture_thought', input: { content: text, type: 'convention', said: text } })

/** The prompts of a session in which the person states something: with a name, and with what the model calls. */
export const STATED = [
  { name: 'rule', prompt: `${RULE} Look at ${STEPS.FILE}.`, calls: [captured(RULE)] },
  { name: 'repeated', prompt: `Go on with the invoices. ${RULE}`, calls: [captured(INVENTED)] },
  { name: 'german', prompt: `${GERMAN} Sieh dir ${STEPS.FILE} an.`, calls: [captured(GERMAN)] },
  { name: 'pasted', prompt: MAIL, calls: [captured(MAILED)] },
]

/** Those of a session in which a command fails and then passes, twice. */
export const REPAIRED = ['first', 'second'].map((name) => {
  const command = { command: `node scripts/repair.mjs ${name}` }
  return { name, prompt: `Make the ${name} export work`, calls: [command, command] }
})

/** Fails when it is run first, and passes then. */
export const REPAIR = `import { existsSync, writeFileSync } from 'node:fs'
const done = \`\${process.argv[2]}.done\`
if (existsSync(done)) console.log('exported')
else {
  writeFileSync(done, '')
  console.error('Error: the export is locked')
  process.exitCode = 2
}
`

/** How often the model does something else until the host has the tools of the memory: some start the server while the model answers. */
const WAITS_MAX = 5
/** Where a host has the tools of servers in scripts alone. */
const SCRIPTS = 'codemode'
/** Where a host lists the tools of servers only to those who search for them. */
const SEARCH = 'tool_search'

/** Returns what the model does about each request, by the last prompt in it. Of each time that it has nothing left to do `ends` gets a line. */
export function script(exchanges, calls, ends) {
  const left = exchanges.map((exchange) => [...exchange.calls])
  let waits = 0
  return (body) => {
    const text = JSON.stringify(body)
    const at = lastOf(exchanges, text)
    const [next] = left[at] ?? []
    if (next === undefined) {
      ends.push({ name: exchanges[at]?.name, isAsked: QUESTION.test(text) })
      return { says: 'Done.' }
    }
    if (next.command !== undefined) return shellCall(calls.at(-1), left[at].shift().command)
    const found = toolIn(body.tools, next.tool)
    if (found === undefined && toolIn(body.tools, SCRIPTS)) return inScript(left[at].shift())
    if (found === undefined && waits++ < WAITS_MAX) {
      return toolIn(body.tools, SEARCH) ? { name: SEARCH, input: { query: next.tool } } : calls[0]
    }
    return { ...left[at].shift(), name: next.tool, ...found }
  }
}

/** Returns the name that a host gives a tool, and the space of names that it is in. */
function toolIn(tools, tool, namespace) {
  for (const { name, function: named, tools: inner, functionDeclarations } of tools) {
    const own = name ?? named?.name
    if (own?.endsWith(tool)) return { name: own, ...(namespace && { namespace }) }
    const deeper = inner ?? functionDeclarations
    const found = deeper && toolIn(deeper, tool, own)
    if (found) return found
  }
}

function inScript({ tool, input }) {
  const code = `const [found] = await searchTools('${tool}', { limit: 1 })\nreturn tools[found.name](${JSON.stringify(input)})`
  return { name: SCRIPTS, input: { code } }
}

function shellCall({ name, input }, command) {
  return { name, input: JSON.parse(JSON.stringify(input).replace(STEPS.FAILING, command)) }
}

/** Returns which exchange a request is of, and how a prompt begins in it. */
const lastOf = (exchanges, text) => exchanges.findLastIndex((exchange) => text.includes(beginningOf(exchange)))
const beginningOf = ({ prompt }) => JSON.stringify(prompt.split('\n')[0]).slice(1, -1)

/** Returns what arrived in sessions in which something was stated, and in those in which something was repaired. */
export function heard(stated, repaired, { isTyped, asksAtEnd, showsLines }) {
  const requests = Object.assign({}, ...stated.map(requestsBehind))
  const records = stated.flatMap((session) => session.records)
  const isBy = (author, ...texts) =>
    texts.every((text) => records.some(({ content, said }) => content === text && said.startsWith(`${author}/mcp`)))
  const questions = REPAIRED.map(({ name }) => questionsAfter(name, repaired))
  return {
    request: requests.rule === 1 && requests.german === 1,
    ...(isTyped && { 'one request a statement': requests.repeated === 0 }),
    'silence at a paste': requests.pasted === 0,
    [isTyped ? 'quote of the person' : 'quote of a program']: isBy(isTyped ? 'person' : 'agent', RULE, GERMAN),
    'quote of nobody': isBy('agent', INVENTED, MAILED),
    ...(isTyped && asksAtEnd
      ? { question: questions[0] === 1, 'one question a session': questions[1] === 0 }
      : { 'silence at the end': questions.every((count) => count === 0) }),
    ...(isTyped &&
      showsLines && { 'line for the person': receiptsOn(stated[0].said).some((line) => /stored/.test(line)) }),
  }
}

/** Returns by the name of each prompt how often the request stands behind it. */
function requestsBehind({ exchanges, requests }) {
  const countOf = (exchange, at) => {
    const texts = requests.map(({ text }) => text).filter((text) => lastOf(exchanges, text) === at)
    const behind = texts.map((text) => text.slice(text.lastIndexOf(beginningOf(exchange))))
    return [exchange.name, Math.max(...behind.map((text) => text.split(REQUEST).length - 1))]
  }
  return Object.fromEntries(exchanges.map(countOf))
}

/** Returns how often the model had to go on after its last words, because it was asked. */
function questionsAfter(prompt, sessions) {
  const ends = sessions.flatMap((session) => session.ends).filter(({ name }) => name === prompt)
  return ends.length === 0 ? undefined : ends.slice(1).filter(({ isAsked }) => isAsked).length
}

/** Returns the lines for the person that a host has drawn. */
export function receiptsOn(screen) {
  return [...new Set(textOf(screen).match(RECEIPT) ?? [])]
}
