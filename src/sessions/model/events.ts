/** Of all that can stand in a line, a mark of the end is short. */
const LONGEST_MARK = 4096;

const DONE = 'data: [DONE]\n\n';
const STOP = 'data: {"type":"message_stop"}\n\n';

const AFTER_LINE_END = /(?<=[\r\n])/;
const LINE_END = /[\r\n]$/;
const DATA = /^(data: ?)([^\r\n]+)/;

/**
 * The events of an answer, wherever the pieces are cut, up to the one by which its protocol says that it is over:
 * the connection may stay open long after that, so it is closed here. Counts that are left out are filled in.
 */
export async function* readEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let line = '';
  let end: string | null = null;
  for await (const chunk of chunks) {
    let passed = '';
    for (const piece of decoder.decode(chunk, { stream: true }).split(AFTER_LINE_END)) {
      line += piece;
      end = readEnd(line);
      if (end !== null) break;
      if (!LINE_END.test(piece)) continue;
      passed += line.replace(DATA, (_, name: string, value: string) => name + fillUsage(value));
      line = '';
    }
    if (passed !== '') yield encoder.encode(passed);
    if (end !== null) break;
  }
  yield encoder.encode(end ?? line + decoder.decode());
}

/**
 * The last event as the SDK knows it, where this line is its beginning. A line that still lacks its end may be enough:
 * some services send none, and nothing can follow.
 */
function readEnd(line: string): string | null {
  if (line.length > LONGEST_MARK) return null;
  if (/^data:\s*\[DONE\]/.test(line)) return DONE;
  if (/^event: ?message_stop[\r\n]/.test(line)) return STOP;
  if (!line.startsWith('data:') || !line.includes('"message_stop"')) return null;
  return parse(line.slice('data:'.length))?.type === 'message_stop' ? STOP : null;
}

/**
 * The SDK takes no answer in Anthropic's protocol that counts no tokens, and not every service counts them. A count of
 * none is no count for those who read it.
 */
export function fillUsage(json: string): string {
  if (!/"message(?:_start|_delta)?"/.test(json)) return json;
  const event = parse(json);
  switch (event?.type) {
    case 'message_start': {
      const { message } = event;
      if (!isRecord(message) || message.usage != null) return json;
      return JSON.stringify({ ...event, message: { ...message, usage: { input_tokens: 0 } } });
    }
    // Whatever else it said here would count instead of what the beginning said.
    case 'message_delta':
      return event.usage != null ? json : JSON.stringify({ ...event, usage: { output_tokens: 0 } });
    case 'message':
      if (event.usage != null) return json;
      return JSON.stringify({ ...event, usage: { input_tokens: 0, output_tokens: 0 } });
    default:
      return json;
  }
}

function parse(json: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
