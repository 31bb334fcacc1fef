import { useState } from 'preact/hooks'
import { ask } from '../../connection/http.js'
import type { BackfillFinding, BackfillReport } from '../../connection/shapes.js'
import { Choosable, ChooseAll, Toolbar, useChosen, usePaged } from '../../part/chosen.js'
import { Button } from '../../part/controls.js'
import { Markdown } from '../../part/markdown.js'
import { Card, Empty, Trouble, Waiting } from '../../part/panels.js'
import { Heading } from '../../shell/frame.js'
import { counted, oneLine, percent, whole } from '../../show/text.js'
import { notify, tried, useAttempt } from '../../state/notice.js'
import { addressOf } from '../../state/route.js'
import { review, status } from '../../state/stores.js'
import { SessionParts } from '../parts.js'

const PAGE = 100
const SURE = 0.8

interface FindingsProps {
  findings: BackfillFinding[]
  isBusy: boolean
  onStore: (keys: string[], isAccepted: boolean) => void
  onDecline: (keys: string[]) => void
}

function Findings({ findings, isBusy, onStore, onDecline }: FindingsProps) {
  const [shown, more] = usePaged(findings, PAGE)
  const chosen = useChosen(findings.map(({ key }) => key))
  const { here } = chosen
  const sure = findings.filter(({ confidence }) => confidence >= SURE).map(({ key }) => key)
  const isOff = isBusy || here.length === 0
  return (
    <>
      <Toolbar
        label="Selected lessons"
        actions={
          <>
            <Button look="small" icon="check" disabled={isOff} onClick={() => onStore(here, true)}>
              Accept
            </Button>
            <Button look="small" disabled={isOff} onClick={() => onStore(here, false)}>
              To the review
            </Button>
            <Button look="small quiet" disabled={isOff} onClick={() => onDecline(here)}>
              Never offer again
            </Button>
          </>
        }
      >
        <ChooseAll chosen={chosen}>Select all {whole(findings.length)}</ChooseAll>
        {sure.length > 0 && (
          <Button look="small quiet" onClick={() => chosen.set(sure)}>
            Select the {whole(sure.length)} of {percent(SURE, 1)} or more
          </Button>
        )}
        <span role="status" class="note">
          {whole(here.length)} selected
        </span>
      </Toolbar>
      <ul class="waiting-list" aria-label="Lessons in past sessions">
        {shown.map(({ key, text, type, reason, confidence, sessions, agent, at }) => (
          <Choosable
            key={key}
            id={key}
            text={text}
            type={type}
            at={at}
            facts={[`${percent(confidence, 1)} certain`, `${counted(sessions, 'session')} of ${oneLine(agent)}`]}
            chosen={chosen}
          >
            <Markdown class="review-text" text={text} />
            <p class="note">{oneLine(reason)}</p>
          </Choosable>
        ))}
      </ul>
      {more}
    </>
  )
}

/** The lessons of past sessions: nothing is read before the button is pressed, and nothing stored before it is chosen. */
export function BackfillView() {
  const [report, setReport] = useState<BackfillReport>()
  const { isBusy, problem, attempt } = useAttempt()
  const load = async () => setReport(await ask<BackfillReport>('/api/backfill'))
  const read = () => attempt(load)
  const decide = (body: object, done: (report: BackfillReport) => string): Promise<void> =>
    attempt(async () => {
      await tried(async () => {
        const outcome = await ask<BackfillReport>('/api/backfill', { method: 'POST', body })
        notify(done(outcome), outcome.proposed > 0 ? { link: { text: 'Review', address: addressOf('review') } } : {})
      })
      for (const resource of [review, status]) resource.touch()
      await load()
    })
  return (
    <>
      <Heading title="Lessons in past sessions">
        Corrections, instructions and fixes from the transcripts that your agents keep on this machine
      </Heading>
      <SessionParts />
      {problem && <Trouble problem={problem} onRetry={read} />}
      {report === undefined && !isBusy && (
        <Card title="Nothing is read yet">
          <p>
            Reading the transcripts of Claude Code, Codex, Gemini and others takes seconds to minutes the first time.
          </p>
          <p class="card-step">
            <Button look="primary" onClick={read}>
              Look for lessons
            </Button>
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
