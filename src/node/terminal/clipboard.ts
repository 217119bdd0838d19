import { exitOnInterrupt } from './terminal.js';

/** `reason` completes the sentence "the clipboard …". */
type Refused = { status: 'refused'; reason: string };

/** A clipboard is another program's answer, which may never come. */
const PATIENCE_MS = 10_000;

export async function readClipboard(): Promise<{ status: 'text'; text: string } | Refused> {
  try {
    return { status: 'text', text: await ask((clipboard) => clipboard.read()) };
  } catch (error) {
    return { status: 'refused', reason: `cannot be read (${describe(error)})` };
  }
}

export async function writeClipboard(text: string): Promise<{ status: 'written' } | Refused> {
  try {
    await ask((clipboard) => clipboard.write(text));
    return { status: 'written' };
  } catch (error) {
    return { status: 'refused', reason: `cannot be written (${describe(error)})` };
  }
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

/** The first sentence of the library's message, to stand in brackets. */
function describe(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const sentence = message.split(/\.\s|\n/, 1)[0]!.replace(/\.$/, '');
  return sentence.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}
