import type { Captured, Done } from '../../core/report/record.js';
import { type Fetched, fetchUrl } from '../../node/http/fetch-url.js';
import { captureText } from '../capture-text.js';
import { failure } from '../failure.js';
import type { Hands } from '../hands.js';
import { convertPage } from './convert-page.js';
import { decodePage } from './decode.js';
import { scanHtml } from './scan-html.js';

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
  hands: Hands,
  /** Gets all of the text, before it is cut for the report. */
  keep?: (text: string) => Promise<void>,
): Promise<Done> {
  const { allowPrivate, maxBytes } = hands.settings.read;
  const fetched = await fetchUrl(url, {
    timeoutMs: TIMEOUT_MS,
    maxBytes,
    allowPrivate,
    headers: { accept: ACCEPT },
    signal: hands.signal,
  });
  if (fetched.status !== 'ok') {
    const remedy = fetched.status === 'refused' && fetched.isPrivate ? ALLOW_PRIVATE : '';
    return failure(`${url} ${fetched.reason}.${remedy}`);
  }
  const { httpStatus } = fetched;
  if (httpStatus < 200 || httpStatus > 299) return failure(`${url} answered with HTTP ${httpStatus}.`);
  const read = await readContent(fetched, hands.signal);
  if (read.status === 'refused') return failure(`${url} ${read.reason}.`);
  const { text, language, notes } = read;
  await keep?.(text);
  const name = `${number}-content.${language === 'markdown' ? 'md' : 'txt'}`;
  const output: Captured = { ...captureText(text, name, hands), ...(language && { language }) };
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
    return { status: 'refused', reason: `is ${contentType.slice(0, 100)}, which is not text` };
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
