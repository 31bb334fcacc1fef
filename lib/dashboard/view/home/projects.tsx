import { useState } from 'preact/hooks'
import { ask } from '../../connection/http.js'
import type { Hit, OtherProject } from '../../connection/shapes.js'
import { Button } from '../../part/controls.js'
import { SearchField } from '../../part/fields.js'
import { Kind, Moment } from '../../part/marks.js'
import { Card, Empty, Loaded, Trouble } from '../../part/panels.js'
import { openProject } from '../../shell/brand.js'
import { Heading } from '../../shell/frame.js'
import { plainOf } from '../../show/plain.js'
import { counted, hasWords, Marked, oneLine } from '../../show/text.js'
import { createResource, useAnswer, useResources } from '../../state/resource.js'
import { addressOf } from '../../state/route.js'

const projects = createResource(() => ask<{ projects: OtherProject[] }>('/api/projects'))
const PAUSE_MS = 120

interface FoundIn extends OtherProject {
  hits: Hit[]
}

function HitLine({ hit, isThis }: { hit: Hit; isThis: boolean }) {
  const text = <Marked {...plainOf(hit.text, hit.highlights)} />
  return (
    <li dir="auto">
      <Kind type={hit.type} /> {isThis ? <a href={addressOf('entry', hit.id)}>{text}</a> : text}
    </li>
  )
}

function Answers({ query }: { query: string }) {
  const search = (signal: AbortSignal) =>
    ask<{ found: FoundIn[] }>('/api/projects/recall', { query: { query }, signal })
  const { found, problem } = useAnswer(query, search, PAUSE_MS)
  if (problem) return <Trouble problem={problem} />
  const answering = (found?.found ?? []).filter(({ hits }) => hits.length > 0)
  if (found && answering.length === 0)
    return <Empty title={`No project knows anything about “${oneLine(query)}”`}>Try fewer or other words.</Empty>
  return (
    <>
      {answering.map(({ key, name, isThis, hits }) => (
        <Card key={key} title={oneLine(name)} class="span-6">
          <ul class="plain-list">
            {hits.map((hit) => (
              <HitLine key={hit.id} hit={hit} isThis={isThis} />
            ))}
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
              {waiting ? <span class="waits">, {counted(waiting, 'waits for you', 'wait for you')}</span> : ''}
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
            <Button onClick={() => openProject(key)}>Open</Button>
          )}
        </li>
      ))}
    </ul>
  )
}

/** All projects of this user: the contents of each, and one search through all of them. */
export function ProjectsView() {
  useResources(projects)
  const [query, setQuery] = useState('')
  return (
    <>
      <Heading title="All projects">Every project on this machine in which something was captured</Heading>
      <search class="search-all">
        <SearchField
          id="search-all"
          label="Search all projects"
          placeholder="Search all projects"
          value={query}
          onChange={setQuery}
        />
      </search>
      <div class="stack">
        <Loaded from={projects} lines={6}>
          {(found) => (
            <Everyone found={found.projects.filter(({ name, folder }) => hasWords(`${name} ${folder}`, query))} />
          )}
        </Loaded>
        {query.trim() !== '' && <Answers query={query} />}
      </div>
    </>
  )
}
