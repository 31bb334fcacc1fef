// A scripted model provider on the loopback: it counts the tool results in each request and responds with the next tool call, or with a
// text at the end. It implements the APIs that the hosts use, and records every request.
import { createServer } from 'node:http'

/** The last words of the agent, with a mark. */
const TEXT = 'Done.\n\n[remember:gotcha] The settle script waits for the thaw: canary-mark.'

/**
 * Starts the provider; `turns` are tool calls `{ name, input }` with the host's own tool names, or a function that returns the one for a
 * request, or the last words as `{ says }`. `hasEnded` is whether it has said last words.
 */
export async function startProvider(turns) {
  const requests = []
  let hasEnded = false
  const server = createServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const path = request.url ?? ''
    const protocol = PROTOCOLS.find(({ matches }) => matches.test(path))
    const body = parse(Buffer.concat(chunks).toString('utf8'))
    if (protocol === undefined || request.method !== 'POST') return sendJson(response, {})
    if (/count_?tokens/i.test(path)) return sendJson(response, { input_tokens: 10, totalTokens: 10 })
    // Requests without tools are side questions of the host, such as one for a title.
    const hasTools = Array.isArray(body.tools) && body.tools.length > 0
    const turn = protocol.resultsIn(body)
    if (hasTools) requests.push({ turn, text: JSON.stringify(body) })
    const next = hasTools ? nextOf(turns, body, turn) : undefined
    const isStream = body.stream === true || /stream/i.test(path)
    const words = next?.says ?? TEXT
    const call = next?.says === undefined ? next : undefined
    hasEnded ||= hasTools && call === undefined
    protocol.answer(response, call, { id: `call_${turn}`, isStream, model: body.model ?? 'model', words })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  }
  return { address: `http://127.0.0.1:${server.address().port}`, requests, hasEnded: () => hasEnded, close }
}

function nextOf(turns, body, turn) {
  return typeof turns === 'function' ? turns(body) : turns[turn]
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

function sendJson(response, body) {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

function sendEvents(response, events) {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const [name, data] of events) {
    const text = typeof data === 'string' ? data : JSON.stringify(data)
    response.write(`${name === '' ? '' : `event: ${name}\n`}data: ${text}\n\n`)
  }
  response.end()
}

const listed = (value) => (Array.isArray(value) ? value : [])
const usage = { input_tokens: 10, output_tokens: 10 }

const anthropic = {
  matches: /\/v1\/messages/,
  resultsIn: ({ messages }) =>
    listed(messages)
      .flatMap(({ content }) => listed(content))
      .filter(({ type }) => type === 'tool_result').length,
  answer(response, call, { id, isStream, model, words }) {
    const block =
      call === undefined
        ? { type: 'text', text: words }
        : { type: 'tool_use', id: `toolu_${id}`, name: call.name, input: call.input }
    const stop_reason = call === undefined ? 'end_turn' : 'tool_use'
    const message = { id: `msg_${id}`, type: 'message', role: 'assistant', model, stop_sequence: null, usage }
    if (!isStream) return sendJson(response, { ...message, content: [block], stop_reason })
    const isText = block.type === 'text'
    const delta = isText
      ? { type: 'text_delta', text: words }
      : { type: 'input_json_delta', partial_json: JSON.stringify(call.input) }
    const events = [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
      {
        type: 'content_block_start',
        index: 0,
        content_block: isText ? { ...block, text: '' } : { ...block, input: {} },
      },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 10 } },
      { type: 'message_stop' },
    ]
    sendEvents(
      response,
      events.map((event) => [event.type, event]),
    )
  },
}

const gemini = {
  matches: /:(stream)?generateContent|:countTokens/i,
  resultsIn: ({ contents }) =>
    listed(contents)
      .flatMap(({ parts }) => listed(parts))
      .filter((part) => part.functionResponse !== undefined).length,
  answer(response, call, { id, isStream, words }) {
    const part = call === undefined ? { text: words } : { functionCall: { id, name: call.name, args: call.input } }
    const answer = {
      candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
    }
    return isStream ? sendEvents(response, [['', answer]]) : sendJson(response, answer)
  },
}

const chat = {
  matches: /\/chat\/completions/,
  resultsIn: ({ messages }) => listed(messages).filter(({ role }) => role === 'tool').length,
  answer(response, call, { id, isStream, model, words }) {
    const made =
      call === undefined
        ? { content: words }
        : {
            content: null,
            tool_calls: [
              { index: 0, id, type: 'function', function: { name: call.name, arguments: JSON.stringify(call.input) } },
            ],
          }
    const finish_reason = call === undefined ? 'stop' : 'tool_calls'
    const base = { id: `chatcmpl-${id}`, created: 1, model }
    const tokens = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 }
    const message = { role: 'assistant', ...made }
    if (!isStream) {
      const choices = [{ index: 0, message, finish_reason }]
      return sendJson(response, { ...base, object: 'chat.completion', choices, usage: tokens })
    }
    const chunk = (delta, reason) => ({
      ...base,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: reason }],
    })
    sendEvents(response, [
      ['', chunk(message, null)],
      ['', { ...chunk({}, finish_reason), usage: tokens }],
      ['', '[DONE]'],
    ])
  },
}

const responses = {
  matches: /\/responses/,
  resultsIn: ({ input }) => listed(input).filter(({ type }) => /_call_output$/.test(type ?? '')).length,
  answer(response, call, { id, isStream, model, words }) {
    const item =
      call === undefined
        ? { type: 'message', id: `msg_${id}`, role: 'assistant', content: [{ type: 'output_text', text: words }] }
        : {
            type: 'function_call',
            id: `fc_${id}`,
            call_id: id,
            name: call.name,
            namespace: call.namespace,
            arguments: JSON.stringify(call.input),
          }
    const made = call?.freeform
      ? { type: 'custom_tool_call', id: `ct_${id}`, call_id: id, name: call.name, input: call.freeform }
      : item
    const whole = { id: `resp_${id}`, object: 'response', model, status: 'completed', output: [made] }
    const counted = { ...whole, usage: { ...usage, total_tokens: 20 } }
    if (!isStream) return sendJson(response, counted)
    const events = [
      { type: 'response.created', response: { ...whole, status: 'in_progress', output: [] } },
      { type: 'response.output_item.done', output_index: 0, item: made },
      { type: 'response.completed', response: counted },
    ]
    sendEvents(
      response,
      events.map((event) => [event.type, event]),
    )
  },
}

const PROTOCOLS = [anthropic, gemini, chat, responses]
