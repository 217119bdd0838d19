import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CommonmarkNode, descendantsOf, parseCommonmark } from '../corpus/commonmark.js';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A fenced block of a page. */
export interface Example {
  /** The first word after its fence, and the rest of that line. */
  language: string;
  note: string;
  text: string;
  /** 1-based line of its opening fence. */
  line: number;
  /** What the page says between the block before and this one. */
  lead: string;
}

export function readPage(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

export function readExamples(path: string): Example[] {
  const page = readPage(path);
  const lines = page.split('\n');
  let after = 0;
  return fencesOf(page).map(({ info, literal, sourcepos: [[first], [last]] }) => {
    const [language = '', ...note] = (info ?? '').split(' ');
    const lead = lines.slice(after, first - 1).join('\n');
    after = last;
    return { language, note: note.join(' '), text: literal ?? '', line: first, lead };
  });
}

function fencesOf(page: string): (CommonmarkNode & { info: string | null })[] {
  const fences = [...descendantsOf(parseCommonmark(page))].filter(
    (node) => node.type === 'code_block' && node._isFenced,
  );
  return fences as (CommonmarkNode & { info: string | null })[];
}

/** All of the program's own text, to look sentences up in. */
export function readSources(): string {
  const src = join(ROOT, 'src');
  const names = readdirSync(src, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(src, name), 'utf8'))
    .join('\n');
}

/** Every Markdown page that people read, relative to the root. */
export function listPages(): string[] {
  const docs = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' });
  return [
    ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md'],
    ...['examples/README.md', 'examples/capture/README.md', 'examples/agents/README.md'],
    ...['examples/session/README.md', 'examples/orchestrate/README.md'],
    ...['spec/README.md', 'spec/clients/README.md'],
    ...docs.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`),
  ];
}
