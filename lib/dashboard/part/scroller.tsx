import type { ComponentChildren } from 'preact'

/** A scrollable frame for content wider than the page. It is a tab stop, so that arrow keys can scroll it. */
export function Scroller({ label, class: extra = 'table-frame', children }: ScrollerProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class={extra} tabIndex={0} aria-label={label}>
      {children}
    </section>
  )
}

interface ScrollerProps {
  label: string
  class?: string
  children: ComponentChildren
}
