import type { Command } from 'commander'
import { Follower } from '../../hub/follower.js'
import type { HubEvent } from '../../hub/index.js'
import { EventTail, findProject, isReaderGone, type ProjectOptions, type TailBatch } from '../../native.js'
import { momentOf } from '../../shared/age.js'
import { messageOf } from '../../shared/problem.js'
import { oneLine, printableJson } from '../../text/printable.js'
import { type Answer, addNote, type CommandEntry, type Respond } from '../command.js'
import { Failure } from '../failure.js'
import { collect, number } from '../options.js'
import { fieldsText } from '../page/fields.js'
import { write } from '../page/output.js'
import { kindPainterFor, painterFor, widthOf } from '../page/page.js'

export const entry: CommandEntry = {
  group: 'admin',
  summary: 'show events as they happen',
  examples: ['forge-memory admin watch', 'forge-memory admin watch -t gotcha --since 12h --no-follow'],
}

const SHOWN = 10
const TEXT_CHARS_MAX = 160
const TEXT_CHARS_MIN = 16
/** How often a watcher without events checks that its output is still read. */
const READER_MS = 500

interface WatchFlags {
  type?: string[]
  tool?: string[]
  since?: string
  count?: number
  follow: boolean
}

type Filter = (event: HubEvent) => boolean

const NOTE = 'With --json, each event is a JSON document on a line of its own.'

export function configure(command: Command, respond: Respond): void {
  addNote(command, NOTE)
  command
    .option('-t, --type <type>', 'only events of this type, or captures of this type; may be repeated', collect)
    .option('--tool <tool>', 'only this tool; may be repeated', collect)
    .option(
      '--since <when>',
      'start at an ISO date, 12h, 7d or 2w ago, or after the event with this number (default: the last 10)',
    )
    .option('-n, --count <number>', 'stop after this many events (default: none)', number)
    .option('--no-follow', 'stop after the events that are already there')
    .action(
      respond((project, flags: WatchFlags): Answer => {
        const tail = openTail(project, flags)
        let isJson = false
        return {
          document: undefined,
          // Each event is printed as a document of its own, so the command has no final output.
          bytes: (json) => {
            isJson = json
            return new Uint8Array()
          },
          text: () => '',
          afterwards: () => follow(project, tail, flags, isJson),
        }
      }),
    )
}

interface Opening {
  tail: EventTail
  /** The earliest time to show, if given. */
  from: number | undefined
}

function openTail(projectOptions: ProjectOptions, { since, follow }: WatchFlags): Opening {
  const project = { ...projectOptions, live: follow }
  if (since === undefined) return { tail: EventTail.open({ ...project, newest: SHOWN }), from: undefined }
  if (/^\d+(\.\d+)?$/.test(since))
    return { tail: EventTail.open({ ...project, since: Number(since) }), from: undefined }
  return { tail: EventTail.open({ ...project, newest: 1e6 }), from: startOf(since) }
}

function startOf(text: string): number {
  const at = momentOf(text)
  if (Number.isNaN(at)) throw new Failure('INVALID_INPUT', `since: ${text} is not a date, an age or a number`)
  return at
}

function follow(project: ProjectOptions, { tail, from }: Opening, flags: WatchFlags, isJson: boolean): void {
  const admits = filterOf(flags, from)
  let left = flags.count ?? Number.POSITIVE_INFINITY
  const show = (line: string) => {
    const event = JSON.parse(line) as HubEvent
    if (left <= 0 || !admits(event)) return
    left -= 1
    // The reader of the output has gone, so counting events is pointless.
    if (!write(1, isJson ? `${printableJson(event, 0)}\n` : `${lineOf(event)}\n`)) left = 0
  }
  for (let done = false; !done && left > 0; ) {
    const batch = tail.read({ bytes: 1 << 20 })
    warnOfLoss(batch)
    for (const { line } of batch.events) show(line)
    done = batch.done
  }
  if (!flags.follow || left <= 0) {
    tail.close()
    return
  }
  const projectDir = findProject(project)
  // This timer also keeps the process alive, which following the file does not.
  const reader = setInterval(() => isReaderGone(1) && end(), READER_MS)
  const follower = new Follower({
    projectDir,
    tail,
    wanted: () => undefined,
    take: (batch) => {
      warnOfLoss(batch)
      for (const { line } of batch.events) show(line)
      if (left <= 0) end()
    },
    fail: (error) => write(2, `warning: ${oneLine(messageOf(error))}\n`),
  })
  const end = () => {
    follower.stop()
    clearInterval(reader)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end)
}

function warnOfLoss({ lost }: TailBatch): void {
  if (!lost) return
  const count = Math.floor(lost.beforeSeq) - Math.floor(lost.afterSeq) - 1
  write(
    2,
    `warning: ${count} events between ${lost.afterSeq} and ${lost.beforeSeq} were removed before they were read\n`,
  )
}

/** An event matches a type filter by its own type, or by the type of the thought in it. */
function filterOf({ type, tool }: WatchFlags, from: number | undefined): Filter {
  return (event) => {
    const thought = thoughtIn(event)
    if (type && !type.includes(event.type) && !(thought && type.includes(thought.type ?? ''))) return false
    if (tool && !tool.some((name) => toolsOf(event).includes(name))) return false
    return from === undefined || Date.parse(event.timestamp ?? '') >= from
  }
}

interface Thought {
  type?: string
  source?: string
  content?: string
}

function thoughtIn({ thought }: HubEvent): Thought | undefined {
  return typeof thought === 'object' && thought !== null ? (thought as Thought) : undefined
}

function toolsOf(event: HubEvent): string[] {
  const thought = thoughtIn(event)
  const names = [event.tool, event.source, thought?.source, thought?.source?.split('/')[0]]
  return names.filter((name): name is string => typeof name === 'string')
}

/** The whole line fits the page: its text is cut, its subject is not. */
function lineOf(event: HubEvent): string {
  const paint = painterFor(1)
  const { version, timestamp, type, seq, thought: _, ...rest } = event
  const thought = thoughtIn(event)
  const time = oneLine(String(timestamp ?? ''))
    .slice(11, 19)
    .padEnd(8)
  const known = rest.deduped === true ? ' (known)' : ''
  const name = oneLine(type)
  const [kind, source] = [oneLine(thought?.type ?? ''), oneLine(thought?.source ?? '')]
  const about = thought === undefined ? '' : `${kind} ${source}  `
  const before = `${time}  ${name}${known}  ${about}`.length
  const said = clip(thought === undefined ? fieldsText(rest) : oneLine(thought.content ?? ''), widthOf(1) - before)
  const painted = thought === undefined ? '' : `${kindPainterFor(1)(kind)} ${source}  `
  return `${paint('quiet', time)}  ${paint('strong', name)}${known}  ${painted}${said}`
}

function clip(text: string, room: number): string {
  const characters = [...text]
  const most = Math.min(Math.max(room, TEXT_CHARS_MIN), TEXT_CHARS_MAX)
  return characters.length > most ? `${characters.slice(0, most - 3).join('')}...` : text
}
