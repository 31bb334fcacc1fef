import { ask } from '../../connection/http.js'
import type { Settings } from '../../connection/shapes.js'
import { Button, Choice, Command } from '../../part/controls.js'
import { Card, Loaded, Verdict } from '../../part/panels.js'
import { Heading } from '../../shell/frame.js'
import { full } from '../../show/moment.js'
import { bytes, counted, oneLine, whole } from '../../show/text.js'
import { notify, tried, useWork } from '../../state/notice.js'
import { useResources } from '../../state/resource.js'
import { review, settings, status } from '../../state/stores.js'
import { HealthParts } from '../parts.js'

const HOUR_MS = 3_600_000

async function set(body: object, done: string): Promise<void> {
  await tried(async () => {
    settings.value.value = await ask<Settings>('/api/settings', { method: 'POST', body })
    notify(done)
  })
  for (const resource of [status, review]) resource.touch()
}

function Pause({ agents }: { agents: Settings['agents'] }) {
  const isPaused = agents.state === 'paused'
  const until = agents.until === undefined ? 'until you resume it' : `until ${full(agents.until)}`
  return (
    <Card title="Agents" note="While the memory is paused, hooks add nothing and store nothing">
      <Verdict
        tone={agents.state === 'on' ? 'good' : 'warning'}
        title={isPaused ? 'Paused' : agents.state === 'off' ? 'Off' : 'On'}
        isStatus={true}
      >
        {isPaused ? until : oneLine(agents.why ?? 'agents get notes and may capture')}
        {agents.everywhere ? ', in all projects' : ''}
      </Verdict>
      <div class="form-actions">
        {isPaused ? (
          <Button look="primary" icon="play" onClick={() => set({ isPaused: false }, 'Agents get notes again.')}>
            Resume
          </Button>
        ) : (
          <>
            <Button icon="pause" onClick={() => set({ isPaused: true, pausedMs: HOUR_MS }, 'Paused for an hour.')}>
              Pause for an hour
            </Button>
            <Button onClick={() => set({ isPaused: true }, 'Paused until you resume it.')}>Pause until resumed</Button>
          </>
        )}
      </div>
    </Card>
  )
}

const REVIEWS = [
  { value: 'off' as const, label: 'Nothing' },
  { value: 'agents' as const, label: 'What agents capture' },
  { value: 'all' as const, label: 'Everything' },
]

function ReviewMode({ mode }: { mode: Settings['review'] }) {
  return (
    <Card title="What waits for a review" note="It is not recalled until you accept it; .forge.json keeps the choice">
      <Choice
        label="What waits for a review"
        options={REVIEWS}
        value={mode}
        onChange={(value) => set({ review: value }, 'Saved in .forge.json.')}
      />
    </Card>
  )
}

function Model({ settings: { models, vectors } }: { settings: Settings }) {
  const installed = models.filter(({ state }) => state === 'installed')
  return (
    <Card title="Search by meaning" note="A small model that runs on this machine; without it, searches use words">
      {vectors && (
        <p>
          {whole(vectors.covered)} of {counted(vectors.total, 'memory', 'memories')} can be found by meaning.
        </p>
      )}
      {installed.length === 0 ? (
        <>
          <p class="note">No model is installed. In a terminal, once for all projects:</p>
          <Command text="forge-memory model install" />
        </>
      ) : (
        <ul class="plain-list" aria-label="Models">
          {installed.map(({ name, bytes: size, isDefault }) => (
            <li key={name}>
              {oneLine(name)} <span class="note">{bytes(size)}</span>{' '}
              {isDefault ? (
                <span class="chip is-good">in use</span>
              ) : (
                <Button look="small" onClick={() => set({ model: name }, `Searches use ${oneLine(name)} now.`)}>
                  Use it
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

function download(name: string, text: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  link.download = name
  link.click()
  window.setTimeout(() => URL.revokeObjectURL(link.href), 1000)
}

function Export() {
  const [isBusy, start] = useWork()
  const save = async (format: 'jsonl' | 'md'): Promise<void> => {
    const query = { format }
    const { text = '', records } = await ask<{ text?: string; records: number }>('/api/memory/export', { query })
    download(`forge-memory.${format}`, text)
    notify(`${counted(records, 'memory', 'memories')} exported.`)
  }
  return (
    <Card title="Export" note="Everything that recall returns, without secrets">
      <div class="form-actions">
        <Button icon="download" disabled={isBusy} onClick={() => start(() => save('md'))}>
          Markdown
        </Button>
        <Button icon="download" disabled={isBusy} onClick={() => start(() => save('jsonl'))}>
          JSON Lines
        </Button>
      </div>
    </Card>
  )
}

/** The settings that people look for; the reference of `.forge.json` has all of them. */
export function SettingsView() {
  useResources(settings)
  return (
    <>
      <Heading title="Settings" />
      <HealthParts />
      <Loaded from={settings} lines={6}>
        {(found) => (
          <div class="stack settings">
            <Pause agents={found.agents} />
            <ReviewMode mode={found.review} />
            <Model settings={found} />
            <Export />
          </div>
        )}
      </Loaded>
    </>
  )
}
