import { useEffect, useState } from 'preact/hooks'
import { ask } from '../../connection/http.js'
import type { InjectedNote, PastSession, SessionIndexStatus, SessionSearchReport } from '../../connection/shapes.js'
import { usePaged } from '../../part/chosen.js'
import { Button, Command } from '../../part/controls.js'
import { Confirm } from '../../part/dialog.js'
import { Form, SearchField } from '../../part/fields.js'
import { Moment } from '../../part/marks.js'
import { Card, Empty, Loaded, Trouble, Waiting } from '../../part/panels.js'
import { Heading } from '../../shell/frame.js'
import { lineOf } from '../../show/plain.js'
import { bytes, counted, linesOf, oneLine, printable, scrolled, shortId } from '../../show/text.js'
import { notify, tried, useAttempt, useWork } from '../../state/notice.js'
import { createResource, useResources } from '../../state/resource.js'
import { addressOf, route } from '../../state/route.js'
import { notes } from '../../state/stores.js'
import { SessionParts } from '../parts.js'

type Found = { status: SessionIndexStatus; hits?: PastSession[] } & Partial<Omit<SessionSearchReport, 'hits'>>

/** How many are listed at first, and how many a button adds: of each, the file is read. */
const LISTED = 10
const MORE = 20

const index = createResource(() => ask<Found>('/api/sessions', { query: { limit: LISTED } }))

/** Returns what was found, with the next page behind it. */
async function withNext(found: Found, query: { query?: string; limit?: number }): Promise<Found> {
  const { hits = [] } = found
  const next = await ask<Found>('/api/sessions', { query: { limit: MORE, ...query, offset: hits.length } })
  return { ...next, hits: [...hits, ...(next.hits ?? [])] }
}

const nameOf = ({ title, agentTitle }: PastSession): string =>
  oneLine(title ?? '') || `A session of ${oneLine(agentTitle)}`

/** Who or what speaks in a turn, in the words of a reader. */
const ROLES: Record<string, string> = { user: 'prompt', agent: 'answer', error: 'failure' }

/** What the hooks tell of a session: the notes that the agent was given, and what it stored by marks. */
interface Told {
  given: InjectedNote[]
  stored: InjectedNote[]
}

function toldOf(session: string): Told {
  const isOfIt = (note: InjectedNote): boolean => note.session === session
  const { notes: given = [], stored = [] } = notes.value.value ?? {}
  return { given: given.filter(isOfIt), stored: stored.filter(isOfIt) }
}

const countsOf = ({ given, stored }: Told): string =>
  [
    ...(given.length > 0
      ? [`${counted(given.length, 'note')}, ${given.filter(({ used }) => used !== undefined).length} used`]
      : []),
    ...(stored.length > 0 ? [`${counted(stored.length, 'lesson')} stored`] : []),
  ].join(', ')

interface TimeLineProps extends Told {
  turns: PastSession['turns']
}

/** A memory on the line of time of a session, with what is to say of it there. */
function pointOf({ at, id, text }: InjectedNote, what: string, says = '') {
  return {
    at,
    key: `${at} ${what} ${id}`,
    what,
    says: (
      <span class="turn-text" dir="auto">
        <a href={addressOf('entry', id)}>{text === undefined ? shortId(id) : lineOf(text).slice(0, 300)}</a>
        <span class="note"> {says}</span>
      </span>
    ),
  }
}

/** A session as a line of time: what was said and done, and between that the notes that the agent was given, and the lessons that it stored. */
function TimeLine({ turns, given, stored }: TimeLineProps) {
  const points = [
    ...turns.map(({ at = '', line, role, text }) => ({
      at,
      key: `${line} ${role}`,
      what: ROLES[role] ?? role,
      says: (
        <span class={`turn-text ${linesOf(text)}`} dir="auto" {...scrolled(text)}>
          {printable(text)}
        </span>
      ),
    })),
    ...given.map((note) =>
      pointOf(note, 'note', `${note.why ? `for ${oneLine(note.why)}, ` : ''}${note.used ? 'used' : 'no use seen'}`),
    ),
    ...stored.map((lesson) => pointOf(lesson, 'lesson')),
  ]
  // Turns without a time stay where they are: before what has one.
  points.sort((a, b) => (a.at === '' || b.at === '' ? 0 : Date.parse(a.at) - Date.parse(b.at)))
  return (
    <ol class="turns">
      {points.map(({ at, key, what, says }) => (
        <li key={key}>
          <span class="chip">{what}</span>
          {says}
          {at && <Moment at={at} />}
        </li>
      ))}
    </ol>
  )
}

