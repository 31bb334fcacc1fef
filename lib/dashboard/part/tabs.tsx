import { whole } from '../show/amount.js'

interface TabsProps {
  label: string
  tabs: { address: string; label: string; count?: number | undefined; isBad?: boolean }[]
  /** The address of the open one. */
  current: string
}

/** The parts of a view, as links. */
export function Tabs({ label, tabs, current }: TabsProps) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ address, label, count, isBad = false }) => (
        <a key={address} href={address} aria-current={address === current ? 'page' : undefined}>
          {label}
          {count !== undefined && <span class={`badge ${isBad ? 'is-bad' : ''}`}>{whole(count)}</span>}
        </a>
      ))}
    </nav>
  )
}
