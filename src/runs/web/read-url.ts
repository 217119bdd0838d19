import type { Captured, Done } from '../../core/report/record.js';
import { shorten } from '../../core/text.js';
import { type Fetched, fetchUrl } from '../../node/http/fetch-url.js';
import { runInWorker } from '../../node/worker.js';
import { captureText } from '../output.js';
import type { RunContext } from '../run-context.js';
import { failure } from '../run-record.js';
import type { PageTask } from './readable-html.js';
import { type ScannedHtml, scanHtml } from './scan-html.js';

const TIMEOUT_MS = 30_000;
const ACCEPT = 'text/html, application/xhtml+xml, text/markdown, text/plain, application/json, */*;q=0.5';

const ALLOW_PRIVATE = ' To allow it, set `read.allowPrivate: true` in the config.';

/**
 * Carries the READ of a URL out: a page as Markdown, any other text as it is. `number` names the file of a long one.
 * Never throws.
 */
export async function readUrl(
  url: string,
  number: number,
  context: RunContext,
  /** Gets all of the text, before it is cut for the report. */
  keep?: (text: string) => Promise<void>,
): Promise<Done> {
  const { allowPrivate, maxBytes } = context.settings.read;
  const fetched = await fetchUrl(url, {
    timeoutMs: TIMEOUT_MS,
    maxBytes,
    allowPrivate,
    headers: { accept: ACCEPT },
    signal: context.signal,
  });
  if (fetched.status !== 'ok') {
    const remedy = fetched.status === 'refused' && fetched.isPrivate ? ALLOW_PRIVATE : '';
    return failure(`${url} ${fetched.reason}.${remedy}`);
  }
  const { httpStatus } = fetched;
  if (httpStatus < 200 || httpStatus > 299) return failure(`${url} answered with HTTP ${httpStatus}.`);
  const read = await readContent(fetched, context.signal);
  if (read.status === 'refused') return failure(`${url} ${read.reason}.`);
  const { text, language, notes } = read;
  await keep?.(text);
  const name = `${number}-content.${language === 'markdown' ? 'md' : 'txt'}`;
  const output: Captured = { ...captureText(text, name, context), ...(language && { language }) };
  return {
    status: 'success',
    summary: `${url} was read.`,
    output,
    ...(notes.length > 0 && { notes }),
  };
}

type Answer = Extract<Fetched, { status: 'ok' }>;
type Content =
  | { status: 'read'; text: string; language?: string; notes: string[] }
  /** `reason` completes the sentence "<url> …". */
  | { status: 'refused'; reason: string };

async function readContent(
  { bytes, contentType = '', charset, finalUrl }: Answer,
  signal: AbortSignal,
): Promise<Content> {
  if (contentType !== '' && !isTextType(contentType)) {
    return { status: 'refused', reason: `is ${shorten(contentType, 100)}, which is not text` };
  }
  const { text, notes } = decodePage(bytes, charset);
  if (text.includes('\0'))
    return { status: 'refused', reason: 'is binary, not text (it holds NUL characters)' };
  if (isHtml(contentType, text)) {
    const page = await readPage(text, finalUrl, signal);
    return page.status === 'read' ? { ...page, notes: [...notes, ...page.notes] } : page;
  }
  const language = languageOf(contentType);
  return { status: 'read', text, ...(language && { language }), notes };
}

const TEXT_TYPES =
  /^(?:text\/[\w.+-]+|[\w.-]+\/[\w.-]+\+(?:json|xml|yaml)|application\/(?:json|xml|xhtml\+xml|x?-?ndjson|jsonl|json5|yaml|x-yaml|toml|javascript|x-javascript|ecmascript|typescript|sql|graphql|x-sh|x-httpd-php|x-tex|rtf))$/;

function isTextType(contentType: string): boolean {
  return contentType.length < 200 && TEXT_TYPES.test(contentType);
}

function isHtml(contentType: string, text: string): boolean {
  if (contentType === 'text/html' || contentType === 'application/xhtml+xml') return true;
  return contentType === '' && /^\s{0,100}(?:<!doctype\s+html|<html)[\s>]/i.test(text.slice(0, 300));
}

