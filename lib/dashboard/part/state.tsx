import type { ComponentChildren } from 'preact'
import type { Problem } from '../connection/problem.js'
import { printable } from '../show/text.js'
import type { Resource } from '../state/resource.js'
import { Icon } from './icon.js'

/** Nothing there yet, and what to do about that. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children && <div class="empty-text">{children}</div>}
    </div>
  )
}

/** What went wrong, and what to do about that. */
export function Trouble({ problem, onRetry }: { problem: Problem; onRetry?: () => void }) {
  return (
    <div class="trouble" role="alert">
      <Icon name="warning" />
      <div>
        <p>
          <strong>{printable(problem.message)}</strong> <code>{problem.code}</code>
        </p>
        <p>{printable(problem.hint)}</p>
        {onRetry && (
          <button type="button" class="button small" onClick={onRetry}>
            Try again
          </button>
        )}
      </div>
    </div>
  )
}

export function Waiting({ lines = 3 }: { lines?: number }) {
  return (
    <div class="waiting" role="status">
      <span class="unseen">Loading</span>
      {Array.from({ length: lines }, (_, at) => (
        <span class="bone" key={at} />
      ))}
    </div>
  )
}

interface LoadedProps<T> {
  from: Resource<T>
  lines?: number
  children: (value: T) => ComponentChildren
}

/** Shows a resource, or why it is not there. Numbers that were right a moment ago stay while the server is away. */
export function Loaded<T>({ from, lines = 3, children }: LoadedProps<T>) {
  const value = from.value.value
  const problem = from.problem.value
  if (value !== undefined) return <>{children(value)}</>
  if (problem) return <Trouble problem={problem} onRetry={() => void from.refresh()} />
  return <Waiting lines={lines} />
}
