import { useState } from 'preact/hooks'
import { useToken } from '../connection/address.js'
import { Button, Command } from '../part/controls.js'
import { Field, Form } from '../part/fields.js'
import { Heading } from './frame.js'

/** The page that is shown without a valid token. It says where to get one. */
export function Locked({ isRefused }: { isRefused: boolean }) {
  const [text, setText] = useState('')
  const open = (): void => {
    const given = /token=([^&#\s]+)/.exec(text)?.[1] ?? text.trim()
    if (given === '') return
    useToken(given)
    location.reload()
  }
  return (
    <main class="locked">
      <Heading title={isRefused ? 'This address is out of date' : 'One step is missing'} />
      {isRefused ? (
        <p>
          The server was started again since, and no longer knows the token of this page. Nothing is lost. Open the
          address that it printed in its terminal; it ends in <code>#token=…</code>. Is the terminal gone? This command,
          in the folder of the project, opens the page with a fresh address:
        </p>
      ) : (
        <p>
          A memory is private, so the page needs the token of the running server. Open the address that the server
          printed when it started; it ends in <code>#token=…</code>. No server is running? Start one in your project:
        </p>
      )}
      <Command text="forge-memory dashboard" />
      <Form onSubmit={open}>
        <Field
          label="Or paste the address or the token here"
          input={{ type: 'password', spellcheck: false }}
          value={text}
          onChange={setText}
        />
        <Button type="submit" look="primary" disabled={text.trim() === ''}>
          Open
        </Button>
      </Form>
    </main>
  )
}
