import { runInWorker } from '../../node/worker.js';
import type { PageTask } from './readable-html.js';
import type { ScannedHtml } from './scan-html.js';

/** The file of the worker, which only a page loads: from the program's own file. The build says it. */
declare const TEDDY_PAGE_WORKER: string;

const TIMEOUT_MS = 30_000;
const MEMORY_MB = 512;
const MOST_MARKS = 150_000;
const MOST_ELEMENTS = 50_000;
const MOST_ATTRIBUTES = 500;

export type Conversion =
  | { status: 'markdown'; text: string }
  /** The text alone has to do. `reason` is a whole sentence. */
  | { status: 'plain'; reason: string }
  /** The caller asked for its end. */
  | { status: 'stopped' };

/** A page as Markdown, within limits of size, time and memory. Stops at once when the caller asks. Never throws. */
export async function convertPage(
  html: string,
  url: string,
  scanned: Pick<ScannedHtml, 'marks' | 'elements' | 'attributes'>,
  { timeoutMs = TIMEOUT_MS, signal }: { timeoutMs?: number; signal: AbortSignal },
): Promise<Conversion> {
  if (!isManageable(scanned)) return TOO_MUCH;
  const task: PageTask = { html, url };
  const end = await runInWorker<PageTask, string | undefined>(TEDDY_PAGE_WORKER, task, {
    timeoutMs,
    memoryMb: MEMORY_MB,
    signal,
  });
  switch (end.status) {
    case 'done':
      return end.result === undefined ? TOO_MUCH : { status: 'markdown', text: end.result };
    case 'timed-out':
      return asPlainText(`its conversion to Markdown took longer than ${timeoutMs / 1000} s`);
    case 'failed':
      return asPlainText('its conversion to Markdown failed');
    case 'stopped':
      return end;
  }
}

const TOO_MUCH: Conversion = {
  status: 'plain',
  reason: 'The page is too large or too deep for Markdown: this is its text alone.',
};

function asPlainText(reason: string): Conversion {
  return { status: 'plain', reason: `The page was converted to plain text: ${reason}.` };
}

/** What these counts allow mostly takes the libraries a second or two. */
function isManageable({ marks, elements, attributes }: Parameters<typeof convertPage>[2]): boolean {
  return marks <= MOST_MARKS && elements <= MOST_ELEMENTS && attributes <= MOST_ATTRIBUTES;
}