/** A hit in a past session, and the actions on that session. */
function Said({ hit, onForgotten }: { hit: PastSession; onForgotten: () => void }) {
  const [isAsking, setAsking] = useState(false)
  const forget = (): Promise<void> => {
    setAsking(false)
    return tried(async () => {
      await ask('/api/sessions/forget', { method: 'POST', body: { session: hit.session } })
      notify('Forgotten: it is not searched, and nothing is learned from it.')
      onForgotten()
    })
  }
  const matched = hit.turns.filter((turn) => turn.matched)
  return (
    <>
      <TimeLine turns={matched.length > 0 ? matched : hit.turns} {...toldOf(hit.noted)} />
      {hit.resume && <Command text={hit.resume} />}
      <p class="card-step">
        <Button look="small quiet" onClick={() => setAsking(true)}>
          Forget it
        </Button>
      </p>
      {isAsking && (
        <Confirm title="Forget this session?" action="Forget" onConfirm={forget} onClose={() => setAsking(false)}>
          <p>
            It is not searched again, and nothing is learned from it. The file of the agent stays. This cannot be taken
            back.
          </p>
        </Confirm>
      )}
    </>
  )
}

function Session({ hit, onForgotten }: { hit: PastSession; onForgotten: () => void }) {
  return (
    <Card
      title={nameOf(hit)}
      class="span-6"
      note={
        <>
          {oneLine(hit.agentTitle)}
          {hit.project ? `, ${oneLine(hit.project)}` : ''}, {counted(hit.turnCount, 'turn')}
          {hit.started && (
            <>
              , <Moment at={hit.started} />
            </>
          )}
          {hit.gone && ', its file is gone or has changed'}
        </>
      }
    >
      <Said hit={hit} onForgotten={onForgotten} />
    </Card>
  )
}

/** The newest sessions of the project, without a search. */
function Newest({ found }: { found: Found }) {
  const [all, setAll] = useState<Found>()
  const [isBusy, start] = useWork()
  const listed = all ?? found
  const { status, hits = [], pending = 0, hasMore } = listed
  const show = (read: () => Promise<Found>) => start(async () => setAll(await read()))
  const readNew = () => ask<Found>('/api/sessions', { query: { limit: LISTED, update: true } })
  const isNew = pending > 0 || status.turns === 0
  return (
    <Card
      title="Newest sessions"
      class="span-6"
      note={pending > 0 ? `${counted(pending, 'file')} of sessions not read yet` : 'Of this project'}
      actions={
        isNew && (
          <Button look="small" disabled={isBusy} onClick={() => show(readNew)}>
            {isBusy ? 'Reading…' : 'Read what is new'}
          </Button>
        )
      }
    >
      {hits.length === 0 ? (
        <p class="note">No session of this project is indexed.</p>
      ) : (
        <ul class="notes-given" aria-label="Newest sessions">
          {hits.map((hit) => (
            <li key={`${hit.agent} ${hit.session}`}>
              <details class="note-given">
                <summary>
                  <span class="hit-text" dir="auto">
                    {oneLine(hit.title ?? '') || lineOf(hit.turns[0]?.text ?? '') || nameOf(hit)}
                  </span>
                  <span class="chip">
                    {oneLine(hit.agentTitle)}, {counted(hit.turnCount, 'turn')}
                    {countsOf(toldOf(hit.noted)) && `, ${countsOf(toldOf(hit.noted))}`}
                  </span>
                  <Moment at={hit.ended ?? hit.started ?? ''} />
                </summary>
                <Said hit={hit} onForgotten={() => setAll({ ...listed, hits: hits.filter((one) => one !== hit) })} />
              </details>
            </li>
          ))}
        </ul>
      )}
      {hasMore && (
        <Button look="small" disabled={isBusy} onClick={() => show(() => withNext(listed, {}))}>
          Show more
        </Button>
      )}
    </Card>
  )
}

function Status({ status }: { status: SessionIndexStatus }) {
  if (!status.enabled)
    return (
      <Empty title="The search through past sessions is turned off">
        <code>settings.json</code> in the user's folder says so.
      </Empty>
    )
  if (status.turns === 0)
    return (
      <Empty title="No session is indexed yet">
        The first search, or the button, reads what Claude Code, Codex, Gemini and others have stored on this machine.
        It may take a while.
      </Empty>
    )
  return (
    <p class="note" role="status">
      {status.agents.map(({ agent, sessions }) => `${oneLine(agent)} ${counted(sessions, 'session')}`).join(', ')};{' '}
      {counted(status.turns, 'turn')}, {bytes(status.bytes)} without any text
    </p>
  )
}

