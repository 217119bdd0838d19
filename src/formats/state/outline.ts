import {
  type Block,
  columnOf,
  firstInk,
  type Lines,
  type ListItem,
  lineText,
  scanBlocks,
  scanItem,
} from '../markdown/index.js';
import { CoveredLines, frontmatterEnd } from './cover.js';
import { readLabel } from './label.js';
import { type SectionKind, sectionKindOf } from './names.js';
import { type Caption, type Field, Paragraphs } from './paragraphs.js';
import type { Table } from './table.js';

/** A STATE.md as lines, with all that can be edited in it. Everything is in the order of its lines. */
export interface Outline {
  readonly lines: Lines;
  /** What covers each line. */
  readonly cover: Uint8Array;
  /** The fence that is never closed; the number of lines where there is none. */
  readonly openFence: number;
  readonly headings: readonly Heading[];
  readonly captions: readonly Caption[];
  readonly fields: readonly Field[];
  readonly tables: readonly Table[];
  /** Lists that are in no other list. */
  readonly lists: readonly { at: number; end: number }[];
}

interface Heading {
  line: number;
  /** The line after it. */
  end: number;
  level: number;
  kind: SectionKind | undefined;
}

/** Deeper lists hold no fields: it keeps hostile nesting from being scanned again and again. */
const MOST_DEPTH = 6;
/** How often a comment may upset the blocks behind it; the same reason. */
const MOST_RESCANS = 4;

/** The document, or a list item in it: `base` is the column that its content begins in. */
interface Box {
  base: number;
  end: number;
  depth: number;
  item?: ListItem;
}

export function readOutline(text: string): Outline {
  return new OutlineReader(text).read();
}

class OutlineReader {
  private readonly covered: CoveredLines;
  private readonly lines: Lines;
  private readonly paragraphs: Paragraphs;
  private readonly headings: Heading[] = [];
  private readonly lists: { at: number; end: number }[] = [];
  private openFence: number;
  private rescans = 0;

  constructor(private readonly text: string) {
    this.covered = new CoveredLines(text);
    this.lines = this.covered.lines;
    this.paragraphs = new Paragraphs(this.covered);
    this.openFence = this.lines.count;
  }

  read(): Outline {
    const { lines, covered, headings, lists } = this;
    const body = frontmatterEnd(lines);
    covered.coverFence(0, body);
    const box = { base: 0, end: lines.count, depth: 0 };
    if (body < lines.count) this.visit(body === 0 ? scanBlocks(lines) : this.rescan(body, box), box);
    const { openFence } = this;
    return { lines, cover: covered.cover, openFence, headings, lists, ...this.paragraphs.finish() };
  }

  private visit(blocks: readonly Block[], box: Box): void {
    for (let i = 0; i < blocks.length; i++) {
      const block = blocks[i]!;
      const shown = this.covered.firstShown(block.at, block.end);
      if (shown === block.end) continue;
      if (shown > block.at && block.type !== 'text' && this.rescans++ < MOST_RESCANS) {
        this.visit(this.rescan(shown, box), box);
        return;
      }
      if (block.type === 'text') {
        if (!this.readUnderlined(block, blocks[i + 1], box)) this.readText(block, box);
      } else if (block.type === 'fence') {
        this.covered.coverFence(block.at, block.end);
        if (!block.closed && box.depth === 0) this.openFence = block.at;
      } else if (block.type === 'heading' && box.depth === 0) {
        const kind = sectionKindOf(block.text);
        // `#5 waits for the vendor` is a line of text.
        if (block.spaced || kind) this.addHeading(block.at, block.end, block.level, kind);
      } else if (block.type === 'list') {
        if (box.depth === 0) this.lists.push(block);
        for (const item of box.depth < MOST_DEPTH ? block.items : []) {
          const inner = { base: item.column, end: item.end, depth: box.depth + 1, item };
          this.visit(scanItem(this.lines, item), inner);
        }
      }
    }
  }

  private rescan(from: number, box: Box): Block[] {
    const offset = firstInk(this.lines, from);
    return scanItem(this.lines, { at: from, end: box.end, offset, column: box.base });
  }

  private addHeading(line: number, end: number, level: number, kind: SectionKind | undefined): void {
    this.headings.push({ line, end, level, kind });
    this.paragraphs.section = this.headings.length - 1;
  }

  /** A title over a line of dashes or equal signs. Three dashes are taken for a rule, unless the title is known. */
  private readUnderlined(block: Block, next: Block | undefined, box: Box): boolean {
    const { lines, text } = this;
    const { at, end } = block;
    const isDouble = end === at + 2 && isUnderline(lines, at + 1, '=');
    const isSingle =
      end === at + 1 && next?.type === 'rule' && next.at === end && isUnderline(lines, end, '-');
    if (box.depth > 0 || !(isDouble || isSingle) || this.covered.isHidden(at)) return false;
    const kind = sectionKindOf(lineText(lines, at).trim());
    const ink = firstInk(lines, at);
    const isTitle = !'>|<'.includes(text[ink]!) && !readLabel(text, ink, lines.ends[at]!);
    const isLong = isDouble || lineText(lines, end).trim().length > 3;
    if (!kind && !(isTitle && isLong)) return false;
    this.addHeading(at, at + 2, isDouble ? 1 : 2, kind);
    return true;
  }

  /** Parts a run of lines into comments, indented code and paragraphs. */
  private readText(block: Block, box: Box): void {
    const { covered, lines, text } = this;
    const item = box.item?.at === block.at ? box.item : undefined;
    let from = -1;
    const flush = (end: number) => {
      if (from !== -1) this.paragraphs.read(from, end, from === block.at ? item : undefined, box.depth === 0);
      from = -1;
    };
    for (let line = block.at; line < block.end; line++) {
      if (covered.isHidden(line)) continue;
      const ink = item && line === block.at ? item.offset : firstInk(lines, line);
      if (covered.coverComment(line, ink, box.end)) {
        flush(line);
        continue;
      }
      if (from === -1 && columnOf(text, lines.starts[line]!, ink) - box.base > 3) continue;
      if (from === -1) from = line;
      covered.coverInline(line, ink, block.end);
    }
    flush(block.end);
  }
}

function isUnderline(lines: Lines, line: number, char: string): boolean {
  const from = firstInk(lines, line);
  let at = from;
  while (at < lines.ends[line]! && lines.text[at] === char) at++;
  return at > from + 1 && lines.text.slice(at, lines.ends[line]).trim() === '';
}
