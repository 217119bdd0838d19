import { writePathLink } from '../../core/markdown/inline.js';
import { realPathIn } from '../../core/tree.js';
import { MB } from '../../node/files.js';
import type { SteadyTree } from '../../workspace/tree.js';
import {
  charactersOf,
  countTokens,
  leftOutLength,
  section,
  toFencedBlock,
  tokensOf,
  toOneLine,
} from './input-parts.js';
import type { ContextResource, Included, LeftOut } from './types.js';

const LARGEST = MB;

/** The longest text that an input with this budget can show; a budget of 0 means no limit. */
export function mostCharacters(budget: number): number {
  return budget === 0 ? LARGEST : Math.min(LARGEST, charactersOf(budget));
}
/** A UTF-16 code unit takes at most three bytes in UTF-8. */
const MOST_BYTES = 3;

export interface Source {
  tree: SteadyTree;
  /** The text of a page that was fetched; undefined if it was not. */
  pages(url: string): string | undefined;
  mask(text: string): string;
  onRead?: ((done: number, of: number) => void) | undefined;
}

export interface Chosen {
  included: (Included & { text: string })[];
  leftOut: LeftOut[];
}

/**
 * Includes resources in order as long as they fit; a small one may fit after a large one did not. Files that
 * cannot fit are not read. The lines for omitted resources use up the budget too.
 */
export function chooseResources(
  resources: readonly ContextResource[],
  before: readonly LeftOut[],
  { characters, named }: { characters: number; named: number },
  source: Source,
): Chosen {
  const included: Chosen['included'] = [];
  const leftOut = [...before];
  let room = characters;
  for (const [at, resource] of resources.entries()) {
    source.onRead?.(at, resources.length);
    const read = readResource(resource, room, source);
    if (read.status === 'read') {
      included.push({ ...resource, tokens: read.tokens, text: read.text });
      room -= read.text.length + 1;
    } else {
      const next = { target: resource.target, from: resource.from, reason: read.reason, tokens: read.tokens };
      room -= leftOutLength(leftOut.length, named, next);
      leftOut.push(next);
    }
  }
  return { included, leftOut };
}

type Read =
  | { status: 'read'; text: string; tokens: number }
  | { status: 'left'; reason: string; tokens: number | null };

function readResource(resource: ContextResource, room: number, source: Source): Read {
  const heading = headingOf(resource, source.mask);
  const least = heading.length + EMPTY_LENGTH;
  if (least > room) return doesNotFit(null);
  const read =
    resource.kind === 'url' ? readPage(resource, source) : readFile(resource, room - least, source);
  if (read.status === 'left') return read;
  const masked = source.mask(read.text);
  const tokens = countTokens(masked);
  const language = resource.kind === 'url' ? 'markdown' : languageOf(resource.target);
  const text = writeResource(heading, tokens, masked, language);
  return text.length < room ? { status: 'read', text, tokens } : doesNotFit(tokens);
}

type TextOrLeft = { status: 'text'; text: string } | Extract<Read, { status: 'left' }>;

function readPage({ target }: ContextResource, { pages }: Source): TextOrLeft {
  const page = pages(target);
  if (page === undefined) return left('has not been read yet');
  return page.length > LARGEST ? left(TOO_LARGE, tokensOf(page.length)) : { status: 'text', text: page };
}

function readFile({ target }: ContextResource, room: number, { tree }: Source): TextOrLeft {
  const read = tree.textUpTo(target, Math.min(LARGEST, room * MOST_BYTES));
  switch (read.status) {
    case 'text':
      return { status: 'text', text: read.text.replace(/^\ufeff/, '') };
    case 'missing':
      return left('does not exist');
    case 'larger':
      return read.bytes > LARGEST ? left(TOO_LARGE, tokensOf(read.bytes)) : doesNotFit(tokensOf(read.bytes));
    case 'refused':
      return left(tree.stat(target)?.kind === 'folder' ? explainFolder(tree, target) : read.reason);
  }
}

/** Explains why a path that git lists as a file is a folder. */
function explainFolder(tree: SteadyTree, target: string): string {
  const real = realPathIn(tree, target);
  return real === target
    ? 'is a repository of its own; name its files one by one'
    : `is a link to a folder; name ${toOneLine(real)}`;
}

const TOO_LARGE = `is larger than ${LARGEST / MB} MB`;

function doesNotFit(tokens: number | null): Extract<Read, { status: 'left' }> {
  return left('does not fit into the budget', tokens);
}

function left(reason: string, tokens: number | null = null): Extract<Read, { status: 'left' }> {
  return { status: 'left', reason, tokens };
}

function headingOf({ kind, target }: ContextResource, mask: (text: string) => string): string {
  const name = toOneLine(mask(target));
  return `### ${kind === 'url' ? `[${name}](${name})` : writePathLink(name)}`;
}

function writeResource(heading: string, tokens: number, text: string, language: string): string {
  return section(heading, `- **Tokens:** ${tokens}`, toFencedBlock(text, language));
}

const EMPTY_LENGTH = writeResource('', 0, '', '').length;

/** Extensions that differ from the language name in Markdown. */
const BY_EXTENSION: Readonly<Record<string, string>> = {
  bash: 'bash',
  cjs: 'js',
  cs: 'csharp',
  cts: 'ts',
  h: 'c',
  hpp: 'cpp',
  htm: 'html',
  jsonl: 'json',
  kt: 'kotlin',
  lock: '',
  log: '',
  md: 'markdown',
  mjs: 'js',
  mts: 'ts',
  ps1: 'powershell',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'bash',
  svg: 'xml',
  tf: 'hcl',
  txt: 'text',
  yml: 'yaml',
  zsh: 'bash',
};

const BY_NAME: Readonly<Record<string, string>> = {
  dockerfile: 'dockerfile',
  makefile: 'makefile',
};

/** The info string for a file's fence; empty if unknown. */
function languageOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const dot = name.lastIndexOf('.');
  if (dot <= 0) return own(BY_NAME, name) ?? '';
  const extension = name.slice(dot + 1);
  return own(BY_EXTENSION, extension) ?? (/^[a-z][a-z0-9+]{0,11}$/.test(extension) ? extension : '');
}

function own(table: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