const PAGE = 20

/** The title of a session that is among the newest of the index. */
function titleOfSession(session: string): string {
  const hit = index.value.value?.hits?.find((one) => one.noted === session)
  return hit ? oneLine(hit.title ?? '') || lineOf(hit.turns[0]?.text ?? '').slice(0, 100) : ''
}

/** The sessions in which notes were given, by their ids, the one with the newest note first. */
function sessionsOf(notes: InjectedNote[]): Map<string, [InjectedNote, ...InjectedNote[]]> {
  const sessions = new Map<string, [InjectedNote, ...InjectedNote[]]>()
  for (const note of notes) {
    const known = sessions.get(note.session)
    if (known) known.push(note)
    else sessions.set(note.session, [note])
  }
  return sessions
}

/** The sessions of which hooks have told, without a search: with the notes that were given in each. */
function Recent({ notes: found }: { notes: InjectedNote[] }) {
  const [shown, more] = usePaged([...sessionsOf(found)], PAGE, 'small')
  if (shown.length === 0) return null
  return (
    <Card title="Sessions with notes" class="span-6" note="Those in which hooks gave notes to an agent, newest first">
      <ul class="notes-given" aria-label="Sessions with notes">
        {shown.map(([session, given]) => (
          <li key={session}>
            <details class="note-given">
              <summary>
                <span class="hit-text" dir="auto">
                  {titleOfSession(session)} {oneLine(given[0].host) || 'an agent'}{' '}
                  <code>{oneLine(session).slice(0, 12) || 'unknown'}</code>
                </span>
                <span class="chip">{countsOf(toldOf(session))}</span>
                <Moment at={given[0].at} />
              </summary>
              <TimeLine turns={[]} {...toldOf(session)} />
            </details>
          </li>
        ))}
      </ul>
      {more}
    </Card>
  )
}

/** Past sessions of the agents on this machine, found by the words in them. */
export function PastView() {
  useResources(index, notes)
  const [query, setQuery] = useState(route.value.query.get('q') ?? '')
  const [found, setFound] = useState<Found>()
  const { isBusy, problem, attempt } = useAttempt()
  const [isReading, start] = useWork()
  const search = async (): Promise<void> => {
    if (query.trim() === '') return setFound(undefined)
    await attempt(async () => {
      setFound(await ask<Found>('/api/sessions', { query: { query, limit: MORE } }))
      index.touch()
    })
  }
  useEffect(() => void search(), [])
  const searchOn = async (shown: Found) => setFound(await withNext(shown, { query: shown.query ?? '' }))
  return (
    <>
      <Heading title="Past sessions">What was said and done in sessions of your agents, on this machine only</Heading>
      <SessionParts />
      <search>
        <Form class="search-line" onSubmit={search}>
          <SearchField
            id="sessions-query"
            label="Search past sessions"
            placeholder="What was it about?"
            value={query}
            onChange={setQuery}
          />
          <Button type="submit" look="primary" disabled={isBusy || query.trim() === ''}>
            {isBusy ? 'Searching…' : 'Search'}
          </Button>
        </Form>
      </search>
      {problem && <Trouble problem={problem} onRetry={search} />}
      {isBusy && <Waiting lines={4} />}
      {!isBusy && found === undefined && (
        <div class="stack">
          <Loaded from={index}>
            {(listed) => (
              <>
                <Status status={listed.status} />
                {listed.status.enabled && <Newest found={listed} />}
              </>
            )}
          </Loaded>
          <Recent notes={notes.value.value?.notes ?? []} />
        </div>
      )}
      {!isBusy && found?.hits?.length === 0 && (
        <Empty title={`No session is about “${oneLine(found.query ?? '')}”`}>Try fewer or other words.</Empty>
      )}
      {!isBusy && (
        <div class="stack">
          {found?.hits?.map((hit) => (
            <Session key={`${hit.session} ${hit.line}`} hit={hit} onForgotten={() => void search()} />
          ))}
          {found?.hasMore && (
            <Button look="small" disabled={isReading} onClick={() => start(() => searchOn(found))}>
              Show more
            </Button>
          )}
        </div>
      )}
    </>
  )
}