const LANGUAGES = [
  'markdown',
  'json',
  'xml',
  'yaml',
  'csv',
  'css',
  'javascript',
  'typescript',
  'toml',
  'sql',
  'graphql',
];

function languageOf(contentType: string): string | undefined {
  const words = contentType.split(/[/+.-]/);
  return LANGUAGES.find((language) => words.includes(language));
}

async function readPage(html: string, url: string, signal: AbortSignal): Promise<Content> {
  const scanned = scanHtml(html);
  const converted = await convertPage(html, url, scanned, { signal });
  if (converted.status === 'stopped') return { status: 'refused', reason: 'was not waited for' };
  const title = scanned.title.slice(0, 300);
  const body = converted.status === 'markdown' ? converted.text : scanned.text;
  const heading = title === '' || body.startsWith(`# ${title}\n`) ? '' : `# ${title}\n\n`;
  return {
    status: 'read',
    text: `${heading}Source: <${url}>\n\n${body}\n`,
    language: 'markdown',
    notes: converted.status === 'plain' ? [converted.reason] : [],
  };
}

interface DecodedPage {
  text: string;
  /** Sentences on what did not go well. */
  notes: string[];
}

const SNIFFED_BYTES = 2048;

/** Bytes to text, as the byte order mark, the server or the page itself says, in this order; else as UTF-8. */
function decodePage(bytes: Uint8Array, charset: string | undefined): DecodedPage {
  const named = markedCharset(bytes) ?? charset ?? declaredCharset(bytes) ?? 'utf-8';
  const known = findDecoder(named);
  const text = (known ?? new TextDecoder()).decode(bytes);
  const notes = [
    ...(known
      ? []
      : [`Its character set ${JSON.stringify(shorten(named, 50))} is unknown; the page was read as UTF-8.`]),
    ...(text.includes('\ufffd') ? ['Some bytes could not be decoded: \ufffd marks them.'] : []),
  ];
  return { text, notes };
}

function findDecoder(charset: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(charset);
  } catch {
    return undefined;
  }
}

function markedCharset([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

/** `<meta charset=…>`, `<meta … content="…; charset=…">`, `<?xml … encoding=…?>` */
function declaredCharset(bytes: Uint8Array): string | undefined {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, SNIFFED_BYTES));
  const declaration =
    /<\?xml[^>]{0,200}>/i.exec(start)?.[0] ?? /<meta[^>]{0,200}charset[^>]{0,200}>/i.exec(start)?.[0];
  return /(?:charset|encoding)\s{0,9}=\s{0,9}["']?([\w:.-]{1,40})/i.exec(declaration ?? '')?.[1];
}

/** The file of the worker, which only a page loads: from the program's own file. The build says it. */
declare const TEDDY_PAGE_WORKER: string;

const CONVERSION_MS = 30_000;
const MEMORY_MB = 512;
const MOST_MARKS = 150_000;
const MOST_ELEMENTS = 50_000;
const MOST_ATTRIBUTES = 500;

export type Conversion =
  | { status: 'markdown'; text: string }
  /** The text alone has to do. `reason` is a whole sentence. */
  | { status: 'plain'; reason: string }
  /** It was stopped. */
  | { status: 'stopped' };

/** A page as Markdown, within limits of size, time and memory. Stops at once when the caller asks. Never throws. */
export async function convertPage(
  html: string,
  url: string,
  scanned: Pick<ScannedHtml, 'marks' | 'elements' | 'attributes'>,
  { timeoutMs = CONVERSION_MS, signal }: { timeoutMs?: number; signal: AbortSignal },
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
  reason: 'The page is too large or too deeply nested for Markdown; this is its plain text.',
};

function asPlainText(reason: string): Conversion {
  return { status: 'plain', reason: `The page was converted to plain text: ${reason}.` };
}

/** What these counts allow mostly takes the libraries a second or two. */
function isManageable({ marks, elements, attributes }: Parameters<typeof convertPage>[2]): boolean {
  return marks <= MOST_MARKS && elements <= MOST_ELEMENTS && attributes <= MOST_ATTRIBUTES;
}
