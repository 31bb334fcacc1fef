import type { ComponentChildren } from 'preact'

interface KpiProps {
  label: string
  value: ComponentChildren
  unit?: string
  detail?: ComponentChildren
  tone?: 'plain' | 'good' | 'warning' | 'bad'
}

/** A key figure with its label and detail. */
export function Kpi({ label, value, unit, detail, tone = 'plain' }: KpiProps) {
  return (
    <div class={`kpi tone-${tone}`}>
      <dt>{label}</dt>
      <dd>
        <span class="kpi-value">{value}</span>
        {unit && <span class="kpi-unit">{unit}</span>}
        <span class="kpi-detail">{detail ?? '\u00a0'}</span>
      </dd>
    </div>
  )
}

export function KpiStrip({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <section class="figures" aria-label={label}>
      <dl class="kpis">{children}</dl>
    </section>
  )
}
