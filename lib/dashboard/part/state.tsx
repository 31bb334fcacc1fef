import type { ComponentChildren } from 'preact'
import type { Problem } from '../connection/problem.js'
import { printable } from '../show/text.js'
import type { Resource } from '../state/resource.js'
import { Icon } from './icon.js'

/** The empty state of a list, with what to do about it. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children && <div class="empty-text">{children}</div>}
    </div>
  )
}

/** An error, its hint, and a button to retry. */
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

/** Shows a resource, its loading state or its error. While the server is away, the last values stay. */
export function Loaded<T>({ from, lines = 3, children }: LoadedProps<T>) {
  const value = from.value.value
  const problem = from.problem.value
  if (value !== undefined) return <>{children(value)}</>
  if (problem) return <Trouble problem={problem} onRetry={() => void from.refresh()} />
  return <Waiting lines={lines} />
}
