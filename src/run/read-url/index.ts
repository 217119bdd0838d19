import type { Captured, Done } from '../../formats/report/index.js';
import { type Fetched, fetchUrl } from '../../platform/index.js';
import { captureText } from '../capture-text.js';
import { failure } from '../failure.js';
import type { Hands } from '../hands.js';
import { decodePage } from './decode.js';
import { type ScannedHtml, scanHtml } from './scan-html.js';

const TIMEOUT_MS = 30_000;
const ACCEPT = 'text/html, application/xhtml+xml, text/markdown, text/plain, application/json, */*;q=0.5';

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
  if (fetched.status !== 'ok') return failure(`${url} ${fetched.reason}.`);
  const { httpStatus } = fetched;
  if (httpStatus < 200 || httpStatus > 299) return failure(`${url} answered with HTTP ${httpStatus}.`);
  const read = await readContent(fetched);
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

async function readContent({ bytes, contentType = '', charset, finalUrl }: Answer): Promise<Content> {
  if (contentType !== '' && !isTextType(contentType)) {
    return { status: 'refused', reason: `is ${contentType.slice(0, 100)}, which is not text` };
  }
  const { text, notes } = decodePage(bytes, charset);
  if (text.includes('\0'))
    return { status: 'refused', reason: 'is binary, not text (it holds NUL characters)' };
  if (isHtml(contentType, text)) {
    const page = await readPage(text, finalUrl);
    return { status: 'read', text: page.text, language: 'markdown', notes: [...notes, ...page.notes] };
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

const MOST_MARKS = 150_000;
const MOST_ELEMENTS = 50_000;
const MOST_ATTRIBUTES = 500;

async function readPage(html: string, url: string): Promise<{ text: string; notes: string[] }> {
  const scanned = scanHtml(html);
  const markdown = isManageable(scanned) ? await tryMarkdown(html, url) : undefined;
  const title = scanned.title.slice(0, 300);
  const body = markdown ?? scanned.text;
  const heading = title === '' || body.startsWith(`# ${title}\n`) ? '' : `# ${title}\n\n`;
  const notes =
    markdown === undefined ? ['The page is too large or too deep for Markdown: this is its text alone.'] : [];
  return { text: `${heading}Source: <${url}>\n\n${body}\n`, notes };
}

/** What these counts allow takes the parser a second, and not minutes. */
function isManageable({ marks, elements, attributes }: ScannedHtml): boolean {
  return marks <= MOST_MARKS && elements <= MOST_ELEMENTS && attributes <= MOST_ATTRIBUTES;
}

/** undefined where the page is too much for the libraries, of which some go as deep as it does. */
async function tryMarkdown(html: string, url: string): Promise<string | undefined> {
  try {
    const { readHtml } = await import('./readable-html.js');
    return readHtml(html, url);
  } catch {
    return undefined;
  }
}
