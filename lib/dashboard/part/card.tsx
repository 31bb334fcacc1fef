import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface CardProps {
  title: string
  note?: ComponentChildren
  actions?: ComponentChildren
  class?: string
  children: ComponentChildren
}

/** A panel with a heading, which screen readers list as a region of that name. */
export function Card({ title, note, actions, class: extra = '', children }: CardProps) {
  const id = useId()
  return (
    <section class={`card ${extra}`} aria-labelledby={id}>
      <header class="card-head">
        <div>
          <h2 id={id}>{title}</h2>
          {note && <p class="note">{note}</p>}
        </div>
        {actions && <div class="card-actions">{actions}</div>}
      </header>
      {children}
    </section>
  )
}
