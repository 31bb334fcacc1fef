import { Button, Check, Choice } from '../../part/controls.js'
import { TagField } from '../../part/fields.js'
import { oneLine, whole } from '../../show/text.js'
import { isNarrow } from '../../state/preferences.js'
import { addressOf } from '../../state/route.js'
import { names } from '../../state/stores.js'
import { type Fields, filterCount, type Grouping, groupingOf, NO_FILTERS } from './fields.js'

const AGES = [
  { value: '', label: 'any time' },
  { value: '24h', label: 'last 24 hours' },
  { value: '7d', label: 'last 7 days' },
  { value: '30d', label: 'last 30 days' },
  { value: '90d', label: 'last 90 days' },
]
const DAYS = [
  { name: 'from' as const, label: 'From this day' },
  { name: 'to' as const, label: 'To this day' },
]
const SCOPES = [
  { value: '', label: 'everywhere' },
  { value: 'project', label: 'this project' },
  { value: 'global', label: 'all my projects' },
]
const CONFIDENCES = [
  { value: '', label: 'any confidence' },
  { value: '0.5', label: '50% or more' },
  { value: '0.7', label: '70% or more' },
  { value: '0.9', label: '90% or more' },
]
const GROUPINGS: { value: Grouping; label: string }[] = [
  { value: '', label: 'No groups' },
  { value: 'type', label: 'Type' },
  { value: 'day', label: 'Day' },
  { value: 'source', label: 'Source' },
]

interface SelectProps {
  label: string
  options: { value: string; label: string }[]
  value: string
  onChange: (value: string) => void
}

/** A filter. Its name is for screen readers; its first option shows the name to others. */
function Select({ label, options, value, onChange }: SelectProps) {
  return (
    <label class={`filter ${value === '' ? '' : 'is-set'}`}>
      <span class="unseen">{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </label>
  )
}

interface Props {
  fields: Fields
  change: (changes: Partial<Fields>) => void
}

function FilterFields({ fields, change }: Props) {
  const known = names.value.value?.types ?? []
  const types = known.map(({ type, count }) => ({ value: type, label: `${oneLine(type)} (${whole(count)})` }))
  if (fields.type !== '' && !known.some(({ type }) => type === fields.type))
    types.unshift({ value: fields.type, label: oneLine(fields.type) })
  return (
    <fieldset class="row filters">
      <legend class="unseen">Filters</legend>
      <Select
        label="Type"
        options={[{ value: '', label: 'every type' }, ...types]}
        value={fields.type}
        onChange={(type) => change({ type })}
      />
      <Select label="Since" options={AGES} value={fields.since} onChange={(since) => change({ since })} />
      {DAYS.map(({ name, label }) => (
        <label key={name} class={`filter ${fields[name] === '' ? '' : 'is-set'}`}>
          <span class="note" aria-hidden="true">
            {name}{' '}
          </span>
          <input
            type="date"
            aria-label={label}
            value={fields[name]}
            onChange={(event) => change({ [name]: event.currentTarget.value })}
          />
        </label>
      ))}
      <Select label="Scope" options={SCOPES} value={fields.scope} onChange={(scope) => change({ scope })} />
      <Select label="Confidence" options={CONFIDENCES} value={fields.sure} onChange={(sure) => change({ sure })} />
      <TagField
        label="Tag"
        isLabelHidden={true}
        isOne={true}
        class={`filter ${fields.tag === '' ? '' : 'is-set'}`}
        input={{ placeholder: 'any tag' }}
        value={fields.tag}
        onChange={(tag) => change({ tag })}
      />
      <Check isOn={fields.expired === 'yes'} onChange={(isOn) => change({ expired: isOn ? 'yes' : '' })}>
        Include expired
      </Check>
      <Check isOn={fields.proposed === 'yes'} onChange={(isOn) => change({ proposed: isOn ? 'yes' : '' })}>
        Include proposed
      </Check>
      <a class="note" href={addressOf('memories', 'tags')}>
        All tags
      </a>
      <a class="note" href={addressOf('memories', 'map')}>
        Map
      </a>
      {filterCount(fields) > 0 && (
        <Button look="quiet small" onClick={() => change(NO_FILTERS)}>
          Clear filters
        </Button>
      )}
    </fieldset>
  )
}

/** The filters and the groups of the list; on a phone they are folded. */
export function Filters({ fields, change }: Props) {
  const groups = (
    <Choice label="Group by" options={GROUPINGS} value={groupingOf(fields)} onChange={(by) => change({ by })} />
  )
  const count = filterCount(fields)
  if (!isNarrow.value)
    return (
      <div class="row records-bar">
        <FilterFields fields={fields} change={change} />
        {groups}
      </div>
    )
  return (
    <details class="fold">
      <summary>Filters and groups{count > 0 ? ` (${whole(count)} set)` : ''}</summary>
      <FilterFields fields={fields} change={change} />
      {groups}
    </details>
  )
}
