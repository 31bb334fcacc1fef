import { useEffect, useRef, useState } from 'preact/hooks'
import { ask } from '../connection/http.js'
import type { OtherProject } from '../connection/shapes.js'
import { Icon } from '../part/marks.js'
import { counted, oneLine } from '../show/text.js'
import { notifyFailure, tried } from '../state/notice.js'
import { addressOf } from '../state/route.js'
import { status } from '../state/stores.js'

/** Opens the page of another project: every project has a server of its own, at an address of its own. */
export function openProject(key: string): Promise<void> {
  return tried(async () => {
    const { url } = await ask<{ url: string }>('/api/projects/open', { method: 'POST', body: { key } })
    const there = new URL(url)
    // The server listens where this one does; the name by which the browser reached it is right there as well.
    there.hostname = location.hostname
    location.href = there.href
  })
}

/** The name of the project, which opens the list of the others. */
export function Brand() {
  const menu = useRef<HTMLDetailsElement>(null)
  const [others, setOthers] = useState<OtherProject[]>()
  const known = status.value.value
  const close = (): void => menu.current?.removeAttribute('open')
  useEffect(() => {
    const onClick = (event: MouseEvent): void => {
      if (!menu.current?.contains(event.target as Node)) close()
    }
    document.addEventListener('click', onClick)
    return () => document.removeEventListener('click', onClick)
  }, [])
  const onToggle = (): void => {
    if (!menu.current?.open) return
    ask<{ projects: OtherProject[] }>('/api/projects').then(({ projects }) => setOthers(projects), notifyFailure)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !menu.current?.open) return
    event.preventDefault()
    event.stopPropagation()
    close()
    menu.current.querySelector('summary')?.focus()
  }
  return (
    <div class="brand">
      <svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
        <rect class="mark-ground" width="32" height="32" rx="8" />
        <path class="mark-letter" d="M9 24V8h14v4.2h-9.4v3.1h7.6v4.1h-7.6V24z" />
        <circle class="mark-spark" cx="22.5" cy="22" r="2.8" />
      </svg>
      <details class="projects" ref={menu} onToggle={onToggle} onKeyDown={onKeyDown}>
        <summary>
          <span class="brand-name">forge-memory</span>
          <span class="brand-project note clip">
            <span class="unseen">Project </span>
            <span class="brand-word clip">{known ? oneLine(known.shortName) : '\u00a0'}</span>
            <Icon name="choose" />
          </span>
        </summary>
        <div class="projects-menu">
          <ul aria-label="Projects">
            {(others ?? []).map(({ key, name, folder, memories, isThis }) => (
              <li key={key}>
                <button
                  type="button"
                  aria-current={isThis ? 'true' : undefined}
                  title={oneLine(folder)}
                  onClick={() => {
                    close()
                    if (!isThis) void openProject(key)
                  }}
                >
                  <span class="clip">{oneLine(name)}</span>
                  {memories !== undefined && <span class="note">{counted(memories, 'memory', 'memories')}</span>}
                </button>
              </li>
            ))}
          </ul>
          <a href={addressOf('home', 'projects')} onClick={close}>
            All projects
          </a>
        </div>
      </details>
    </div>
  )
}
