import { readJson } from '../../json/read.js';
import type { JsonRead } from '../../json/types.js';
import { isJsonObject } from '../../json/values.js';
import { type Block, type Fence, fenceText, scanBlocks } from '../../markdown/blocks.js';
import { contentText, type Lines, splitLines } from '../../markdown/lines.js';

/** The blocks of a manual's body, and those among them that hold JSON. */
export interface ManualBody {
  lines: Lines;
  blocks: readonly Block[];
  json: readonly JsonBlock[];
}

export interface JsonBlock {
  fence: Fence;
  /** The 1-based line of the opening fence, in the manual's own text. */
  line: number;
  text: string;
  /** Of the heading that it stands under. */
  heading: string;
  read: JsonRead;
  role: 'example' | 'schema';
}

const JSON_NAMES = new Set(['json', 'jsonc', 'json5', 'jsonschema', 'json-schema']);

/** Blocks that are told apart by what is in them: a report has `report_metadata`, any other object may be a schema. */
export function readBody(body: string, linesBefore: number): ManualBody {
  const lines = splitLines(body);
  const blocks = scanBlocks(lines);
  const json: JsonBlock[] = [];
  let heading = '';
  for (const block of blocks) {
    if (block.type === 'heading') heading = block.text;
    if (block.type !== 'fence') continue;
    const text = fenceText(lines, block);
    if (!isJson(block, text)) continue;
    const read = readJson(text);
    const role = roleOf(read, text);
    if (role) json.push({ fence: block, line: linesBefore + block.at + 1, text, heading, read, role });
  }
  return { lines, blocks, json };
}

function isJson({ mark: { info } }: Fence, text: string): boolean {
  const [name = ''] = info.toLowerCase().split(/[\s{,]/, 1);
  return JSON_NAMES.has(name) || (info === '' && text.trimStart().startsWith('{'));
}

function roleOf(read: JsonRead, text: string): JsonBlock['role'] | undefined {
  if (read.status === 'refused') return text.includes('"report_metadata"') ? 'example' : 'schema';
  if (!isJsonObject(read.value)) return undefined;
  return Object.hasOwn(read.value, 'report_metadata') ? 'example' : 'schema';
}

/** The body as Markdown without some of its blocks, without its title, and without headings that nothing stands under. */
export function proseOf({ lines, blocks }: ManualBody, without: ReadonlySet<Block>): string {
  const kept = new Set(dropEmptyHeadings(blocks.filter((block) => !without.has(block))));
  const [title] = kept;
  if (title && rankOf(title) === 1) kept.delete(title);
  const pieces: string[] = [];
  let from = 0;
  for (const block of blocks) {
    if (kept.has(block)) continue;
    pieces.push(contentText(lines, from, block.at));
    from = block.end;
  }
  pieces.push(contentText(lines, from, lines.count));
  const prose = pieces.map(trimBlankLines).filter((piece) => piece !== '');
  return closeLastFence(prose.join('\n\n'));
}

function trimBlankLines(text: string): string {
  const ink = text.search(/\S/);
  return ink === -1 ? '' : text.slice(text.lastIndexOf('\n', ink) + 1).trimEnd();
}

/** So that a fence which never ends does not swallow what follows. */
export function closeLastFence(markdown: string): string {
  const last = scanBlocks(splitLines(markdown)).at(-1);
  if (last?.type !== 'fence' || last.closed) return markdown;
  return `${markdown.replace(/\n$/, '')}\n${last.mark.char.repeat(last.mark.length)}`;
}

/** From the end: a heading that meets the end, or one of its own rank or above, holds nothing. */
function dropEmptyHeadings(blocks: readonly Block[]): Block[] {
  const kept: Block[] = [];
  for (const block of blocks.toReversed()) {
    const next = kept.at(-1);
    const rank = rankOf(block);
    if (rank === undefined || (next && (rankOf(next) ?? 7) > rank)) kept.push(block);
  }
  return kept.reverse();
}

/** Of a heading; `#tag` is none. */
function rankOf(block: Block): number | undefined {
  return block.type === 'heading' && block.spaced ? block.level : undefined;
}
