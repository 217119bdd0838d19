import { environment, exitOnInterrupt, isTerminal, writeError, writeOutput } from './terminal.js';

/** `reason` completes the sentence "the clipboard …". */
type Refused = { status: 'refused'; reason: string };

/** `by` the terminal: sent with OSC 52, which no terminal acknowledges. */
export type Copied = { status: 'written'; by: 'program' | 'terminal' } | Refused;

/** The clipboard comes from another program, which may never answer. */
const PATIENCE_MS = 10_000;

/** Terminals drop longer sequences: 100,000 bytes in base64, including the escape codes. */
const MOST_BYTES = 74_994;

export async function readClipboard(): Promise<{ status: 'text'; text: string } | Refused> {
  try {
    return { status: 'text', text: await ask((clipboard) => clipboard.read()) };
  } catch (error) {
    return { status: 'refused', reason: `cannot be read (${describe(error)})` };
  }
}

/** Through a clipboard program, otherwise through the terminal itself. */
export async function writeClipboard(text: string): Promise<Copied> {
  try {
    await ask((clipboard) => clipboard.write(text));
    return { status: 'written', by: 'program' };
  } catch (error) {
    const sent = sendToTerminal(text);
    if (sent === 'sent') return { status: 'written', by: 'terminal' };
    const tooLong = sent === 'too-long' ? `, and the text is too long for the terminal's own` : '';
    return { status: 'refused', reason: `cannot be written (${describe(error)})${tooLong}` };
  }
}

/** OSC 52 copies a text to the clipboard of the terminal's machine, also through ssh. */
function sendToTerminal(text: string): 'sent' | 'too-long' | 'no-terminal' {
  const name = environment('TERM') ?? '';
  const stream = isTerminal('stdout') ? writeOutput : isTerminal('stderr') ? writeError : undefined;
  if (stream === undefined || ['', 'dumb', 'linux'].includes(name)) return 'no-terminal';
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length > MOST_BYTES) return 'too-long';
  stream(`\u001b]52;c;${bytes.toString('base64')}\u0007`);
  return 'sent';
}

type Clipboard = typeof import('clipboardy').default;

async function ask<Answer>(question: (clipboard: Clipboard) => Promise<Answer>): Promise<Answer> {
  const done = exitOnInterrupt();
  let timer: NodeJS.Timeout | undefined;
  const impatience = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${PATIENCE_MS / 1000} s`)), PATIENCE_MS);
  });
  try {
    const { default: clipboard } = await import('clipboardy');
    return await Promise.race([question(clipboard), impatience]);
  } finally {
    clearTimeout(timer);
    done();
  }
}

/** The first sentence of the library's message, for use in brackets. */
function describe(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const program = /find the `(\w+)` binary/.exec(message)?.[1];
  if (program !== undefined) return `${program} is not installed`;
  const sentence = message.split(/\.\s|\n/, 1)[0]!.replace(/\.$/, '');
  return sentence.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}
