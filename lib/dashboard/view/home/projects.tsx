import { useEffect, useState } from 'preact/hooks'
import { ask } from '../../connection/http.js'
import { asProblem, type Problem } from '../../connection/problem.js'
import type { Hit, OtherProject } from '../../connection/shapes.js'
import { Card } from '../../part/card.js'
import { Kind } from '../../part/kind.js'
import { Moment } from '../../part/moment.js'
import { Empty, Loaded, Trouble } from '../../part/state.js'
import { openProject } from '../../shell/brand.js'
import { Heading } from '../../shell/frame.js'
import { counted } from '../../show/amount.js'
import { plainOf } from '../../show/plain.js'
import { Marked, oneLine } from '../../show/text.js'
import { createResource, useResources } from '../../state/resource.js'
import { addressOf } from '../../state/route.js'

const projects = createResource(() => ask<{ projects: OtherProject[] }>('/api/projects'))
const PAUSE_MS = 120

interface FoundIn extends OtherProject {
  hits: Hit[]
}

function Answers({ query }: { query: string }) {
  const [found, setFound] = useState<FoundIn[]>()
  const [problem, setProblem] = useState<Problem>()
  useEffect(() => {
    const abort = new AbortController()
    const timer = setTimeout(() => {
      ask<{ found: FoundIn[] }>('/api/projects/recall', { query: { query }, signal: abort.signal }).then(
        (answer) => setFound(answer.found),
        (cause) => !abort.signal.aborted && setProblem(asProblem(cause)),
      )
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [query])
  if (problem) return <Trouble problem={problem} />
  const answering = (found ?? []).filter(({ hits }) => hits.length > 0)
  if (found && answering.length === 0)
    return <Empty title={`No project knows anything about “${oneLine(query)}”`}>Try fewer or other words.</Empty>
  return (
    <>
      {answering.map(({ key, name, isThis, hits }) => (
        <Card key={key} title={oneLine(name)} class="span-6">
          <ul class="plain-list">
            {hits.map((hit) => {
              const { text, highlights } = plainOf(hit.text, hit.highlights)
              return (
                <li key={hit.id} dir="auto">
                  <Kind type={hit.type} />{' '}
                  {isThis ? (
                    <a href={addressOf('entry', hit.id)}>
                      <Marked text={text} highlights={highlights} />
                    </a>
                  ) : (
                    <Marked text={text} highlights={highlights} />
                  )}
                </li>
              )
            })}
          </ul>
        </Card>
      ))}
    </>
  )
}

function Everyone({ found }: { found: OtherProject[] }) {
  return (
    <ul class="project-list" aria-label="Projects">
      {found.map(({ key, name, folder, isThis, memories, waiting, newest }) => (
        <li key={key} class="card">
          <div>
            <h2>{oneLine(name)}</h2>
            <p class="note">{oneLine(folder)}</p>
            <p>
              {memories === undefined
                ? 'cannot be read: its own page says why'
                : counted(memories, 'memory', 'memories')}
              {waiting ? `, ${counted(waiting, 'to review', 'to review')}` : ''}
              {newest && (
                <>
                  , newest <Moment at={newest} />
                </>
              )}
            </p>
          </div>
          {isThis ? (
            <a class="button" href={addressOf('home')}>
              Open
            </a>
          ) : (
            <button type="button" class="button" onClick={() => void openProject(key)}>
              Open
            </button>
          )}
        </li>
      ))}
    </ul>
  )
}

/** All projects of this user: what each has, and one search through all of them. */
export function ProjectsView() {
  useResources(projects)
  const [query, setQuery] = useState('')
  return (
    <>
      <Heading title="All projects">Every project on this machine in which something was captured</Heading>
      <search class="search-all">
        <label class="unseen" for="search-all">
          Search all projects
        </label>
        <input
          id="search-all"
          type="search"
          value={query}
          autoComplete="off"
          placeholder="Search all projects"
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
      </search>
      {query.trim() === '' ? (
        <Loaded from={projects} lines={6}>
          {(found) => <Everyone found={found.projects} />}
        </Loaded>
      ) : (
        <div class="stack">
          <Answers query={query} />
        </div>
      )}
    </>
  )
}
