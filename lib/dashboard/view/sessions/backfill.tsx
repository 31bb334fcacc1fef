import { useState } from 'preact/hooks'
import { ask } from '../../connection/http.js'
import { asProblem, type Problem } from '../../connection/problem.js'
import type { BackfillFinding, BackfillReport } from '../../connection/shapes.js'
import { Card } from '../../part/card.js'
import { ChooseAll, useChosen } from '../../part/chosen.js'
import { Icon } from '../../part/icon.js'
import { Kind } from '../../part/kind.js'
import { Markdown } from '../../part/markdown.js'
import { Moment } from '../../part/moment.js'
import { Empty, Trouble, Waiting } from '../../part/state.js'
import { Heading } from '../../shell/frame.js'
import { counted, percent, whole } from '../../show/amount.js'
import { plainOf } from '../../show/plain.js'
import { oneLine } from '../../show/text.js'
import { headlineOf } from '../../show/title.js'
import { notify, notifyFailure } from '../../state/notice.js'
import { addressOf } from '../../state/route.js'
import { review, status } from '../../state/stores.js'
import { SessionParts } from '../parts.js'

const PAGE = 100
const SURE = 0.8

function Finding({
  finding,
  isChosen,
  onChoose,
}: {
  finding: BackfillFinding
  isChosen: boolean
  onChoose: () => void
}) {
  const { text, type, reason, confidence, sessions, agent, at } = finding
  return (
    <li class="waiting-one">
      <input
        type="checkbox"
        checked={isChosen}
        aria-label={`Select: ${headlineOf(oneLine(plainOf(text).text)).title}`}
        onChange={onChoose}
      />
      <div class="waiting-body">
        <p class="waiting-facts">
          <Kind type={type} /> <span>{percent(confidence, 1)} certain</span>{' '}
          <span>
            {counted(sessions, 'session')} of {oneLine(agent)}
          </span>
          {at && <Moment at={at} />}
        </p>
        <Markdown class="review-text" text={text} />
        <p class="note">{oneLine(reason)}</p>
      </div>
    </li>
  )
}

interface FindingsProps {
  findings: BackfillFinding[]
  isBusy: boolean
  onStore: (keys: string[], isAccepted: boolean) => void
  onDecline: (keys: string[]) => void
}

function Findings({ findings, isBusy, onStore, onDecline }: FindingsProps) {
  const [shown, setShown] = useState(PAGE)
  const chosen = useChosen(findings.map(({ key }) => key))
  const { here } = chosen
  const sure = findings.filter(({ confidence }) => confidence >= SURE).map(({ key }) => key)
  return (
    <>
      <div class="selection" role="toolbar" aria-label="Selected lessons">
        <ChooseAll chosen={chosen}>Select all {whole(findings.length)}</ChooseAll>
        {sure.length > 0 && (
          <button type="button" class="button small quiet" onClick={() => chosen.set(sure)}>
            Select the {whole(sure.length)} of {percent(SURE, 1)} or more
          </button>
        )}
        <span role="status" class="note">
          {whole(here.length)} selected
        </span>
        <span class="selection-actions">
          <button
            type="button"
            class="button small"
            disabled={isBusy || here.length === 0}
            onClick={() => onStore(here, true)}
          >
            <Icon name="check" /> Accept
          </button>
          <button
            type="button"
            class="button small"
            disabled={isBusy || here.length === 0}
            onClick={() => onStore(here, false)}
          >
            To the review
          </button>
          <button
            type="button"
            class="button small quiet"
            disabled={isBusy || here.length === 0}
            onClick={() => onDecline(here)}
          >
            Never offer again
          </button>
        </span>
      </div>
      <ul class="waiting-list" aria-label="Lessons in past sessions">
        {findings.slice(0, shown).map((finding) => (
          <Finding
            key={finding.key}
            finding={finding}
            isChosen={chosen.has(finding.key)}
            onChoose={() => chosen.toggle(finding.key)}
          />
        ))}
      </ul>
      {findings.length > shown && (
        <button type="button" class="button" onClick={() => setShown(shown + PAGE)}>
          Show more
        </button>
      )}
    </>
  )
}

/** What past sessions can teach: nothing is read before the button is pressed, and nothing stored before it is chosen. */
export function BackfillView() {
  const [report, setReport] = useState<BackfillReport>()
  const [problem, setProblem] = useState<Problem>()
  const [isBusy, setBusy] = useState(false)
  const read = async (): Promise<void> => {
    setBusy(true)
    setProblem(undefined)
    try {
      setReport(await ask<BackfillReport>('/api/backfill'))
    } catch (cause) {
      setProblem(asProblem(cause))
    }
    setBusy(false)
  }
  const decide = async (body: object, done: (report: BackfillReport) => string): Promise<void> => {
    setBusy(true)
    try {
      const outcome = await ask<BackfillReport>('/api/backfill', { method: 'POST', body })
      notify(done(outcome), outcome.proposed > 0 ? { link: { text: 'Review', address: addressOf('review') } } : {})
    } catch (cause) {
      notifyFailure(cause)
    }
    for (const resource of [review, status]) resource.touch()
    await read()
  }
  return (
    <>
      <Heading title="Lessons in past sessions">
        Corrections, instructions and fixes from the transcripts that your agents keep on this machine
      </Heading>
      <SessionParts />
      {problem && <Trouble problem={problem} onRetry={() => void read()} />}
      {report === undefined && !isBusy && (
        <Card title="Nothing is read yet">
          <p>
            Reading the transcripts of Claude Code, Codex, Gemini and others takes seconds to minutes the first time.
          </p>
          <p class="card-step">
            <button type="button" class="button primary" onClick={() => void read()}>
              Look for lessons
            </button>
          </p>
        </Card>
      )}
      {isBusy && report === undefined && <Waiting lines={6} />}
      {report && (
        <>
          <p class="note" role="status">
            {counted(report.findings.length, 'lesson')}, most certain first; {counted(report.read, 'file')} read now,{' '}
            {whole(report.unchanged)} known, {whole(report.waiting)} wait for a second session that says the same
          </p>
          {report.findings.length === 0 ? (
            <Empty title="There is nothing new in past sessions">
              Work with an agent, and look again: what two sessions say is offered here.
            </Empty>
          ) : (
            <Findings
              findings={report.findings}
              isBusy={isBusy}
              onStore={(only, isAccepted) =>
                void decide({ only, ...(isAccepted ? { accept: 0 } : {}) }, ({ stored, proposed, duplicates }) =>
                  isAccepted
                    ? `${counted(stored, 'memory', 'memories')} stored, ${whole(duplicates)} known already.`
                    : `${counted(proposed, 'lesson')} to review.`,
                )
              }
              onDecline={(decline) => void decide({ decline }, () => `${counted(decline.length, 'lesson')} left out.`)}
            />
          )}
        </>
      )}
    </>
  )
}
